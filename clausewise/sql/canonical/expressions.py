"""Walks, substitutions and questions about expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from clausewise.sql.canonical.model import (
    Column,
    Expression,
    Query,
    Relation,
    SelectBlock,
    SetBlock,
    Untranslatable,
)

AFFINE = frozenset({"integer", "real", "numeric", "text"})
"""Affinities under which two equal values are the same value."""
NUMERIC = frozenset({"integer", "real", "numeric"})


def nodes(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its parts, those inside nested queries too."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(parts(node))


def shallow_nodes(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and its parts, but none inside nested queries."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if node[0] == "insub":
            stack.extend(node[1])
        elif node[0] not in ("exists", "scalar"):
            stack.extend(parts(node))


def parts(node: Expression) -> list[Expression]:
    """Return the direct parts of a node; for a nested query all expressions of it."""
    kind = node[0]
    if kind in ("col", "num", "str", "null", "position"):
        return []
    if kind in ("and", "or"):
        return list(node[1])
    if kind in ("not", "isnull"):
        return [node[1]]
    if kind in ("cmp", "arith"):
        return [node[2], node[3]]
    if kind == "is":
        return [node[1], node[2]]
    if kind == "agg":
        return [] if node[3] is None else [node[3]]
    if kind == "fn":
        return list(node[2])
    if kind == "cast":
        return [node[2]]
    if kind == "case":
        return [part for branch in node[1] for part in branch] + [node[2]]
    if kind in ("exists", "scalar"):
        return query_expressions(node[1])
    if kind == "insub":
        return [*node[1], *query_expressions(node[2])]
    raise AssertionError(kind)


def query_expressions(query: Query) -> list[Expression]:
    """Return all expressions of a query, those of its derived tables too."""
    if isinstance(query, SetBlock):
        return [part for member in query.members for part in query_expressions(member)]
    found = [*query.select, *query.where, *query.having, *(query.group or ())]
    found += [term.value for term in query.order]
    for part in query.outer:
        found += part.on
    for relation in query.relations:
        if relation.query is not None:
            found += query_expressions(relation.query)
    return found


def columns(expression: Expression) -> set[Column]:
    """Return all columns in an expression, also those inside nested queries."""
    return {(node[1], node[2]) for node in nodes(expression) if node[0] == "col"}


def relations_in(expression: Expression) -> set[Relation]:
    """Return the relations whose columns an expression uses."""
    return {node[1] for node in nodes(expression) if node[0] == "col"}


def has_aggregate(expression: Expression) -> bool:
    """Whether an aggregate stands in an expression, outside nested queries."""
    return any(node[0] == "agg" for node in shallow_nodes(expression))


def has_query(expression: Expression) -> bool:
    """Whether a nested query stands in an expression."""
    return any(node[0] in ("exists", "scalar", "insub") for node in nodes(expression))


def rebuilt(node: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return a node whose direct parts are changed; nested queries are changed in place."""
    kind = node[0]
    if kind in ("col", "num", "str", "null", "position"):
        return node
    if kind in ("and", "or"):
        return (kind, tuple(change(part) for part in node[1]))
    if kind in ("not", "isnull"):
        return (kind, change(node[1]))
    if kind in ("cmp", "arith"):
        return (kind, node[1], change(node[2]), change(node[3]))
    if kind == "is":
        return (kind, change(node[1]), change(node[2]))
    if kind == "agg":
        return node if node[3] is None else (*node[:3], change(node[3]))
    if kind == "fn":
        return (kind, node[1], tuple(change(part) for part in node[2]))
    if kind == "cast":
        return (kind, node[1], change(node[2]))
    if kind == "case":
        branches = tuple((change(condition), change(value)) for condition, value in node[1])
        return (kind, branches, change(node[2]))
    if kind == "insub":
        change_query(node[2], change)
        return (kind, tuple(change(part) for part in node[1]), node[2])
    change_query(node[1], change)
    return node


def repeatable(expression: Expression) -> Expression:
    """Return an expression that will stand in two places.

    Raises Untranslatable where it holds a nested query: these are changed in place, so that each
    must stand in one place only.
    """
    if has_query(expression):
        raise Untranslatable("a nested query that is named twice")
    return expression


def change_query(query: Query, change: Callable[[Expression], Expression]) -> None:
    """Change all expressions of a query in place."""
    if isinstance(query, SetBlock):
        for member in query.members:
            change_query(member, change)
        return
    query.select = [change(part) for part in query.select]
    query.where = [change(part) for part in query.where]
    query.having = [change(part) for part in query.having]
    if query.group is not None:
        query.group = [change(part) for part in query.group]
    query.order = [replace(term, value=change(term.value)) for term in query.order]
    for part in query.outer:
        part.on = [change(condition) for condition in part.on]
    for relation in query.relations:
        if relation.query is not None:
            change_query(relation.query, change)


def substitute(block: Query, mapping: dict[Column, Expression]) -> None:
    """Put expressions in the place of columns everywhere in a query, in place."""

    def change(node: Expression) -> Expression:
        if node[0] == "col":
            return mapping.get((node[1], node[2]), node)
        return rebuilt(node, change)

    change_query(block, change)


def affinity_of(expression: Expression) -> str | None:
    """Return the affinity by which SQLite compares an expression, None for none."""
    if expression[0] == "col":
        return expression[1].column(expression[2]).affinity  # type: ignore[no-any-return]
    if expression[0] == "cast":
        return expression[1]  # type: ignore[no-any-return]
    if expression[0] == "scalar" and isinstance(expression[1], SelectBlock):
        return affinity_of(expression[1].select[0])
    return None


def owned(expression: Expression, block: SelectBlock) -> bool:
    """Whether an expression uses a column of the block itself."""
    return not relations_in(expression).isdisjoint(block.relations)
