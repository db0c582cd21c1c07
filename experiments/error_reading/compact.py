"""Drawn cases as text to read, and as a table to fill in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.common.results import write_csv
from experiments.robustness.schemas import rows_of

SHOWN = 3
MOST_CHARACTERS = 160


def write_compact(records: Sequence[dict[str, Any]], data: Path, out: Path) -> None:
    """Write `cases.txt`, some lines for each case, and `readings.csv` without its readings."""
    texts = [compact(number, record, data) for number, record in enumerate(records, 1)]
    (out / "cases.txt").write_text("\n".join(texts), "utf-8")
    names = ("benchmark", "system", "question_id", "kind")
    write_csv(
        out / "readings.csv",
        [
            {name: record[name] for name in names}
            | {"cause": "", "reading": "", "fired": " ".join(fired(record))}
            for record in records
        ],
    )


def fired(record: dict[str, Any]) -> list[str]:
    """Return the signals that have a finding."""
    return sorted({finding.split(" ", 1)[0] for finding in record["findings"]})


def compact(number: int, record: dict[str, Any], data: Path) -> str:
    """Return a case in a few lines: question, both queries with their results, findings."""
    database = data / record["benchmark"] / "databases" / record["db_id"]
    path = database / f"{record['db_id']}.sqlite"
    head = [f"[{number}]", record["kind"], record["benchmark"], record["system"]]
    head += [str(record["question_id"]), record["db_id"], f"score {record['score']}"]
    lines = [" ".join(head), f"Q  {_one_line(record['question'])}"]
    if record["evidence"]:
        lines.append(f"E  {_one_line(record['evidence'])}")
    for letter, name in (("P", "predicted_sql"), ("G", "gold_sql")):
        lines.append(f"{letter}  {_one_line(record[name])}")
        lines.append(f"   {result(path, record[name])}")
    lines += [f"F  {_one_line(finding)}" for finding in record["findings"]]
    return "\n".join(lines) + "\n"


def result(database: Path, sql: str) -> str:
    """Return how many rows a query has, and the first ones."""
    rows = rows_of(database, sql)
    if rows is None:
        return "does not run"
    first = "; ".join(", ".join(_cell(value) for value in row) for row in rows[:SHOWN])
    return f"{len(rows)} rows: {first}"[:MOST_CHARACTERS]


def _cell(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())
