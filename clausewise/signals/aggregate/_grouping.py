"""Counting the groups of a SELECT for which something is true, in this data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clausewise.databases.model import Schema
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import EXTRA, in_set_operation, statement, with_extras
from clausewise.sql.model import ColumnUse, Select, Source


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """How many groups there are, and in how many of them each test is true."""

    sql: str
    groups: int
    passing: tuple[int, ...]


def count_groups(
    context: Context, select: Select, tests: Sequence[str], *, shown_only: bool
) -> GroupCounts:
    """Run SQL tests on every group of a SELECT and count the groups that pass each.

    `shown_only` leaves only the groups that the query shows: those that pass HAVING, and the
    first ones where there is a LIMIT. Raises QueryFailed where the probe cannot be built.
    """
    cut = shown_only and select.limit is not None and not in_set_operation(context.query, select)
    groups = with_extras(context, select, tests, having=shown_only, ordered=cut)
    if cut:
        groups += f"LIMIT {select.limit}"
    sums = "".join(f", {context.words.count_of(EXTRA + str(n))}" for n in range(len(tests)))
    rows = context.words.derived(f"\n{groups}")
    sql = statement(context, f"SELECT COUNT(*){sums} FROM {rows}")
    found, *passing = context.run(sql, rows=1).rows[0]
    return GroupCounts(sql, int(found or 0), tuple(int(count or 0) for count in passing))


def several_values(context: Context, column: str) -> str:
    """Return the SQL test that a group holds more than one value (NULL is one) of a column."""
    differ = context.words.differ(f"MIN({column})", f"MAX({column})")
    return f"({differ} OR COUNT({column}) NOT IN (0, COUNT(*)))"


def follows_from_groups(select: Select, schema: Schema, columns: Sequence[ColumnUse]) -> bool:
    """Whether declared keys and joins alone give each group one value of all these columns.

    A table whose key is grouped by, or is joined (inner) to a column that is, has one row in
    each group.
    """
    known = {_name(use) for use in select.group_columns}
    inner = [
        pair
        for pair in select.join_pairs
        if pair.operator == "=" and all(_is_inner(side.source) for side in (pair.left, pair.right))
    ]
    grown = -1
    while grown != len(known):
        grown = len(known)
        for source in select.sources:
            table = schema.table(source.table or "")
            key = {(id(source), name.casefold()) for name in table.primary_key} if table else set()
            if table is not None and key and key <= known:
                known |= {(id(source), column.name.casefold()) for column in table.columns}
        for pair in inner:
            sides = {_name(pair.left), _name(pair.right)}
            if sides & known:
                known |= sides
    return all(_name(use) in known for use in columns)


def _name(use: ColumnUse) -> tuple[int, str]:
    return id(use.source), (use.column or use.name).casefold()


def _is_inner(source: Source | None) -> bool:
    return source is not None and (source.join is None or source.join.kind in ("inner", "cross"))
