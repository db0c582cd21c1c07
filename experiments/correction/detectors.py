"""Detectors that never saw the benchmark, able to judge queries that nobody has inspected yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from clausewise.labeling import OutsideVotes
from clausewise.models import Detector
from clausewise.models.calibration.decision import DecisionRule
from clausewise.models.streaming import (
    DatabaseSource,
    read_as_cases,
    stream_inspections,
)
from clausewise.types import OutsideVote, ScoredCase
from clausewise.workers import IN_PROCESS
from experiments.common.data import BENCHMARKS, System
from experiments.common.starts import strengths_elsewhere, trained_on_labels
from experiments.common.workspace import Workspace
from experiments.reasons.learning import Strengths, in_force, regraded


class ElsewhereDetector(Detector):
    """A detector of one benchmark for the other one; its strengths of reasons come with it."""

    strengths: Strengths

    def iter_scores(
        self,
        cases: object,
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
        rule: DecisionRule | None = None,
        **_: Any,
    ) -> Iterator[ScoredCase]:
        """Yield one scored case for every case, its findings graded by the own strengths."""
        assert databases is not None
        known = read_as_cases(cases)  # type: ignore[arg-type]
        stream = stream_inspections(
            known, databases, self.specs(), jobs=self.jobs, isolation=IN_PROCESS
        )
        (system,) = regraded([System("", "", list(stream), {})], self.strengths)
        with in_force(self.strengths):
            scored = list(self.score_inspections(system.inspections, OutsideVotes(votes), rule))
        yield from scored


def elsewhere(workspace: Workspace, name: str) -> ElsewhereDetector:
    """Return the detector that was trained on the other benchmarks' labels, strengths included.

    It is kept in the folder of cached inspections, under `detector-<name>`; delete it there to
    train it anew.
    """
    folder = workspace.cache / f"detector-{name}"
    strengths = workspace.cache / f"detector-{name}.json"
    if not strengths.exists():
        found = strengths_elsewhere(workspace, name)
        others = [other for other in BENCHMARKS if other != name]
        systems = [system for other in others for system in workspace.systems(other)]
        trained_on_labels(regraded(systems, found)).save(folder)
        strengths.write_text(json.dumps(found), encoding="utf-8")
    return load(folder, strengths)


def load(folder: Path, strengths: Path) -> ElsewhereDetector:
    """Return a detector that `elsewhere` kept."""
    detector = ElsewhereDetector.load(folder)
    detector.isolation = IN_PROCESS
    detector.strengths = json.loads(strengths.read_text(encoding="utf-8"))
    return detector
