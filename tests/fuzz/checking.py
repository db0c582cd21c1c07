"""What must hold of any case, however it was made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from clausewise.databases import Database
from clausewise.databases.model import Limits, QueryResult
from clausewise.datasets._text import dump_line
from clausewise.datasets.scores import as_scored_cases
from clausewise.signals import SignalSpec
from clausewise.types import (
    Case,
    CaseStatus,
    Finding,
    Inspection,
    Outcome,
    OutcomeStatus,
    ScoredCase,
)

TIMED_OUT = ("QueryTimeout", "QueryTooLarge", "not done after")
"""How the reason of a FAULT begins where a statement or a signal used up what it may spend."""
MOST_STEPS = 300_000
"""Of SQLite's machine, for one statement: what the clock says does not count."""


class SteppedDatabase(Database):
    """A database whose statements end after few steps, and never by the clock."""

    def run(self, sql: str, limits: Limits | None = None) -> QueryResult:
        given = limits or self.limits
        steps = min(given.steps, MOST_STEPS)
        return super().run(sql, replace(given, steps=steps, seconds=3_600.0, cell_bytes=1_000_000))


def timed_out(outcome: Outcome) -> bool:
    """Whether the signal is a FAULT because of a limit."""
    return outcome.status is OutcomeStatus.FAULT and (outcome.reason or "").startswith(TIMED_OUT)


def problems(case: Case, inspection: Inspection, specs: Sequence[SignalSpec]) -> list[str]:
    """Return what is wrong with an inspection, empty where all is as promised."""
    found = []
    if list(inspection.outcomes) != [spec.name for spec in specs]:
        found.append(f"outcomes of {list(inspection.outcomes)}")
    if (inspection.status is CaseStatus.OK) != (inspection.reason is None):
        found.append(f"status {inspection.status} for the reason {inspection.reason!r}")
    kinds = {spec.name: spec.clauses for spec in specs}
    for name, outcome in inspection.outcomes.items():
        if outcome.status is OutcomeStatus.FAULT and not timed_out(outcome):
            found.append(f"{name} is a FAULT: {outcome.reason}")
        if (outcome.status is OutcomeStatus.FIRED) != bool(outcome.findings):
            found.append(f"{name} is {outcome.status} with {len(outcome.findings)} findings")
        for finding in outcome.findings:
            if finding.clause.kind not in kinds[name]:
                found.append(f"{name} marks a clause of kind {finding.clause.kind}")
            found += _wrong(finding, case)
    found += [wrong for notice in inspection.notices for wrong in _wrong(notice, case)]
    return found


def _wrong(finding: Finding, case: Case) -> list[str]:
    found = []
    clause = finding.clause
    if case.predicted_sql[clause.start : clause.end] != clause.text:
        found.append(f"{finding.signal} marks {clause.text!r} at {clause.start}:{clause.end}")
    if not 0 <= finding.score <= 1 or not finding.message:
        found.append(f"{finding.signal} has score {finding.score} and says {finding.message!r}")
    return found


def is_lost(scored: ScoredCase) -> bool:
    """Whether a scored case is another one when it is written and read back."""
    line = dump_line(scored.to_dict())
    (again,) = as_scored_cases([json.loads(line)])
    return dump_line(again.to_dict()) != line
