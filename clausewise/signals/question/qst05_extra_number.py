"""QST05: a number of the query has no counterpart in the question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.question.dates import DateKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import NUMBER, facts_of
from clausewise.signals.linking.values import key_is_named, picks_what_is_named
from clausewise.signals.units import for_each
from clausewise.sql.model import Comparison, Literal
from clausewise.types import Clause, ClauseSpan, Cost, Finding, Group, Need

_BOUNDING = (Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.LIMIT)
MOST_CODES = 10
"""Different whole numbers up to which a column may hold codes."""
_MORE_THAN_ONE = ("several", "multiple", "repeated", "repeatedly", "duplicate", "duplicates",
                  "both", "more than once", "twice", "again")  # fmt: skip
_SOME = ("some", "few", "sample", "several", "examples", "preview")
"""Words that leave open how many rows are shown."""
SMALL = frozenset({0.0, 1.0, 100.0})
"""Numbers that formulas need: they are asked for in words."""

_SUPERLATIVE = re.compile(r"[a-z]{3,}est")
_NO_SUPERLATIVES = frozenset({"interest", "request", "forest", "harvest", "contest", "protest",
                              "invest", "suggest", "digest", "honest", "arrest", "modest",
                              "manifest", "breakfast", "northwest", "southwest"})  # fmt: skip
"""Words that end like a superlative."""
_PART_CALLS = frozenset(
    {"SUBSTR", "SUBSTRING", "LEFT", "RIGHT", "ROUND", "INSTR", "LPAD", "RPAD", "PRINTF", "FORMAT",
     "STRFTIME", "DATE", "DATETIME", "CHARINDEX", "SPLIT_PART", "TRUNC", "NTILE"}
)  # fmt: skip
"""Functions whose further arguments are positions, lengths, digits and formats."""


def _numbers(context: Context) -> Iterator[Literal]:
    """Yield the numbers in conditions and LIMIT, and the years in SELECT."""
    for literal in facts_of(context).literals:
        is_number = isinstance(literal.value, int | float) and not isinstance(literal.value, bool)
        bounds = literal.clause in _BOUNDING or _is_written_year(literal)
        if is_number and bounds and not _says_where(literal, context):
            yield literal


def _says_where(literal: Literal, context: Context) -> bool:
    """Whether a number only says which part of a text, or how many digits: `substr(day, 1, 4)`."""
    return not literal.operator and any(
        call.function in _PART_CALLS
        for call in context.query.calls
        if call.piece.start <= literal.piece.start < call.piece.end
    )


@signal(
    code="QST05",
    name="extra_number",
    group=Group.QUESTION,
    family="question_number",
    clauses={Clause.SELECT, *_BOUNDING, Clause.QUERY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.PROFILE,
    version=5,
    reasons={
        "limit": "A LIMIT over one that the question does not say.",
        "limit_one": "LIMIT 1 where the question has no superlative.",
        "key": "A key written as a number that the question does not say: it was guessed.",
        "factor": ("A number that is calculated with: perhaps a unit is converted.", "slight"),
        "code": "A number compared with a column of few whole numbers: perhaps a code.",
        "condition": "A number in a condition that neither question nor evidence says.",
    },
)
@for_each(_numbers, otherwise="the query has no number in a condition and no LIMIT")
def extra_number(literal: Literal, context: Context) -> Iterator[Finding]:
    """A number in a condition or a LIMIT of the query is in neither question nor evidence.

    What it measures
    ----------------
    The numbers in WHERE, HAVING, ON and LIMIT against those of the question and of the evidence;
    a neighbor will do where the comparison makes it the same bound (`> 4` for "at least 5").
    LIMIT 1 needs a superlative or a word like "first", "any", "one";
    0, 1 and 100 in conditions are let through. In SELECT only years are looked at.

    Why it points to an error
    -------------------------
    A bound, a key or a limit that nobody named was made up.

    Fires on
    --------
    Which singers are old? SELECT name FROM singer WHERE age > 60

    Stays silent on
    ---------------
    Which singers are over 60? SELECT name FROM singer WHERE age > 60

    Does not apply when
    -------------------
    The query has no number in a condition and no LIMIT.

    How to repair
    -------------
    Take the number away, or use the one that the question names.

    Cost
    ----
    Nothing is run, but for a number that is in neither: one COUNT for each value that the
    question names, and a look at the row whose key the number may be.

    References
    ----------
    GBV-SQL, appendix A.2.5 (values that the question does not give).
    """
    reason = _reason(literal, float(str(literal.value)), context)
    if reason:
        yield Finding(
            clause=_place(literal, context),
            reason=reason,
            message=f"the question says nothing of {literal.piece.text}",
            evidence={"value": literal.value},
        )


def _is_written_year(literal: Literal) -> bool:
    """Whether a year is calculated with in SELECT: today's, as somebody once wrote it."""
    value = literal.value
    return literal.clause is Clause.SELECT and isinstance(value, int) and 1900 <= value <= 2100


def _known(context: Context) -> frozenset[float]:
    """Return every number that the question or the evidence says."""
    reading = read_question(context.case)
    said = {number.value for number in reading.numbers}
    for date in reading.dates:
        said.update(date.months)
        if date.kind is DateKind.DECADE and date.year is not None:
            said.update((date.year + 9, date.year + 10))
    text = reading.question + " " + reading.evidence
    said.update(float(part) for part in NUMBER.findall(text.replace(",", "")))
    said.update(float(part) for part in NUMBER.findall(text))
    percent = {value / 100 for value in said} | {1 + value / 100 for value in said}
    return frozenset(said | percent)


def _reason(literal: Literal, value: float, context: Context) -> str:
    """Return why the number was made up, empty where something says it."""
    reading = read_question(context.case)
    if context.once(_known) & facts_of(context).meanings(literal):
        return ""
    if literal.clause is Clause.LIMIT:
        return _reason_of_limit(value, reading)
    comparison = facts_of(context).comparison_of(literal)
    if _asked_in_words(literal, value, reading, context) or _picks_what_is_named(
        comparison, context
    ):
        return ""
    return _reason_of_bound(literal, comparison, context)


def _reason_of_limit(value: float, reading: QuestionReading) -> str:
    if value != 1:
        return "" if reading.says(*_SOME) else "limit"
    return "" if _wants_first(reading) else "limit_one"


def _reason_of_bound(literal: Literal, comparison: Comparison | None, context: Context) -> str:
    if not literal.operator and not _is_written_year(literal):
        return "factor"
    if comparison is None:
        return "condition"
    if comparison.column.name.casefold().endswith("id"):
        return "key"
    return "code" if _may_be_code(comparison, context) else "condition"


def _may_be_code(comparison: Comparison, context: Context) -> bool:
    """Whether a column holds few whole numbers, each often, and one is picked by equality."""
    column = comparison.column
    if comparison.operator not in ("=", "IN", "<>") or not column.table or not column.column:
        return False
    profile = context.database.profile(column.table, column.column)
    few = 0 < profile.distinct <= MOST_CODES and 2 * profile.distinct <= profile.rows
    return few and set(profile.stored_types) == {"integer"}


def _picks_what_is_named(comparison: Comparison | None, context: Context) -> bool:
    """Whether the constant is the key of a row that holds what the question names."""
    if comparison is None:
        return False
    return picks_what_is_named(comparison, context) or key_is_named(comparison, context)


def _asked_in_words(
    literal: Literal, value: float, reading: QuestionReading, context: Context
) -> bool:
    """Whether a small number only counts what the question says: all of two, none, each."""
    if abs(value) in SMALL or (reading.cues("each") and value <= 3):
        return True
    if literal.clause is not Clause.HAVING:
        return False
    return value in context.once(_list_lengths) or (value == 2 and reading.says(*_MORE_THAN_ONE))


def _list_lengths(context: Context) -> set[int]:
    """Return how many values the IN lists hold: `HAVING COUNT(*) = 2` asks for all of two."""
    return {len(comparison.literals) for _, comparison in context.comparisons()}


def _wants_first(reading: QuestionReading) -> bool:
    if any(
        _SUPERLATIVE.fullmatch(word) and word not in _NO_SUPERLATIVES for word in reading.lowers
    ):
        return True
    return bool(reading.superlatives) or reading.says(
        "first", "last", "top", "one", "any", "a single", "best", "worst", "frequent",
        "frequently", "common", "commonly", "popular", "majority", "example", "only", "ever",
        "winner", "champion", "record", "more", "higher", "lower", "older", "younger", "next",
        "limit", "1", "less", "fewer", "faster", "slower", "taller",
    )  # fmt: skip


def _place(literal: Literal, context: Context) -> ClauseSpan:
    comparison = facts_of(context).comparison_of(literal)
    if literal.clause is Clause.LIMIT:
        return context.enclosing_clause(literal.piece.start, literal.piece.end)
    if comparison is not None and comparison.clause.kind is not Clause.SELECT:
        return comparison.clause
    return context.span(literal.clause, literal.piece.start, literal.piece.end)
