"""ORDR01: rows without a value come first in a ranking."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from clausewise.databases.model import QueryResult
from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import first_rows, in_set_operation, stands_alone
from clausewise.sql.model import OrderItem, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

FIRST_IN_TOP_K = 0.9
"""Score where LIMIT keeps the rows without a value."""
FIRST_IN_LIST = 0.4
"""Score where all rows are shown, those without a value first."""


@signal(
    code="ORDR01",
    name="ranking_null",
    group=Group.DATABASE,
    family="ranking",
    clauses={Clause.ORDER_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    sets={"redsql"},
)
def ranking_null(case: Case, context: Context) -> Iterator[Finding]:
    """The first key of ORDER BY is NULL or blank in some rows, and the direction puts them first.

    What it measures
    ----------------
    The first rows of an ascending ORDER BY: whether their key is NULL or an empty text. SQLite
    puts NULL before all values.

    Why it points to an error
    -------------------------
    "The youngest" or "the fastest" is then somebody of whom nothing is known. A condition that
    leaves out the rows without a value was forgotten.

    Fires on
    --------
    SELECT name FROM driver ORDER BY best_time ASC LIMIT 1  -- best_time is NULL for some

    Stays silent on
    ---------------
    SELECT name FROM driver WHERE best_time IS NOT NULL ORDER BY best_time LIMIT 1

    Does not apply when
    -------------------
    No SELECT that can be run alone orders its rows, or only in descending order.

    How to repair
    -------------
    Add `key IS NOT NULL` to WHERE, or NULLS LAST to the key.

    Cost
    ----
    One statement for each ascending ORDER BY, shared with the other signals of rankings.

    References
    ----------
    RED-SQL, table 1 (ranking abnormal, WARNING).
    """
    looked_at = False
    for select in context.query.selects:
        if not select.order_by or not stands_alone(select):
            continue
        item = select.order_by[0]
        if item.descending or in_set_operation(context.query, select) or _nulls_last(item):
            continue
        try:
            sql, result = first_rows(context, select)
        except QueryFailed:
            continue
        looked_at = True
        missing = _leading(result, len(select.order_by))
        if missing:
            yield _finding(context, select, item, sql, missing)
    if not looked_at:
        raise NotApplicable("no ORDER BY ranks rows upwards in a SELECT that can be run alone")


def _leading(result: QueryResult, keys: int) -> int:
    """Return how many of the first rows have no value in the first key."""
    firsts = (row[len(row) - keys] for row in result.rows)
    return sum(1 for _ in takewhile(lambda value: value is None or value == "", firsts))


def _nulls_last(item: OrderItem) -> bool:
    return item.piece.text.casefold().split()[-2:] == ["nulls", "last"]


def _finding(context: Context, select: Select, item: OrderItem, sql: str, missing: int) -> Finding:
    cut = select.clause(Clause.LIMIT) is not None
    return Finding(
        clause=context.span(Clause.ORDER_BY, item.piece.start, item.piece.end),
        score=FIRST_IN_TOP_K if cut else FIRST_IN_LIST,
        message=f"{item.expression.text} has no value in the first {missing} rows",
        evidence={"sql": sql, "first_rows_without_value": missing},
        suggestion=f"add {item.expression.text} IS NOT NULL to the conditions",
        level=Level.WARNING,
    )
