"""Statements about the rows that reach a SELECT, put together from the query's own text."""

from __future__ import annotations

from collections.abc import Sequence

from clausewise.databases.model import Schema, Table
from clausewise.errors import QueryFailed
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import set_operations
from clausewise.sql import from_text, with_prefix
from clausewise.sql.model import Conjunct, Role, Select, Source, SubqueryFilter
from clausewise.types import Clause


def filters(select: Select) -> tuple[Conjunct, ...]:
    """Return the AND parts of WHERE."""
    return tuple(part for part in select.conjuncts if part.clause is Clause.WHERE)


def relation(
    context: Context,
    select: Select,
    selected: str = "1",
    *,
    conjuncts: Sequence[Conjunct] | None = None,
    tail: str = "LIMIT 1",
    prefixed: bool = True,
) -> str:
    """Return a statement over the rows that FROM and WHERE of `select` let through.

    `conjuncts` takes the place of WHERE's own AND parts; `tail` follows them. It begins with the
    query's WITH clause unless `prefixed` is false. It fails on the database where the SELECT
    refers to an enclosing one.
    """
    parts = filters(select) if conjuncts is None else conjuncts
    condition = " AND ".join(f"({part.piece.text}\n)" for part in parts)
    where = f"WHERE {condition}\n" if condition else ""
    source = from_text(context.query, select)
    prefix = with_prefix(context.query) if prefixed else ""
    return f"{prefix}SELECT {selected} {source}\n{where}{tail}"


def reaches_rows(
    context: Context, select: Select, conjuncts: Sequence[Conjunct] | None = None
) -> bool | None:
    """Whether any row passes FROM and WHERE; None where the SELECT cannot be run alone."""
    if not select.sources:
        return None
    try:
        return context.keeps_a_row(relation(context, select, conjuncts=conjuncts))
    except QueryFailed:
        return None


def is_plain_query(context: Context) -> bool:
    """Whether a row of the result stands for rows that passed WHERE of the outermost SELECT."""
    root = context.query.root
    return not context.query.set_operations and (not root.has_aggregate or bool(root.group_by))


def gives_one_row(select: Select) -> bool:
    """Whether a SELECT can return no more than one row, whatever the data."""
    return (select.has_aggregate and not select.group_by) or select.limit == 1


def key_expression(context: Context, source: Source, table: Table) -> str:
    """Return what identifies a row of a source: its primary key, else its row id.

    Composite keys are put together as one text. Raises NotApplicable where there is neither.
    """
    words = context.words
    alias = words.quote_name(source.alias)
    if not table.primary_key:
        return words.row_id(alias)
    columns = [f"{alias}.{words.quote_name(column)}" for column in table.primary_key]
    if len(columns) == 1:
        return columns[0]
    return words.joined([words.or_empty(column) for column in columns])


def is_look_up(context: Context, source: Source) -> bool:
    """Whether a table holds a code and its meaning and nothing else: one value for many rows."""
    table = context.schema.table(source.table or "")
    return table is not None and len(table.columns) <= 2 and len(table.primary_key) == 1


def may_repeat(context: Context, select: Select, source: Source) -> bool:
    """Whether a path along the joins from `source` reaches a column that is not unique."""
    reached, waiting = {id(source)}, [source]
    while waiting:
        current = waiting.pop()
        for pair in select.join_pairs:
            for near, far in ((pair.left, pair.right), (pair.right, pair.left)):
                if near.source is not current or far.source is None or id(far.source) in reached:
                    continue
                if far.table is None or far.column is None:
                    return True
                if not context.database.profile(far.table, far.column).unique:
                    return True
                reached.add(id(far.source))
                waiting.append(far.source)
    return False


def set_members(context: Context, select: Select) -> tuple[Select, ...]:
    """Return all members of the set operation of a SELECT in text order, itself alone without."""
    chains = set_operations(context.query)
    return next((chain for chain in chains if select in chain), (select,))


def is_whole_set(context: Context, select: Select) -> bool:
    """Whether a SELECT gives the set that is asked for, or the one from which EXCEPT takes away.

    In other members of set operations a join says which rows belong to the member.
    """
    members = set_members(context, select)
    return members[0] is select and all(member.set_operator == "EXCEPT" for member in members[1:])


def looked_up_by_key(source: Source, select: Select, schema: Schema) -> bool:
    """Whether the joins find at most one row of `source` for each row of the others."""
    table = schema.table(source.table or "")
    if table is None:
        return False
    keys = [frozenset(key) for key in (table.primary_key, *table.unique) if key]
    joined = {
        side.column
        for pair in select.join_pairs
        for side in (pair.left, pair.right)
        if side.source is source
    }
    return any(key <= joined for key in keys)


def subquery_text(context: Context, item: SubqueryFilter) -> str:
    """Return the whole sub-query of a comparison, all members of a set operation included."""
    members = [
        select
        for select in context.query.selects
        if select.role is Role.SET_MEMBER
        and select.parent is item.subquery.parent
        and item.clause.start <= select.piece.start < item.clause.end
    ]
    end = max([item.subquery.piece.end, *(member.piece.end for member in members)])
    return context.query.text[item.subquery.piece.start : end]
