"""ORDR04: numbers, times or dates stored as text are ranked as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.order._numeric_text import misplaced, reading
from clausewise.signals.probes.rows import in_set_operation, input_rows, stands_alone, statement
from clausewise.sql.model import ColumnUse, Piece, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

WRONG_FIRST = 0.25
"""Score where the rows that LIMIT keeps, or the MIN or MAX, would be others; people who write
reference queries overlook it as often as systems do."""
WRONG_ORDER = 0.15
"""Score where all rows are shown, in another order."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """A column whose values are put in order."""

    column: ColumnUse
    piece: Piece
    clause: Clause
    descending: bool
    first: int | None
    """How many places matter; None for all."""


@signal(
    code="ORDR04",
    name="text_ranking",
    group=Group.DATABASE,
    family="ranking",
    clauses={Clause.ORDER_BY, Clause.SELECT, Clause.HAVING},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
)
def text_ranking(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        if not stands_alone(select):
            continue
        for ranking in _rankings(context, select):
            column = ranking.column
            profile = context.database.profile(column.table or "", column.column or "")
            if not profile.stored_types.get("text"):
                continue
            looked_at = True
            usual = [value for value, _ in profile.frequent if isinstance(value, str)]
            if reading(usual) is not None:
                yield from _judge(context, select, ranking)
    if not looked_at:
        raise NotApplicable("no text column is ranked in a SELECT that can be run alone")


def _rankings(context: Context, select: Select) -> Iterator[_Ranking]:
    if select.order_by and not in_set_operation(context.query, select):
        item = select.order_by[0]
        if item.column is not None and item.column.column is not None:
            cut = select.limit
            yield _Ranking(item.column, item.piece, Clause.ORDER_BY, item.descending, cut)
    for aggregate in select.aggregates:
        if aggregate.function not in ("min", "max") or len(aggregate.columns) != 1:
            continue
        use = aggregate.columns[0]
        inside = aggregate.piece.text.partition("(")[2].rpartition(")")[0].strip()
        if use.column is not None and use.depth == 0 and inside == use.piece.text:
            descending = aggregate.function == "max"
            if aggregate.clause in (Clause.SELECT, Clause.HAVING, Clause.ORDER_BY):
                yield _Ranking(use, aggregate.piece, aggregate.clause, descending, 1)


def _judge(context: Context, select: Select, ranking: _Ranking) -> Iterator[Finding]:
    column = ranking.column.piece.text
    sql = statement(context, f"SELECT DISTINCT {column} {input_rows(context, select)}")
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
        score=WRONG_ORDER if ranking.first is None else WRONG_FIRST,
        message=f"{column} holds {kind}s as text: '{wrong[0]}' comes where '{wrong[1]}' belongs",
        evidence={"sql": sql, "holds": kind, "placed": wrong[0], "belongs": wrong[1]},
        suggestion=f"CAST({column} AS REAL)" if kind == "number" else "rank by a column of numbers",
        level=Level.WARNING,
    )
