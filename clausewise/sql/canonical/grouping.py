"""Rewrites of DISTINCT, GROUP BY, HAVING, ORDER BY and aggregates."""

from __future__ import annotations

from dataclasses import replace

from clausewise.sql.canonical.dependencies import Determined, one_row_at_most
from clausewise.sql.canonical.expressions import (
    columns,
    has_aggregate,
    parts,
    rebuilt,
    shallow_nodes,
)
from clausewise.sql.canonical.model import Expression, RewriteNotes, SelectBlock
from clausewise.sql.canonical.nulls import Nullness, NullnessOf, nullness


def is_set_like(block: SelectBlock) -> bool:
    """Whether it does not matter how often a joined row comes."""
    if block.aggregated:
        found = [
            node
            for value in (*block.select, *block.having, *(term.value for term in block.order))
            for node in shallow_nodes(value)
            if node[0] == "agg"
        ]
        if not all(node[2] or node[1] in ("MIN", "MAX") for node in found):
            return False
        return not has_bare_column(block)
    if not block.distinct:
        return False
    terms = [term.value for term in block.order if term.value not in block.select]
    known = Determined(block, block.select)
    return all(known.has(value) for value in terms)


def has_bare_column(block: SelectBlock) -> bool:
    """Whether a value outside of aggregates depends on which row of a group is looked at.

    SQLite takes it from the row of the MIN or MAX where there is one, so that no aggregate may be
    dropped then, even where its value is not used.
    """
    if not block.aggregated:
        return False
    group = block.group or []
    known = Determined(block, group)

    def settled(value: Expression) -> bool:
        if value in group or value[0] == "agg":
            return True
        if value[0] in ("exists", "scalar", "insub"):
            return known.has(value)
        if value[0] == "col":
            return known.has(value)
        return all(map(settled, parts(value)))

    values = (*block.select, *block.having, *(term.value for term in block.order))
    return not all(map(settled, values))


def settle_groups(block: SelectBlock, notes: RewriteNotes) -> bool:
    """Move conditions from HAVING to WHERE, and drop GROUP BY where DISTINCT says the same."""
    if not block.group:
        return False
    for part in reversed(block.group):
        others = [other for other in block.group if other is not part]
        if others and columns(part) and Determined(block, others).has(part):
            block.group = others
            notes.add("A grouped column that the others determine splits no group.")
            return True
    known = Determined(block, block.group)
    movable = [part for part in block.having if not has_aggregate(part) and known.has(part)]
    if movable:
        block.having = [part for part in block.having if part not in movable]
        block.where += movable
        notes.add("A condition on grouped columns keeps the same groups in WHERE as in HAVING.")
        return True
    values = [*block.select, *block.having, *(term.value for term in block.order)]
    if any(map(has_aggregate, values)) or block.having:
        return False
    if not all(value in block.group or known.has(value) for value in values):
        return False
    if known.everything:
        block.group, block.aggregated = None, False
        notes.add("The grouped columns hold a key, so that every group is one row.")
        return True
    chosen = Determined(block, block.select)
    if block.distinct or all(part in block.select or chosen.has(part) for part in block.group):
        block.group, block.aggregated, block.distinct = None, False, True
        notes.add("GROUP BY of what is selected, without aggregates, is DISTINCT.")
        return True
    return False


def settle_distinct(block: SelectBlock, is_set: bool, marks: bool, notes: RewriteNotes) -> bool:
    """Say DISTINCT where rows are distinct anyway (if `marks`), and not where groups are."""
    if block.aggregated:
        if not block.distinct:
            return False
        if is_set and block.limit is None and not block.offset:
            block.distinct = False
            return True
        group = block.group or []
        chosen = Determined(block, block.select)
        if all(part in block.select or chosen.has(part) for part in group):
            block.distinct = False
            notes.add("Each group gives another row, so that DISTINCT drops none.")
            return True
        return False
    if block.distinct:
        return False
    if is_set and block.limit is None and not block.offset:
        block.distinct = True
        return True
    if marks and block.inner and Determined(block, block.select).everything:
        block.distinct = True
        notes.add("The selected columns hold a key, so that DISTINCT drops no row.")
        return True
    return False


def settle_order(block: SelectBlock) -> None:
    """Drop terms of ORDER BY that no longer decide anything, and LIMIT on a single row."""
    if any(has_aggregate(term.value) for term in block.order) and has_bare_column(block):
        return
    if one_row_at_most(block):
        block.order = []
        if block.limit is not None and block.limit >= 1 and not block.offset:
            block.limit = None
        return
    kept = []
    seen: list[Expression] = []
    for term in block.order:
        known = Determined(block, seen)
        decided = (
            all(part in seen or known.has(part) for part in block.group)
            if block.group
            else known.has(term.value) and not block.aggregated
        )
        if term.value in seen or decided or (block.group and _is_known(term.value, known)):
            continue
        kept.append(term)
        seen.append(term.value)
    block.order = kept


def _is_known(value: Expression, known: Determined) -> bool:
    return not has_aggregate(value) and known.has(value)


def settle_counts(block: SelectBlock, null_of: NullnessOf, notes: RewriteNotes) -> None:
    """Write COUNT(*) for the COUNT of what is never NULL, and of distinct keys."""
    if not block.aggregated:
        return

    def change(node: Expression) -> Expression:
        if node[0] in ("exists", "scalar", "insub"):
            return node
        node = rebuilt(node, change)
        if node[0] != "agg" or node[3] is None:
            return node
        _, name, distinct, value = node
        if name == "COUNT" and nullness(value, null_of) is Nullness.FILLED:
            if not distinct:
                notes.add(f"COUNT counts all rows, since {_described(value)} is never NULL there.")
                return ("agg", name, False, None)
            if Determined(block, [*(block.group or ()), value]).everything and columns(value):
                notes.add(f"No two rows agree in {_described(value)}, a key, so COUNT counts all.")
                return ("agg", name, False, None)
        if name in ("MIN", "MAX") and distinct:
            return ("agg", name, False, value)
        return node

    block.select = [change(value) for value in block.select]
    block.having = [change(value) for value in block.having]
    block.order = [replace(term, value=change(term.value)) for term in block.order]


def _described(value: Expression) -> str:
    if value[0] == "col":
        return f"{value[1].title}.{value[1].column(value[2]).name}"
    return "what it counts"


def close_group(block: SelectBlock) -> None:
    """Add to GROUP BY all that its columns determine, so that any choice of them reads alike."""
    if not block.group:
        return
    known = Determined(block, block.group)
    kept = [
        part for part in block.group if part[0] == "col" or not columns(part) or not known.has(part)
    ]
    wanted: list[Expression] = []
    for relation in block.relations:
        keys = [key for key in relation.facts.columns if known.has(("col", relation, key))]
        wanted += [("col", relation, key) for key in keys]
    block.group = [*(part for part in kept if part not in wanted), *wanted]
