"""Do all predictions of the data folder score the same as before?

    python -m experiments.same_scores DATA --write before.csv.gz     in the code before
    python -m experiments.same_scores DATA --before before.csv.gz    in the code after

Every prediction is scored by the packaged detector, without and with candidates. Compared are the
probability (to `--tolerance`), the status, every signal's outcome and every finding: its clause,
score, level, message and suggestion. Exits with 1 where anything differs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from clausewise.models import packaged_detector
from experiments.common.data import BENCHMARKS, Benchmark
from experiments.common.tables import markdown_table

COLUMNS = (
    "benchmark",
    "candidates",
    "system",
    "place",
    "p_correct",
    "status",
    "outcomes",
    "findings",
)
KEY = COLUMNS[:4]
TOLERANCE = 1e-9
SILENT = "silent"
Record = dict[str, str]
"""A line of the file; `outcomes` and `findings` are JSON."""


def record(key: Sequence[str], scored: Mapping[str, Any]) -> Record:
    """Return what is compared of a scored case, given as one line of a scores file."""
    outcomes = {name: status for name, status in scored["signals"].items() if status != SILENT}
    findings = [
        [
            finding["signal"],
            finding["clause"]["kind"],
            finding["clause"]["start"],
            finding["clause"]["end"],
            round(finding["score"], 9),
            finding["level"],
            _digest(f"{finding['message']}\n{finding['suggestion']}"),
        ]
        for finding in scored["findings"]
    ]
    p_correct = scored["p_correct"]
    values = (
        *key,
        "" if p_correct is None else repr(p_correct),
        scored["status"],
        _plain(dict(sorted(outcomes.items()))),
        _plain(sorted(findings)),
    )
    return dict(zip(COLUMNS, values, strict=True))


def records(data: Path, benchmarks: Sequence[str], most: int, jobs: int) -> Iterator[Record]:
    """Score the predictions of the first `most` systems of each benchmark, 0 for all."""
    detector = packaged_detector()
    for name in benchmarks:
        benchmark = Benchmark(data / name)
        names = benchmark.system_names()[: most or None]
        for candidates in (False, True):
            systems = benchmark.systems(detector.specs(), names, jobs, candidates)
            for system in systems:
                for place, scored in enumerate(detector.score_inspections(system.inspections)):
                    key = (name, str(candidates), system.name, str(place))
                    yield record(key, scored.to_dict())
            print(f"scored {name}, candidates {candidates}", file=sys.stderr, flush=True)


def write(path: Path, found: Sequence[Record]) -> None:
    """Write records as CSV, compressed."""
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


def read(path: Path) -> list[Record]:
    """Read what `write` wrote."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass
class Differences:
    """What differs between two runs, by signal."""

    compared: int = 0
    missing: int = 0
    """Predictions that are in one run only."""
    probabilities: int = 0
    largest: float = 0.0
    """The largest difference between two probabilities."""
    statuses: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(signal, outcome before, after)."""
    lost: Counter[str] = field(default_factory=Counter)
    """Findings, by signal, that are no longer there; such that changed are lost and gained."""
    gained: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    """Findings of which only the message or the suggestion changed."""
    examples: list[str] = field(default_factory=list)
    """The first predictions of which more than a text differs."""

    @property
    def any(self) -> bool:
        """Whether anything differs."""
        counters = (self.statuses, self.outcomes, self.lost, self.gained, self.texts)
        return bool(self.missing or self.probabilities or any(counters))

    def report(self) -> str:
        """Return the differences as text with a table by signal."""
        lines = [
            f"{self.compared} predictions compared, {self.missing} in one run only",
            f"probability differs: {self.probabilities} (at most {self.largest:.3g})",
            *(f"status {change}: {count}" for change, count in sorted(self.statuses.items())),
        ]
        if self.examples:
            lines.append("first: " + "; ".join(self.examples))
        rows = [
            [signal, f"outcome {before} -> {after}", str(count)]
            for (signal, before, after), count in sorted(self.outcomes.items())
        ]
        for what, counter in (
            ("findings lost", self.lost),
            ("findings gained", self.gained),
            ("only the text of a finding", self.texts),
        ):
            rows += [[signal, what, str(count)] for signal, count in sorted(counter.items())]
        if rows:
            lines += ["", markdown_table(["signal", "difference", "count"], sorted(rows))]
        return "\n".join(lines)


def compare(
    before: Sequence[Record],
    after: Sequence[Record],
    tolerance: float = TOLERANCE,
    examples: int = 5,
) -> Differences:
    """Return what differs between the records of two runs."""
    old, new = ({tuple(of[name] for name in KEY): of for of in run} for run in (before, after))
    found = Differences(missing=len(old.keys() ^ new.keys()))
    for key in old.keys() & new.keys():
        found.compared += 1
        differs = _compare_one(old[key], new[key], tolerance, found)
        if differs:
            found.examples.append(" ".join(key))
    found.examples = sorted(found.examples)[:examples]
    return found


def _compare_one(old: Record, new: Record, tolerance: float, found: Differences) -> bool:
    """Count the differences of one prediction; returns whether more than a text differs."""
    gap = _gap(old["p_correct"], new["p_correct"])
    different = gap > tolerance
    found.probabilities += different
    found.largest = max(found.largest, gap)
    if old["status"] != new["status"]:
        found.statuses[f"{old['status']} -> {new['status']}"] += 1
        different = True
    if old["outcomes"] != new["outcomes"]:
        first, second = json.loads(old["outcomes"]), json.loads(new["outcomes"])
        for name in first.keys() | second.keys():
            change = (name, first.get(name, SILENT), second.get(name, SILENT))
            if change[1] != change[2]:
                found.outcomes[change] += 1
        different = True
    if old["findings"] != new["findings"]:
        counts = [Counter(map(tuple, json.loads(of["findings"]))) for of in (old, new)]
        without_text = [Counter(place[:-1] for place in of.elements()) for of in counts]
        lost, gained = without_text[0] - without_text[1], without_text[1] - without_text[0]
        found.lost.update(place[0] for place in lost.elements())
        found.gained.update(place[0] for place in gained.elements())
        texts = Counter(place[0] for place in (counts[0] - counts[1]).elements())
        texts.subtract(place[0] for place in lost.elements())
        found.texts.update(+texts)
        different |= bool(lost or gained)
    return different


def _gap(before: str, after: str) -> float:
    if not before or not after:
        return 0.0 if before == after else 1.0
    return abs(float(before) - float(after))


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()


def _plain(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def main() -> None:
    """Write all scores, or compare them with those written before."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder of the benchmarks")
    parser.add_argument("--write", type=Path, help="file of all scores, such as before.csv.gz")
    parser.add_argument("--before", type=Path, help="file that --write made, to compare with")
    parser.add_argument("--benchmarks", default=",".join(BENCHMARKS))
    parser.add_argument("--systems", type=int, default=0, help="of each benchmark; 0: all")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    arguments = parser.parse_args()
    if not arguments.write and not arguments.before:
        parser.error("give --write or --before")
    names = arguments.benchmarks.split(",")
    found = list(records(arguments.data, names, arguments.systems, arguments.jobs))
    if arguments.write:
        write(arguments.write, found)
    if arguments.before:
        scored = {tuple(of[name] for name in KEY[:3]) for of in found}
        before = read(arguments.before)
        same = [of for of in before if tuple(of[name] for name in KEY[:3]) in scored]
        differences = compare(same if arguments.systems else before, found, arguments.tolerance)
        print(differences.report())
        sys.exit(differences.any)


if __name__ == "__main__":
    main()
