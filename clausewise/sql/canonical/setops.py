"""Rewrites of set operations."""

from __future__ import annotations

from clausewise.sql.canonical.expressions import AFFINE, affinity_of, has_query, substitute
from clausewise.sql.canonical.model import (
    Column,
    Expression,
    OrderTerm,
    Query,
    Relation,
    RewriteNotes,
    SelectBlock,
    SetBlock,
    conjunction,
)
from clausewise.sql.canonical.names import derived


def flatten(block: SetBlock, is_set: bool) -> None:
    """Take the members of nested unions up, where that changes nothing."""
    if is_set and block.operator == "union all" and block.limit is None and not block.offset:
        block.operator = "union"
    inside = {"union": ("union", "union all"), "union all": ("union all",)}
    members: list[Query] = []
    for member in block.members:
        if (
            isinstance(member, SetBlock)
            and member.operator in inside.get(block.operator, ())
            and member.limit is None
            and not member.offset
        ):
            members += member.members
        else:
            members.append(member)
    block.members = members


def as_select(block: SetBlock, notes: RewriteNotes) -> SelectBlock | None:
    """Return INTERSECT, EXCEPT, or UNION over one join, as one SELECT; None where it is not."""
    if any(has_query(value) for member in block.members for value in _first(member).select):
        return None  # a selected value is named again in a condition or in ORDER BY
    if block.operator in ("intersect", "except"):
        found = _as_nested(block)
        if found is not None:
            notes.add(
                f"{block.operator.upper()} keeps the distinct rows that have "
                f"{'an' if block.operator == 'intersect' else 'no'} equal row on the other side."
            )
    elif block.operator == "union":
        found = _as_or(block)
        if found is not None:
            notes.add("Both sides of UNION read the same tables, so it is DISTINCT with OR.")
    else:
        return None
    if found is None:
        return None
    found.order = [
        OrderTerm(found.select[term.value[1]], term.descending, term.nulls_first)
        for term in block.order
    ]
    found.limit, found.offset = block.limit, block.offset
    return found


def _filter(query: Query) -> SelectBlock | None:
    """Return a query that is a filter over a join, with DISTINCT or without."""
    if not isinstance(query, SelectBlock) or not query.inner:
        return None
    return None if query.aggregated or query.limit is not None or query.offset else query


def _as_nested(block: SetBlock) -> SelectBlock | None:
    base = _filter(block.members[0]) or _wrapped(block.members[0])
    nested = _filter(block.members[1]) or _wrapped(block.members[1])
    same: list[Expression] = []
    for left, right in zip(base.select, nested.select, strict=True):
        affinity = affinity_of(left)
        # Set operations convert nothing, comparisons do: both sides must be of one kind.
        if affinity != affinity_of(right) or affinity not in AFFINE:
            return None
        same.append(("is", left, right))
    nested.where += same
    nested.distinct = False
    exists: Expression = ("exists", nested)
    base.where.append(exists if block.operator == "intersect" else ("not", exists))
    base.distinct, base.order = True, []
    return base


def _wrapped(query: Query) -> SelectBlock:
    """Return SELECT * FROM (query)."""
    width = len(_first(query).select)
    relation = derived(query, [str(place) for place in range(width)], "subquery")
    select: list[Expression] = [("col", relation, str(place)) for place in range(width)]
    return SelectBlock(inner=[relation], select=select)


def _first(query: Query) -> SelectBlock:
    while isinstance(query, SetBlock):
        query = query.members[0]
    return query


def _as_or(block: SetBlock) -> SelectBlock | None:
    """Merge members that differ in their conditions alone."""
    members = [_filter(member) for member in block.members]
    first = members[0]
    if first is None or any(member is None or member.outer for member in members):
        return None
    tables = _by_name(first.inner)
    if tables is None:
        return None
    copies = []
    for member in members[1:]:
        assert member is not None
        own = _by_name(member.inner)
        if own is None or own.keys() != tables.keys():
            return None
        mapping: dict[Column, Expression] = {
            (relation, key): ("col", tables[name], key)
            for name, relation in own.items()
            for key in relation.facts.columns
        }
        chosen = SelectBlock(select=list(member.select))
        substitute(chosen, mapping)
        if chosen.select != first.select:
            return None
        copies.append((SelectBlock(where=list(member.where)), mapping))
    cases = [conjunction(first.where)]
    for copy, mapping in copies:
        substitute(copy, mapping)
        cases.append(conjunction(copy.where))
    first.where = [("or", tuple(cases))] if len(cases) > 1 else cases
    first.distinct, first.order = True, []
    return first


def _by_name(relations: list[Relation]) -> dict[str, Relation] | None:
    """Return base tables by name; None where one is not, or comes twice."""
    found = {relation.title: relation for relation in relations if relation.query is None}
    return found if len(found) == len(relations) else None
