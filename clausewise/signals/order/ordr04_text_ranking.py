"""ORDR04: numbers, times or dates stored as text are ranked as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausewise.errors import QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.order._numeric_text import misplaced, reading
from clausewise.signals.probes.rows import in_set_operation, input_rows, stands_alone, statement
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.model import ColumnUse, Piece, Select
from clausewise.types import Clause, Cost, Finding, Group, Need


@dataclass(frozen=True, slots=True)
class _Ranking:
    """A column whose values are put in order."""

    select: Select
    column: ColumnUse
    piece: Piece
    clause: Clause
    descending: bool
    first: int | None
    """How many places matter; None for all."""


def _rankings(context: Context) -> Iterator[_Ranking]:
    """Yield the columns in ORDER BY, MIN and MAX of every SELECT that can be run alone."""
    for select in context.query.selects:
        if not stands_alone(select):
            continue
        if select.order_by and not in_set_operation(context.query, select):
            item, column = select.order_by[0], select.order_by[0].column
            if column is not None and column.column is not None:
                first = select.limit
                yield _Ranking(select, column, item.piece, Clause.ORDER_BY, item.descending, first)
        for aggregate in select.aggregates:
            use = aggregate.argument
            if aggregate.function not in ("min", "max") or use is None:
                continue
            ranked = aggregate.clause in (Clause.SELECT, Clause.HAVING, Clause.ORDER_BY)
            if use.column is not None and use.depth == 0 and ranked:
                descending = aggregate.function == "max"
                yield _Ranking(select, use, aggregate.piece, aggregate.clause, descending, 1)


@signal(
    code="ORDR04",
    name="text_ranking",
    group=Group.DATABASE,
    family="ranking",
    clauses={Clause.ORDER_BY, Clause.SELECT, Clause.HAVING},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "others_come_first": "The rows that LIMIT keeps, or the MIN or MAX, would be others; "
        "people who write reference queries overlook it as often as systems do.",
        "other_order": ("All rows are shown, in another order.", "moderate", "convention"),
    },
)
@for_each(_rankings, otherwise="no text column is ranked in a SELECT that can be run alone")
def text_ranking(ranking: _Ranking, context: Context) -> Iterator[Finding]:
    """Numbers, times or dates that are stored as text are ranked letter by letter.

    What it measures
    ----------------
    For a text column in ORDER BY, MIN or MAX whose values nearly all read as numbers (with a
    unit or not), clock times or dates: whether their order as text differs from their order by
    size, at the places that the query shows.

    Why it points to an error
    -------------------------
    As text '9' comes after '10', '52:18' before '5:03' and '12/1/1999' before '2/1/1998'. The
    first row is then not the largest, the fastest or the latest.

    Fires on
    --------
    SELECT model FROM car ORDER BY horsepower DESC LIMIT 1  -- horsepower is TEXT: '95' beats '230'

    Stays silent on
    ---------------
    SELECT model FROM car ORDER BY CAST(horsepower AS REAL) DESC LIMIT 1

    Does not apply when
    -------------------
    No text column of a table is ranked in a SELECT that can be run alone.

    How to repair
    -------------
    Cast the column to a number, or turn times and dates into something that sorts; or use a
    column that holds the same in numbers.

    Cost
    ----
    One statement for each ranked text column whose frequent values read so.

    References
    ----------
    RED-SQL, section 4.3 (its example of a constraint for one database, here for any).
    """
    ranked = ranking.column
    profile = context.database.profile(ranked.table or "", ranked.column or "")
    skip_unless(profile.stored_types.get("text"))
    usual = [value for value, _ in profile.frequent if isinstance(value, str)]
    if reading(usual) is None:
        return
    column = ranked.piece.text
    rows_in = input_rows(context, ranking.select)
    sql = statement(context, f"SELECT DISTINCT {column} {rows_in}")
    try:
        rows = context.run(sql).rows
    except QueryFailed:
        return
    values = [row[0] for row in rows if isinstance(row[0], str) and row[0].strip()]
    read = reading(values)
    if read is None:
        return
    kind, sizes = read
    wrong = misplaced(values, sizes, first=ranking.first, descending=ranking.descending)
    if wrong is None:
        return
    place = ranking.piece
    yield Finding(
        clause=context.span(ranking.clause, place.start, place.end),
        reason="other_order" if ranking.first is None else "others_come_first",
        message=f"{column} holds {kind}s as text: '{wrong[0]}' comes where '{wrong[1]}' belongs",
        evidence={"sql": sql, "holds": kind, "placed": wrong[0], "belongs": wrong[1]},
        suggestion=f"CAST({column} AS REAL)" if kind == "number" else "rank by a column of numbers",
    )
