"""SUBQ01: a column is compared with a sub-query that returns several rows."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import subquery_text
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql import from_text, with_prefix
from clausewise.sql.model import Select, SubqueryFilter
from clausewise.types import Clause, Cost, Finding, Group, Need

SCALAR_OPERATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})


def _filters(context: Context) -> Iterator[tuple[Select, SubqueryFilter]]:
    for select in context.query.selects:
        for item in select.subquery_filters:
            yield select, item


@signal(
    code="SUBQ01",
    name="incorrect_filter_in_subquery",
    group=Group.DATABASE,
    family="subquery",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "different_values": "The rows of the sub-query differ: one of them is taken.",
        "one_value": "All rows hold one value: which of them is taken changes nothing today.",
    },
    sets={"sqlens", "sqlens-reference"},
)
@for_each(_filters, otherwise="nothing is compared with a scalar sub-query")
def incorrect_filter_in_subquery(
    unit: tuple[Select, SubqueryFilter], context: Context
) -> Iterator[Finding]:
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
    select, item = unit
    skip_unless(item.operator in SCALAR_OPERATORS)
    prefix, inner = with_prefix(context.query), subquery_text(context, item)
    if item.subquery.correlated:
        counted = context.words.derived(f"{inner}\n")
        count = f"(SELECT COUNT(*) FROM {counted})"
        probe = f"{prefix}SELECT MAX({count}) {from_text(context.query, select)}"
        try:
            most = context.run(probe, rows=1).rows[0][0]
        except QueryFailed:
            return  # the sub-query refers to a query further out than its parent
        several, values = isinstance(most, int) and most > 1, 2
    else:
        probe = f"{prefix}{inner}"
        rows = context.run(probe, rows=50).rows
        several, values = len(rows) > 1, len(set(rows))
    if not several:
        return
    yield Finding(
        clause=item.clause,
        reason="different_values" if values > 1 else "one_value",
        message=f"`{item.operator}` compares with a sub-query that returns several rows"
        + ("" if values > 1 else ", all of one value"),
        evidence={"sql": probe, "correlated": item.subquery.correlated},
        suggestion="use IN" if item.operator == "=" else "make the sub-query return one row",
    )
