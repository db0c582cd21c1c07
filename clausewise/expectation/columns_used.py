"""Which columns and tables a query uses, and as what: the same for gold and predicted queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausewise.sql.model import ColumnUse, Query, Role, Select, SubqueryFilter
from clausewise.types import Clause

ROLES = ("selected", "filtered", "grouped", "ordered")
"""What a query uses a column for, in the order of the model's outputs."""

_EXTREMES = frozenset({"max", "min"})
_COMPARED = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class UsedAs:
    """A mention of a column of a base table, and its role."""

    role: str
    use: ColumnUse

    @property
    def key(self) -> tuple[str, str]:
        """The folded table and column."""
        return ((self.use.table or "").casefold(), (self.use.column or "").casefold())


def columns_used(query: Query) -> tuple[UsedAs, ...]:
    """Return the columns that a query selects, filters, groups and orders by, in text order.

    Joins are left out, and so are columns that only tie a sub-query to its query. A column whose
    extreme is sought by a sub-query, `age = (SELECT max(age) ...)`, is ordered by.
    """
    found = [item for select in query.selects for item in _of_select(select)]
    return tuple(item for item in found if item.use.table and item.use.column)


def tables_used(query: Query) -> frozenset[str]:
    """Return the base tables that a query reads, folded."""
    return frozenset(
        source.table.casefold()
        for select in query.selects
        for source in select.sources
        if source.table
    )


def stars(query: Query) -> frozenset[str]:
    """Return the base tables, folded, of which the outermost SELECT shows every column."""
    found: set[str] = set()
    for select in query.selects:
        if not _shows(select):
            continue
        for item in select.projections:
            if item.star:
                sources = select.sources if item.star_source is None else (item.star_source,)
                found.update(source.table.casefold() for source in sources if source.table)
    return frozenset(found)


def _shows(select: Select) -> bool:
    return select.role in (Role.ROOT, Role.SET_MEMBER, Role.DERIVED, Role.CTE)


def _of_select(select: Select) -> Iterator[UsedAs]:
    links = dict(_linked(select))
    compared = {item.column.piece.start for item in select.comparisons}
    for use in select.columns:
        start = use.piece.start
        if start in links:
            role = links[start]
        elif use.clause in (Clause.WHERE, Clause.HAVING) or start in compared:
            role = "" if use.in_join_condition else "filtered"
        elif use.clause is Clause.SELECT:
            role = _role_in_select(select, use)
        else:
            role = _ROLE_OF_CLAUSE.get(use.clause, "")
        if role:
            yield UsedAs(role, use)
    # By an alias or a position, GROUP BY and ORDER BY name what stands after SELECT.
    for use in select.group_columns:
        if use.clause is Clause.SELECT:
            yield UsedAs("grouped", use)
    for item in select.order_by:
        if item.column is not None and item.column.clause is Clause.SELECT:
            yield UsedAs("ordered", item.column)


_ROLE_OF_CLAUSE = {Clause.GROUP_BY: "grouped", Clause.ORDER_BY: "ordered"}


def _role_in_select(select: Select, use: ColumnUse) -> str:
    if _shows(select):
        return "selected"
    return "ordered" if _is_extreme(select, use) else ""


def _linked(select: Select) -> Iterator[tuple[int, str]]:
    """Yield where a column is compared with a sub-query, and its role, empty for a mere tie."""
    for item in select.subquery_filters:
        if item.column is not None:
            yield item.column.piece.start, _role_beside(item)


def _role_beside(item: SubqueryFilter) -> str:
    functions = {aggregate.function for aggregate in item.subquery.aggregates}
    if functions & _EXTREMES and item.operator not in _COMPARED:
        return "ordered"
    if functions or item.operator in _COMPARED:
        return "filtered"
    return ""


def _is_extreme(select: Select, use: ColumnUse) -> bool:
    return any(
        aggregate.function in _EXTREMES and use in aggregate.columns
        for aggregate in select.aggregates
    )
