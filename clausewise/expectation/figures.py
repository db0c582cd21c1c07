"""What a query shows: its selected expressions, the figures in them, extremes and groups."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from clausewise.sql.calculations import calculations
from clausewise.sql.model import (
    Aggregate,
    ColumnUse,
    Literal,
    OrderItem,
    Projection,
    Query,
    Role,
    Select,
)
from clausewise.types import Clause, ClauseSpan

_COMPARING = ("=", "<>", ">", "<", ">=", "<=", "LIKE", "IN")
_DEEPEST = 4
"""How many derived tables and CTEs a column is followed through."""
_KINDS = {"count": "count", "sum": "sum", "total": "sum", "avg": "avg", "max": "max", "min": "min"}
_FLAGS = (0, 1, None)
"""What a condition gives where its rows are counted: `CASE WHEN ... THEN 1 ELSE 0 END`."""


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """One computed figure: `count`, `sum`, `avg`, `max`, `min`, `ratio` or `other`.

    `over` is the kind of the figure that it is taken of: `count` for MAX over counts.
    """

    kind: str
    over: str | None = None


def shown(query: Query) -> tuple[Projection, ...]:
    """Return the selected expressions; those of the derived table where `*` shows nothing else."""
    select, depth = query.root, 0
    while depth < _DEEPEST and len(select.projections) == 1 and select.projections[0].star:
        inner = [source.select for source in select.sources if source.select is not None]
        if len(select.sources) != 1 or not inner:
            break
        select, depth = inner[0], depth + 1
    return select.projections


def figures_of(query: Query) -> tuple[ShownFigure, ...]:
    """Return the figures in what is shown, also where a derived table or a CTE computes them."""
    return tuple(figure for projection in shown(query) for figure in figures_in(query, projection))


def figures_in(query: Query, projection: Projection, depth: int = 0) -> list[ShownFigure]:
    """Return the figures in one selected expression, also those that it takes from below."""
    select = _select_of(query, projection)
    own = [of for of in select.aggregates if _inside(of, projection)] if select else []
    nested: list[ShownFigure] = []
    below: list[ShownFigure] = []
    if len(query.selects) > 1 and depth < _DEEPEST:
        nested = [
            figure
            for inner in query.nested(Role.SUBQUERY)
            if projection.piece.start <= inner.piece.start < projection.piece.end
            for part in inner.projections
            for figure in figures_in(query, part, depth + 1)
        ]
        below = [figure for use in projection.columns for figure in computed(query, use, depth)]
    if not (own or nested or below):
        return []
    over = below[0].kind if below else None
    found = [ShownFigure(_kind(query, of, select), over) for of in own if select]
    divided = any(
        of.operator == "/" and projection.piece.start <= of.piece.start < projection.piece.end
        for of in calculations(query)
    )
    if divided:
        return [ShownFigure("ratio")]
    return found + nested or below


def computed(query: Query, use: ColumnUse, depth: int = 0) -> list[ShownFigure]:
    """Return the figures that a column of a derived table or a CTE stands for."""
    inner = use.source.select if use.source is not None else None
    if inner is None or depth >= _DEEPEST:
        return []
    name = use.name.casefold()
    return [
        figure
        for projection in inner.projections
        if _name(projection) == name
        for figure in figures_in(query, projection, depth + 1)
    ]


def _name(projection: Projection) -> str:
    if projection.alias is not None:
        return projection.alias.casefold()
    if projection.column is not None:
        return projection.column.name.casefold()
    return projection.expression.text.casefold()


def _select_of(query: Query, projection: Projection) -> Select | None:
    for select in query.selects:
        for part in select.projections:
            if part is projection:
                return select
    return None


def _inside(aggregate: Aggregate, projection: Projection) -> bool:
    piece = projection.piece
    return piece.start <= aggregate.piece.start < piece.end


def _kind(query: Query, aggregate: Aggregate, select: Select) -> str:
    """Return the kind of an aggregate; rows counted by a condition are a count."""
    kind = _KINDS.get(aggregate.function, "other")
    piece = aggregate.piece
    results = [
        literal.value
        for literal in select.literals
        if piece.start <= literal.piece.start < piece.end and not literal.operator
    ]
    compared = kind in ("sum", "avg") and query.has_keyword_in(piece, *_COMPARING)
    flagged = aggregate.conditional and 1 in results and all(of in _FLAGS for of in results)
    bare = compared and not aggregate.conditional
    if kind in ("sum", "avg") and (flagged or bare):
        return "count" if kind == "sum" else "ratio"
    if kind == "avg" and aggregate.conditional and set(results) == {0, 100}:
        return "ratio"
    return kind


def is_ranked(select: Select) -> bool:
    """Whether a SELECT is sorted and cut to its first rows."""
    return bool(select.order_by) and select.limit is not None


def extremum_of(query: Query, figures: tuple[ShownFigure, ...]) -> tuple[str, str]:
    """Return which end is asked for, and of what: classes of `extremum` and `extremum_of`."""
    found: list[tuple[str, str]] = []
    for select in query.selects:
        if is_ranked(select):
            key = select.order_by[0]
            found.append(("high" if key.descending else "low", _what(query, select, key)))
        found.extend(_compared_ends(query, select))
    for figure in figures:
        if figure.kind in ("max", "min"):
            found.append(("high" if figure.kind == "max" else "low", _class_of(figure.over)))
    found.extend(_ranks(query))
    if not found:
        return "none", "none"
    ends = {end for end, _ in found}
    return (ends.pop() if len(ends) == 1 else "both"), found[0][1]


def _what(query: Query, select: Select, key: OrderItem) -> str:
    """Return of what ORDER BY ranks: a column, a count, another figure."""
    piece = key.selected.expression if key.selected else key.expression
    for aggregate in select.aggregates:
        if piece.start <= aggregate.piece.start < piece.end:
            return _class_of(_kind(query, aggregate, select))
    if key.column is not None:
        return _class_of(next((of.kind for of in computed(query, key.column)), None))
    return "column"


def _class_of(kind: str | None) -> str:
    if kind is None:
        return "column"
    return "count" if kind == "count" else "figure" if kind in ("sum", "avg", "ratio") else "column"


def _compared_ends(query: Query, select: Select) -> Iterator[tuple[str, str]]:
    """Yield the ends that a sub-query gives: `x = (SELECT MAX(x) ...)`, `x >= ALL`."""
    for condition in select.subquery_filters:
        if condition.operator not in ("=", "IN", ">=", "<="):
            continue
        for projection in condition.subquery.projections:
            for figure in figures_in(query, projection):
                if figure.kind in ("max", "min"):
                    yield "high" if figure.kind == "max" else "low", _class_of(figure.over)


def _ranks(query: Query) -> Iterator[tuple[str, str]]:
    """Yield the ends that RANK or ROW_NUMBER gives."""
    for call in query.calls:
        if call.function in ("RANK", "DENSE_RANK", "ROW_NUMBER"):
            over = next(
                (word for word in query.keywords if word.word == "ORDER"
                 and word.start > call.piece.end),
                None,
            )  # fmt: skip
            if over is None:
                continue
            end = query.text.find(")", over.start)
            yield ("high" if "desc" in query.text[over.start : end].lower() else "low"), "column"


def groups_for_figures(query: Query, keywords: Set[str]) -> bool:
    """Whether any SELECT computes a figure for each group."""
    for select in query.selects:
        if select.group_by and (select.aggregates or _later_figures(select)):
            return True
    return "PARTITION" in keywords and any(select.aggregates for select in query.selects)


def _later_figures(select: Select) -> bool:
    return any(item.has_aggregate for item in select.order_by)


def filters_groups(query: Query) -> bool:
    """Whether a computed figure of groups is compared, in HAVING or around a derived table.

    A comparison with the largest or smallest figure is an extremum; one that every group passes,
    `COUNT(*) > 0`, is none.
    """
    for select in query.selects:
        clause = select.clause(Clause.HAVING)
        if clause is not None and not (_is_idle(select) or _compares_end(query, select, clause)):
            return True
        if any(
            comparison.clause.kind is Clause.WHERE and computed(query, comparison.column)
            for comparison in select.comparisons
        ):
            return True
    return False


def _is_idle(select: Select) -> bool:
    """Whether all that HAVING asks is that a group has a row."""
    found = [of for of in select.literals if of.clause is Clause.HAVING and of.operator]
    return bool(found) and all(map(lets_all_pass, found))


def lets_all_pass(literal: Literal) -> bool:
    """Whether a bound in HAVING lets every group pass: `COUNT(*) > 0`."""
    bound = (literal.operator, literal.value)
    return literal.clause is Clause.HAVING and bound in ((">", 0), (">=", 1))


def _compares_end(query: Query, select: Select, clause: ClauseSpan) -> bool:
    for condition in select.subquery_filters:
        if clause.start <= condition.clause.start < clause.end:
            inner = condition.subquery
            ends = [of.kind for part in inner.projections for of in figures_in(query, part)]
            if is_ranked(inner) or {"max", "min"} & {*ends}:
                return True
    return False


def distinct_of(query: Query) -> str:
    """Return whether rows are shown once, or things counted once."""
    root = query.root
    if any(of.distinct for of in root.aggregates if of.clause is Clause.SELECT):
        return "counted"
    if any(of.function == "count" for of in root.aggregates) and _from_distinct(root):
        return "counted"
    if root.distinct or _groups_rows(root):
        return "rows"
    inner = shown(query)
    if inner is not root.projections and _select_distinct(query, inner):
        return "rows"
    return "none"


def _from_distinct(select: Select) -> bool:
    """Whether all that is read is a derived table of different rows."""
    inner = [source.select for source in select.sources if source.select is not None]
    return len(select.sources) == 1 and any(of.distinct or _groups_rows(of) for of in inner)


def _groups_rows(select: Select) -> bool:
    """Whether GROUP BY only keeps each row once: nothing is computed by it."""
    return bool(select.group_by) and not select.aggregates and not _later_figures(select)


def _select_distinct(query: Query, projections: tuple[Projection, ...]) -> bool:
    select = _select_of(query, projections[0]) if projections else None
    return select is not None and (select.distinct or _groups_rows(select))
