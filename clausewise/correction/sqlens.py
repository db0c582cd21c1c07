"""The strategy of SQLens: a model corrects the query with the error report in view.

References
----------
SQLens, section 4.4 (correction by error reports), appendix A.6 and A.7 (report, prompt).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import Field, field_validator

from clausewise.correction.base import CorrectionTask, Proposal, StrategyOptions, strategy
from clausewise.correction.prompting import (
    REPAIR_ROUNDS,
    CorrectedQuery,
    ask_for_query,
    client,
    material,
    runnable,
)
from clausewise.correction.report_text import certain_first, known_notes, report_text
from clausewise.reporting.error_report import SignalNotes, SignalReport

PROMPT = "sqlens_correct"
EXTERNAL = frozenset({"question_clause_linking", "insufficient_evidence"})
"""Signals whose findings need information that the case does not hold, as the paper says."""


class ReportMode(StrEnum):
    """How much of the error report one prompt holds."""

    TOGETHER = "together"
    """Every signal, the most certain first; one proposal a case."""
    EACH = "each"
    """One signal, the most certain first; then the next that fires on the current query."""


class SQLensOptions(StrategyOptions):
    """What can be set of the strategy."""

    mode: ReportMode = ReportMode.TOGETHER
    signals: str = ""
    """A selector of signals; empty: all that found something, the external ones left out."""
    external: bool = False
    """Whether `EXTERNAL` signals belong to all."""
    repairs: Annotated[int, Field(ge=0, le=10)] = REPAIR_ROUNDS
    """How often at most the model is asked to repair a proposal that the database refuses."""
    up_to: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Queries whose p(correct) is higher are left alone."""

    @field_validator("signals")
    @classmethod
    def _known(cls, selector: str) -> str:
        _selected(selector)
        return selector


@strategy(
    name="sqlens",
    description="Gives a language model the error report and takes the query that it writes, "
    "repaired while the database refuses it.",
    rounds=5,
    needs_model=True,
    options=SQLensOptions,
)
def sqlens(task: CorrectionTask) -> Proposal:
    """Propose what the model writes in answer to the error report.

    Nothing is asked where the report names nothing, or where each of its signals was tried.

    Raises LLMError where the model gives no answer, and DatabaseError where the database cannot
    be read; what was recorded before stays.
    """
    options = task.options
    assert isinstance(options, SQLensOptions)
    notes = known_notes()
    reports = _reports(task, options, notes)
    tried = _tried(task)
    if options.mode is ReportMode.TOGETHER:
        rounds = [] if tried or not reports else [reports]
    else:
        rounds = [[report] for report in reports if report.signal not in tried]
    reason = _nothing_left(task, reports)
    for chosen in rounds:
        proposal = _proposal(task, chosen, notes, options.repairs)
        if proposal.sql is not None:
            return proposal
        reason = proposal.reason
    return Proposal(None, reason)


def _reports(
    task: CorrectionTask, options: SQLensOptions, notes: Mapping[str, SignalNotes]
) -> list[SignalReport]:
    """Return the entries of the current query's error report that the options ask for."""
    p_correct = task.scored.p_correct
    if p_correct is not None and p_correct > options.up_to:
        return []
    chosen = _selected(options.signals)
    left_out = frozenset() if options.external else EXTERNAL
    return [
        report
        for report in certain_first(task.scored, notes)
        if (report.signal in chosen if chosen else report.signal not in left_out)
    ]


def _selected(selector: str) -> frozenset[str]:
    """Return the signals that a selector names, none for an empty one; raises RegistryError."""
    if not selector.strip():
        return frozenset()
    from clausewise.signals import select_signals

    return frozenset(spec.name for spec in select_signals(selector, models=True))


def _tried(task: CorrectionTask) -> set[str]:
    """Return the signals that stood in the prompts of this case."""
    return {
        str(name)
        for step in task.steps
        if step.evidence.get("prompt") == PROMPT
        for name in _names(step.evidence.get("signals"))
    }


def _names(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _nothing_left(task: CorrectionTask, reports: Sequence[SignalReport]) -> str:
    if task.earlier and task.earlier[-1].refused:
        return task.earlier[-1].refused
    if reports:
        return "every signal of the report was tried"
    return "the report names nothing to correct"


def _proposal(
    task: CorrectionTask,
    reports: Sequence[SignalReport],
    notes: Mapping[str, SignalNotes],
    repairs: int,
) -> Proposal:
    """Ask once with these entries, then for repairs; a proposal that never runs is none."""
    names = [report.signal for report in reports]
    given = material(task)
    text = report_text(reports, notes, send_values=client(task).settings.send_values)
    asked = ask_for_query(
        task,
        PROMPT,
        {
            **given,
            "report": text,
            "order": ", the most certain first" if len(reports) > 1 else "",
        },
        CorrectedQuery,
        evidence={"signals": list(names)},
    )
    start = ", ".join(names)
    if asked.sql is None:
        return Proposal(None, f"{start}: the model keeps the query: {asked.reason}")
    found = runnable(task, asked.sql, repairs, given=given)
    if found is None:
        return Proposal(None, f"{start}: the database refuses what the model proposes")
    return Proposal(found.sql, f"{start}: {asked.reason}")
