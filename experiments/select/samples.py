"""The strategy itself over recorded samples of one model: the usual kind of candidates."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from dataclasses import dataclass

from clausewise.correction import correct
from clausewise.types import Case
from experiments.candidates.settings import SAMPLED
from experiments.common.workspace import Workspace
from experiments.correction.detectors import elsewhere
from experiments.correction.predictions import Matcher, scored_cases
from experiments.reasons.learning import in_force


@dataclass(frozen=True)
class SampleChoice:
    """One prediction with other samples of the same model: what is right, each way."""

    model: str
    db_id: str
    gold: str
    candidates: int
    right: dict[str, bool]
    """By way: whether what it chooses is right."""
    changed: bool


def sample_choices(workspace: Workspace) -> list[SampleChoice]:
    """Return what is chosen for each recorded prediction of BIRD that reads no empty table.

    Those whose question the benchmark's folder lacks are left out.
    """
    benchmark = workspace.benchmark("bird")
    lines = (benchmark.folder / "judged.jsonl").read_text(encoding="utf-8").splitlines()
    detector = elsewhere(workspace, "bird")
    gold = benchmark.gold()
    found = []
    with closing(benchmark.databases) as databases, in_force(detector.strengths):
        matcher = Matcher(benchmark, databases)
        for record in map(json.loads, lines):
            prefix, number = record["question_id"].split("-")
            usable = record["candidates"] and int(number) in gold
            if record["reads_empty_table"] or not usable:
                continue
            fields = ("db_id", "question", "evidence", "predicted_sql", "candidates")
            case = Case(question_id=int(number), **{name: record[name] for name in fields})
            scored = scored_cases([case], detector, databases)
            (result,) = correct(scored, databases, strategy="select", detector=detector)
            chosen = {
                "original": case.predicted_sql,
                "majority by result": _majority(result.steps, case),
                "`select`": result.corrected_sql,
            }
            right = {way: matcher.is_right(case, sql) for way, sql in chosen.items()}
            offered = (case.predicted_sql, *case.candidates)
            right["any candidate right"] = any(matcher.is_right(case, sql) for sql in offered)
            found.append(
                SampleChoice(
                    SAMPLED[prefix],
                    record["db_id"],
                    matcher.gold(case),
                    len(case.candidates),
                    right,
                    result.changed,
                )
            )
    return found


def _majority(steps: object, case: Case) -> str:
    """Return the original, or the first candidate with a result that more have."""
    (shown,) = [step.evidence["candidates"] for step in steps if step.action == "select"] or [[]]  # type: ignore[attr-defined]
    sizes = Counter(one["result"] for one in shown if one["result"] is not None)
    if not sizes or sizes[shown[0]["result"]] == max(sizes.values()):
        return case.predicted_sql
    best = next(result for result in sizes if sizes[result] == max(sizes.values()))
    return str(next(one["sql"] for one in shown if one["result"] == best))
