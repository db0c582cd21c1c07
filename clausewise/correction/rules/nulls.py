"""Repairs of conditions and rankings that NULL spoils."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit, adding_condition
from clausewise.sql.model import Comparison, SubqueryFilter
from clausewise.types import Clause, Finding

_TESTS = {"=": "IS", "<>": "IS NOT"}


@repair(
    name="null_safe_not_in",
    description="Keeps NULL out of the sub-query of NOT IN.",
    settles={"null_trap": ("never_true",)},
)
def null_safe_not_in(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Add `... IS NOT NULL` to a sub-query whose NULL makes NOT IN keep no row."""
    for select in context.query.selects:
        for item in select.subquery_filters:
            if (item.clause.start, item.clause.end) != (finding.clause.start, finding.clause.end):
                continue
            return _without_null(item, context)
    return ()


@repair(
    name="is_null",
    description="Writes IS NULL for `= NULL`, and IS NOT NULL for `<> NULL`.",
    settles={"null_trap": ("never_true",)},
)
def is_null(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Test for NULL where a comparison with NULL is never true."""
    found = [
        comparison
        for select in context.query.selects
        for comparison in select.comparisons
        if (comparison.clause.start, comparison.clause.end)
        == (finding.clause.start, finding.clause.end)
    ]
    if len(found) != 1 or not _is_plain(found[0]):
        return ()
    comparison = found[0]
    column, constant = comparison.column.piece, comparison.literals[0].piece
    if column.end > constant.start:
        return ()
    return (TextEdit(column.end, constant.start, f" {_TESTS[comparison.operator]} "),)


@repair(
    name="null_filter",
    description="Leaves rows without a value out of a ranking that is cut off.",
    settles={"ranking_null": ("first_in_top_k",)},
)
def null_filter(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Add `key IS NOT NULL` to a SELECT whose first rows have no value to rank them by."""
    for select in context.query.selects:
        for item in select.order_by:
            if (item.piece.start, item.piece.end) != (finding.clause.start, finding.clause.end):
                continue
            column = item.column
            if column is None or column.column is None or select.group_by or select.set_operator:
                return ()
            if any(clause.kind is Clause.HAVING for clause in select.clauses):
                return ()
            return adding_condition(select, f"{column.piece.text} IS NOT NULL")
    return ()


def _is_plain(comparison: Comparison) -> bool:
    is_null = len(comparison.literals) == 1 and comparison.literals[0].value is None
    return is_null and comparison.operator in _TESTS and not comparison.negated


def _without_null(item: SubqueryFilter, context: RepairContext) -> tuple[TextEdit, ...]:
    inner = item.subquery
    if item.operator != "IN" or not item.negated or len(inner.projections) != 1:
        return ()
    members = [
        select
        for select in context.query.selects
        if select.parent is inner.parent and select.set_operator is not None
    ]
    if members or inner.aggregates or inner.group_by or inner.limit is not None:
        return ()
    shown = inner.projections[0]
    if shown.star or shown.column is None:
        return ()
    return adding_condition(inner, f"{shown.expression.text} IS NOT NULL")
