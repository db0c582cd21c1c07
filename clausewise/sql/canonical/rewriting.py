"""All rewrites, made until nothing changes."""

from __future__ import annotations

from dataclasses import replace

from clausewise.sql.canonical.conditions import kept_rows, normalize_values
from clausewise.sql.canonical.expressions import (
    has_query,
    nodes,
    query_expressions,
    rebuilt,
    substitute,
)
from clausewise.sql.canonical.grouping import (
    close_group,
    has_bare_column,
    is_set_like,
    settle_counts,
    settle_distinct,
    settle_groups,
    settle_order,
)
from clausewise.sql.canonical.joins import (
    dissolve,
    drop_inner,
    drop_outer,
    merge_copies,
    promote,
)
from clausewise.sql.canonical.model import (
    ONE,
    Column,
    Expression,
    Query,
    Relation,
    RewriteNotes,
    SelectBlock,
    SetBlock,
    TableFacts,
)
from clausewise.sql.canonical.nulls import Nullness, NullnessOf, declared, filled_in
from clausewise.sql.canonical.setops import as_select, flatten
from clausewise.sql.canonical.subqueries import (
    extreme,
    prepare_exists,
    single_row_in,
    single_row_in_where,
    unnest,
    where_true,
)

_MOST_PASSES = 4
_MOST_CHANGES = 40


def rewritten(
    query: Query,
    notes: RewriteNotes,
    outer: NullnessOf = declared,
    is_set: bool = False,
    root: bool = True,
    marks: bool = True,
) -> Query:
    """Return a query in canonical shape; the blocks of the given one are changed.

    `outer` says which columns of outer queries are NULL. `is_set` means that it does not matter
    how often a row comes; with `marks` DISTINCT is said where rows are distinct anyway. Below the
    root, order alone does not matter either.
    """
    if isinstance(query, SetBlock):
        return _set_operation(query, notes, outer, is_set, root)
    if (is_set or not root) and query.limit is None and not query.offset:
        query.order = []
    for _ in range(_MOST_PASSES):
        _nested(query, notes, outer)
        if not _settled(query, notes, outer, is_set, marks) or not _has_nested(query):
            break
    settle_counts(query, _chain(query, outer), notes)
    settle_order(query)
    return query


def _set_operation(
    block: SetBlock, notes: RewriteNotes, outer: NullnessOf, is_set: bool, root: bool
) -> Query:
    flatten(block, is_set)
    if not root and block.limit is None and not block.offset:
        block.order = []
    as_sets = block.operator != "union all"
    block.members = [rewritten(part, notes, outer, as_sets, root=False) for part in block.members]
    flatten(block, is_set)
    found = as_select(block, notes)
    return block if found is None else rewritten(found, notes, outer, is_set, root)


def _has_nested(block: SelectBlock) -> bool:
    return any(relation.query is not None for relation in block.relations) or any(
        map(has_query, query_expressions(block))
    )


def _chain(block: SelectBlock, outer: NullnessOf) -> NullnessOf:
    """Return what is known of a block's own columns, and of those of the queries around it."""
    own = set(block.relations)
    inside = filled_in(block)
    return lambda column: inside(column) if column[0] in own else outer(column)


def _nested(block: SelectBlock, notes: RewriteNotes, outer: NullnessOf) -> None:
    """Rewrite derived tables and the queries inside expressions."""
    for relation in block.relations:
        if relation.query is not None:
            relation.query = rewritten(relation.query, notes, outer, root=False, marks=False)
    inside = _chain(block, outer)

    def change(node: Expression) -> Expression:
        if node[0] not in ("exists", "scalar", "insub"):
            node = rebuilt(node, change)
            return extreme(single_row_in(node), notes)
        if node[0] == "insub":
            values = tuple(change(value) for value in node[1])
            query = rewritten(node[2], notes, inside, is_set=True, root=False)
            return single_row_in(("insub", values, query))
        if node[0] == "exists" and isinstance(node[1], SelectBlock):
            prepare_exists(node[1])
        if node[0] == "scalar" and node[1].order and node[1].limit is None:
            node[1].limit = 1  # as a value, a query gives its first row
        query = rewritten(node[1], notes, inside, node[0] == "exists", root=False)
        return (node[0], query)

    block.select = [change(value) for value in block.select]
    block.where = [change(value) for value in block.where]
    block.having = [change(value) for value in block.having]
    if block.group is not None:
        block.group = [change(value) for value in block.group]
    block.order = [replace(term, value=change(term.value)) for term in block.order]
    for part in block.outer:
        part.on = [change(value) for value in part.on]


def _settled(
    block: SelectBlock, notes: RewriteNotes, outer: NullnessOf, is_set: bool, marks: bool
) -> bool:
    """Apply the rewrites of one block until nothing changes; return whether anything did."""
    own = set(block.relations)
    changed = False
    for _ in range(_MOST_CHANGES):
        own.update(block.relations)

        def plainly(column: Column) -> Nullness:
            return declared(column) if column[0] in own else outer(column)

        normalize_values(block)
        for part in block.outer:
            part.on = kept_rows(part.on, plainly)
        block.having = kept_rows(block.having, plainly)
        block.where = kept_rows(block.where, plainly)
        known = _chain(block, outer)
        block.where = [where_true(single_row_in_where(c), known, notes) for c in block.where]
        settle_counts(block, known, notes)
        in_set = is_set_like(block)
        if not (
            dissolve(block)
            or promote(block, notes)
            or settle_groups(block, notes)
            or settle_distinct(block, is_set, marks, notes)
            or unnest(block, in_set, notes)
            or drop_outer(block, in_set, notes)
            or merge_copies(block, notes)
            or drop_inner(block, notes)
        ):
            return changed
        changed = True
    return changed


def finish(query: Query) -> None:
    """Make the last changes, after which a query is only printed: closed groups, used columns."""
    if isinstance(query, SetBlock):
        for member in query.members:
            finish(member)
        return
    for part in query_expressions(query):
        for node in nodes(part):
            if node[0] in ("exists", "scalar"):
                if node[0] == "exists" and isinstance(node[1], SelectBlock):
                    node[1].distinct = False
                finish(node[1])
            elif node[0] == "insub":
                finish(node[2])
    for relation in query.relations:
        if relation.query is not None:
            _prune(query, relation)
            finish(relation.query)
    close_group(query)


def _prune(block: SelectBlock, relation: Relation) -> None:
    """Leave out the columns of a derived table that nothing uses."""
    query = relation.query
    if not isinstance(query, SelectBlock) or query.distinct or has_bare_column(query):
        return
    used = {
        int(node[2])
        for part in query_expressions(block)
        for node in nodes(part)
        if node[0] == "col" and node[1] is relation
    }
    kept = sorted(used)
    columns = relation.facts.columns
    mapping: dict[Column, Expression] = {
        (relation, str(old)): ("col", relation, str(new)) for new, old in enumerate(kept)
    }
    relation.facts = TableFacts(
        relation.title, {str(new): columns[str(old)] for new, old in enumerate(kept)}
    )
    query.select = [query.select[place] for place in kept] or [ONE]
    substitute(block, mapping)
