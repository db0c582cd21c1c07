"""QST08: a number is compared by another operator than the question's words ask for."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.question.numbers import Number
from clausewise.question.reading import Cue, QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import facts_of
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.model import Literal
from clausewise.types import Clause, ClauseSpan, Cost, Finding, Group, Need

REACH = 5
"""Tokens between a comparative and its number."""
OPERATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})


def _bounds(context: Context) -> Iterator[tuple[Cue, Number]]:
    """Yield each comparative with its number: after it, or before `or more`."""
    reading = read_question(context.case)
    numbers = [number for number in reading.numbers if number.kind not in ("date", "percent")]
    for cue in reading.comparatives:
        if cue.name == "range":
            continue
        if cue.text.startswith(("or ", "and ")) or cue.text in word_set("cues", "after_number"):
            near = [n for n in numbers if 0 <= cue.token - n.after <= 2]
            near.reverse()
        else:
            end = cue.token + cue.length
            near = [n for n in numbers if 0 <= n.token - end <= REACH]
            near = [n for n in near if not _broken(reading, end, n.token)]
        if near:
            yield cue, near[0]


@signal(
    code="QST08",
    name="comparison_mismatch",
    group=Group.QUESTION,
    family="question_comparison",
    clauses=set(Clause),
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=2,
    reasons={
        "opposite": "`<` where the question says `more than`, or the reverse.",
        "equality": "`=` where the question says `more than`, or the reverse.",
        "bound": "`>=` for `more than`, `>` for `at least`: one row more or less.",
    },
)
@for_each(_bounds, otherwise="no number with a comparative is compared in the query")
def comparison_mismatch(bound: tuple[Cue, Number], context: Context) -> Iterator[Finding]:
    """`at least`, `more than`, `before` and the like stand for another operator than the query's.

    What it measures
    ----------------
    For each comparative of the question with a number near it: the operator in front of that
    number in the query. A neighboring number with the matching operator is the same (more than
    5: `>= 6`). Queries that negate (NOT IN, EXCEPT) may turn an operator round and are judged
    only on strictness.

    Why it points to an error
    -------------------------
    `>` for `>=` adds or drops the rows on the bound; `<` for `>` asks for the others.

    Fires on
    --------
    Which singers are at least 30? SELECT name FROM singer WHERE age > 30

    Stays silent on
    ---------------
    Which singers are at least 30? SELECT name FROM singer WHERE age >= 30

    Does not apply when
    -------------------
    The question has no comparative with a number that the query compares with.

    How to repair
    -------------
    Use the operator that the question's words stand for.

    Cost
    ----
    Nothing is run.

    References
    ----------
    GBV-SQL, appendix A.2.3 (comparison).
    """
    cue, number = bound
    uses = list(_uses(number, context))
    skip_unless(uses)
    reasons = [_reason(cue.name, literal.operator, context) for literal in uses]
    if all(reasons) and not _denied(cue, read_question(context.case)):
        literal = uses[0]
        yield Finding(
            clause=_place(literal, context),
            reason=reasons[0],
            message=f"'{cue.text} {number.text}' stands for {cue.name}, "
            f"the query has {literal.operator}",
            evidence={"wanted": cue.name, "used": literal.operator},
            suggestion=f"write {cue.name} {literal.piece.text}",
        )


def _denied(cue: Cue, reading: QuestionReading) -> bool:
    """Whether a negation stands before the comparative: `does not have more than`."""
    before = reading.lowers[max(0, cue.token - REACH) : cue.token]
    ends = [at for at, word in enumerate(before, start=1) if word in (",", ";", ":", "(")]
    return bool(word_set("cues", "negation") & frozenset(before[ends[-1] if ends else 0 :]))


def _broken(reading: QuestionReading, start: int, end: int) -> bool:
    """Whether another comparative or a joining word stands between."""
    between = set(reading.lowers[start:end])
    return bool(between & {"and", "or", "with", "in", ",", "but", "than"}) or any(
        start <= cue.token < end for cue in reading.comparatives
    )


def _uses(number: Number, context: Context) -> Iterator[Literal]:
    """Yield the constants of the query that are the number and that something is compared with."""
    for literal in facts_of(context).literals:
        if isinstance(literal.value, bool) or literal.value is None:
            continue
        if str(literal.value) not in (
            f"{number.value:g}",
            f"{number.value:.0f}",
            str(number.value),
        ):
            continue
        if literal.operator in OPERATORS and not _labels(literal, context):
            yield literal


def _labels(literal: Literal, context: Context) -> bool:
    """Whether the comparison stands in a CASE, where the branches before it bound it too."""
    piece = literal.piece
    holding = (item for select in context.query.selects for item in select.projections)
    return any(
        item.piece.start <= piece.start < item.piece.end
        and context.query.has_keyword_in(item.piece, "CASE")
        for item in holding
    )


def _reason(wanted: str, operator: str, context: Context) -> str:
    """Return how the operator differs from the one wanted, empty where it does not."""
    if operator in (wanted, "<>"):
        return ""
    if operator == "=":
        return "equality"
    if operator[0] == wanted[0]:
        return "bound"
    return "" if context.query.has_keyword("NOT", "EXCEPT") else "opposite"


def _place(literal: Literal, context: Context) -> ClauseSpan:
    comparison = facts_of(context).comparison_of(literal)
    if comparison is not None:
        return comparison.clause
    clause = context.enclosing_clause(literal.piece.start, literal.piece.end)
    return context.span(clause.kind, literal.piece.start, literal.piece.end)
