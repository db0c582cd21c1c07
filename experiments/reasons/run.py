"""Count, over labeled predictions, how often each reason is given and how often it is right.

    python -m experiments.reasons.run DATA [--write] [--jobs 2]

Counted are executable predictions with a label, once for each reason however many findings name
it; a query that several systems predict counts once. Labels that say nothing (`vacuous`) are left
out. With `--write` the counts go into `clausewise/signals/strengths.json`, beside the strengths,
which they do not change: those were set by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import clausewise
from clausewise.signals import select_signals
from experiments.common.data import BENCHMARKS, Benchmark

STRENGTHS = Path(clausewise.__file__).parent / "signals" / "strengths.json"
SOURCE = "strength set by hand; counted on development predictions of Spider and BIRD"
DIGITS = 3


def vacuous_questions(folder: Path) -> set[tuple[str, str]]:
    """Return (system, question id) of labels that the data marks as vacuous."""
    found = set()
    for path in sorted((folder / "labels").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record.get("vacuous"):
                found.add((path.stem, str(record["question_id"])))
    return found


def counts(data: Path, jobs: int) -> dict[tuple[str, str], Counter[bool]]:
    """Return for each (signal, reason) how many predictions had it, by whether incorrect."""
    found: dict[tuple[str, str], Counter[bool]] = {}
    specs = select_signals("all")
    for name in BENCHMARKS:
        benchmark = Benchmark(data / name)
        vacuous = vacuous_questions(benchmark.folder)
        seen: set[tuple[object, str]] = set()
        for system in benchmark.systems(specs, jobs=jobs, candidates=True):
            for item in system.labeled():
                key = (item.case.question_id, item.case.predicted_sql)
                if (system.name, str(item.case.question_id)) in vacuous or key in seen:
                    continue
                seen.add(key)
                given = {
                    (finding.signal, finding.reason)
                    for outcome in item.outcomes.values()
                    for finding in outcome.findings
                }
                for reason in given:
                    found.setdefault(reason, Counter())[system.is_incorrect(item)] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the benchmarks")
    parser.add_argument("--write", action="store_true", help="write the counts beside strengths")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    arguments = parser.parse_args()
    found = counts(arguments.data, arguments.jobs)
    strengths = json.loads(STRENGTHS.read_text(encoding="utf-8"))
    for signal, reasons in strengths.items():
        for reason, fields in reasons.items():
            of_reason = found.get((signal, reason), Counter())
            count = of_reason.total()
            fields["count"] = count
            fields["precision"] = round(of_reason[True] / count, DIGITS) if count else None
            fields["source"] = SOURCE
            shown = "-" if not count else f"{fields['precision']:.3f}"
            print(f"{signal:28} {reason:24} {fields['strength']:.2f} {count:6} {shown}")
    if arguments.write:
        STRENGTHS.write_text(json.dumps(strengths, indent=2) + "\n", encoding="utf-8")
        sys.stderr.write(f"written to {STRENGTHS}\n")


if __name__ == "__main__":
    main()
