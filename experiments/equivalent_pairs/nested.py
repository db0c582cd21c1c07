"""Rewrites of nested queries."""

from __future__ import annotations

from sqlglot import exp

from clausewise.databases import Schema
from experiments.equivalent_pairs.shapes import is_key, never_null, sources, table_of


def in_as_exists(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a IN (SELECT b FROM t) as EXISTS (SELECT 1 FROM t WHERE t.b = a), under AND alone."""
    where = tree.args.get("where")
    conditions = (
        []
        if where is None
        else list(exp.And.flatten(where.this))
        if isinstance(where.this, exp.And)
        else [where.this]
    )
    for node in conditions:
        query = node.args.get("query") if isinstance(node, exp.In) else None
        inner = query.this if isinstance(query, exp.Subquery) else None
        if not isinstance(inner, exp.Select) or len(sources(inner)) != 1 or len(sources(tree)) != 1:
            continue
        if any(
            inner.args.get(key) for key in ("group", "having", "limit", "distinct")
        ) or inner.find(exp.AggFunc):
            continue
        own, other = sources(tree)[0], sources(inner)[0]
        chosen = inner.expressions[0]
        if (
            not isinstance(own, exp.Table)
            or not isinstance(other, exp.Table)
            or own.name == other.name
        ):
            continue
        if table_of(node.this, tree, schema) is None or table_of(chosen, inner, schema) is None:
            continue
        outer = exp.column(node.this.name, own.alias_or_name)
        nested = inner.copy()
        nested.set("expressions", [exp.Literal.number(1)])
        nested.where(
            exp.EQ(this=exp.column(chosen.name, other.alias_or_name), expression=outer), copy=False
        )
        node.replace(exp.Exists(this=nested))
        return tree
    return None


def not_in_as_not_exists(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a NOT IN (SELECT b FROM t) as NOT EXISTS, where neither is ever NULL."""
    where = tree.args.get("where")
    if where is None:
        return None
    node = where.this
    if not isinstance(node, exp.Not) or not isinstance(node.this, exp.In):
        return None
    query = node.this.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or not never_null(node.this.this, tree, schema):
        return None
    if not never_null(inner.expressions[0], inner, schema):
        return None
    where.set("this", node.this)
    found = in_as_exists(tree, schema)
    if found is None:
        return None
    where.set("this", exp.Not(this=where.this))
    return found


def in_as_join(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a IN (SELECT key FROM t) as a join with t: the key is there once at most."""
    where = tree.args.get("where")
    if where is None:
        return None
    node = where.this
    if not isinstance(node, exp.In):
        return None
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or len(sources(inner)) != 1 or inner.args.get("group"):
        return None
    if inner.args.get("limit") or inner.find(exp.AggFunc) or inner.args.get("where") is None:
        return None
    table, own = table_of(inner.expressions[0], inner, schema), table_of(node.this, tree, schema)
    if table is None or own is None or not is_key(table, inner.expressions[0].name) or own is table:
        return None
    if len(sources(tree)) != 1 or any(e.is_star for e in tree.expressions):
        return None
    sides = (own.column(node.this.name), table.column(inner.expressions[0].name))
    if len({side.declared_type.upper() for side in sides if side}) != 1:
        return None
    names = {column.name.casefold() for column in own.columns} & {
        c.name.casefold() for c in table.columns
    }
    if any(c.name.casefold() in names and not c.table for c in tree.find_all(exp.Column)):
        return None
    other = sources(inner)[0]
    on = exp.EQ(
        this=node.this.copy(), expression=exp.column(inner.expressions[0].name, other.alias_or_name)
    )
    condition = inner.args["where"].this.copy()
    where.set("this", exp.paren(condition))
    return tree.join(other.copy(), on=on, copy=False)
