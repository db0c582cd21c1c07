"""What test-suite labels change: the detector on both kinds of labels, and each system's share.

    python -m experiments.test_suite_labels.run DATA --labels LABELS --out RESULTS

`LABELS` is what `make` has written. The detector scores every database without having seen it; it
was trained on the labels of one instance.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binomtest

from experiments.common.data import Benchmark, Labels, System
from experiments.common.folds import Scored
from experiments.common.means import SystemFigures, system_figures
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    interval_columns,
    number,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.packaged_detector.evaluate import left_out

DATABASE, SUITE, ANY = "database", "test suite", "any valid instance"
FIELDS = {DATABASE: "correct_on_database", SUITE: "correct", ANY: "correct_on_any_instance"}
MEAN = "mean"
RESAMPLES = 300
Record = dict[str, object]


@dataclass(frozen=True)
class Read:
    """The labels of one system: by the kind of label, and the records they come from."""

    records: dict[str | int, Record]

    def labels(self, kind: str, known: Labels) -> Labels:
        """Return the labels of a kind for the executable predictions that have a known label."""
        return {
            question: bool(record[FIELDS[kind]])
            for question, record in self.records.items()
            if question in known and record["executable"]
        }


def read_labels(folder: Path, system: str) -> Read:
    """Return the labels that were made for a system."""
    lines = (folder / f"{system}.jsonl").read_text(encoding="utf-8").splitlines()
    records: list[Record] = [json.loads(line) for line in lines]
    return Read({_id(record["question_id"]): record for record in records})


def _id(value: object) -> str | int:
    assert isinstance(value, str | int)
    return value


def shares(benchmark: Benchmark, folder: Path) -> Iterator[dict[str, Cell]]:
    """Yield, for each system, how many of its predictions the labels call correct."""
    for system in benchmark.system_names():
        read = read_labels(folder, system)
        recorded = benchmark.labels(system, vacuous=True)
        vacuous = recorded.keys() - benchmark.labels(system).keys()
        both = [q for q in read.records if q in recorded]
        records = [read.records[question] for question in both]
        correct = [r for r in records if r["correct_on_database"]]
        wrong = sum(not r["correct"] for r in correct)
        empty = [r for r in correct if r["question_id"] in vacuous]
        row: dict[str, Cell] = {
            "benchmark": benchmark.name,
            "system": system,
            "predictions": len(records),
            "as_recorded": sum(
                recorded[question] == record["correct_on_database"]
                for question, record in zip(both, records, strict=True)
            ),
            "correct_on_database": len(correct),
            "not_by_suite": wrong,
            **interval_columns("share", _share(wrong, len(correct))),
            "not_by_any_instance": sum(not r["correct_on_any_instance"] for r in correct),
            "share_by_any_instance": sum(not r["correct_on_any_instance"] for r in correct)
            / max(1, len(correct)),
            "vacuous": len(empty),
            "vacuous_not_by_suite": sum(not r["correct"] for r in empty),
            "forgiven": sum(bool(r["correct"]) and not r["correct_on_database"] for r in records),
        }
        yield row


def _share(part: int, whole: int) -> list[float]:
    if not whole:
        return [float("nan")] * 3
    ends = binomtest(part, whole).proportion_ci(method="wilson")
    return [part / whole, float(ends.low), float(ends.high)]


def reasons(benchmark: Benchmark, folder: Path) -> Iterator[dict[str, Cell]]:
    """Yield how often each difference and each convention decided."""
    told: Counter[tuple[str, str]] = Counter()
    for system in benchmark.system_names():
        for record in read_labels(folder, system).records.values():
            if not record["executable"]:
                continue
            before = "correct" if record["correct_on_database"] else "incorrect"
            forgiven = record["forgiven"]
            assert isinstance(forgiven, list)
            if record["told_by"] is not None:
                kind = SUITE if not record["correct"] else ANY
                where = DATABASE if record["told_by"] == DATABASE else kind
                told[before, f"told by {where}: {record['difference']}"] += 1
            elif forgiven:
                told[before, f"forgiven: {', '.join(forgiven)}"] += 1
            else:
                told[before, "equal everywhere"] += 1
    for (before, what), count in sorted(told.items()):
        yield {
            "benchmark": benchmark.name,
            "on_the_database": before,
            "what": what,
            "predictions": count,
        }


def relabeled(system: System, folder: Path, kind: str) -> System:
    """Return a system with another kind of labels, for the same predictions."""
    labels = read_labels(folder, system.name).labels(kind, system.labels)
    return dataclasses.replace(system, labels=labels)


def evaluated(
    systems: Sequence[System], scored: Scored, folder: Path, gold: Mapping[str | int, str]
) -> Iterator[dict[str, Cell]]:
    """Yield the AUC by each kind of labels, of every system and their mean."""
    by_name = {system.name: scored[f"{system.benchmark}/{system.name}"] for system in systems}
    found: dict[str, SystemFigures] = {}
    for kind in FIELDS:
        chosen = [relabeled(system, folder, kind) for system in systems]
        found[kind] = system_figures(chosen, by_name, gold, RESAMPLES)
    for name in (MEAN, *found[DATABASE].systems):
        figures = {kind: of if name == MEAN else of.only(name) for kind, of in found.items()}
        row: dict[str, Cell] = {"benchmark": systems[0].benchmark, "system": name}
        for kind, of in figures.items():
            column = kind.replace(" ", "_")
            row |= interval_columns(f"auc_{column}", of.mean("auc"))
            row |= {f"f1_{column}": of.mean("f1")[0], f"ece_{column}": of.mean("ece")[0]}
            if kind != DATABASE:
                row |= interval_columns(f"gain_{column}", of.gain(figures[DATABASE], "auc"))
        yield row


def report(folder: Path) -> str:
    """Return the tables."""
    parts = [
        "# Results\n\nExecutable predictions. *Test suite*: the database and all instances that "
        "obey what holds for its rows; *any valid instance*: those, too, that obey declared "
        "constraints only.\n",
        "## The detector by each kind of labels\n\nAUC with 95 % intervals (resampled questions), "
        "vacuous golds left out, databases that the detector has not seen.\n",
    ]
    for (name,), rows in grouped(read_csv(folder / "results.csv"), "benchmark").items():
        parts.append(f"### {name}\n\n{_auc_table(rows)}")
    parts.append("## What predictions that are correct on the database are by the suite\n")
    for (name,), rows in grouped(read_csv(folder / "shares.csv"), "benchmark").items():
        parts.append(f"### {name}\n\n{_share_table(rows)}")
    parts.append("## By what\n")
    header = ["on the database", "what", "predictions"]
    for (name,), rows in grouped(read_csv(folder / "reasons.csv"), "benchmark").items():
        lines = [[row["on_the_database"], row["what"], row["predictions"]] for row in rows]
        parts.append(f"### {name}\n\n{markdown_table(header, lines)}")
    return "\n".join(parts)


def _auc_table(rows: Sequence[Row]) -> str:
    header = ["system", *FIELDS, "suite less database", "any less database"]
    header += [f"ECE, {kind}" for kind in FIELDS]
    columns = [kind.replace(" ", "_") for kind in FIELDS]
    lines = [
        [
            row["system"],
            *(interval_text(interval(row, f"auc_{column}")) for column in columns),
            *(interval_text(interval(row, f"gain_{c}"), signed=True) for c in columns[1:]),
            *(f"{number(row, f'ece_{column}'):.3f}" for column in columns),
        ]
        for row in rows
    ]
    return markdown_table(header, lines)


def _share_table(rows: Sequence[Row]) -> str:
    header = ["system", "predictions", "labeled as recorded", "correct on the database"]
    header += ["not by the suite", "share", "share by any instance", "vacuous", "of these not"]
    header += ["forgiven"]
    lines = [
        [
            row["system"],
            row["predictions"],
            row["as_recorded"],
            row["correct_on_database"],
            row["not_by_suite"],
            interval_text(interval(row, "share")),
            f"{number(row, 'share_by_any_instance'):.3f}",
            row["vacuous"],
            row["vacuous_not_by_suite"],
            row["forgiven"],
        ]
        for row in rows
    ]
    counts = ("predictions", "as_recorded", "correct_on_database", "not_by_suite")
    sums = {name: sum(int(row[name]) for row in rows) for name in counts}
    found = _share(sums["not_by_suite"], sums["correct_on_database"])
    wider = sum(int(row["not_by_any_instance"]) for row in rows) / sums["correct_on_database"]
    rest = [sum(int(row[n]) for row in rows) for n in ("vacuous", "vacuous_not_by_suite")]
    forgiven = sum(int(row["forgiven"]) for row in rows)
    total = ["all", *(str(sums[name]) for name in counts), interval_text(found), f"{wider:.3f}"]
    lines.append([*total, *map(str, rest), str(forgiven)])
    return markdown_table(header, lines)


def main() -> None:
    """Run the experiment and write its results."""
    arguments = parser(__doc__)
    arguments.add_argument("--labels", type=Path, required=True, help="what `make` has written")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    of_system, of_reason, of_detector = [], [], []
    single = {name: workspace.systems(name) for name in workspace.benchmarks}
    everyone = [system for of in single.values() for system in of]
    for name, systems in single.items():
        benchmark, folder = workspace.benchmark(name), parsed.labels / name
        of_system += list(shares(benchmark, folder))
        of_reason += list(reasons(benchmark, folder))
        scored = left_out(everyone, systems)
        of_detector += list(evaluated(systems, scored, folder, benchmark.gold()))
        print(name, of_detector[-len(systems) - 1], flush=True)
    write_csv(workspace.out / "shares.csv", of_system)
    write_csv(workspace.out / "reasons.csv", of_reason)
    write_csv(workspace.out / "results.csv", of_detector)
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
