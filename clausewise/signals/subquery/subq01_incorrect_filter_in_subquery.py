"""SUBQ01: a column is compared with a sub-query that returns several rows."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql import from_text, with_prefix
from clausewise.sql.model import SubqueryFilter
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

SCALAR_OPERATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
DIFFERENT_VALUES = 0.9
ONE_VALUE = 0.4
"""Score where all rows hold one value: the database's choice of row changes nothing today."""


@signal(
    code="SUBQ01",
    name="incorrect_filter_in_subquery",
    group=Group.DATABASE,
    family="subquery",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    sets={"sqlens", "sqlens-reference"},
)
def incorrect_filter_in_subquery(case: Case, context: Context) -> Iterator[Finding]:
    """A column is compared with a sub-query that returns more than one row.

    What it measures
    ----------------
    The rows of the sub-query in `column = (SELECT ...)` (and `<>`, `<`, `>`, ...), run alone; for
    one that refers to the outer query, the most rows that it returns for any outer row.

    Why it points to an error
    -------------------------
    SQLite takes the first row and drops the others without a word; most other databases refuse
    the query. IN, or a sub-query that returns one row, was meant.

    Fires on
    --------
    SELECT name FROM student WHERE id = (SELECT student_id FROM has_pet)

    Stays silent on
    ---------------
    SELECT name FROM student WHERE id IN (SELECT student_id FROM has_pet)

    Does not apply when
    -------------------
    The query compares nothing with a scalar sub-query.

    How to repair
    -------------
    Replace `=` by IN (`<>` by NOT IN), or make the sub-query return the one row that is meant.

    Cost
    ----
    One statement for each such sub-query, stopped at its second row.

    References
    ----------
    SQLens, appendix A.1 (incorrect filter in subquery).
    """
    looked_at = False
    for select in context.query.selects:
        for item in select.subquery_filters:
            if item.operator not in SCALAR_OPERATORS:
                continue
            looked_at = True
            outer = f" {from_text(context.query, select)}" if item.subquery.correlated else None
            finding = _several_rows(context, item, outer)
            if finding is not None:
                yield finding
    if not looked_at:
        raise NotApplicable("nothing is compared with a scalar sub-query")


def _several_rows(context: Context, item: SubqueryFilter, outer: str | None) -> Finding | None:
    inner = item.subquery.piece.text
    prefix = with_prefix(context.query)
    if outer is None:
        probe = f"{prefix}{inner}"
        rows = context.run(probe, rows=50).rows
        several, values = len(rows) > 1, len(set(rows))
    else:
        count = f"(SELECT COUNT(*) FROM ({inner}))"
        probe = f"{prefix}SELECT MAX({count}) {outer}"
        try:
            most = context.run(probe, rows=1).rows[0][0]
        except QueryFailed:
            return None  # the sub-query refers to a query further out than its parent
        several, values = isinstance(most, int) and most > 1, 2
    if not several:
        return None
    return Finding(
        clause=item.clause,
        score=DIFFERENT_VALUES if values > 1 else ONE_VALUE,
        message=f"`{item.operator}` compares with a sub-query that returns several rows"
        + ("" if values > 1 else ", all of one value"),
        evidence={"sql": probe, "correlated": outer is not None},
        suggestion="use IN" if item.operator == "=" else "make the sub-query return one row",
        level=Level.ERROR if values > 1 else Level.INFO,
    )
