"""EXPR01: fractions are cut off by a cast or by the division of two integers."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.question.tokens import word_set
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.expression._operands import WHOLE_TYPES, Operands
from clausewise.signals.probes.rows import EXTRA, enclosing_select, statement, values_of
from clausewise.sql.calculations import Calculation, Cast, calculations, casts
from clausewise.sql.model import Piece
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

RATIO_CUT = 0.9
"""Score of an integer division where the question asks for a ratio, a rate or an average."""
DIVISION_CUT = 0.6
"""Score of an integer division that loses a remainder, whatever is asked."""
CAST_CUT = 0.7
"""Score of a cast to INTEGER of values with fractions."""


@signal(
    code="EXPR01",
    name="cast_precision_loss",
    group=Group.DATABASE,
    family="calculation",
    clauses=set(Clause) - {Clause.SET_OPERATION},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    sets={"redsql"},
)
def cast_precision_loss(case: Case, context: Context) -> Iterator[Finding]:
    """A cast to INTEGER, or a division of two integers, cuts off fractions.

    What it measures
    ----------------
    For every CAST to a type of whole numbers: whether a value cast has a fraction. For every
    division: whether both values are integers and a remainder is lost, in this data.

    Why it points to an error
    -------------------------
    SQLite divides integers as integers: 3 of 4 is 0, and 0 percent. Values cast too early, before
    the division or the sum, lose what the question asks for.

    Fires on
    --------
    SELECT COUNT(winner) / COUNT(*) * 100 FROM race

    Stays silent on
    ---------------
    SELECT COUNT(winner) * 100.0 / COUNT(*) FROM race

    Does not apply when
    -------------------
    The query divides nothing and casts nothing to whole numbers, in parts that can be run alone.

    How to repair
    -------------
    Multiply by 1.0 (or 100.0), or cast one side to REAL, before the division; cast to INTEGER
    after it, where whole numbers are wanted.

    Cost
    ----
    One statement for each cast to whole numbers and each division without a real number in it.

    References
    ----------
    RED-SQL, table 1 (data precision loss, WARNING); the division is our own.
    """
    looked_at = False
    operands = Operands(context.query)
    for cast in casts(context.query):
        if cast.target in WHOLE_TYPES:
            lost = _cut_by_cast(context, cast)
            looked_at = looked_at or lost is not None
            if lost is not None and lost[1]:
                yield _cast_finding(context, cast, *lost)
    for division in calculations(context.query):
        if division.operator == "/":
            if operands.is_real(division.left) or operands.is_real(division.right):
                looked_at = True
                continue
            lost = _cut_by_division(context, division)
            looked_at = looked_at or lost is not None
            if lost is not None and lost[1]:
                yield _division_finding(case, context, division, *lost)
    if not looked_at:
        raise NotApplicable("no division and no cast to whole numbers that can be run alone")


def _cut_by_cast(context: Context, cast: Cast) -> tuple[str, int] | None:
    value = f"{EXTRA}0"
    test = f"CAST({value} AS REAL) <> CAST({value} AS INTEGER)"
    return _count(context, cast.piece, [cast.operand.text], test)


def _cut_by_division(context: Context, division: Calculation) -> tuple[str, int] | None:
    left, right = f"{EXTRA}0", f"{EXTRA}1"
    test = (
        f"typeof({left}) = 'integer' AND typeof({right}) = 'integer' "
        f"AND {right} <> 0 AND {left} % {right} <> 0"
    )
    return _count(context, division.piece, [division.left.text, division.right.text], test)


def _count(context: Context, place: Piece, texts: list[str], test: str) -> tuple[str, int] | None:
    """Return the probe and the number of rows for which the test holds, None where it fails."""
    select = enclosing_select(context.query, place)
    if select.correlated:
        return None
    rows = values_of(context, select, place, texts)
    sql = statement(context, f"SELECT COUNT(*) FROM (\n{rows}) WHERE {test}")
    try:
        return sql, int(context.run(sql, rows=1).rows[0][0] or 0)
    except QueryFailed:
        return None  # e.g. a column of the outer query, a window function


def _cast_finding(context: Context, cast: Cast, sql: str, rows: int) -> Finding:
    clause = context.enclosing_clause(cast.piece.start, cast.piece.end)
    return Finding(
        clause=context.span(clause.kind, cast.piece.start, cast.piece.end),
        score=CAST_CUT,
        message=f"{cast.piece.text} cuts off the fraction in {rows} rows",
        evidence={"sql": sql, "rows": rows},
        suggestion=f"CAST({cast.operand.text} AS REAL)",
        level=Level.WARNING,
    )


def _division_finding(
    case: Case, context: Context, division: Calculation, sql: str, rows: int
) -> Finding:
    clause = context.enclosing_clause(division.piece.start, division.piece.end)
    spoken = {*question_words(case.question), *question_words(case.evidence or "")}
    ratio = bool(spoken & word_set("columns", "asks_ratio"))
    return Finding(
        clause=context.span(clause.kind, division.piece.start, division.piece.end),
        score=RATIO_CUT if ratio else DIVISION_CUT,
        message=f"{division.piece.text} divides integers: the remainder is lost in {rows} rows",
        evidence={"sql": sql, "rows": rows, "question_asks_for_a_ratio": ratio},
        suggestion=f"CAST({division.left.text} AS REAL) / {division.right.text}",
        level=Level.WARNING,
    )
