"""Draw the misses and the false alarms that were read by hand.

python -m experiments.error_reading.sample DATA --out cases.jsonl
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

from clausewise.signals import select_signals
from clausewise.types import Inspection
from experiments.common.data import BENCHMARKS, Benchmark

LEFT_OUT = "candidate_disagreement"
"""It needs other candidates: what is read here is what one query alone shows."""

LENGTH_WEIGHT = 0.15
DRAWN = 30
POOL = 60
"""The extreme cases of each kind from which DRAWN are drawn."""


@dataclass(frozen=True)
class Prediction:
    """A prediction that ran, with its label and its score, high = likely incorrect."""

    system: str
    inspection: Inspection
    correct: bool
    score: float


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
        )
        for (name, item, correct), length in zip(kept, lengths, strict=True)
    ]


def extremes(
    rows: Sequence[Prediction], gold: dict[str | int, str], kind: str, rng: random.Random
) -> list[Prediction]:
    """Draw incorrect queries of low score ("miss") or correct ones of high score ("false_alarm").

    A question counts once, and so do two questions with one gold query.
    """
    wanted = [row for row in rows if row.correct == (kind == "false_alarm")]
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
            f"{finding.signal} {finding.score:.2f}: {finding.message}"
            for finding in row.inspection.findings
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    records = []
    for name in BENCHMARKS:
        benchmark = Benchmark(arguments.data / name)
        rows, gold = predictions(benchmark, arguments.jobs), benchmark.gold()
        wrong = sum(not row.correct for row in rows)
        print(f"{name}: {len(rows)} predictions that ran, {wrong} of them incorrect")
        for kind in ("miss", "false_alarm"):
            drawn = extremes(rows, gold, kind, random.Random(arguments.seed))
            records += [record(name, kind, row, gold) for row in drawn]
            scores = [row.score for row in drawn]
            print(f"  {kind}: {len(drawn)} drawn, scores {min(scores):.2f} to {max(scores):.2f}")
    arguments.out.write_text("".join(json.dumps(line) + "\n" for line in records), "utf-8")


if __name__ == "__main__":
    main()
