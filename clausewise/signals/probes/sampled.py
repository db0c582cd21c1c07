"""What a sample of a large table cannot say: that a value is not in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.databases.model import Limits
from clausewise.errors import NotProfiled, QueryTimeout, QueryTooLarge

if TYPE_CHECKING:
    from clausewise.signals.context import Context

LOOK_UP = Limits(steps=5_000_000, seconds=1.0, rows=1)
"""Enough to find a value by an index, or in a small table; never for reading a large one."""


def is_sampled(context: Context, table: str, column: str) -> bool:
    """Whether only a sample of a column was read, so that it may hold what the sample does not."""
    try:
        return context.database.profile(table, column).sampled
    except NotProfiled:
        return False


def finds_a_row(context: Context, table: str, column: str, sql: str) -> bool:
    """Whether a statement that looks one value up in a sampled column gives a row.

    Raises NotProfiled where no index answers it at once: then nothing is said of the value.
    """
    try:
        return bool(context.database.run(sql, LOOK_UP).rows)
    except (QueryTimeout, QueryTooLarge):
        raise NotProfiled(
            f"only a sample of '{table}' was read, and no index looks a value of '{column}' up"
        ) from None
