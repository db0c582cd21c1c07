"""ORDR01: rows without a value come first in a ranking."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from clausewise.databases.model import QueryResult
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import first_rows, in_set_operation, stands_alone
from clausewise.signals.units import for_each, selects, skip_unless
from clausewise.sql.model import Select
from clausewise.types import Clause, Cost, Finding, Group, Need


@signal(
    code="ORDR01",
    name="ranking_null",
    group=Group.DATABASE,
    family="ranking",
    clauses={Clause.ORDER_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "first_in_top_k": "LIMIT keeps the rows without a value.",
        "first_in_list": (
            "All rows are shown, those without a value first.",
            "moderate",
            "convention",
        ),
    },
    sets={"redsql"},
)
@for_each(selects, otherwise="no ORDER BY ranks rows upwards in a SELECT that can be run alone")
def ranking_null(select: Select, context: Context) -> Iterator[Finding]:
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
    skip_unless(select.order_by and stands_alone(select))
    item = select.order_by[0]
    skip_unless(not (item.descending or item.nulls_last or in_set_operation(context.query, select)))
    sql, result = first_rows(context, select)
    missing = _leading(result, len(select.order_by))
    if missing:
        cut = select.clause(Clause.LIMIT) is not None
        yield Finding(
            clause=context.span(Clause.ORDER_BY, item.piece.start, item.piece.end),
            reason="first_in_top_k" if cut else "first_in_list",
            message=f"{item.expression.text} has no value in the first {missing} rows",
            evidence={"sql": sql, "first_rows_without_value": missing},
            suggestion=f"add {item.expression.text} IS NOT NULL to the conditions",
        )


def _leading(result: QueryResult, keys: int) -> int:
    """Return how many of the first rows have no value in the first key."""
    firsts = (row[len(row) - keys] for row in result.rows)
    return sum(1 for _ in takewhile(lambda value: value is None or value == "", firsts))
