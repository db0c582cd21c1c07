"""Repairs of what is selected."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import (
    TextEdit,
    leaving_out_projection,
    swapped,
)
from clausewise.sql.model import Projection
from clausewise.types import Finding


@repair(
    name="unasked_column",
    description="Selects what was asked for, without the value by which rows are ranked, "
    "filtered or identified.",
    settles={
        "projection_mismatch": ("unasked_count", "ranking_shown", "filter_shown", "key_shown")
    },
    risky=True,
)
def unasked_column(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Leave a selected expression out that only serves the query itself."""
    return _left_out(finding, context)


@repair(
    name="unfitting_column",
    description="Leaves out a column that fits nothing that was asked for.",
    settles={"projection_mismatch": ("too_many_unasked", "unasked")},
    risky=True,
)
def unfitting_column(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Leave a selected expression out for which no word of the question speaks."""
    return _left_out(finding, context)


@repair(
    name="asked_order",
    description="Selects two columns in the order in which they were asked for.",
    settles={"projection_mismatch": ("order",)},
    risky=True,
)
def asked_order(_finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Exchange two selected expressions; of three it is not plain which goes where."""
    root = context.query.root
    keys = [*(item.expression.text for item in root.order_by), *(k.text for k in root.group_by)]
    if len(root.projections) != 2 or any(key.strip().isdigit() for key in keys):
        return ()
    if context.query.set_operations:
        return ()
    first, second = root.projections
    return swapped(first.piece, second.piece)


@repair(
    name="name_for_key",
    description="Selects the name of a thing in place of its key.",
    settles={"surrogate_key_projection": ("key_for_name",)},
    risky=True,
)
def name_for_key(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Select the only column for a name of the very table whose key is shown."""
    names = finding.evidence.get("names")
    shown = _projection(finding, context)
    if not isinstance(names, list) or len(names) != 1 or shown is None or shown.column is None:
        return ()
    column = shown.column
    table = context.schema.table(column.table or "")
    name = table.column(str(names[0])) if table is not None else None
    if name is None or context.query.set_operations or context.query.root.group_by:
        return ()
    start = column.piece.text.rfind(".") + 1 if column.qualifier else 0
    place = column.piece.start + start
    return (TextEdit(place, column.piece.end, context.written_name(name.name)),)


def _left_out(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    shown = _projection(finding, context)
    root = context.query.root
    if shown is None or context.query.set_operations or root.distinct:
        return ()
    if context.query.with_clause is not None:
        return ()
    return leaving_out_projection(root, shown)


def _projection(finding: Finding, context: RepairContext) -> Projection | None:
    place = finding.clause.start, finding.clause.end
    for shown in context.query.root.projections:
        if place in (
            (shown.piece.start, shown.piece.end),
            (shown.expression.start, shown.expression.end),
        ):
            return shown
    return None
