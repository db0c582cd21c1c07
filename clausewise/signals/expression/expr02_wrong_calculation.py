"""EXPR02: arithmetic over values that are not numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausewise.errors import NotInDialect
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.expression._operands import NUMBER_TYPES, operands
from clausewise.signals.probes.rows import EXTRA, enclosing_select, statement, values_of
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.calculations import calculations, casts
from clausewise.sql.model import Piece
from clausewise.types import Clause, Cost, Finding, Group, Need

MOST = 0.5
"""Share of values that are no numbers, in [0, 1], from which these are most of them."""
FEW = 0.05
"""The same, below which these are a few."""
SUMMING = frozenset({"sum", "avg", "total"})


@dataclass(frozen=True, slots=True)
class _Use:
    """A place where a number is needed."""

    operand: Piece
    place: Piece
    how: str


def _uses(context: Context) -> Iterator[_Use]:
    """Yield what must be a number and is none by its text alone."""
    known = context.once(operands)
    for calculation in calculations(context.query):
        for operand in (calculation.left, calculation.right):
            if not known.is_number(operand):
                yield _Use(operand, calculation.piece, f"in {calculation.piece.text}")
    for cast in casts(context.query):
        if cast.target in NUMBER_TYPES and not known.is_number(cast.operand):
            yield _Use(cast.operand, cast.piece, f"cast to {cast.target}")
    for select in context.query.selects:
        for call in select.aggregates:
            if call.function in SUMMING and call.argument is not None:
                column = call.argument.piece
                yield _Use(column, column, f"in {call.piece.text}")


@signal(
    code="EXPR02",
    name="wrong_calculation",
    group=Group.DATABASE,
    family="calculation",
    clauses=set(Clause) - {Clause.SET_OPERATION},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "years_of_dates": "The values are dates that begin with the year: what is left is the "
        "year.",
        "mostly_no_numbers": "Most of the values are no numbers.",
        "some_no_numbers": "Some of the values are no numbers.",
        "few_no_numbers": "A few values are no numbers: placeholders that count as zero.",
    },
    sets={"redsql"},
)
@for_each(_uses, otherwise="no text column is calculated with in a part that can be run alone")
def wrong_calculation(use: _Use, context: Context) -> Iterator[Finding]:
    """Values that are not numbers are added, divided, summed, averaged or cast to numbers.

    What it measures
    ----------------
    For every operand of `+ - * / %`, every bare column in SUM and AVG and every operand of a cast
    to a number, where a text column is behind it: how many of its values do not read as numbers.

    Why it points to an error
    -------------------------
    SQLite takes the digits at a text's beginning and drops the rest silently: '1:27.4' is 1,
    '2008-03-16' is 2008 and 'none' is 0. The result is a number, but not the one asked for.

    Fires on
    --------
    SELECT AVG(lap_time) FROM lap  -- lap_time is '1:27.452'

    Stays silent on
    ---------------
    SELECT AVG(milliseconds) FROM lap

    Does not apply when
    -------------------
    The query calculates with no text column in a part that can be run alone.

    How to repair
    -------------
    Use a column that holds numbers, or take the text apart first: minutes times 60 plus seconds,
    JULIANDAY of a date, SUBSTR for a number in the middle.

    Cost
    ----
    One statement for each operand with a text column in it.

    References
    ----------
    RED-SQL, table 1 (wrong calculation, ERROR).
    """
    skip_unless(_reads_text(context, use.operand))
    if not context.words.calculates_with_text:
        raise NotInDialect(f"{context.words.title} refuses to calculate with what is no number")
    sql, values, wrong, dates = _count(context, use)
    if wrong:
        clause = context.enclosing_clause(use.place.start, use.place.end)
        years = dates == wrong
        yield Finding(
            clause=context.span(clause.kind, use.place.start, use.place.end),
            reason="years_of_dates" if years else _reason(wrong / values),
            message=f"{use.operand.text} is {use.how}, but {wrong} of its {values} values are no "
            "numbers" + (": only the year of the dates is used" if years else ""),
            evidence={"sql": sql, "values": values, "no_numbers": wrong, "dates": dates},
            suggestion="use a column of numbers, or turn the text into one first",
        )


def _reads_text(context: Context, operand: Piece) -> bool:
    """Whether a column that holds text stands in the operand, outside sub-queries."""
    select = enclosing_select(context.query, operand)
    for use in select.columns:
        if operand.start <= use.piece.start and use.piece.end <= operand.end:
            if use.table is None or use.column is None:
                return True
            profile = context.database.profile(use.table, use.column)
            if profile.stored_types.get("text") or profile.stored_types.get("blob"):
                return True
    return False


def _count(context: Context, use: _Use) -> tuple[str, int, int, int]:
    """Return the probe and how many values there are, are no numbers, and are dates."""
    select = enclosing_select(context.query, use.place)
    skip_unless(not select.correlated)
    value, words = f"{EXTRA}0", context.words
    rows = words.derived(f"\n{values_of(context, select, use.place, [use.operand.text])}")
    tests = (words.is_no_number(value), words.is_date(value))
    sums = ", ".join(map(words.count_of, tests))
    sql = statement(context, f"SELECT COUNT({value}), {sums} FROM {rows}")
    values, wrong, dates = (int(cell or 0) for cell in context.run(sql, rows=1).rows[0])
    return sql, values, wrong, dates


def _reason(share: float) -> str:
    if share >= MOST:
        return "mostly_no_numbers"
    return "few_no_numbers" if share < FEW else "some_no_numbers"
