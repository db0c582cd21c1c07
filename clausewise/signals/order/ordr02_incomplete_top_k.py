"""ORDR02: LIMIT cuts between rows that are equal in rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausewise.databases.model import Cell
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import first_rows, in_set_operation, stands_alone
from clausewise.signals.units import for_each, required, selects, skip_unless
from clausewise.sql.model import Select
from clausewise.types import Clause, Cost, Finding, Group, Need

MOST_SHOWN = 200
"""Largest LIMIT that is looked at."""


@dataclass(frozen=True, slots=True)
class _Tie:
    sql: str
    outputs: int
    """Different rows that the query might show at its last place."""
    whole: bool
    """Whether all rows tie that were looked at: `BEYOND` beyond the cut, or all there are."""


@signal(
    code="ORDR02",
    name="incomplete_top_k",
    group=Group.DATABASE,
    family="ranking",
    clauses={Clause.ORDER_BY, Clause.LIMIT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "all_tie": ("Every row ties: the ranking says nothing.", "moderate", "convention"),
        "some_tie": (
            "Some rows beyond the cut rank like the last one shown.",
            "moderate",
            "convention",
        ),
        "no_order": "LIMIT without ORDER BY drops rows: which ones stay is arbitrary.",
    },
    sets={"sqldriller-patterns"},
)
@for_each(selects, otherwise="no SELECT that can be run alone has a LIMIT with a number")
def incomplete_top_k(select: Select, context: Context) -> Iterator[Finding]:
    """LIMIT k shows only some of the rows that are equal in rank at the cut.

    What it measures
    ----------------
    Whether the k-th and the (k+1)-th row have equal sort keys, and would show something
    different. Without ORDER BY all rows are equal in rank.

    Why it points to an error
    -------------------------
    "Who has the most" has several answers when several share the first place; LIMIT 1 shows an
    arbitrary one of them and hides that there are others.

    Fires on
    --------
    SELECT name FROM singer ORDER BY age DESC LIMIT 1  -- two singers are oldest

    Stays silent on
    ---------------
    SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)

    Does not apply when
    -------------------
    No SELECT that can be run alone has a LIMIT with a number.

    How to repair
    -------------
    Compare the sort key with its largest (smallest) value in a sub-query; where exactly k rows
    are wanted, add a key that breaks the tie.

    Cost
    ----
    One statement for each LIMIT.

    References
    ----------
    SQLDriller, section 7 (pattern 4, incomplete top-k selection).
    """
    limit = required(select.limit)
    skip_unless(0 < limit <= MOST_SHOWN and stands_alone(select))
    skip_unless(not in_set_operation(context.query, select))
    tie = _tie(context, select, limit)
    if tie is None:
        return
    ordered = bool(select.order_by)
    kinds = (Clause.ORDER_BY, Clause.LIMIT) if ordered else (Clause.LIMIT,)
    yield Finding(
        clause=[clause for clause in select.clauses if clause.kind in kinds][-1],
        reason="no_order" if not ordered else "all_tie" if tie.whole else "some_tie",
        message=f"{tie.outputs} or more different rows tie at the cut that LIMIT makes"
        if ordered
        else "LIMIT without ORDER BY: which rows are shown is arbitrary",
        evidence={
            "sql": tie.sql,
            "different_rows_tied": tie.outputs,
            "all_rows_looked_at_tie": tie.whole,
        },
        suggestion="compare with the largest (smallest) value instead of cutting with LIMIT"
        if ordered
        else "order the rows by what decides, or leave LIMIT out",
    )


def _tie(context: Context, select: Select, limit: int) -> _Tie | None:
    """Return the tie at the cut, None where the last row shown ranks before the next one."""
    keys = len(select.order_by)
    offset = f" OFFSET {select.offset.text}" if select.offset is not None else ""
    sql, result = first_rows(context, select, offset)
    found = result.rows
    if len(found) <= limit:
        return None
    boundary = _rank(found[limit - 1], keys)
    if boundary != _rank(found[limit], keys):
        return None
    tied = [row for row in found if _rank(row, keys) == boundary]
    outputs = len({row[: len(row) - keys] for row in tied})
    return _Tie(sql, outputs, len(tied) == len(found)) if outputs > 1 else None


def _rank(row: Sequence[Cell], keys: int) -> tuple[Cell, ...]:
    return tuple(row[len(row) - keys :])
