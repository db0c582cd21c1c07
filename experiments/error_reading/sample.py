"""Draw misses and false alarms to be read by hand.

    python -m experiments.error_reading.sample DATA --out FOLDER

By default a miss is an incorrect query that the detector calls correct, a false alarm a correct one
that it calls incorrect. `--ranking sum` ranks as for `readings_by_sum.csv`, whatever the verdict.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clausewise.models import Detector
from clausewise.models.registries import PACKAGED
from clausewise.signals import select_signals
from clausewise.types import CaseStatus, Finding, Inspection, Verdict
from experiments.common.data import BENCHMARKS, Benchmark
from experiments.error_reading.compact import write_compact

LEFT_OUT = "candidate_disagreement"
"""It needs other candidates: what is read here is what one query alone shows."""

LENGTH_WEIGHT = 0.15
DRAWN = 30
POOL = 60
"""The extreme cases of each kind from which DRAWN are drawn."""
KINDS = ("miss", "false_alarm")
RANKINGS = ("detector", "sum")


@dataclass(frozen=True)
class Prediction:
    """A prediction that ran, with its label and its score, high = likely incorrect.

    `called` is whether a detector calls it incorrect; None where there is a mere ranking.
    """

    system: str
    inspection: Inspection
    correct: bool
    score: float
    findings: tuple[Finding, ...]
    called: bool | None = None

    def is_a(self, kind: str) -> bool:
        """Return whether it is a miss or a false alarm."""
        alarm = kind == "false_alarm"
        return self.correct == alarm and self.called in {None, alarm}


def predictions(benchmark: Benchmark, jobs: int) -> list[Prediction]:
    """Score every prediction that ran: the sum of its signals and its standardized log length."""
    specs = [spec for spec in select_signals("all") if spec.name != LEFT_OUT]
    kept = [
        (system.name, item, not system.is_incorrect(item))
        for system in benchmark.systems(specs, jobs=jobs)
        for item in system.labeled()
    ]
    lengths = [math.log(len(item.case.predicted_sql)) for _, item, _ in kept]
    mean, deviation = statistics.fmean(lengths), statistics.pstdev(lengths)
    return [
        Prediction(
            name,
            item,
            correct,
            sum(outcome.score for outcome in item.outcomes.values())
            + LENGTH_WEIGHT * (length - mean) / deviation,
            item.findings,
        )
        for (name, item, correct), length in zip(kept, lengths, strict=True)
    ]


def by_detector(benchmark: Benchmark, detector: Detector, jobs: int) -> list[Prediction]:
    """Score every prediction that ran, by itself."""
    found = []
    for system in benchmark.systems(detector.specs(), jobs=jobs):
        items = system.labeled()
        for item, scored in zip(items, detector.score_inspections(items), strict=True):
            if scored.status is CaseStatus.OK and scored.p_correct is not None:
                called = scored.verdict is Verdict.INCORRECT
                correct = not system.is_incorrect(item)
                score = 1.0 - scored.p_correct
                found.append(Prediction(system.name, item, correct, score, scored.findings, called))
    return found


def extremes(
    rows: Sequence[Prediction], gold: dict[str | int, str], kind: str, rng: random.Random
) -> list[Prediction]:
    """Draw incorrect queries of low score ("miss") or correct ones of high score ("false_alarm").

    A question counts once, and so do two questions with one gold query.
    """
    wanted = [row for row in rows if row.is_a(kind)]
    rng.shuffle(wanted)
    wanted.sort(key=lambda row: row.score, reverse=kind == "false_alarm")
    first: dict[tuple[str, str], Prediction] = {}
    for row in wanted:
        case = row.inspection.case
        first.setdefault((case.db_id, gold[case.question_id]), row)
    pool = list(first.values())[:POOL]
    return rng.sample(pool, min(DRAWN, len(pool)))


def record(
    benchmark: str, kind: str, row: Prediction, gold: dict[str | int, str]
) -> dict[str, Any]:
    """Return all that a reader needs of a case."""
    case = row.inspection.case
    return {
        "benchmark": benchmark,
        "system": row.system,
        "question_id": case.question_id,
        "kind": kind,
        "score": round(row.score, 3),
        "db_id": case.db_id,
        "question": case.question,
        "evidence": case.evidence,
        "predicted_sql": case.predicted_sql,
        "gold_sql": gold[case.question_id],
        "findings": [
            f"{finding.signal} {finding.score:.2f}: {finding.message}" for finding in row.findings
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder of the cases")
    parser.add_argument("--ranking", choices=RANKINGS, default=RANKINGS[0])
    parser.add_argument("--detector", type=Path, default=PACKAGED, help="folder of a detector")
    parser.add_argument("--benchmarks", default=",".join(BENCHMARKS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    records = []
    for name in arguments.benchmarks.split(","):
        benchmark = Benchmark(arguments.data / name)
        if arguments.ranking == "sum":
            rows = predictions(benchmark, arguments.jobs)
        else:
            rows = by_detector(benchmark, Detector.load(arguments.detector), arguments.jobs)
        gold = benchmark.gold()
        wrong = sum(not row.correct for row in rows)
        print(f"{name}: {len(rows)} predictions that ran, {wrong} of them incorrect")
        for kind in KINDS:
            drawn = extremes(rows, gold, kind, random.Random(arguments.seed))
            records += [record(name, kind, row, gold) for row in drawn]
            scores = [row.score for row in drawn] or [math.nan]
            every = sum(row.is_a(kind) for row in rows)
            span = f"scores {min(scores):.2f} to {max(scores):.2f}"
            print(f"  {kind}: {len(drawn)} drawn of {every}, {span}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in records)
    (arguments.out / "cases.jsonl").write_text(lines, "utf-8")
    write_compact(records, arguments.data, arguments.out)


if __name__ == "__main__":
    main()
