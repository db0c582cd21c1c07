"""How much evidence is read, and how often gold queries do not do what is read.

    python -m experiments.evidence_reading.run DATA [--out FOLDER] [--firings firings.jsonl]

Takes the pairs of BIRD's training set, which have evidence and gold queries but no databases: the
signal runs on empty ones of their schemas. A gold query should do what its evidence says, so each
firing is a misreading or a wrong pair.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.signals import inspect_case, select_signals
from clausewise.text import quote_name
from clausewise.types import Case, CaseStatus, Inspection, OutcomeStatus
from experiments.common.results import Cell, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table

SIGNAL = "evidence_unused"
RATES = "firing_rates.csv"


def schema_script(schema: dict[str, Any]) -> str:
    """Return the statements that create the empty tables of a schema."""
    keys: dict[str, list[str]] = {}
    for table, column, other, referred in schema.get("foreign_keys", ()):
        if None not in (table, column, other, referred):
            keys.setdefault(table, []).append(
                f"FOREIGN KEY ({quote_name(column)}) REFERENCES "
                f"{quote_name(other)} ({quote_name(referred)})"
            )
    tables = []
    for name, table in schema["tables"].items():
        parts = [f"{quote_name(c['name'])} {c.get('type') or ''}" for c in table["columns"]]
        if table.get("primary_key"):
            parts.append(f"PRIMARY KEY ({', '.join(map(quote_name, table['primary_key']))})")
        parts += keys.get(name, [])
        tables.append(f"CREATE TABLE {quote_name(name)} ({', '.join(parts)});")
    return "\n".join(tables)


def inspected(data: Path, folder: Path) -> Iterator[Inspection]:
    """Yield the inspection of each pair that has evidence, by the one signal."""
    source = data / "gold_pairs" / "bird_train"
    schemas = json.loads((source / "schemas.json").read_text(encoding="utf-8"))
    signals = select_signals(SIGNAL)
    opened: dict[str, BaseDatabase] = {}
    for line in (source / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        name = pair["db_id"]
        if not (pair["evidence"] or "").strip():
            continue
        if name not in opened:
            path = create_database(folder / f"{name}.sqlite", schema_script(schemas[name]))
            opened[name] = open_database(path, cache_dir=folder)
        case = Case(
            question_id=pair["question_id"],
            db_id=name,
            question=pair["question"],
            evidence=pair["evidence"],
            predicted_sql=pair["gold_sql"],
        )
        yield inspect_case(case, opened[name], signals)


def rows(inspections: Sequence[Inspection]) -> list[dict[str, Cell]]:
    """Return how many pairs are read and fire, in all and by reason."""
    run = [item for item in inspections if item.status is CaseStatus.OK]
    outcomes = [item.outcomes[SIGNAL] for item in run]
    read = [one for one in outcomes if one.status is not OutcomeStatus.NOT_APPLICABLE]
    fired = [one for one in read if one.status is OutcomeStatus.FIRED]
    reasons = Counter(reason for one in fired for reason in {f.reason for f in one.findings})
    counts = [("pairs", len(inspections)), ("run", len(run)), ("read", len(read))]
    counts += [("fired", len(fired)), *sorted(reasons.items())]
    share = max(1, len(read))
    return [{"what": what, "count": n, "of_read": round(n / share, 4)} for what, n in counts]


def report(out: Path) -> str:
    """Return the Markdown of a folder of results."""
    found = read_csv(out / RATES)
    lines = [[row["what"], row["count"], f"{float(row['of_read']):.4f}"] for row in found]
    return "# Results\n\n" + markdown_table(["", "pairs", "of those read"], lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--firings", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = list(inspected(options.data, Path(folder)))
    table = rows(found)
    for row in table:
        print(f"{row['what']:>15} {row['count']:>6} {row['of_read']:>7}")
    if options.out:
        write_csv(options.out / RATES, table)
        write_report(options.out, report)
    if options.firings:
        options.firings.write_text("".join(map(_line, found)), encoding="utf-8")
    return 0


def _line(item: Inspection) -> str:
    outcome = item.outcomes[SIGNAL]
    record = {
        "question": item.case.question,
        "evidence": item.case.evidence,
        "sql": item.case.predicted_sql,
        "status": outcome.status.value,
        "findings": [[one.reason, one.evidence.get("wanted")] for one in outcome.findings],
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main())
