"""QST20: the answer stands in another unit than the one that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import prod

from clausewise.errors import NotApplicable
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.words import name_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import facts_of
from clausewise.signals.units import LONGEST_PIECE, at_most
from clausewise.sql.model import ColumnUse, Conjunct, Piece, Projection, Query
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_UNITS: Mapping[str, Mapping[float, tuple[str, ...]]] = {
    "money": {
        1e-6: ("micros", "micro"),
        0.01: ("cent", "cents", "cts", "ct"),
        1.0: ("euro", "euros", "eur", "dollar", "dollars", "usd", "pounds", "gbp", "francs",
              "chf", "crowns", "kroner"),
        1e3: ("keur", "kusd", "teur"),
    },
    "time": {
        1e-3: ("ms", "millis", "milliseconds", "msec"),
        1.0: ("second", "seconds", "sec", "secs"),
        60.0: ("minute", "minutes", "min", "mins", "mn"),
        3600.0: ("hour", "hours", "hrs"),
        86400.0: ("day", "days"),
    },
    "length": {
        1e-3: ("mm", "millimetres", "millimeters"),
        1e-2: ("cm", "centimetres", "centimeters"),
        1.0: ("metre", "metres", "meter", "meters"),
        1e3: ("km", "kms", "kilometres", "kilometers"),
    },
    "mass": {
        1e-3: ("mg", "milligrams"),
        1.0: ("gram", "grams", "gr"),
        1e3: ("kg", "kgs", "kilograms", "kilogrammes", "kilos"),
        1e6: ("tonnes", "tons", "tonne"),
    },
}  # fmt: skip
"""Words by the quantity and by what one of the unit is in the quantity's own."""
_UNIT_OF = {
    word: (quantity, size)
    for quantity, units in _UNITS.items()
    for size, words in units.items()
    for word in words
}
_NAME_OF = {
    (quantity, size): min(words, key=lambda word: (not word.endswith("s"), len(word) < 4))
    for quantity, units in _UNITS.items()
    for size, words in units.items()
}
_DAY = ("time", 86400.0)
_PERCENT = frozenset({"percent", "percentage", "%", "pct", "percents"})
_OFTEN_WITH = (1.0, 10.0, 100.0, 1e3, 1e5, 1e6, 0.1, 0.01, 1e-3, 1e-5, 1e-6)
"""Factors of a percentage, of thousands and of millions, that may stand in the same number."""
_CONVERTING = frozenset({24.0, 60.0, 1440.0, 3600.0, 86400.0, 7.0, 30.0, 365.0, 12.0})
_SHARES = frozenset({"percent", "percentage", "pct", "rate", "share"})
_MOST_NUMBERS = 12
_JULIAN = frozenset({"JULIANDAY"})
_NUMBER = re.compile(r"(?<![\w.'-])\d+(?:\.\d+)?(?:e-?\d+)?")
_WORDS = re.compile(r"[a-z]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@signal(
    code="QST20",
    name="unit_mismatch",
    group=Group.QUESTION,
    family="question_unit",
    clauses={Clause.SELECT, Clause.WHERE, Clause.HAVING, Clause.JOIN},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "fraction": (
            "A percentage is asked for, and the share is not multiplied by 100.",
            "strong",
        ),
        "kept_unit": ("The column is kept in another unit and shown as it is.", "strong"),
        "days": ("A difference of days is shown as hours, minutes or seconds.", "strong"),
        "not_days": ("A difference of days is turned into another unit than days.", "strong"),
    },
)
def unit_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """The answer stands in another unit than the one that the question asks for.

    What it measures
    ----------------
    The units that the question asks for ("in euros", "percent", "hours") against what the query
    shows: a share without a factor of 100; a column that is kept in cents, minutes or seconds, by
    its name or by the evidence, without the factor between the units; a difference of JULIANDAY,
    which is in days, without 24 for hours, 1440 for minutes, or with one for days.

    Why it points to an error
    -------------------------
    The figure is right but for a factor: 0.37 for 37 percent, 4,350 for 43.50 euros.

    Fires on
    --------
    What is owed, in euros? SELECT SUM(fee_cents) FROM audit

    Stays silent on
    ---------------
    What is owed, in euros? SELECT SUM(fee_cents) / 100.0 FROM audit

    Does not apply when
    -------------------
    The question asks for no unit that it knows.

    How to repair
    -------------
    Multiply or divide by the factor between the unit that is kept and the one that is asked for.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    units = _asked_units(reading)
    bounds = _asked_bounds(reading)
    if not units and not bounds:
        raise NotApplicable("the question asks for no unit")
    query = context.query
    numbers = facts_of(context).numbers
    shares = "percent" in units and 100.0 not in numbers and not query.has_keyword("WITH")
    parts: list[Projection | Conjunct] = [*query.root.projections]
    parts += [part for select in query.selects for part in select.conjuncts]
    for part in at_most(parts):
        piece, reason, why = part.piece, "", ""
        if len(piece.text) > LONGEST_PIECE:
            continue
        if isinstance(part, Conjunct):
            kind = part.clause
            reason, why = _compared(part, bounds, query)
        else:
            kind = Clause.SELECT
            if shares:
                reason, why = _fraction(part, query)
            if not reason:
                reason, why = _kept(part, units, numbers, reading, query)
        if reason:
            place = context.span(kind, piece.start, piece.end)
            yield Finding(clause=place, reason=reason, message=why)
            return


def _said(unit: tuple[str, float]) -> str:
    return "amounts of money" if unit == ("money", 1.0) else _NAME_OF[unit]


def _asked_units(reading: QuestionReading) -> frozenset[str | tuple[str, float]]:
    """Return the units of the answer; those behind a number, `10 %`, are of a condition."""
    found: set[str | tuple[str, float]] = set()
    numbers = {number.after for number in reading.numbers}
    last = len(reading.lowers) - 1
    for at, word in enumerate(reading.lowers):
        before = reading.lowers[at - 1] if at else ""
        if at in numbers or before == "per":
            continue
        unit = _UNIT_OF.get(word)
        if word in _PERCENT:
            found.add("percent")
        elif unit is not None and (
            before in ("in", "(", ",")
            or at == last
            or (at < last and reading.lowers[at + 1] in (".", "?", ")", "please", "pls"))
            or unit == ("money", 1.0)
        ):
            found.add(unit)
    said = set(reading.lowers)
    if said & {"fraction", "points", "decimal"}:
        found.discard("percent")
    if said & {"thousand", "thousands", "million", "millions", "k"}:
        found.discard(("money", 1.0))
    return frozenset(found)


def _asked_bounds(reading: QuestionReading) -> dict[float, tuple[str, float]]:
    """Return the spans of hours, minutes and seconds that rows are to be within, by number."""
    found = {}
    for number in reading.numbers:
        word = reading.lowers[number.after] if number.after < len(reading.lowers) else ""
        unit = _UNIT_OF.get(word, ("", 0.0))
        if unit[0] == "time" and 1.0 <= unit[1] < 86400.0:
            found[float(number.value)] = unit
    return found


def _fraction(shown: Projection, query: Query) -> tuple[str, str]:
    """Whether a share is shown: a division of aggregates, or the mean of a condition."""
    text = shown.expression.text
    if not shown.has_aggregate or any(_is_percent(use) for use in shown.columns):
        return "", ""
    divides = "/" in text and any(
        shown.expression.start <= one.piece.start < shown.expression.end
        for one in query.root.aggregates
    )
    if divides or re.search(r"(?i)\bavg\s*\(\s*(case|iif)\b", text):
        return "fraction", f"a percentage is asked for, {text} is a fraction"
    return "", ""


def _is_percent(use: ColumnUse) -> bool:
    words = name_words(use.name)
    return bool(_SHARES & set(words)) or use.name.lower().endswith("pct")


def _kept(
    shown: Projection,
    units: frozenset[str | tuple[str, float]],
    numbers: frozenset[float],
    reading: QuestionReading,
    query: Query,
) -> tuple[str, str]:
    asked = {unit[0]: unit for unit in units if isinstance(unit, tuple)}
    if len(asked) < sum(isinstance(unit, tuple) for unit in units):
        return "", ""
    time = asked.get("time")
    if time is not None and _JULIAN & _calls(query, shown.expression):
        return _of_days(shown, time, reading)
    for use in shown.columns:
        kept = _kept_unit(use, reading)
        wanted = asked.get(kept[0]) if kept else None
        if kept is None or wanted is None or wanted == kept or use.in_join_condition:
            continue
        if _unit_words(kept) & set(reading.lowers) or _counts(shown, use, query):
            continue
        if not _converts(kept[1] / wanted[1], numbers):
            return (
                "kept_unit",
                f"{_said(wanted)} are asked for, {use.name} is kept in {_said(kept)}",
            )
    return "", ""


def _of_days(
    shown: Projection, unit: tuple[str, float], reading: QuestionReading
) -> tuple[str, str]:
    used = frozenset(float(text) for text in _NUMBER.findall(shown.expression.text))
    text = shown.expression.text
    if unit == _DAY:
        other = {"month", "week", "year"} & reading.words
        turned = used & _CONVERTING and not other and 100.0 not in used
        return ("not_days", f"days are asked for, {text} converts them") if turned else ("", "")
    if unit[1] >= 1.0 and not _converts(86400.0 / unit[1], used):
        return "days", f"{_said(unit)} are asked for, {text} is in days"
    return "", ""


def _converts(factor: float, numbers: frozenset[float]) -> bool:
    """Whether numbers of the query multiply to a factor, or to its inverse."""
    usable = sorted(one for one in numbers if one > 0.0 and one != 1.0)[:_MOST_NUMBERS]
    for size in (1, 2, 3):
        for chosen in combinations(usable, size):
            product = prod(chosen)
            for extra in _OFTEN_WITH:
                for wanted in (factor * extra, extra / factor):
                    if abs(product - wanted) < 1e-6 * wanted:
                        return True
    return False


def _kept_unit(use: ColumnUse, reading: QuestionReading) -> tuple[str, float] | None:
    """Return the unit in which a column is kept, by the evidence or by its name."""
    said = re.search(
        rf"(?i)\b{re.escape(use.name)}\b[^.;]{{0,40}}\bin\s+(?:\w+\s+)?([a-z]+)", reading.evidence
    )
    if said and said[1].lower() in _UNIT_OF:
        return _UNIT_OF[said[1].lower()]
    words = _WORDS.findall(_HUMP.sub(" ", use.name).lower())
    if len(words) < 2 or "per" in words:
        return None
    ends = [_UNIT_OF.get(words[-1]), _UNIT_OF.get(words[0])]
    return next((unit for unit in ends if unit is not None), None)


def _unit_words(unit: tuple[str, float]) -> frozenset[str]:
    quantity, size = unit
    return frozenset(_UNITS[quantity][size])


def _compared(
    part: Conjunct, bounds: Mapping[float, tuple[str, float]], query: Query
) -> tuple[str, str]:
    """Whether a difference of days is compared with a number of hours, minutes or seconds."""
    if not bounds or not _JULIAN & _calls(query, part.piece):
        return "", ""
    used = {float(text) for text in _NUMBER.findall(part.piece.text)}
    unit = bounds.get(next(iter(used), 0.0)) if len(used) == 1 else None
    if unit is None:
        return "", ""
    return "days", f"{_said(unit)} are asked for, {part.piece.text} is in days"


def _counts(shown: Projection, use: ColumnUse, query: Query) -> bool:
    """Whether the column is only counted."""
    return any(
        one.function == "count" and one.piece.start <= use.piece.start < one.piece.end
        for one in query.root.aggregates
    )


def _calls(query: Query, piece: Piece) -> frozenset[str]:
    return frozenset(call.function for call in query.calls_in(piece))
