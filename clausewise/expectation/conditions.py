"""What a query's conditions ask: columns, constants, directions, negation, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from clausewise.expectation.figures import ShownFigure, figures_in, lets_all_pass
from clausewise.sql.model import Comparison, Literal, Query, Select
from clausewise.types import Clause

_MORE = frozenset({">", ">="})
_LESS = frozenset({"<", "<="})
_BOUNDS = _MORE | _LESS | {"BETWEEN", "AND"}
_WITH_A_FIGURE = _MORE | _LESS | {"=", "<>"}
_NOT_COMPARED = frozenset({"", "LIMIT", "OFFSET", "IS"})
_DATE = re.compile(r"\d{4}-\d{1,2}(-\d{1,2})?")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)\b")
_DATE_FUNCTIONS = frozenset(
    {"STRFTIME", "DATE", "DATETIME", "TIME", "JULIANDAY", "UNIXEPOCH", "YEAR", "MONTH", "DAY"}
    | {"EXTRACT", "DATE_PART", "DATE_TRUNC", "DATEDIFF", "TIMESTAMPDIFF", "DATE_SUB", "DATE_ADD"}
    | {"TO_DATE", "NOW", "CURDATE", "CURRENT_DATE", "AGE", "DATE_FORMAT", "DATEADD"}
)
_DATE_WORDS = frozenset({"CURRENT_DATE", "INTERVAL"})
_ALTERNATIVES = frozenset({"OR", "UNION"})
_WILDCARD = re.compile(r"[%*]")


def compared(query: Query) -> Iterator[tuple[Select, Comparison]]:
    """Yield the comparisons of columns with constants, without checks of missing values."""
    for select in query.selects:
        for comparison in select.comparisons:
            if not _checks_null(comparison):
                yield select, comparison


def _checks_null(comparison: Comparison) -> bool:
    return comparison.operator == "IS" or all(
        literal.value is None for literal in comparison.literals
    )


def condition_columns(query: Query) -> set[str]:
    """Return the columns that are compared with constants, folded, each once."""
    return {
        f"{comparison.column.table or ''}.{comparison.column.name}".casefold()
        for _, comparison in compared(query)
    }


def values(query: Query) -> set[str]:
    """Return the constants of conditions, folded, each once; the bounds of a period count once."""
    compared_by_columns = (of for _, comparison in compared(query) for of in comparison.literals)
    others = (
        literal
        for select in query.selects
        for literal in select.literals
        if literal.operator not in _NOT_COMPARED
    )
    found = {
        str(literal.value).strip("%* ").casefold()
        for literal in (*compared_by_columns, *others)
        if literal.value is not None
    }
    periods = [bounds for bounds in _periods(query) if bounds <= found]
    for bounds in periods:
        found -= {max(bounds)}
    return found


def has_disjunction(query: Query, keywords: Set[str]) -> bool:
    """Whether one of several conditions is enough: OR, IN with several constants, UNION."""
    listed = any(
        comparison.operator == "IN" and len(comparison.literals) > 1 and not comparison.negated
        for _, comparison in compared(query)
    )
    return listed or not keywords.isdisjoint(_ALTERNATIVES)


def has_negation(query: Query, keywords: Set[str]) -> bool:
    """Whether rows are wanted that something does not hold for, or that have no partner."""
    if "EXCEPT" in keywords:
        return True
    for select in query.selects:
        if any(of.negated or of.operator == "<>" for of in select.subquery_filters):
            return True
        if any(_excludes(comparison) for comparison in select.comparisons):
            return True
        left = any(join.kind in ("left", "full") for join in select.joins)
        if left and _null_wanted(select):
            return True
    return False


def _excludes(comparison: Comparison) -> bool:
    """Whether rows with a constant are left out; `<> ''` leaves out missing values only."""
    if _checks_null(comparison) or all(of.value == "" for of in comparison.literals):
        return False
    return comparison.negated or comparison.in_negated_group or comparison.operator == "<>"


def has_null_check(query: Query) -> bool:
    """Whether rows are wanted that have no value; what has no partner is a negation."""
    return any(
        _null_wanted(select) and all(join.kind not in ("left", "full") for join in select.joins)
        for select in query.selects
    )


def _null_wanted(select: Select) -> bool:
    return any(
        comparison.operator == "IS"
        and not comparison.negated
        and comparison.clause.kind is not Clause.SELECT
        and any(literal.value is None for literal in comparison.literals)
        for comparison in select.comparisons
    )


def has_pattern(query: Query) -> bool:
    """Whether a part of a text is looked for; a year before a wildcard is a date."""
    for _, comparison in compared(query):
        if comparison.operator in ("LIKE", "GLOB"):
            texts = [str(literal.value) for literal in comparison.literals]
            if any(_WILDCARD.search(text) and not re.match(r"\d{4}\D", text) for text in texts):
                return True
    return False


def direction(query: Query) -> str:
    """Return where comparisons point; the two bounds of a whole year or month point nowhere."""
    periods = {value for bounds in _periods(query) for value in bounds}
    more = less = False
    for literal in _ordered(query):
        if str(literal.value).casefold() not in periods and not lets_all_pass(literal):
            more |= literal.operator in _MORE or literal.operator == "BETWEEN"
            less |= literal.operator in _LESS or literal.operator == "AND"
    for select in query.selects:
        operators = {condition.operator for condition in select.subquery_filters}
        operators |= {pair.operator for pair in (*select.join_pairs, *select.self_pairs)}
        more |= bool(operators & _MORE)
        less |= bool(operators & _LESS)
    if more and less:
        return "range"
    return "more" if more else "less" if less else "none"


def _ordered(query: Query) -> Iterator[Literal]:
    return (
        literal
        for select in query.selects
        for literal in select.literals
        if literal.operator in _BOUNDS
    )


def _periods(query: Query) -> list[set[str]]:
    """Return the pairs of bounds that hold one whole year, month or day."""
    texts = sorted({str(of.value).casefold() for of in _ordered(query) if of.is_text})
    if len(texts) < 2:
        return []
    days = [(text, match) for text in texts if (match := _DAY.match(text))]
    return [{first, last} for (first, low), (last, high) in pairwise(days) if _is_period(low, high)]


def _is_period(low: re.Match[str], high: re.Match[str]) -> bool:
    first, last = tuple(map(int, low.groups())), tuple(map(int, high.groups()))
    if first[1:] == (1, 1) and last in ((first[0], 12, 31), (first[0] + 1, 1, 1)):
        return True
    following = (first[0], first[1] + 1, 1) if first[1] < 12 else (first[0] + 1, 1, 1)
    same_month = first[:2] == last[:2] and last[2] >= 28
    return first[2] == 1 and (same_month or last == following)


def reads_dates(query: Query, keywords: Set[str]) -> bool:
    """Whether dates are compared or taken apart."""
    if not (_DATE_FUNCTIONS.isdisjoint(query.functions) and keywords.isdisjoint(_DATE_WORDS)):
        return True
    return any(
        literal.is_text and _DATE.match(str(literal.value)) is not None
        for select in query.selects
        for literal in select.literals
        if literal.operator not in _NOT_COMPARED
    )


def nested_figure(query: Query, figures: Sequence[ShownFigure]) -> str:
    """Return `compared` for a comparison with a computed figure, `summarized` for one of figures.

    `figures` are those that the query shows. MAX and MIN are an extremum and no such figure.
    """
    for select in query.selects:
        for condition in select.subquery_filters:
            if condition.operator in _WITH_A_FIGURE and any(
                figure.kind not in ("max", "min")
                for projection in condition.subquery.projections
                for figure in figures_in(query, projection)
            ):
                return "compared"
    summarized = any(of.kind in ("sum", "avg", "count") and of.over is not None for of in figures)
    return "summarized" if summarized else "none"
