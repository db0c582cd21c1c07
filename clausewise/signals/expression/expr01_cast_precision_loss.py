"""EXPR01: fractions are cut off by a cast or by the division of two integers."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotInDialect
from clausewise.question.tokens import word_set
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.expression._operands import WHOLE_TYPES, operands
from clausewise.signals.probes.rows import EXTRA, enclosing_select, statement, values_of
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.calculations import Calculation, Cast, calculations, casts
from clausewise.sql.model import Piece
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need


def _changes(context: Context) -> Iterator[Cast | Calculation]:
    """Yield every cast to whole numbers, then every division."""
    yield from (cast for cast in casts(context.query) if cast.target in WHOLE_TYPES)
    yield from (made for made in calculations(context.query) if made.operator == "/")


@signal(
    code="EXPR01",
    name="cast_precision_loss",
    group=Group.DATABASE,
    family="calculation",
    clauses=set(Clause) - {Clause.SET_OPERATION},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "cast_cuts_fractions": "Values with fractions are cast to INTEGER.",
        "ratio_of_integers": "Integers are divided where a ratio, a rate or an average is asked "
        "for.",
        "division_of_integers": "Integers are divided and a remainder is lost, whatever is asked.",
    },
    sets={"redsql"},
)
@for_each(_changes, otherwise="no division and no cast to whole numbers that can be run alone")
def cast_precision_loss(change: Cast | Calculation, context: Context) -> Iterator[Finding]:
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
    if isinstance(change, Cast):
        yield from _cut_by_cast(context, change)
    else:
        yield from _cut_by_division(context, change)


def _cut_by_cast(context: Context, cast: Cast) -> Iterator[Finding]:
    value = f"{EXTRA}0"
    test = f"{context.words.as_real(value)} <> {context.words.as_integer(value)}"
    sql, rows = _count(context, cast.piece, [cast.operand.text], test)
    if rows:
        yield Finding(
            clause=_place(context, cast.piece),
            reason="cast_cuts_fractions",
            message=f"{cast.piece.text} cuts off the fraction in {rows} rows",
            evidence={"sql": sql, "rows": rows},
            suggestion=context.words.as_real(cast.operand.text),
        )


def _cut_by_division(context: Context, division: Calculation) -> Iterator[Finding]:
    known = context.once(operands)
    if known.is_real(division.left) or known.is_real(division.right):
        return
    if not context.words.divides_integers_whole:
        raise NotInDialect(f"{context.words.title} divides integers without losing the remainder")
    test = context.words.loses_remainder(f"{EXTRA}0", f"{EXTRA}1")
    texts = [division.left.text, division.right.text]
    sql, rows = _count(context, division.piece, texts, test)
    if rows:
        yield Finding(
            clause=_place(context, division.piece),
            reason="ratio_of_integers" if _asks_for_ratio(context.case) else "division_of_integers",
            message=f"{division.piece.text} divides integers: the remainder is lost in {rows} rows",
            evidence={"sql": sql, "rows": rows},
            suggestion=f"{context.words.as_real(division.left.text)} / {division.right.text}",
        )


def _count(context: Context, place: Piece, texts: list[str], test: str) -> tuple[str, int]:
    """Return the probe and the number of rows for which the test holds."""
    select = enclosing_select(context.query, place)
    skip_unless(not select.correlated)
    rows = context.words.derived(f"\n{values_of(context, select, place, texts)}")
    sql = statement(context, f"SELECT COUNT(*) FROM {rows} WHERE {test}")
    return sql, int(context.run(sql, rows=1).rows[0][0] or 0)


def _asks_for_ratio(case: Case) -> bool:
    spoken = {*question_words(case.question), *question_words(case.evidence or "")}
    return bool(spoken & word_set("columns", "asks_ratio"))


def _place(context: Context, piece: Piece) -> ClauseSpan:
    clause = context.enclosing_clause(piece.start, piece.end)
    return context.span(clause.kind, piece.start, piece.end)
