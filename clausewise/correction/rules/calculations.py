"""Repairs of calculations that lose fractions."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.calculations import calculations
from clausewise.sql.edits import TextEdit, replacing
from clausewise.types import Finding


def _real_division(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    place = finding.clause.start, finding.clause.end
    for made in calculations(context.query):
        if made.operator == "/" and (made.piece.start, made.piece.end) == place:
            return (replacing(made.left, f"CAST({made.left.inner.text} AS REAL)"),)
    return ()


@repair(
    name="real_division",
    description="Divides as real numbers where a ratio, a rate or an average is asked for.",
    settles={"cast_precision_loss": ("ratio_of_integers",)},
)
def real_division(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Cast the dividend to REAL where the division of integers loses a remainder."""
    return _real_division(finding, context)


@repair(
    name="real_division_anywhere",
    description="Divides as real numbers wherever integers are divided and a remainder is lost.",
    settles={"cast_precision_loss": ("division_of_integers",)},
    risky=True,
)
def real_division_anywhere(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Cast the dividend to REAL whatever the question asks for."""
    return _real_division(finding, context)
