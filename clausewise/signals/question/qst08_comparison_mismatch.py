"""QST08: a number is compared by another operator than the question's words ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.numbers import Number
from clausewise.question.reading import Cue, QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import facts_of
from clausewise.sql.model import Literal
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Level, Need

OPPOSITE = 0.9
"""Score of `<` where the question says `more than`."""
EQUALITY = 0.7
"""Score of `=` where the question says `more than`, or the reverse."""
BOUND = 0.6
"""Score of `>=` for `more than`, of `>` for `at least`: one row more or less."""
REACH = 5
"""Tokens between a comparative and its number."""
_OPERATOR = re.compile(r"(>=|<=|<>|!=|==|=|<|>)\s*$")


@signal(
    code="QST08",
    name="comparison_mismatch",
    group=Group.QUESTION,
    family="question_comparison",
    clauses=set(Clause),
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
)
def comparison_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """`at least`, `more than`, `before` and the like meet another operator in the query.

    What it measures
    ----------------
    For each comparative of the question with a number near it: the operator in front of that
    number in the query. A neighbouring number with the matching operator is the same (more than
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
    reading = read_question(case)
    looked_at = False
    for cue, number in _bounds(reading):
        uses = list(_uses(number, context))
        looked_at = looked_at or bool(uses)
        scores = [_score(cue.name, operator, context) for _, operator in uses]
        if uses and all(scores) and not _denied(cue, reading):
            (literal, operator), score = uses[0], scores[0]
            yield _finding(cue, number, literal, operator, score, context)
    if not looked_at:
        raise NotApplicable("no number with a comparative is compared in the query")


def _bounds(reading: QuestionReading) -> Iterator[tuple[Cue, Number]]:
    """Yield each comparative with its number: after it, or before `or more`."""
    numbers = [number for number in reading.numbers if number.kind not in ("date", "percent")]
    for cue in reading.comparatives:
        if cue.name == "range":
            continue
        if cue.text.startswith("or "):
            near = [n for n in numbers if 0 < cue.token - n.token <= 3]
            near.reverse()
        else:
            end = cue.token + cue.length
            near = [n for n in numbers if 0 <= n.token - end <= REACH]
            near = [n for n in near if not _broken(reading, end, n.token)]
        if near:
            yield cue, near[0]


def _denied(cue: Cue, reading: QuestionReading) -> bool:
    """Whether a negation stands before the comparative: `does not have more than`."""
    before = reading.lowers[max(0, cue.token - REACH) : cue.token]
    return bool(word_set("cues", "negation") & frozenset(before))


def _broken(reading: QuestionReading, start: int, end: int) -> bool:
    """Whether another comparative or a joining word stands between."""
    between = set(reading.lowers[start:end])
    return bool(between & {"and", "or", "with", "in", ",", "but", "than"}) or any(
        start <= cue.token < end for cue in reading.comparatives
    )


def _uses(number: Number, context: Context) -> Iterator[tuple[Literal, str]]:
    """Yield where the query compares with the number, with the operator in front of it."""
    text = context.query.text
    for literal in facts_of(context).literals:
        if isinstance(literal.value, bool) or literal.value is None:
            continue
        if str(literal.value) not in (
            f"{number.value:g}",
            f"{number.value:.0f}",
            str(number.value),
        ):
            continue
        match = _OPERATOR.search(text[: literal.piece.start])
        if match is not None:
            yield literal, {"!=": "<>", "==": "="}.get(match.group(1), match.group(1))


def _score(wanted: str, operator: str, context: Context) -> float:
    if operator in (wanted, "<>"):
        return 0.0
    if operator == "=":
        return EQUALITY
    if operator[0] == wanted[0]:
        return BOUND
    return 0.0 if _negates(context) else OPPOSITE


def _negates(context: Context) -> bool:
    outside = f" {facts_of(context).outside} "
    return bool(re.search(r"\bnot\b|\bexcept\b", outside))


def _finding(
    cue: Cue, number: Number, literal: Literal, operator: str, score: float, context: Context
) -> Finding:
    return Finding(
        clause=_place(literal, context),
        score=score,
        message=f"'{cue.text} {number.text}' stands for {cue.name}, the query has {operator}",
        evidence={"reason": f"{score}", "wanted": cue.name, "used": operator},
        suggestion=f"write {cue.name} {literal.piece.text}",
        level=Level.ERROR if score >= OPPOSITE else Level.WARNING,
    )


def _place(literal: Literal, context: Context) -> ClauseSpan:
    for _, comparison in context.comparisons():
        if literal in comparison.literals:
            return comparison.clause
    clause = context.enclosing_clause(literal.piece.start, literal.piece.end)
    return context.span(clause.kind, literal.piece.start, literal.piece.end)
