"""Audit the gold queries of three sets, and count what the reader says of those flagged first.

    python -m experiments.audit.run DATA --weights FOLDER --audits FOLDER [--sample]
    python -m experiments.audit.run --report

The first audits everything (`held_out` writes the weights) and writes the counts; with `--sample`
it prints the cases to read. `results/readings.csv` holds what was read, by hand. The second makes
the report of the CSV files alone.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from clausewise.auditing import AuditedCase, AuditStatus, iter_audits
from clausewise.auditing.ranking import FLAGGED_FROM
from clausewise.auditing.report import AuditReport, AuditSummary
from clausewise.databases import Databases
from clausewise.datasets import dump_line
from clausewise.evaluation.intervals import wilson_interval
from clausewise.expectation import Expectation
from clausewise.models import Detector, packaged_detector
from clausewise.types import Case
from clausewise.workers import IN_PROCESS
from experiments.audit.held_out import PARTS, columns_file, expecting, part_of
from experiments.common.data import Benchmark
from experiments.common.results import Cell, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.expectation.pairs import fold_of

SOURCES = ("spider_train", "spider", "bird")
TO_READ = {"spider_train": 30, "spider": 15, "bird": 15}
MOST_OF_A_DATABASE = {"spider_train": 3, "spider": 3, "bird": 8}
"""BIRD has two databases here."""
READINGS = "readings.csv"
"""What was read by hand, in the folder of results."""
RESULTS = Path(__file__).with_name("results")


def weights_were_set_on(db_id: str) -> bool:
    """Whether findings on a database of `spider_train` were looked at when weights were set."""
    return (fold_of(f"half {db_id.casefold()}", 2**64) >> 56) % 2 == 0


def audits(data: Path, source: str, weights: Path) -> Iterator[AuditedCase]:
    """Yield the audit of every gold query of a set, in the file's order but by part."""
    benchmark = Benchmark(data / source)
    cases = benchmark.gold_cases()
    if source != "spider_train":
        yield from _audited(packaged_detector(), cases, benchmark.databases)
        return
    for part in range(PARTS):
        own = [case for case in cases if part_of(case.db_id) == part]
        with expecting(weights, part) as expectation:
            yield from _audited(_expecting(expectation), own, benchmark.databases)
        print(f"{source}, part {part}: {len(own)} golds", flush=True)


def _expecting(expectation: Expectation) -> Detector:
    detector = packaged_detector()
    detector.learned_ = dataclasses.replace(detector.learned_, expectation=expectation)
    return detector


def _audited(detector: Detector, cases: list[Case], databases: Databases) -> Iterator[AuditedCase]:
    detector.set_params(isolation=IN_PROCESS)
    yield from iter_audits(detector.iter_scores(cases, databases), databases, isolation=IN_PROCESS)


def count_rows(source: str, summary: AuditSummary) -> list[dict[str, Cell]]:
    """Return a row for each category that any case of a set has."""
    return [
        {
            "source": source, "side": side, "category": name, "cases": cases,
            "strongest_of_flagged": strongest,
        }
        for side, name, _, cases, strongest in summary.by_category()
    ]  # fmt: skip


def is_unseen(db_id: str, weights: Path) -> bool:
    """Whether neither the weights of findings nor the expectation were made with a database."""
    learned_apart = columns_file(weights, part_of(db_id)).exists()
    return learned_apart and not weights_were_set_on(db_id)


def to_read(report: AuditReport, source: str, weights: Path) -> list[dict[str, Any]]:
    """Return the most suspicious cases, of `spider_train` those of unseen databases."""
    used: Counter[str] = Counter()
    chosen = []
    for case in report.cases():
        db_id = case["db_id"]
        if source == "spider_train" and not is_unseen(db_id, weights):
            continue
        used[db_id] += 1
        if used[db_id] <= MOST_OF_A_DATABASE[source]:
            chosen.append(case)
        if len(chosen) == TO_READ[source]:
            break
    return chosen


def report(out: Path) -> str:
    """Return the tables that are made of the CSV files."""
    counts = _read(out / "counts.csv")
    statuses = _read(out / "statuses.csv")
    parts = ["## Gold queries\n", _table(statuses, list(statuses[0])), "\n## Categories\n"]
    names = list(dict.fromkeys((row["side"], row["category"]) for row in counts))
    by_place = {(row["category"], row["source"]): row for row in counts}
    rows = []
    for side, name in sorted(names):
        row = [side, name]
        for source in SOURCES:
            found = by_place.get((name, source))
            cell = "-" if found is None else f"{found['cases']} ({found['strongest_of_flagged']})"
            row.append(cell)
        rows.append(row)
    parts += [markdown_table(["side", "category", *SOURCES], rows), "\n## Read by hand\n"]
    header = ["set", "read", "wrong", "ambiguous", "right", "precision", "95 % interval"]
    header += ["category right", "flagged", "wrong of these"]
    parts.append(markdown_table(header, list(_precisions(_read(out / READINGS)))))
    return "\n".join(parts)


def _precisions(read: list[dict[str, str]]) -> Iterator[list[str]]:
    for source in (*SOURCES, "all"):
        own = [row for row in read if source in (row["source"], "all")]
        verdicts = Counter(row["verdict"] for row in own)
        hits = verdicts["wrong"]
        flagged = [row for row in own if float(row["suspicion"]) >= FLAGGED_FROM]
        interval = wilson_interval(hits, len(own))
        if interval is not None:
            low, high = interval
            yield [
                source,
                str(len(own)),
                *(str(verdicts[verdict]) for verdict in ("wrong", "ambiguous", "right")),
                f"{hits / len(own):.2f}",
                f"{low:.2f} to {high:.2f}",
                str(sum(row["category_right"] == "yes" for row in own)),
                str(len(flagged)),
                str(sum(row["verdict"] == "wrong" for row in flagged)),
            ]


def _table(rows: Iterable[Mapping[str, str]], names: list[str]) -> str:
    return markdown_table(names, [[row[name] for name in names] for row in rows])


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Audit and count, or report."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("data", type=Path, nargs="?", help="folder of the benchmarks")
    made.add_argument("--weights", type=Path, help="folder that held_out wrote")
    made.add_argument("--audits", type=Path, help="folder to write the audited cases to")
    made.add_argument("--sources", default=",".join(SOURCES))
    made.add_argument("--sample", action="store_true", help="print the cases to read")
    made.add_argument("--report", action="store_true")
    given = made.parse_args()
    if given.report:
        write_report(RESULTS, report)
        return
    counts: list[dict[str, Cell]] = []
    statuses: list[dict[str, Cell]] = []
    for source in given.sources.split(","):
        path = given.audits / f"{source}.jsonl"
        if not path.exists():
            with path.open("w", encoding="utf-8") as file:
                for case in audits(given.data, source, given.weights):
                    file.write(dump_line(case.to_dict()) + "\n")
        found = AuditReport(path)
        counts += count_rows(source, found.summary)
        row: dict[str, Cell] = {"source": source, "golds": found.summary.cases}
        row |= {name.value: found.summary.statuses[name] for name in AuditStatus}
        statuses.append(row | {"not checked in full": found.summary.partly})
        if given.sample:
            for rank, chosen in enumerate(to_read(found, source, given.weights), start=1):
                print(json.dumps({"source": source, "rank": rank, **chosen}))
    RESULTS.mkdir(exist_ok=True)
    write_csv(RESULTS / "counts.csv", counts)
    write_csv(RESULTS / "statuses.csv", statuses)


if __name__ == "__main__":
    main()
