"""What a judge's votes bring without a label: a recorded frontier model, and simulated ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from clausewise.models.streaming import doubtful_cases
from clausewise.types import CaseStatus, Inspection, OutsideVote, Vote
from experiments.common.results import Cell
from experiments.world.left_out import Fold
from experiments.world.measures import area

AREAS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""How well simulated judges rank."""
SHARE = 0.3
SEEDS = 3
Cases = list[tuple[Inspection, bool]]


def recorded(data: Path) -> dict[str, float]:
    """Return the recorded judge's probability of being incorrect by question."""
    lines = (data / "world" / "judged.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        str(record["question_id"]): 1.0 - next(iter(record["judges"].values()))
        for record in map(json.loads, filter(str.strip, lines))
    }


def votes(said: Mapping[str, float], cases: Cases) -> list[OutsideVote]:
    """Return a judge's votes on some cases."""
    return [
        OutsideVote(
            item.case.question_id,
            "judge",
            Vote.INCORRECT if said[key] >= 0.5 else Vote.CORRECT,
            said[key],
        )
        for item, _ in cases
        if (key := str(item.case.question_id)) in said and item.case.question_id is not None
    ]


def rows(folds: Sequence[Fold], data: Path) -> Iterator[dict[str, Cell]]:
    """Yield the AUC without a judge, with the judge's votes, and of the judge alone.

    Folds are scored one by one; a figure is the mean over them.
    """
    from scipy.stats import norm

    strong = recorded(data)
    yield _row("recorded, every case", folds, lambda _: strong, only=strong)
    yield _row(f"recorded, the {SHARE:.0%} most doubtful", folds, lambda _: strong, strong, SHARE)
    for area_of_judge in AREAS:
        distance = float(np.sqrt(2.0) * norm.ppf(area_of_judge))

        def simulated(seed: int, distance: float = distance) -> dict[str, float]:
            generator = np.random.default_rng(seed)
            return {
                str(item.case.question_id): float(
                    1.0 / (1.0 + np.exp(-2.0 * generator.normal(distance * (wrong - 0.5))))
                )
                for fold in folds
                for item, wrong in _cases(fold)
            }

        yield _row(f"simulated, AUC {area_of_judge:g}", folds, simulated, seeds=SEEDS)


def _row(
    name: str,
    folds: Sequence[Fold],
    judge: object,
    only: Mapping[str, float] | None = None,
    share: float = 1.0,
    seeds: int = 1,
) -> dict[str, Cell]:
    found: list[tuple[float, float, float]] = []
    for seed in range(seeds):
        said: Mapping[str, float] = judge(seed)  # type: ignore[operator]
        for fold in folds:
            cases = [
                (item, wrong)
                for item, wrong in _cases(fold)
                if only is None or str(item.case.question_id) in only
            ]
            found.append(_areas(fold, cases, said, share))
    alone, together, own = np.nanmean(np.array(found), axis=0).tolist()
    return {"judge": name, "without": alone, "with_votes": together, "judge_alone": own}


def _cases(fold: Fold) -> Cases:
    (system,) = (one for one in fold.systems if one.name == "composed")
    return [(item, system.is_incorrect(item)) for item in system.labeled()]


def _areas(
    fold: Fold, cases: Cases, said: Mapping[str, float], share: float
) -> tuple[float, float, float]:
    items = [item for item, _ in cases]
    wrong = np.array([is_wrong for _, is_wrong in cases])
    before = fold.detector.score_inspections(items)
    asked = cases
    if share < 1.0:
        runs = sum(case.status is CaseStatus.OK for case in before)
        chosen = doubtful_cases(before, fold.detector.class_balance_, round(share * runs))
        asked = [cases[place] for place in sorted(chosen.positions)]
    after = fold.detector.score_inspections(items, votes(said, asked))
    own = np.array([said[str(item.case.question_id)] for item in items])
    return (
        area(wrong, np.array([1.0 - (case.p_correct or 0.0) for case in before])),
        area(wrong, np.array([1.0 - (case.p_correct or 0.0) for case in after])),
        area(wrong, own),
    )
