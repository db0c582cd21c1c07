"""Rewrites of conditions."""

# ruff: noqa: ARG001  (every rule takes the query and the schema)

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from clausewise.databases import Schema
from experiments.equivalent_pairs.shapes import table_of

_FLIP: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.LT: exp.GT, exp.LTE: exp.GTE, exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}  # fmt: skip
_NOT: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.LTE: exp.GT, exp.GT: exp.LTE,
    exp.GTE: exp.LT,
}  # fmt: skip


def conjunct_order(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """The parts of AND and OR the other way round."""
    found = list(tree.find_all(exp.And, exp.Or))
    for node in found:
        left, right = node.this, node.expression
        node.set("this", exp.paren(right.copy()))
        node.set("expression", exp.paren(left.copy()))
        break
    return tree if found else None


def flipped(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a > 5 as 5 < a."""
    return _each_comparison(
        tree, lambda node, new: _FLIP[type(node)](this=new[1], expression=new[0])
    )


def negated(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a > 5 as NOT a <= 5."""
    return _each_comparison(
        tree, lambda node, new: exp.Not(this=_NOT[type(node)](this=new[0], expression=new[1]))
    )


def _each_comparison(
    tree: exp.Select, make: Callable[[exp.Expr, tuple[exp.Expr, exp.Expr]], exp.Expr]
) -> exp.Expr | None:
    where = tree.args.get("where")
    found = [] if where is None else [n for n in where.find_all(*_FLIP) if type(n) in _FLIP]
    for node in found:
        if not node.find(exp.Subquery, exp.Select):
            node.replace(exp.paren(make(node, (node.this.copy(), node.expression.copy()))))
    return tree if found else None


def between(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """BETWEEN as two comparisons."""
    found = list(tree.find_all(exp.Between))
    for node in found:
        low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        node.replace(exp.paren(exp.and_(low, high)))
    return tree if found else None


def one_element_in(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a = 5 as a IN (5)."""
    found = [
        node
        for node in tree.find_all(exp.EQ)
        if isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Literal)
    ]
    for node in found:
        node.replace(exp.In(this=node.this.copy(), expressions=[node.expression.copy()]))
    return tree if found else None


def or_as_in(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a = 1 OR a = 2 as a IN (2, 1)."""
    for node in tree.find_all(exp.Or):
        left, right = node.this, node.expression
        if (
            isinstance(left, exp.EQ)
            and isinstance(right, exp.EQ)
            and left.this == right.this
            and all(isinstance(side.expression, exp.Literal) for side in (left, right))
        ):
            values = [right.expression.copy(), left.expression.copy()]
            node.replace(exp.In(this=left.this.copy(), expressions=values))
            return tree
    return None


def de_morgan(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """p AND q as NOT (NOT p OR NOT q)."""
    where = tree.args.get("where")
    if where is None or not isinstance(where.this, (exp.And, exp.Or)):
        return None
    other = exp.Or if isinstance(where.this, exp.And) else exp.And
    sides = [
        exp.Not(this=exp.paren(part.copy())) for part in (where.this.this, where.this.expression)
    ]
    where.set("this", exp.Not(this=exp.paren(other(this=sides[0], expression=sides[1]))))
    return tree


def distributed(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """p AND (q OR r) as (p AND q) OR (p AND r)."""
    where = tree.args.get("where")
    if where is None or not isinstance(where.this, exp.And):
        return None
    for one, other in (
        (where.this.this, where.this.expression),
        (where.this.expression, where.this.this),
    ):
        inner = one.unnest()
        if isinstance(inner, exp.Or):
            sides = [exp.and_(part.copy(), other.copy()) for part in (inner.this, inner.expression)]
            where.set("this", exp.Or(this=exp.paren(sides[0]), expression=exp.paren(sides[1])))
            return tree
    return None


def weaker_beside(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """a > 5 as a > 5 AND a > 4."""
    where = tree.args.get("where")
    for node in [] if where is None else where.find_all(exp.GT, exp.GTE):
        value = node.expression
        table = table_of(node.this, tree, schema)
        column = None if table is None else table.column(node.this.name)
        if (
            isinstance(value, exp.Literal)
            and value.is_int
            and column
            and "INT" in column.declared_type.upper()
        ):
            weak = type(node)(
                this=node.this.copy(), expression=exp.Literal.number(int(value.name) - 1)
            )
            node.replace(exp.paren(exp.and_(node.copy(), weak)))
            return tree
    return None


def tautology(tree: exp.Select, schema: Schema) -> exp.Expr | None:
    """WHERE p as WHERE p AND (a > 7 OR a <= 7 OR a IS NULL)."""
    where = tree.args.get("where")
    if where is None:
        return None
    column = where.find(exp.Column)
    if column is None or column.this.args.get("quoted") or where.find(exp.Select):
        return None
    name = column.sql("sqlite")
    tree.where(f"({name} > 7 OR {name} <= 7 OR {name} IS NULL)", dialect="sqlite", copy=False)
    return tree
