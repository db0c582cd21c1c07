"""QST24: two things stand the other way round in the query than in the words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.question.words import name_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import facts_of
from clausewise.signals.units import LONGEST_PIECE, MOST_UNITS, at_most
from clausewise.sql.calculations import calculations
from clausewise.sql.model import Literal, Piece, Query
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_MINUS = re.compile(r"(?i)([\w ]{2,40}?)\bminus\b([\w ]{2,40})")
_RATIO = re.compile(r"(?i)\bratio of\b([\w ,-]{2,60}?)\bto\b([\w ,-]{2,60})")
_COMPARED = re.compile(
    r"(?i)(?P<left>[\w\" ]{2,50}?)\s+(?:is |was |were |lies |came |comes )?"
    r"(?P<cue>not later than|no later than|on or before|on or after|later than|earlier than|"
    r"after|before|exceeds?|exceeding|exceeded|above|below|more than|less than|greater than|"
    r"higher than|lower than|over|under|<=|>=|<|>)\s+(?:the |its |their |his |her |it |was |they )*"
    r"(?P<right>[\w\" ]{2,40})"
)
_OF_CUE: Mapping[str, str] = {
    **dict.fromkeys(
        ("after", "later than", "exceed", "exceeds", "exceeding", "exceeded", "above", "more than",
         "greater than", "higher than", "over", ">", ">=", "on or after"), ">"
    ),
    **dict.fromkeys(
        ("before", "earlier than", "below", "less than", "lower than", "under", "<", "<=",
         "not later than", "no later than", "on or before"), "<"
    ),
}  # fmt: skip
_BOUND = re.compile(
    r"(?i)\b(?P<cue>on or before|on or after|not later than|no later than|older than|newer than|"
    r"later than|earlier than|before|after|until|since|up to)\s+(?:the\s+)?"
    r"(?P<value>\d{4}(?:-\d\d-\d\d)?)\b(?! or\b)"
)
_DENIED = re.compile(r"(?i)\b(?:not|no|never|none|nothing|without|n't)\b(?:\W+\w+){0,4}\W*$")
_SPAN = re.compile(r"(?i)\b(?:not|within|days?|weeks?|months?|years?|hours?|minutes?|compared)\W*$")
"""Before a cue: what is denied, and spans of time that lie between two things."""
_OF_BOUND: Mapping[str, str] = {
    **dict.fromkeys(("on or after", "newer than", "later than", "after", "since"), ">"),
    **dict.fromkeys(
        ("on or before", "not later than", "no later than", "older than", "earlier than",
         "before", "until", "up to"), "<"
    ),
}  # fmt: skip
_NAME = r"(?:[A-Za-z_]\w*\.)?(?:\"[^\"]+\"|`[^`]+`|[A-Za-z_]\w*)"
_DAY_OF = r"(?:(?:julianday|date)\s*\(\s*)?"
_PAIR = re.compile(rf"(?i){_DAY_OF}({_NAME})\s*\)?\s*(<=|>=|<|>)\s*{_DAY_OF}({_NAME})")
_TURNING = re.compile(r"(?i)\bnot\b|\bexcept\b|=\s*0\b|\bcoalesce\b|['\"][+-]?\d+ \w+['\"]")
"""What may turn a comparison round, or shift one of its sides."""
_NEGATING = re.compile(r"(?i)\bnot\b|\bexcept\b|\bhaving\b")
_NO_NAMES = frozenset({"case", "when", "then", "else", "end", "and", "or", "not", "select", "null"})
_LEAST, _BEGIN = 3, 5
"""Letters of a word that counts, and of it that are compared."""
_BEFORE = 80
"""Characters before a bound in which it may be denied."""


@dataclass(frozen=True, slots=True)
class _Reversed:
    reason: str
    place: Piece
    message: str


@signal(
    code="QST24",
    name="reversed_terms",
    group=Group.QUESTION,
    family="question_order",
    clauses=set(Clause),
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "difference": ("`A minus B`: the query takes A from B.", "strong"),
        "ratio": ("`ratio of A to B`: the query divides B by A.", "strong"),
        "comparison": ("`A after B`, `A exceeds B`: the query compares the other way.", "strong"),
        "bound": ("`before`, `after` a date: the query takes the other side of it.", "strong"),
    },
)
def reversed_terms(case: Case, context: Context) -> Iterator[Finding]:
    """Two things stand the other way round in the query than in question or evidence.

    What it measures
    ----------------
    `A minus B` and `ratio of A to B` against the operands of a subtraction or a division; `A after
    B`, `A exceeds B` and the like against a comparison of two columns; `before` or `after` a date
    against the operator in front of it. A side is known by words of its columns and constants;
    where both sides have the same words nothing is said.

    Why it points to an error
    -------------------------
    The figure has the wrong sign or is the inverse; the rows are all the others.

    Fires on
    --------
    Sales price minus cost? SELECT cost - sales_price FROM item

    Stays silent on
    ---------------
    Sales price minus cost? SELECT sales_price - cost FROM item

    Does not apply when
    -------------------
    Neither question nor evidence puts two things in such an order.

    How to repair
    -------------
    Exchange the two sides, or turn the operator round.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    texts = [" ".join(text.split()) for text in (reading.question, reading.evidence) if text]
    found = (order for text in texts for order in _ordered(text))
    ordered = list(islice(found, MOST_UNITS))
    bounds = [
        match
        for text in texts
        for match in _BOUND.finditer(text)
        if not _DENIED.search(text[max(0, match.start() - _BEFORE) : match.start()])
    ]
    if not ordered and not bounds:
        raise NotApplicable("no two things are put in an order")
    query = context.query
    for turned in chain(_of_bounds(bounds, context), _of_terms(ordered, query)):
        place = turned.place
        clause = context.enclosing_clause(place.start, place.end)
        yield Finding(
            clause=context.span(clause.kind, place.start, place.end),
            reason=turned.reason,
            message=turned.message,
            suggestion="turn it round",
        )
        return


def _ordered(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield (kind, words, cue, words) for what a text puts in an order."""
    for match in _MINUS.finditer(text):
        yield "-", match[1], "minus", match[2]
    for match in _RATIO.finditer(text):
        yield "/", match[1], "ratio", match[2]
    for match in _COMPARED.finditer(text):
        if _SPAN.search(match["left"]):
            continue
        yield _OF_CUE[match["cue"].lower()], match["left"], match["cue"], match["right"]


def _of_terms(ordered: list[tuple[str, str, str, str]], query: Query) -> Iterator[_Reversed]:
    for operator, left, right, place in at_most(_sides(query)) if ordered else ():
        if len(place.text) > LONGEST_PIECE:
            continue
        for kind, first, cue, second in ordered:
            if kind in "-/":
                turned = operator == kind and _is_turned(first, second, left, right)
            elif operator in "<>":
                # `a < b` is `b > a`
                ends = (left, right) if operator == kind else (right, left)
                turned = _is_turned(first, second, *ends)
            else:
                continue
            if turned:
                reason = {"-": "difference", "/": "ratio"}.get(kind, "comparison")
                said = f"{first.strip()} {cue if kind != '/' else 'to'} {second.strip()}"
                yield _Reversed(reason, place, f"the words say '{said}', the query {place.text}")


def _sides(query: Query) -> Iterator[tuple[str, str, str, Piece]]:
    """Yield (operator, left, right, place) of differences, quotients and compared columns."""
    for made in calculations(query):
        if made.operator in "-/":
            yield made.operator, made.left.text, made.right.text, made.piece
    pairs = [
        (match[2][0], match[1], match[3], Piece(match[0], match.start(), match.end()))
        for match in _PAIR.finditer(query.text)
        if not {match[1].lower(), match[3].lower()} & _NO_NAMES
    ]
    if len({operator for operator, *_ in pairs}) == 1 and not _TURNING.search(query.text):
        yield from pairs


def _is_turned(first: str, second: str, left: str, right: str) -> bool:
    """Whether `left` is what `second` says and `right` what `first` says, and not the reverse."""
    one, other = _stems(first), _stems(second)
    one, other = one - other, other - one
    lefts, rights = _stems(left), _stems(right)
    lefts, rights = lefts - rights, rights - lefts
    return (
        bool(_common(lefts, other) and _common(rights, one))
        and not _common(lefts, one)
        and not _common(rights, other)
    )


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of words, also of those in the names and constants of a query."""
    return frozenset(word[:_BEGIN] for word in name_words(text) if len(word) >= _LEAST)


def _common(said: frozenset[str], asked: frozenset[str]) -> bool:
    return any(other.startswith(word) or word.startswith(other) for word in said for other in asked)


def _of_bounds(bounds: list[re.Match[str]], context: Context) -> Iterator[_Reversed]:
    if _NEGATING.search(context.query.text):
        return
    wanted: dict[str, set[str]] = {}
    for match in bounds:
        wanted.setdefault(match["value"], set()).add(_OF_BOUND[match["cue"].lower()])
    case = context.case
    texts = f"{case.question} {case.evidence or ''}"
    facts = facts_of(context)
    for literal in facts.literals:
        value = str(literal.value)[:10]
        sides = wanted.get(value, set())
        if len(sides) != 1 or texts.count(value) != sum(
            match["value"] == value for match in bounds
        ):
            continue
        side, comparison = next(iter(sides)), facts.comparison_of(literal)
        if comparison is not None and _is_opposite(literal, side):
            clause = comparison.clause
            said = "before" if side == "<" else "after"
            place = Piece(clause.text, clause.start, clause.end)
            yield _Reversed("bound", place, f"the words say {said} {value}, not {clause.text}")


def _is_opposite(literal: Literal, side: str) -> bool:
    return (
        literal.operator[:1] in ("<", ">")
        and literal.operator != "<>"
        and (literal.operator[0] != side)
    )
