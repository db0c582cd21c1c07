"""Parts of the changes that rewrite more than one node of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from clausewise.databases import Table

FindTable = Callable[[str], Table | None]


def sources(select: exp.Expr, table_of_name: FindTable) -> Iterator[tuple[str, Table]]:
    """Yield the name and the table of each table that a SELECT reads itself."""
    start = select.args.get("from_") or select.args.get("from")
    for part in (start, *(select.args.get("joins") or ())):
        node = part.this if part is not None else None
        if isinstance(node, exp.Table):
            table = table_of_name(node.name)
            if table is not None:
                yield node.alias_or_name, table


def table_of(column: exp.Expr, table_of_name: FindTable) -> Table | None:
    """Return the table of a column that the nearest SELECT reads, None where that is not sure."""
    select = column.find_ancestor(exp.Select)
    if not isinstance(column, exp.Column) or select is None or isinstance(column.this, exp.Star):
        return None
    name = column.name.casefold()
    found = [
        table
        for alias, table in sources(select, table_of_name)
        if (not column.table or alias.casefold() == column.table.casefold())
        and any(own.name.casefold() == name for own in table.columns)
    ]
    return found[0] if len(found) == 1 else None


def rename(column: exp.Expr, name: str) -> None:
    """Make a column another column of its table."""
    column.set("this", exp.to_identifier(name, quoted=not name.isidentifier()))


def superlative_to_limit(tree: exp.Expr) -> bool:
    """Make `WHERE x = (SELECT MAX(x) FROM t)` an ORDER BY x DESC LIMIT 1."""
    where = tree.args.get("where")
    if not isinstance(tree, exp.Select) or where is None or not isinstance(where.this, exp.EQ):
        return False
    column, inner = where.this.this, where.this.expression
    if not isinstance(inner, exp.Subquery) or tree.args.get("group") or tree.args.get("order"):
        return False
    best = inner.this.expressions[0] if isinstance(inner.this, exp.Select) else None
    if not isinstance(best, exp.Max | exp.Min) or inner.this.args.get("where"):
        return False
    if any(item.find(exp.AggFunc) for item in tree.expressions):
        return False
    tree.set("where", None)
    tree.order_by(exp.Ordered(this=column.copy(), desc=isinstance(best, exp.Max)), copy=False)
    tree.limit(1, copy=False)
    return True


def limit_to_superlative(tree: exp.Expr) -> bool:
    """Make ORDER BY x LIMIT 1 on one table `WHERE x = (SELECT MIN(x) FROM t)`."""
    order, limit = tree.args.get("order"), tree.args.get("limit")
    start = tree.args.get("from_") or tree.args.get("from")
    if not isinstance(tree, exp.Select) or order is None or limit is None or start is None:
        return False
    plain = not any(tree.args.get(name) for name in ("joins", "where", "group", "distinct"))
    if not plain or limit.expression.name != "1" or len(order.expressions) != 1:
        return False
    by = order.expressions[0]
    if not isinstance(by.this, exp.Column) or not isinstance(start.this, exp.Table):
        return False
    best = exp.Max if by.args.get("desc") else exp.Min
    inner = exp.select(best(this=exp.column(by.this.name))).from_(exp.to_table(start.this.name))
    tree.set("order", None)
    tree.set("limit", None)
    tree.where(exp.EQ(this=by.this.copy(), expression=exp.Subquery(this=inner)), copy=False)
    return True


def not_in_to_not_exists(tree: exp.Expr, table_of_name: FindTable) -> bool:
    """Make `x NOT IN (SELECT y FROM u)` `NOT EXISTS (SELECT 1 FROM u WHERE u.y = t.x)`."""
    for node in tree.find_all(exp.Not):
        inside = node.this
        query = inside.args.get("query") if isinstance(inside, exp.In) else None
        select = query.this if isinstance(query, exp.Subquery) else None
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            continue
        outer = _qualified(inside.this, table_of_name)
        inner = _qualified(select.expressions[0], table_of_name)
        grouped = any(select.args.get(name) for name in ("group", "limit", "having"))
        if outer is None or inner is None or grouped or outer.table == inner.table:
            continue
        select.set("expressions", [exp.Literal.number(1)])
        select.set("distinct", None)
        select.where(exp.EQ(this=inner, expression=outer), copy=False)
        inside.replace(exp.Exists(this=select))
        return True
    return False


def _qualified(node: exp.Expr, table_of_name: FindTable) -> exp.Column | None:
    select = node.find_ancestor(exp.Select)
    if not isinstance(node, exp.Column) or select is None:
        return None
    if node.table:
        return node.copy()
    wanted = node.name.casefold()
    for alias, table in sources(select, table_of_name):
        if any(column.name.casefold() == wanted for column in table.columns):
            return exp.column(node.name, table=alias)
    return None


def drop_unread_join(tree: exp.Expr) -> bool:
    """Drop a joined table of which nothing is read but in its own ON."""
    for join in list(tree.find_all(exp.Join)):
        select = join.parent
        if not isinstance(select, exp.Select) or not isinstance(join.this, exp.Table):
            continue
        name = join.this.alias_or_name.casefold()
        inside = {id(column) for column in join.find_all(exp.Column)}
        read = [c for c in select.find_all(exp.Column) if id(c) not in inside]
        stars = [item for item in select.expressions if isinstance(item, exp.Star)]
        if not stars and all(c.table and c.table.casefold() != name for c in read):
            join.pop()
            return True
    return False
