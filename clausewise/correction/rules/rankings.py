"""Repairs of which end of an order is taken."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit, turned_round
from clausewise.sql.model import Aggregate, OrderItem
from clausewise.types import Finding

_OTHER = {"max": "MIN", "min": "MAX"}


@repair(
    name="other_end",
    description="Takes the other end: DESC for ASC, MAX for MIN.",
    settles={
        "direction_mismatch": ("clear", "by_meaning", "stated_order"),
        "evidence_unused": ("direction",),
    },
    risky=True,
)
def other_end(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Turn round the one ORDER BY, MAX or MIN that a finding names."""
    item, aggregate = _named(finding, context)
    if item is not None:
        return turned_round(item)
    if aggregate is not None:
        start = aggregate.piece.start
        return (TextEdit(start, start + len(aggregate.function), _OTHER[aggregate.function]),)
    return ()


def _named(finding: Finding, context: RepairContext) -> tuple[OrderItem | None, Aggregate | None]:
    """Return the key of ORDER BY or the extreme that a finding names."""
    start, end = finding.clause.start, finding.clause.end
    for select in context.query.selects:
        for item in select.order_by:
            if (item.piece.start, item.piece.end) == (start, end):
                return item, None
    within = [
        aggregate
        for select in context.query.selects
        for aggregate in select.aggregates
        if start <= aggregate.piece.start
        and aggregate.piece.end <= end
        and aggregate.function in _OTHER
    ]
    return None, within[0] if len(within) == 1 else None
