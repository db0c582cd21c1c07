"""Conventions: what benchmarks count as an error and people let pass, set apart before judging.

A column more than asked (the figure that is ranked by, the count beside the name, the id),
rounding, an order, ties, NULL shown as 0: under relaxed conventions they are reported, as
information, and move no probability. A missing column is no convention. Which reasons are
conventions is said where a signal declares them (`clausewise.signals.reasons.CONVENTION`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clausewise.signals.loading import conventions
from clausewise.types import Finding, Inspection, Level, Outcome, OutcomeStatus, Strictness

WAIVED_ATTRIBUTES = frozenset({"order", "n_selected", "columns.selected_unexpected"})
"""Attributes of the expectation in which a query may surprise by a column more, or by its order."""
WAIVED_SHAPE = frozenset({"projections", "order_by"})
"""Measures of shape that a column more, or an order, changes above all."""


def is_waived(finding: Finding, strictness: Strictness) -> bool:
    """Whether a finding is a convention that moves nothing."""
    waived = strictness is Strictness.RELAXED
    return waived and (finding.signal, finding.reason) in conventions()


def judged(inspection: Inspection, strictness: Strictness) -> Inspection:
    """Return what a detector judges by: the inspection without what is let pass.

    A signal that found nothing else looks as if it did not apply: its silence would be evidence.
    """
    if strictness is not Strictness.RELAXED:
        return inspection
    changed = {
        name: _without_waived(outcome, strictness)
        for name, outcome in inspection.outcomes.items()
        if any(is_waived(finding, strictness) for finding in outcome.findings)
    }
    expectation = {
        name: surprise
        for name, surprise in inspection.expectation.items()
        if name not in WAIVED_ATTRIBUTES
    }
    outcomes = {**inspection.outcomes, **changed} if changed else inspection.outcomes
    return replace(inspection, outcomes=outcomes, expectation=expectation)


def _without_waived(outcome: Outcome, strictness: Strictness) -> Outcome:
    kept = tuple(finding for finding in outcome.findings if not is_waived(finding, strictness))
    if kept:
        return replace(outcome, findings=kept)
    return Outcome(outcome.signal, OutcomeStatus.NOT_APPLICABLE, reason="a convention")


def shown(
    weighed: Mapping[str, Outcome], found: Mapping[str, Outcome], strictness: Strictness
) -> Mapping[str, Outcome]:
    """Return the outcomes to report: weighed ones, and findings let pass as information.

    Parameters
    ----------
    weighed
        The outcomes that were judged by, their findings with contributions.
    found
        The outcomes of the same signals as they were found.
    strictness
        Whether anything is let pass.
    """
    changed = {
        name: _with_waived(weighed[name], outcome, strictness)
        for name, outcome in found.items()
        if any(is_waived(finding, strictness) for finding in outcome.findings)
    }
    return {**weighed, **changed} if changed else weighed


def _with_waived(weighed: Outcome, found: Outcome, strictness: Strictness) -> Outcome:
    kept = iter(weighed.findings)
    findings = tuple(
        replace(finding, level=Level.INFO, contribution=0.0)
        if is_waived(finding, strictness)
        else next(kept)
        for finding in found.findings
    )
    return replace(found, findings=findings)
