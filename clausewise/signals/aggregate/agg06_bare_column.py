"""AGG06: a column beside an aggregate, without GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.aggregate._grouping import several_values
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import (
    input_rows,
    single_extremum,
    stands_alone,
    statement,
    ungrouped,
)
from clausewise.signals.units import for_each, selects, skip_unless
from clausewise.sql.model import Select
from clausewise.types import Clause, Cost, Finding, Group, Need


@signal(
    code="AGG06",
    name="bare_column",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "arbitrary_row": "The column shows the value of an arbitrary row.",
        "row_of_the_extremum": "Beside a single MIN or MAX, SQLite shows the value of that row.",
    },
    sets={"redsql"},
)
@for_each(selects, otherwise="no SELECT without GROUP BY shows a column beside an aggregate")
def bare_column(select: Select, context: Context) -> Iterator[Finding]:
    """A plain column is selected beside an aggregate, and nothing is grouped.

    What it measures
    ----------------
    In a SELECT with an aggregate and without GROUP BY: whether a column outside any aggregate
    holds several values in the rows that are aggregated.

    Why it points to an error
    -------------------------
    The aggregate folds all rows into one, and the column shows an arbitrary row's value. GROUP BY
    was forgotten, or an aggregate was used where a filter was meant.

    Fires on
    --------
    SELECT name, AVG(age) FROM singer

    Stays silent on
    ---------------
    SELECT country, AVG(age) FROM singer WHERE country = 'France'

    Does not apply when
    -------------------
    No SELECT without GROUP BY shows a column beside an aggregate.

    How to repair
    -------------
    Group by the column, or select the row that is meant with WHERE or with ORDER BY and LIMIT.

    Cost
    ----
    One statement for each such SELECT.

    References
    ----------
    RED-SQL, table 1 (uncertain projection, ERROR, with all rows as the one group).
    """
    skip_unless(select.has_aggregate and not select.group_by and stands_alone(select))
    columns = ungrouped(select, [use for item in select.projections for use in item.columns])
    skip_unless(columns)
    tests = ", ".join(several_values(context, use.piece.text) for use in columns)
    sql = statement(context, f"SELECT COUNT(*), {tests}\n{input_rows(context, select)}")
    rows, *varying = context.run(sql, rows=1).rows[0]
    extremum = context.words.shows_row_of_extremum and single_extremum(select)
    for use, varies in zip(columns, varying, strict=True):
        if varies:
            yield Finding(
                clause=context.span(Clause.SELECT, use.piece.start, use.piece.end),
                reason="row_of_the_extremum" if extremum else "arbitrary_row",
                message=f"{use.piece.text} stands beside an aggregate over {int(rows or 0)} rows, "
                "in which it has several values",
                evidence={"sql": sql, "rows": int(rows or 0)},
                suggestion="order by the column and take the first row"
                if extremum
                else f"group by {use.piece.text}",
            )
