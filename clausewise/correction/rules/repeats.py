"""Repairs of rows that are shown or counted more than once, or left out of a count."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit, counting_distinct, replacing, selecting_distinct
from clausewise.sql.model import Aggregate
from clausewise.types import Finding


@repair(
    name="distinct_rows",
    description="Drops repeated rows where the question asks for different ones.",
    settles={"missing_distinct": ("listed",), "duplicate_rows": ("distinct_asked",)},
    risky=True,
)
def distinct_rows(_finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Write SELECT DISTINCT in a query whose outermost rows repeat."""
    root = context.query.root
    if context.query.set_operations or root.has_aggregate or root.group_by:
        return ()
    return selecting_distinct(root)


@repair(
    name="distinct_count",
    description="Counts different values where the question asks for them.",
    settles={"missing_distinct": ("counted", "repeated_counted")},
    risky=True,
)
def distinct_count(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Write COUNT(DISTINCT column)."""
    aggregate = _aggregate(finding, context)
    return () if aggregate is None else counting_distinct(aggregate)


@repair(
    name="distinct_keys",
    description="Counts a key once that a join repeats.",
    settles={"fan_out": ("key_counted",)},
    risky=True,
)
def distinct_keys(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Write COUNT(DISTINCT key)."""
    aggregate = _aggregate(finding, context)
    return () if aggregate is None else counting_distinct(aggregate)


@repair(
    name="rows_counted",
    description="Counts the rows that the question counts, not the filled fields of a column.",
    settles={"aggregate_mismatch": ("gaps_counted",)},
    risky=True,
)
def rows_counted(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Write COUNT(*)."""
    aggregate = _aggregate(finding, context)
    if aggregate is None or aggregate.argument is None or aggregate.distinct:
        return ()
    return (replacing(aggregate.argument.piece, "*"),)


def _aggregate(finding: Finding, context: RepairContext) -> Aggregate | None:
    place = finding.clause.start, finding.clause.end
    for select in context.query.selects:
        for aggregate in select.aggregates:
            if (aggregate.piece.start, aggregate.piece.end) == place:
                return aggregate
    return None
