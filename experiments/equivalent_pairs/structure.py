"""Rewrites of joins, groups, DISTINCT and ORDER BY."""

# ruff: noqa: ARG001  (every rule takes the query and the schema)

from __future__ import annotations

import re

from sqlglot import exp

from clausewise.databases import Schema
from experiments.equivalent_pairs.shapes import (
    free_name,
    holds_no_null,
    only_inner,
    sources,
    table_of,
)


def aliases(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """Rename the aliases of tables."""
    names = {node.alias for node in tree.find_all(exp.Table) if re.fullmatch(r"[Tt]\d", node.alias)}
    if not names:
        return None
    for node in tree.find_all(exp.Identifier):
        if node.name in names:
            node.set("this", f"src_{node.name}")
    return tree


def comma_join(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """FROM a JOIN b ON p as FROM a, b WHERE p."""
    joins = tree.args.get("joins") or []
    if not joins or not only_inner(tree):
        return None
    for join in joins:
        on = join.args.get("on")
        join.set("on", None)
        join.set("kind", None)
        if on is not None:
            tree.where(exp.paren(on.copy()), copy=False)
    return tree


def join_order(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """FROM a JOIN b as FROM b JOIN a."""
    joins = tree.args.get("joins") or []
    if len(joins) != 1 or not only_inner(tree) or any(e.is_star for e in tree.expressions):
        return None
    first, second = tree.args["from_"].this, joins[0].this
    tree.args["from_"].set("this", second.copy())
    joins[0].set("this", first.copy())
    return tree


def count_one(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """COUNT(*) as COUNT(1)."""
    found = [node for node in tree.find_all(exp.Count) if isinstance(node.this, exp.Star)]
    for node in found:
        node.set("this", exp.Literal.number(1))
    return tree if found else None


def count_key(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """COUNT(*) as COUNT of a column that is never NULL."""
    found = [node for node in tree.find_all(exp.Count) if isinstance(node.this, exp.Star)]
    if not found or not only_inner(tree) or any(n.parent_select is not tree for n in found):
        return None
    for source in sources(tree):
        table = schema.table(source.name)
        for column in table.columns if table else ():
            if holds_no_null(table, column.name):  # type: ignore[arg-type]
                for node in found:
                    node.set("this", exp.column(column.name, source.alias_or_name, quoted=True))
                return tree
    return None


def derived_table(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """FROM t as FROM (SELECT * FROM t) AS t."""
    for source in sources(tree):
        if isinstance(source, exp.Table) and schema.table(source.name):
            inner = exp.select("*").from_(exp.to_table(source.name))
            source.replace(inner.subquery(source.alias_or_name))
            return tree
    return None


def common_table(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """FROM t as WITH x AS (SELECT * FROM t) ... FROM x AS t."""
    if tree.args.get("with_"):
        return None
    for source in sources(tree):
        if isinstance(source, exp.Table) and schema.table(source.name):
            name = free_name(tree)
            inner = exp.select("*").from_(exp.to_table(source.name))
            source.replace(exp.alias_(exp.to_table(name), source.alias_or_name, table=True))
            return tree.with_(name, as_=inner, copy=False)
    return None


def having_as_where(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """A condition of WHERE on the one grouped column in HAVING."""
    group, where = tree.args.get("group"), tree.args.get("where")
    if group is None or where is None or len(group.expressions) != 1:
        return None
    column = group.expressions[0]
    if not isinstance(column, exp.Column) or where.find(exp.Select):
        return None
    if any(used != column for used in where.find_all(exp.Column)):
        return None
    tree.set("where", None)
    return tree.having(exp.paren(where.this.copy()), copy=False)


def grouped_distinct(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """SELECT DISTINCT a, b as GROUP BY a, b."""
    if not tree.args.get("distinct") or tree.args.get("group") or tree.find(exp.AggFunc):
        return None
    if tree.args.get("order") or tree.args.get("limit"):
        return None
    if not all(isinstance(e, exp.Column) for e in tree.expressions):
        return None
    if any(e.is_star for e in tree.expressions):
        return None
    tree.set("distinct", None)
    return tree.group_by(*(e.copy() for e in tree.expressions), copy=False)


def order_by_position(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """ORDER BY a as ORDER BY 1, where it is the first column."""
    order = tree.args.get("order")
    for term in [] if order is None else order.expressions:
        for place, value in enumerate(tree.expressions, start=1):
            if value.unalias() == term.this and not value.is_star:
                term.set("this", exp.Literal.number(place))
                return tree
    return None


def order_by_alias(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """ORDER BY COUNT(*) as ORDER BY n, with n given in SELECT."""
    order = tree.args.get("order")
    for term in [] if order is None else order.expressions:
        for value in tree.expressions:
            if value == term.this and not isinstance(value, exp.Alias):
                name = free_name(tree)
                value.replace(exp.alias_(value.copy(), name))
                term.set("this", exp.column(name))
                return tree
    return None


def key_group(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """GROUP BY key as GROUP BY key, name."""
    group = tree.args.get("group")
    if group is None or len(group.expressions) != 1 or not only_inner(tree):
        return None
    column = group.expressions[0]
    table = table_of(column, tree, schema)
    if (
        table is None
        or table.primary_key != (column.name,)
        or not holds_no_null(table, column.name)
    ):
        return None
    other = next((c.name for c in table.columns if c.name != column.name), None)
    if other is None or not column.table:
        return None
    return tree.group_by(exp.column(other, column.table, quoted=True), copy=False)


def left_join_of_key(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """A LEFT JOIN with the table that a foreign key refers to, of which nothing is used."""
    for source in sources(tree):
        if not isinstance(source, exp.Table) or any(e.is_star for e in tree.expressions):
            continue
        for key in schema.foreign_keys:
            parent = schema.table(key.referred_table)
            if key.inferred or key.table.casefold() != source.name.casefold() or parent is None:
                continue
            if len(key.columns) != 1 or parent.primary_key != key.referred_columns:
                continue
            names = {column.name.casefold() for column in parent.columns}
            if any(c.name.casefold() in names and not c.table for c in tree.find_all(exp.Column)):
                continue
            child = schema.table(source.name)
            ends = (
                child.column(key.columns[0]) if child else None,
                parent.column(key.referred_columns[0]),
            )
            if len({end.declared_type.upper() for end in ends if end}) != 1:
                continue
            name = free_name(tree)
            on = exp.EQ(
                this=exp.column(key.referred_columns[0], name, quoted=True),
                expression=exp.column(key.columns[0], source.alias_or_name, quoted=True),
            )
            joined = exp.alias_(
                exp.to_table(f'"{key.referred_table}"', dialect="sqlite"), name, table=True
            )
            return tree.join(joined, on=on, join_type="LEFT", copy=False)
    return None


def equal_column(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """SELECT a.id as SELECT b.id, where a.id = b.id joins them and both have one type."""
    if not only_inner(tree):
        return None
    for join in tree.args.get("joins") or []:
        on = join.args.get("on")
        if not isinstance(on, exp.EQ):
            continue
        for left, right in ((on.this, on.expression), (on.expression, on.this)):
            tables = table_of(left, tree, schema), table_of(right, tree, schema)
            columns = [
                table.column(column.name)
                for table, column in zip(tables, (left, right), strict=True)
                if table is not None
            ]
            kinds = {column.declared_type.upper() for column in columns if column is not None}
            if len(columns) != 2 or len(kinds) != 1 or not kinds & {"INT", "INTEGER", "TEXT"}:
                continue
            found = [e for e in tree.expressions if e == left]
            for value in found:
                value.replace(right.copy())
            if found:
                return tree
    return None


def or_as_union(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """SELECT DISTINCT ... WHERE p OR q as a UNION."""
    where = tree.args.get("where")
    if not tree.args.get("distinct") or where is None or not isinstance(where.this, exp.Or):
        return None
    if any(tree.args.get(key) for key in ("order", "limit", "group")):
        return None
    members = []
    for side in (where.this.this, where.this.expression):
        member = tree.copy()
        member.set("distinct", None)
        member.args["where"].set("this", side.copy())
        members.append(member)
    return exp.union(*members)
