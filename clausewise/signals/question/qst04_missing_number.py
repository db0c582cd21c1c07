"""QST04: a number of the question is nowhere in the query."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.numbers import Number
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set, word_table
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import QueryFacts, facts_of
from clausewise.signals.units import at_most
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

KINDS = {
    "digits": "The number is written in digits.",
    "year": "It is a year.",
    "percent": "It is a percentage.",
    "ordinal": "It is an ordinal in digits, `3rd`.",
    "date": "It is a part of a date.",
    "decade": "It is a decade, `the 90s`.",
    "word": "It is written as a word.",
    "multiple": "It is `twice` or the like.",
}
"""How a number is written that is looked at; spelled ordinals say too little."""


@signal(
    code="QST04",
    name="missing_number",
    group=Group.QUESTION,
    family="question_number",
    clauses={Clause.WHERE, Clause.HAVING, Clause.LIMIT, Clause.SELECT, Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=2,
    reasons=KINDS,
)
def missing_number(case: Case, context: Context) -> Iterator[Finding]:
    """A number that the question names is in no constant and no LIMIT of the query.

    What it measures
    ----------------
    Digits, number words, "twice", ordinals in digits, percentages, years and parts of dates are
    read off the question. Each must stand in the query, where a neighbor will do only under a
    comparison that makes it the same bound (more than 5: `>= 6`), a fraction for a percentage, and
    two members of a set operation or two joined copies of a table for "two" and "both".

    Why it points to an error
    -------------------------
    A condition or a LIMIT of the question was left out.

    Fires on
    --------
    List the 3 oldest singers. SELECT name FROM singer ORDER BY age DESC LIMIT 1

    Stays silent on
    ---------------
    List the 3 oldest singers. SELECT name FROM singer ORDER BY age DESC LIMIT 3

    Does not apply when
    -------------------
    The question names no number.

    How to repair
    -------------
    Use the number in the condition or LIMIT that the question describes.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    numbers = [
        number for number in reading.numbers if number.kind in KINDS and not _vague(number, reading)
    ]
    if not numbers:
        raise NotApplicable("the question names no number")
    facts = facts_of(context)
    for number in at_most(numbers):
        if not _is_there(number, facts, reading):
            yield _finding(number, context)


def _vague(number: Number, reading: QuestionReading) -> bool:
    """Whether it need not be written: `the one with`, the 0 that fills up a time."""
    if number.kind == "date":
        return number.value == 0
    return number.kind in ("word", "multiple") and number.value <= 1


def _is_there(number: Number, facts: QueryFacts, reading: QuestionReading) -> bool:
    value = number.value
    near = {value}
    if number.kind == "percent":
        near |= {value / 100, 1 + value / 100, 1 - value / 100}
    if number.kind == "decade":
        near |= {value + 9, value + 10, value // 10}
    if number.kind in ("ordinal", "date", "digits", "word"):
        near |= {value // 100 * 100, value / 1000, value * 1000} if value >= 1000 else set()
    if value in facts.stated or near & facts.numbers:
        return True
    if facts.mentions(number.text):
        return True
    if _in_a_range(number, facts, reading):
        return True
    if any(_names(number, statement.text) for statement in reading.statements):
        return True
    if value > 3:
        return False
    digits = str(int(value))
    return _in_parts(facts) or any(digits in name for name in facts.column_names)


def _in_a_range(number: Number, facts: QueryFacts, reading: QuestionReading) -> bool:
    """Whether another end of a range stands for it: `stars >= 4` for "4 or 5 stars"."""
    is_bounded = facts.query.has_keyword("<", "<=", ">", ">=", "<>")
    return is_bounded and any(
        other is not number
        and other.value in facts.stated
        and reading.between(number, other) in (("or",), ("to",), ("-",))
        for other in reading.numbers
    )


def _names(number: Number, statement: str) -> bool:
    """Whether the evidence mentions the number and so may say it otherwise."""
    return number.text.lower() in statement.lower().split()


def _in_parts(facts: QueryFacts) -> bool:
    """Whether the query has several parts that may stand for `two`, `both`."""
    copies = [source.table for select in facts.query.selects for source in select.sources]
    return len(facts.query.selects) > 1 or len(copies) > len(set(copies))


def _finding(number: Number, context: Context) -> Finding:
    root = context.query.root
    ranked = _is_ranked(context.case, number)
    kinds = (Clause.LIMIT, Clause.WHERE, Clause.HAVING, Clause.SELECT)
    order = kinds if ranked else (*kinds[1:], Clause.LIMIT)
    clause = next((root.clause(kind) for kind in order if root.clause(kind)), None)
    return Finding(
        clause=clause or context.query.span,
        reason=number.kind,
        message=f"the number '{number.text}' of the question is not in the query",
        evidence={"value": number.value},
    )


def _is_ranked(case: Case, number: Number) -> bool:
    """Whether the number says how many to list: `the 3 oldest`, `top 10`."""
    reading = read_question(case)
    near = reading.lowers[max(0, number.token - 1) : number.after + 2]
    superlative = word_set("superlatives", "highest") | word_set("superlatives", "lowest")
    superlative |= frozenset(word_table("superlatives")["by_meaning"]) | {"top", "first", "last"}
    return any(lower in superlative for lower in near)
