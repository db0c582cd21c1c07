"""Which class of each attribute a query has."""

from __future__ import annotations

from collections.abc import Iterator, Set

from clausewise.expectation.conditions import (
    condition_columns,
    direction,
    has_disjunction,
    has_negation,
    has_null_check,
    has_pattern,
    nested_figure,
    reads_dates,
    values,
)
from clausewise.expectation.figures import (
    ShownFigure,
    distinct_of,
    extremum_of,
    figures_of,
    filters_groups,
    groups_for_figures,
    is_ranked,
    shown,
)
from clausewise.sql.calculations import calculations
from clausewise.sql.model import Query, Select

_CONDITIONAL = frozenset({"IIF", "IF"})


def observed(query: Query) -> dict[str, str]:
    """Return the class of each attribute of `ATTRIBUTES`; nothing for a query without SELECT."""
    if not query.selects:
        return {}
    root = query.root
    figures = figures_of(query)
    keywords = {keyword.word for keyword in query.keywords}
    extremum, of = extremum_of(query, figures)
    return {
        "n_selected": _n_selected(query, keywords),
        "aggregate": _aggregate(figures),
        "distinct": distinct_of(query),
        "grouping": "groups" if groups_for_figures(query, keywords) else "none",
        "having": "having" if filters_groups(query) else "none",
        "order": _order(root),
        "limit": _limit(root),
        "extremum": extremum,
        "extremum_of": of,
        "n_tables": _count(len(set(_tables(query))), 1, 4),
        "n_conditions": _count(len(condition_columns(query)), 0, 3),
        "n_values": _count(len(values(query)), 0, 3),
        "disjunction": "or" if has_disjunction(query, keywords) else "none",
        "negation": "not" if has_negation(query, keywords) else "none",
        "pattern": "pattern" if has_pattern(query) else "none",
        "direction": direction(query),
        "null_check": "null" if has_null_check(query) else "none",
        "set_operation": _set_operation(query),
        "nested_figure": nested_figure(query, figures),
        "arithmetic": _arithmetic(query, figures),
        "date": "date" if reads_dates(query, keywords) else "none",
        "conditional": "cases" if _has_cases(query, keywords) else "none",
    }


def _count(number: int, least: int, most: int) -> str:
    """Return a count as a class: `most` and above as `4+`."""
    return f"{most}+" if number >= most else str(max(number, least))


def _n_selected(query: Query, keywords: Set[str]) -> str:
    expressions = shown(query)
    if any(projection.star for projection in expressions):
        return "all"
    # A name put together of two columns shows as much as the two.
    number = sum(
        max(1, len({use.name.casefold() for use in projection.columns}))
        if "||" in keywords and query.has_keyword_in(projection.piece, "||")
        else 1
        for projection in expressions
    )
    return _count(number, 1, 4)


def _aggregate(figures: tuple[ShownFigure, ...]) -> str:
    kinds = [figure.kind for figure in figures]
    return next((kind for kind in ("ratio", "avg", "sum", "count") if kind in kinds), "none")


def _order(root: Select) -> str:
    if not root.order_by or is_ranked(root):
        return "none"
    return "desc" if root.order_by[0].descending else "asc"


def _limit(root: Select) -> str:
    if root.limit is None:
        return "none"
    return "several" if root.limit > 1 or root.offset is not None else "none"


def _tables(query: Query) -> Iterator[str]:
    return (
        (source.table or source.name).casefold()
        for select in query.selects
        for source in select.sources
        if source.select is None
    )


def _set_operation(query: Query) -> str:
    words = " ".join(operation.text.lower() for operation in query.set_operations)
    return next((word for word in ("except", "intersect", "union") if word in words), "none")


def _arithmetic(query: Query, figures: tuple[ShownFigure, ...]) -> str:
    found = calculations(query)
    operators = {calculation.operator for calculation in found}
    ratio = any(figure.kind == "ratio" for figure in figures)
    hundred = any(operand.number in (100, 0.01) for of in found for operand in (of.left, of.right))
    if hundred and (ratio or operators & {"/", "*"}):
        return "percent"
    if ratio or "/" in operators:
        return "divided"
    return "plus" if operators & {"+", "-"} else "none"


def _has_cases(query: Query, keywords: Set[str]) -> bool:
    """Whether a selected expression outside aggregates depends on a condition."""
    if "CASE" not in keywords and _CONDITIONAL.isdisjoint(query.functions):
        return False
    return any(
        _is_conditional(query, projection.piece.start, projection.piece.end)
        for projection in shown(query)
        if not projection.has_aggregate
    )


def _is_conditional(query: Query, start: int, end: int) -> bool:
    case = any(word.word == "CASE" and start <= word.start < end for word in query.keywords)
    return case or any(
        call.function in _CONDITIONAL and start <= call.piece.start < end for call in query.calls
    )
