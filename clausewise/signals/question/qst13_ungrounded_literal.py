"""QST13: a text constant has no counterpart in the question or the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from clausewise.errors import QueryFailed
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import Constant, facts_of
from clausewise.signals.linking.values import (
    is_grammar,
    is_said,
    matches,
    picks_what_is_named,
)
from clausewise.signals.probes.sampled import finds_a_row, is_sampled
from clausewise.signals.units import for_each
from clausewise.sql.model import Comparison
from clausewise.types import Clause, Cost, Finding, Group, Need

CODE_LENGTH = 3
LONG = 3
"""Words from which one shared word no longer accounts for a text."""
WORD = re.compile(r"[^\W\d_]{2,}")
DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_PLACES = {True: "in_database", False: "nowhere", None: "unsaid"}
"""Whether the database holds a text, None where that is not known, to the reason."""
_BESIDE = {"<": -1, ">=": -1, ">": 1, "<=": 1}
"""Days from a bound to the nearest one on the other side of it, which a question may name."""
TRUTH = frozenset({"yes", "no", "true", "false", "none", "null", "unknown", ""})


def _constants(context: Context) -> Iterator[tuple[Constant, Comparison]]:
    """Yield the text constants that a condition compares a column with."""
    facts = facts_of(context)
    for constant in facts.texts:
        comparison = facts.comparison_of(constant.literal)
        if comparison is None or comparison.wrapped or comparison.clause.kind is Clause.SELECT:
            continue
        if any(letter.isalnum() for letter in constant.folded):
            yield constant, comparison


@signal(
    code="QST13",
    name="ungrounded_literal",
    group=Group.QUESTION,
    family="question_value",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.GROUP_BY, Clause.ORDER_BY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.PROFILE,
    version=4,
    reasons={
        "nowhere": "A text that neither the question nor the database holds.",
        "in_database": "A text that the database holds and the question does not say.",
        "unsaid": (
            "A text that the question does not say, with no data to look it up in.",
            "moderate",
        ),
        "code": "A code such as 'F' or 'yes', which may stand for a word of the question.",
        "partly": "Half or less of a long text is said, and other values hold as much of it.",
    },
)
@for_each(_constants, otherwise="no column is compared with a text constant")
def ungrounded_literal(unit: tuple[Constant, Comparison], context: Context) -> Iterator[Finding]:
    """A condition compares with a text that neither question nor evidence mentions.

    What it measures
    ----------------
    Each text constant in a condition, other than formats such as '%Y', against the words of the
    question and of the evidence, grammar aside: the same, a part, a shared stem, nearly the same
    spelling, or initials. Codes of one or two letters and truth values may stand for any word and
    count less. Of a text of three or more words more than half must be said, or enough to
    distinguish it from the other values of its column.

    Why it points to an error
    -------------------------
    A value was made up, or a condition was added that nobody asked for.

    Fires on
    --------
    Which singers are old? SELECT name FROM singer WHERE country = 'France'

    Stays silent on
    ---------------
    Which singers are French? SELECT name FROM singer WHERE country = 'France'

    Does not apply when
    -------------------
    The query compares with no text. Without data, whether half of a long text is enough to
    distinguish it is not known.

    How to repair
    -------------
    Take the condition away, or compare with the value that the question names.

    Cost
    ----
    A look-up in the value index for each constant that is not in the question; one statement for
    a long text of which half or less is said.

    References
    ----------
    GBV-SQL, appendix A.2.5 (values that the question does not give).
    """
    constant, comparison = unit
    has_data = context.database.has_data
    if has_data and _names_a_value(comparison, context):
        return
    reading = read_question(context.case)
    value = str(constant.literal.value)
    if not _grounded(constant, reading):
        held = bool(context.database.find_value(constant.folded)) if has_data else None
        short = len(constant.folded) <= CODE_LENGTH or constant.folded in TRUTH
        yield Finding(
            clause=comparison.clause,
            reason="code" if short else _PLACES[held],
            message=f"neither question nor evidence says '{value}'",
            evidence={"value": value, "in_database": held},
        )
    elif _is_other_value(constant, comparison, reading, context):
        yield Finding(
            clause=comparison.clause,
            reason="partly",
            message=f"neither question nor evidence says more than half of '{value}'",
            evidence={"value": value},
        )


def _is_held(constant: Constant, comparison: Comparison, context: Context) -> bool:
    """Whether the data holds the constant; raises NotProfiled where that is not known."""
    if context.database.find_value(constant.folded):
        return True
    table, column = comparison.column.table, comparison.column.column
    if not table or not column or not is_sampled(context, table, column):
        return False
    quoted = context.words.quote_name
    sql = f"SELECT 1 FROM {quoted(table)} WHERE {quoted(column)} = {constant.literal.piece.text}"
    return finds_a_row(context, table, column, f"{sql} LIMIT 1")


def _grounded(constant: Constant, reading: QuestionReading) -> bool:
    if _is_said(constant.folded, reading) or _bounds_a_period(constant, reading):
        return True
    if constant.folded.isdecimal() and any(
        number.value == float(constant.folded) for number in reading.numbers
    ):
        return True
    if any(matches(word, constant) for word in _content_words(reading)):
        return True
    tokens = [token for token in reading.tokens if token.is_word]
    initials = "".join(token.lower[0] for token in tokens[1:] if token.capitalized)
    return len(initials) > 1 and (initials in constant.folded or constant.folded in initials)


def _bounds_a_period(constant: Constant, reading: QuestionReading) -> bool:
    """Whether a date begins just after, or ends just before, a period that is named.

    "In 2020" is `< '2021-01-01'`, "since 2020" is `> '2019-12-31'`.
    """
    match = DAY.match(constant.folded)
    step = _BESIDE.get(constant.literal.operator)
    if match is None or step is None:
        return False
    try:
        beside = date(*(int(part) for part in match.groups())) + timedelta(days=step)
    except (ValueError, OverflowError):
        return False
    months = {month for item in reading.dates for month in item.months}
    is_month = not months or beside.month in months
    return is_month and str(beside.year) in f"{reading.question} {reading.evidence}"


def _is_said(folded: str, reading: QuestionReading) -> bool:
    return folded in f"{reading.question} {reading.evidence}".casefold()


def _content_words(reading: QuestionReading) -> list[str]:
    """Return the words of question and evidence that may stand for a value."""
    words = [token.lower for token in reading.tokens if token.is_word and not is_grammar(token)]
    words += reading.evidence.casefold().split()
    return [word for word in words if len(word) > 1]


def _is_other_value(
    constant: Constant, comparison: Comparison, reading: QuestionReading, context: Context
) -> bool:
    """Whether half or less of a long text is said, and other values hold that much of it."""
    parts = WORD.findall(constant.folded)
    if len(parts) < LONG or _is_said(constant.folded, reading):
        return False
    words = _content_words(reading)
    said = [part for part in parts if is_said(part, words)]
    return 2 * len(said) <= len(parts) and _several_hold(said, comparison, context)


def _several_hold(said: list[str], comparison: Comparison, context: Context) -> bool:
    """Whether two values of the compared column hold all the words."""
    column = comparison.column
    if column.table is None or column.column is None:
        return False
    words = context.words
    name = words.quote_name(column.column)
    holds = " AND ".join(words.holds_word(name, part) for part in said) or "TRUE"
    sql = f"SELECT DISTINCT {name} FROM {words.quote_name(column.table)} WHERE {holds} LIMIT 2"
    try:
        return len(context.run(sql, rows=2).rows) > 1
    except QueryFailed:
        return False


def _names_a_value(comparison: Comparison, context: Context) -> bool:
    """Whether the constant picks the row of a value that the question names: a code for it."""
    return picks_what_is_named(comparison, context)
