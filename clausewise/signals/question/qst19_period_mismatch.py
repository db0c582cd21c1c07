"""QST19: the query's dates are another period than the one that the question names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from clausewise.errors import NotApplicable
from clausewise.question.dates import DateKind, DateMention
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_table
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Comparison, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:$|[ T](\d{2}):(\d{2}))")
_PREFIX = re.compile(r"(\d{4})(?:-(\d{2}))?-?%")
_ELSE = frozenset(
    {"after", "starting", "until", "till", "by", "to", "through", "and", "between", "than"}
)
"""Words before a date that make it one end of something."""
_GOES_ON = frozenset({"onwards", "onward", "on", "later", "earlier", "to", "until", "or", "and"})
"""Words behind a date, likewise."""
_EARLY = 1000
_NO_PERIOD = frozenset(
    {"as", "compared", "versus", "vs", "beginning", "end", "start", "fiscal", "half", "week",
     "season", "winter", "summer", "later", "latter", "h1", "h2"}
)  # fmt: skip
_BOUNDS = frozenset({"<", "<=", ">", ">=", "BETWEEN", "LIKE", "="})
_ENDLESS = (date.min, date.max)


@dataclass(frozen=True, slots=True)
class _Period:
    """Days from `first` up to, and without, `end`."""

    first: date
    end: date


@signal(
    code="QST19",
    name="period_mismatch",
    group=Group.QUESTION,
    family="question_period",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.ORDER_BY, Clause.GROUP_BY},
    needs={Need.QUESTION},
    cost=Cost.PROFILE,
    version=1,
    reasons={
        "open_end": ("The question names a period, the query only one end of it.", "strong"),
        "other_side": ("The query takes what comes before, or the reverse.", "strong"),
        "other_period": ("The query's period has another beginning or end.", "strong"),
    },
)
def period_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """The dates that the query compares with are not the period that the question names.

    What it measures
    ----------------
    The one year, quarter or month that the question names with its year, after `in`, `during`,
    `for`, or bare ("May 2024"), against the bounds that the query sets to a column of dates by
    `<`, `<=`, `>`, `>=`, BETWEEN, LIKE.

    Why it points to an error
    -------------------------
    `>= '2023-01-01'` for "in 2023" also takes what came later; BETWEEN '2024-01-01' AND
    '2024-02-01' takes a day too many.

    Fires on
    --------
    How many flights in 2023? SELECT COUNT(*) FROM flight WHERE day >= '2023-01-01'

    Stays silent on
    ---------------
    How many flights in 2023? SELECT COUNT(*) FROM flight WHERE day LIKE '2023%'

    Does not apply when
    -------------------
    The question names no period, or several, or the evidence names a date; or the query compares
    no column with dates.

    How to repair
    -------------
    Compare with the first day of the period by `>=` and with the first day after it by `<`.

    Cost
    ----
    Nothing is run; the profile of the column if one end of the period is open.

    References
    ----------
    None.
    """
    asked = _asked(read_question(case))
    if asked is None:
        raise NotApplicable("the question names no period")
    found = [(parts, made) for parts, made in _periods(context) if made is not None]
    if not found:
        raise NotApplicable("the query compares no column with dates")
    if any(made == asked for _, made in found):
        return
    for parts, made in found:
        reason = _reason(asked, made, parts, context)
        if reason:
            place = parts[-1]
            yield Finding(
                clause=place.clause,
                reason=reason,
                message=f"the question names {_said(asked)}, the query takes {_said(made)}",
                evidence={"asked": _said(asked), "taken": _said(made)},
                suggestion=f"write >= '{asked.first}' and < '{asked.end}'",
            )
            return


def _asked(reading: QuestionReading) -> _Period | None:
    """Return the one period that a question names, without an end after `since`."""
    if re.search(r"\d{4}", reading.evidence) or _NO_PERIOD & set(reading.lowers):
        return None
    named = list(_named(reading))
    if len(named) != 1:
        return None
    at, end, period = named[0]
    before = [word for word in reading.lowers[max(0, at - 2) : at] if word not in ("the", "year")]
    word = before[-1] if before else ""
    compared = any(at - 3 <= cue.token < at for cue in reading.comparatives)
    if period is None or _GOES_ON & set(reading.lowers[end : end + 3]):
        return None
    if word == "since":
        return _Period(period.first, date.max)
    if word == "before":
        return _Period(date.min, period.first)
    return None if word in _ELSE or compared else period


def _named(reading: QuestionReading) -> Iterator[tuple[int, int, _Period | None]]:
    """Yield the first token, the one behind and the period of each date and each bare year."""
    dated: set[int] = set()
    for mention in reading.dates:
        end = mention.token + mention.length
        dated.update(range(mention.token, end))
        yield mention.token, end, _of_date(mention)
    months = word_table("numbers")["months"]
    for at, word in enumerate(reading.lowers):
        if at not in dated and word in months and (reading.tokens[at].capitalized or word != "may"):
            yield at, at + 1, None
    for number in reading.numbers:
        if number.kind == "year" and number.token not in dated:
            year = int(number.value)
            period = _Period(date(year, 1, 1), date(year + 1, 1, 1)) if year > _EARLY else None
            yield number.token, number.after, period


def _of_date(mention: DateMention) -> _Period | None:
    if mention.year is None or mention.kind not in (DateKind.MONTH, DateKind.QUARTER):
        return None
    return _months(mention.year, mention.months[0], mention.months[-1])


def _months(year: int, first: int, last: int) -> _Period | None:
    try:
        later = date(year, last, 28) + timedelta(days=4)
        return _Period(date(year, first, 1), later.replace(day=1))
    except (ValueError, OverflowError):
        return None


def _periods(context: Context) -> Iterator[tuple[list[Comparison], _Period | None]]:
    """Yield the period of each column of each SELECT with the comparisons that set it."""
    for select in context.query.selects:
        of_column: dict[tuple[str | None, str], list[Comparison]] = {}
        for comparison in select.comparisons:
            if _is_dated(comparison):
                key = (comparison.column.table, comparison.column.name.casefold())
                of_column.setdefault(key, []).append(comparison)
        for parts in of_column.values():
            yield parts, _period(parts, select)


def _is_dated(comparison: Comparison) -> bool:
    values = [literal.value for literal in comparison.literals]
    return (
        comparison.operator in _BOUNDS
        and comparison.clause.kind is not Clause.SELECT
        and not comparison.negated
        and not comparison.in_negated_group
        and bool(values)
        and all(
            isinstance(value, str) and (_DAY.match(value) or _PREFIX.fullmatch(value))
            for value in values
        )
    )


def _period(parts: list[Comparison], select: Select) -> _Period | None:
    """Return the days that all comparisons of a column let pass, None if they are not all read."""
    first, end = _ENDLESS
    for part in parts:
        if part.wrapped and not _only_takes_the_day(part):
            return None
        bounds = _bounds(part)
        if bounds is None or (part.clause.kind is Clause.WHERE and not select.is_conjunct(part)):
            return None
        first, end = max(first, bounds.first), min(end, bounds.end)
    return _Period(first, end) if first < end else None


def _only_takes_the_day(part: Comparison) -> bool:
    return re.match(r"(?i)\s*(date|substr)\s*\(", part.clause.text) is not None


def _bounds(part: Comparison) -> _Period | None:
    """Return the days that one comparison lets pass."""
    values = [str(literal.value) for literal in part.literals]
    if part.operator == "LIKE":
        match = _PREFIX.fullmatch(values[0])
        if match is None:
            return None
        return _months(int(match[1]), int(match[2] or 1), int(match[2] or 12))
    first, last = _day(values[0]), _day(values[-1])
    if first is None or last is None:
        return None
    after = last + timedelta(days=1)
    bounds = {
        "BETWEEN": _Period(first, after),
        "=": _Period(first, after),
        ">=": _Period(first, date.max),
        ">": _Period(after, date.max),
        "<=": _Period(date.min, after),
        "<": _Period(date.min, after if _is_late(values[0]) else last),
    }
    return bounds.get(part.operator)


def _day(text: str) -> date | None:
    match = _DAY.match(text)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except (ValueError, OverflowError):
        return None


def _is_late(text: str) -> bool:
    return text[11:13] == "23"


def _reason(asked: _Period, made: _Period, parts: list[Comparison], context: Context) -> str:
    if made.end.year < asked.first.year - 1 or made.first.year > asked.end.year + 1:
        return ""
    has_first, has_end = made.first != date.min, made.end != date.max
    if has_first and has_end:
        return "other_period" if date.min < asked.first and asked.end < date.max else ""
    if asked.first == date.min or asked.end == date.max:
        same = (asked.first == date.min, asked.end == date.max) == (not has_first, not has_end)
        return "other_period" if same else "other_side"
    meets = made.first == asked.first if has_first else made.end == asked.end
    return "open_end" if meets and _goes_on(asked, has_first, parts[0], context) else ""


def _goes_on(asked: _Period, has_first: bool, part: Comparison, context: Context) -> bool:
    """Whether the data has days beyond the end that the query leaves open."""
    column = part.column
    if column.table is None or column.column is None or not context.database.has_data:
        return True
    profile = context.database.profile(column.table, column.column)
    most = profile.maximum if has_first else profile.minimum
    if not isinstance(most, str):
        return True
    return most[:10] >= str(asked.end) if has_first else most[:10] < str(asked.first)


def _said(period: _Period) -> str:
    if period.first == date.min:
        return f"all before {period.end}"
    if period.end == date.max:
        return f"all from {period.first}"
    return f"{period.first} to {period.end - timedelta(days=1)}"
