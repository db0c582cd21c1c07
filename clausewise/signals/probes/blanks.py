"""Values that the database stores with blanks around them: a fault of the data, not of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.signals.probes.sampled import is_sampled

if TYPE_CHECKING:
    from clausewise.signals.context import Context
    from clausewise.sql.model import Comparison


def stored_with_blanks(context: Context, comparison: Comparison) -> bool:
    """Whether a text that the comparison wants is in its column, but for blanks around it."""
    table, column = comparison.column.table, comparison.column.column
    place = table, column
    if table and column and is_sampled(context, table, column):
        return False  # other rows may hold the text as it is written
    if comparison.operator not in ("=", "IN", "LIKE") or comparison.negated:
        return False
    for literal in comparison.literals:
        if not isinstance(literal.value, str):
            continue
        stored = [
            found.value
            for found in context.database.find_value(literal.value)
            if (found.table, found.column) == place
        ]
        if stored and all(
            value != literal.value and value.strip() == literal.value.strip() for value in stored
        ):
            return True
    return False


def meets_blanks(context: Context) -> bool:
    """Whether any comparison of the query wants a text that is stored with blanks around it."""
    return any(stored_with_blanks(context, comparison) for _, comparison in context.comparisons())
