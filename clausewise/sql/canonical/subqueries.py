"""Rewrites of nested queries: IN as EXISTS, EXISTS as a join where no row can come twice."""

from __future__ import annotations

from clausewise.sql.canonical.dependencies import Determined
from clausewise.sql.canonical.expressions import AFFINE, affinity_of
from clausewise.sql.canonical.grouping import has_bare_column
from clausewise.sql.canonical.model import ONE, Expression, RewriteNotes, SelectBlock
from clausewise.sql.canonical.nulls import Nullness, NullnessOf, filled_in, nullness


def where_true(node: Expression, null_of: NullnessOf, notes: RewriteNotes) -> Expression:
    """Return a condition that is true where a given one is, with IN turned into EXISTS.

    `null_of` says which columns are NULL in the rows at hand.
    """
    kind = node[0]
    if kind in ("and", "or"):
        return (kind, tuple(where_true(part, null_of, notes) for part in node[1]))
    if kind == "insub":
        return _as_exists(node) or node
    if kind == "not" and node[1][0] == "insub":
        _, values, query = node[1]
        if isinstance(query, SelectBlock) and _never_null(values, query, null_of):
            found = _as_exists(node[1])
            if found is not None:
                notes.add("No NULL can stand on either side, so NOT IN is NOT EXISTS.")
                return ("not", found)
    if kind == "is" and Nullness.FILLED in (nullness(part, null_of) for part in node[1:]):
        return ("cmp", "=", node[1], node[2])
    if kind == "cmp" and node[3][0] == "scalar":
        return _scalar_as_exists(node, notes)
    return node


def _never_null(values: tuple[Expression, ...], query: SelectBlock, null_of: NullnessOf) -> bool:
    inside = filled_in(query)
    return all(nullness(value, null_of) is Nullness.FILLED for value in values) and all(
        nullness(value, inside) is Nullness.FILLED for value in query.select
    )


def _as_exists(node: Expression) -> Expression | None:
    """Return `x IN (SELECT y ...)` as EXISTS with x = y, None where that is not modelled."""
    _, values, query = node
    if not isinstance(query, SelectBlock) or query.limit is not None or query.offset:
        return None
    if query.aggregated and not query.group:
        return None
    equal: list[Expression] = [
        ("cmp", "=", value, chosen) for value, chosen in zip(values, query.select, strict=True)
    ]
    if query.aggregated:
        query.having += equal
    else:
        query.where += equal
        query.distinct = False
    query.select = [ONE]
    return ("exists", query)


def _scalar_as_exists(node: Expression, notes: RewriteNotes) -> Expression:
    """Return `x = (SELECT y ...)` as EXISTS, where a key lets the query give one row at most."""
    query = node[3][1]
    if (
        isinstance(query, SelectBlock)
        and not query.aggregated
        and query.limit is None
        and not query.offset
        and query.inner
        and Determined(query, ()).everything
    ):
        notes.add("The nested query gives one row at most, by a key, so that = reads as IN.")
        query.where.append((*node[:3], query.select[0]))
        query.select, query.distinct = [ONE], False
        return ("exists", query)
    return node


def single_row_in(node: Expression) -> Expression:
    """Return `x IN (SELECT MAX(y) ...)` as `x = (SELECT MAX(y) ...)`: there is exactly one row."""
    if node[0] == "insub" and len(node[1]) == 1:
        query = node[2]
        if (
            isinstance(query, SelectBlock)
            and query.aggregated
            and not query.group
            and not query.having
            and query.limit is None
            and not query.offset
        ):
            return ("cmp", "=", node[1][0], ("scalar", query))
    return node


def single_row_in_where(node: Expression) -> Expression:
    """Return `x IN (SELECT ... LIMIT 1)` as `x = (...)`: they are true for the same rows."""
    if node[0] == "insub" and len(node[1]) == 1:
        query = node[2]
        if isinstance(query, SelectBlock) and query.limit == 1:
            return ("cmp", "=", node[1][0], ("scalar", query))
    return node


def prepare_exists(query: SelectBlock) -> None:
    """Drop from a query under EXISTS what does not matter there."""
    query.order = []
    if query.limit is not None and query.limit > 0 and not query.offset:
        query.limit = None
    if query.aggregated and (not query.group or has_bare_column(query)):
        return
    query.select = [ONE]
    if query.aggregated and not query.having:
        query.aggregated, query.group = False, None


def unnest(block: SelectBlock, is_set: bool, notes: RewriteNotes) -> bool:
    """Join what stands under EXISTS, where it has one row at most or repetition does not matter."""
    for condition in block.where:
        if condition[0] != "exists":
            continue
        query = condition[1]
        if not isinstance(query, SelectBlock) or not query.inner or query.aggregated:
            continue
        if query.limit is not None or query.offset:
            continue
        if is_set:
            notes.add("Rows are kept once anyway, so that a nested query reads as a join.")
        elif Determined(query, ()).everything:
            notes.add(
                "A key lets the nested query give one row at most, so that it reads as a join."
            )
        else:
            continue
        block.where.remove(condition)
        block.inner += query.inner
        block.outer += query.outer
        block.where += query.where
        return True
    return False


def extreme(node: Expression, notes: RewriteNotes) -> Expression:
    """Return `y = (SELECT x ... ORDER BY x DESC LIMIT 1)` with MAX(x), and with ASC with MIN(x).

    MIN only where x is never NULL: NULLs come first in SQLite. Both give NULL where there is no
    row. MAX(x) has no affinity, so y must be compared as x is.
    """
    if node[0] != "cmp" or node[3][0] != "scalar" or not isinstance(node[3][1], SelectBlock):
        return node
    query = node[3][1]
    affinity = affinity_of(node[2])
    if affinity not in AFFINE or affinity != affinity_of(query.select[0]):
        return node
    return (*node[:3], ("scalar", _extreme(query, notes)))


def _extreme(query: SelectBlock, notes: RewriteNotes) -> SelectBlock:
    if (
        query.limit != 1
        or query.offset
        or query.aggregated
        or len(query.order) != 1
        or query.order[0].value != query.select[0]
        or query.order[0].nulls_first is query.order[0].descending
        or len(query.select) != 1
    ):
        return query
    value = query.select[0]
    if not query.order[0].descending and nullness(value, filled_in(query)) is not Nullness.FILLED:
        return query
    name = "MAX" if query.order[0].descending else "MIN"
    notes.add(f"The first row in order of a column, alone, is its {name}.")
    return SelectBlock(
        query.inner, query.outer, query.where, None, [], [("agg", name, False, value)],
        aggregated=True,
    )  # fmt: skip
