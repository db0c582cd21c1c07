"""Gold queries that an audit flags, and what it would write in their place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.common.workspace import Workspace
from experiments.correction.detectors import elsewhere
from experiments.reasons.learning import in_force

FLAGGED = "flagged"


@dataclass(frozen=True)
class FlaggedGold:
    """A gold query that is likely wrong, its categories, and the repair where one is known."""

    question_id: str | int
    categories: tuple[str, ...]
    repaired: str | None


Flagged = Mapping[str | int, FlaggedGold]


def flagged_golds(workspace: Workspace, name: str, folder: Path | None) -> Flagged:
    """Return the flagged gold queries of a benchmark by question.

    They are read from `folder/<name>.jsonl`, as `clausewise audit` writes it, where a folder is
    given; else the golds are audited here, by a detector that never saw the benchmark.
    """
    if folder is None:
        return from_records(audited_here(workspace, name))
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return from_records(json.loads(line) for line in lines if line.strip())


def from_records(records: Iterable[Mapping[str, Any]]) -> Flagged:
    """Return the flagged ones among the lines of an audit."""
    return {
        record["question_id"]: FlaggedGold(
            record["question_id"],
            tuple(category["side"] for category in record["categories"]),
            record["suggested_sql"],
        )
        for record in records
        if record["status"] == FLAGGED
    }


def audited_here(workspace: Workspace, name: str) -> list[dict[str, Any]]:
    """Return the audit of a benchmark's golds."""
    from clausewise.auditing import audit

    benchmark = workspace.benchmark(name)
    detector = elsewhere(workspace, name)
    with closing(benchmark.databases) as databases, in_force(detector.strengths):
        scored = detector.score(benchmark.gold_cases(), databases)
        return [case.to_dict() for case in audit(scored, databases)]
