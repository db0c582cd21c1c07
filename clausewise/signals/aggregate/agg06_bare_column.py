"""AGG06: a column beside an aggregate, without GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
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
from clausewise.sql.model import ColumnUse, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

ARBITRARY_ROW = 0.9
ROW_OF_THE_EXTREMUM = 0.4
"""Score beside a single MIN or MAX: SQLite shows the value of that very row."""


@signal(
    code="AGG06",
    name="bare_column",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    sets={"redsql"},
)
def bare_column(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        if select.group_by or not select.has_aggregate or not stands_alone(select):
            continue
        columns = ungrouped(select, [use for item in select.projections for use in item.columns])
        if not columns:
            continue
        tests = ", ".join(several_values(use.piece.text) for use in columns)
        sql = statement(context, f"SELECT COUNT(*), {tests}\n{input_rows(context, select)}")
        try:
            rows, *varying = context.run(sql, rows=1).rows[0]
        except QueryFailed:
            continue
        looked_at = True
        for use, varies in zip(columns, varying, strict=True):
            if varies:
                yield _finding(context, select, use, sql, int(rows or 0))
    if not looked_at:
        raise NotApplicable("no SELECT without GROUP BY shows a column beside an aggregate")


def _finding(context: Context, select: Select, use: ColumnUse, sql: str, rows: int) -> Finding:
    extremum = single_extremum(select)
    return Finding(
        clause=context.span(Clause.SELECT, use.piece.start, use.piece.end),
        score=ROW_OF_THE_EXTREMUM if extremum else ARBITRARY_ROW,
        message=f"{use.piece.text} stands beside an aggregate over {rows} rows, in which it has "
        "several values",
        evidence={"sql": sql, "rows": rows},
        suggestion="order by the column and take the first row"
        if extremum
        else f"group by {use.piece.text}",
        level=Level.INFO if extremum else Level.ERROR,
    )
