"""What the signals' findings say of an annotation."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.auditing.ranking import lift
from clausewise.auditing.suspects import Suspect
from clausewise.auditing.typology import CATEGORIES, Meaning, meaning_of
from clausewise.reporting.passing import is_let_pass
from clausewise.text import single_spaced
from clausewise.types import CaseStatus, Finding, ScoredCase

_NEAR = "near_miss_value"
_MISSPELT_WEIGHT = 0.5
"""Of a value that stands in the question letter by letter: there may just be no such row."""
_NOTICES = (CaseStatus.UNPARSABLE.value, CaseStatus.NOT_EXECUTABLE.value)
"""What stands for a signal in findings of the parser and the database: that says the status."""
_DOES_NOT_RUN = 1.5
"""Times the lift of the strongest finding: a query that fails answers nothing."""


def suspects_of_findings(scored: ScoredCase, question: str) -> Iterator[Suspect]:
    """Yield one suspect for each finding that says something of an annotation.

    What people let pass says nothing.
    """
    if scored.status in (CaseStatus.UNPARSABLE, CaseStatus.NOT_EXECUTABLE):
        yield _failing(scored)
    for finding in scored.findings:
        if finding.signal in _NOTICES or is_let_pass(finding):
            continue
        meaning = _meaning(finding, question)
        if meaning.weight > 0:
            yield Suspect(
                category=meaning.category,
                lift=lift(finding.score, meaning.weight),
                message=finding.message,
                clause=finding.clause,
                evidence=finding.evidence,
                source=f"{finding.signal}.{finding.reason}",
                suggestion=finding.suggestion,
            )


def unanswered(scored: ScoredCase) -> dict[str, str]:
    """Return the signals that failed or left a part of the query unchecked, to the reason."""
    return {
        name: reason
        for name, reason in scored.signal_reasons.items()
        if scored.signals.get(name) in _LOOKED
    }


_LOOKED = ("fault", "silent", "fired")
"""How a signal ended that was to look; that one does not apply is nothing unchecked."""


def _failing(scored: ScoredCase) -> Suspect:
    return Suspect(
        category=CATEGORIES["does_not_run"],
        lift=lift(1.0, _DOES_NOT_RUN),
        message=scored.reason or "the query does not run",
        clause=next((finding.clause for finding in scored.findings), None),
        source=f"status.{scored.status.value}",
    )


def _meaning(finding: Finding, question: str) -> Meaning:
    """Return what the finding means here; a value misspelt in the question is the question's."""
    meaning = meaning_of(finding.signal, finding.reason)
    value = finding.evidence.get("value")
    is_near = finding.signal == _NEAR and finding.reason == "few_edits"
    said = single_spaced(question).casefold()
    if is_near and isinstance(value, str) and single_spaced(value).casefold() in said:
        return Meaning(CATEGORIES["misspelled"], _MISSPELT_WEIGHT)
    return meaning
