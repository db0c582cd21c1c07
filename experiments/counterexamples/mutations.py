"""Pairs of a query and the same query with one known change.

Each kind of change is a function that takes a parsed query, changes the copy it was given in one
place, drawn at random among the places where that is possible, and says whether it did.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from clausewise.databases import Schema, Table
from experiments.counterexamples import rewriting

DIALECT = "sqlite"


@dataclass(frozen=True)
class Drawing:
    """What a change may look at beside the query: the schema, values of columns, and chance."""

    schema: Schema
    dice: random.Random

    def table(self, name: str) -> Table | None:
        """Return a table by its name, whatever the case."""
        for table in self.schema.tables:
            if table.name.casefold() == name.casefold():
                return table
        return None

    def one(self, places: Sequence[exp.Expr]) -> exp.Expr | None:
        """Return one of the places."""
        return self.dice.choice(places) if places else None


Change = Callable[[exp.Expr, Drawing], bool]


def mutant(sql: str, change: Change, drawing: Drawing) -> str | None:
    """Return the query after a change, None where the change is not possible in it."""
    try:
        tree = sqlglot.parse_one(sql, read=DIALECT)
    except SqlglotError:
        return None
    before = tree.sql(DIALECT)
    # a parent, so that the outermost node can be replaced, too
    holder = exp.Tuple(expressions=[tree])
    if not change(tree, drawing):
        return None
    after = holder.expressions[0].sql(DIALECT)
    return None if after == before else after


def _swapped(pairs: dict[type[exp.Expr], type[exp.Expr]]) -> Change:
    def change(tree: exp.Expr, drawing: Drawing) -> bool:
        place = drawing.one([node for node in tree.find_all(*pairs) if type(node) in pairs])
        if place is None:
            return False
        place.replace(pairs[type(place)](**place.args))
        return True

    return change


def join_left(tree: exp.Expr, drawing: Drawing) -> bool:
    """Make an INNER JOIN a LEFT JOIN."""
    inner = [j for j in tree.find_all(exp.Join) if j.args.get("on") and not j.side]
    place = drawing.one(inner)
    if place is None:
        return False
    place.set("kind", None)
    place.set("side", "LEFT")
    return True


def distinct_dropped(tree: exp.Expr, drawing: Drawing) -> bool:
    """Drop DISTINCT of a SELECT."""
    place = drawing.one([s for s in tree.find_all(exp.Select) if s.args.get("distinct")])
    if place is None:
        return False
    place.set("distinct", None)
    return True


def distinct_added(tree: exp.Expr, _: Drawing) -> bool:
    """Add DISTINCT to the outermost SELECT, where it neither groups nor aggregates."""
    if not isinstance(tree, exp.Select) or tree.args.get("distinct") or tree.args.get("group"):
        return False
    if any(item.find(exp.AggFunc) for item in tree.expressions):
        return False
    tree.set("distinct", exp.Distinct())
    return True


def count_distinct(tree: exp.Expr, drawing: Drawing) -> bool:
    """Make COUNT(x) COUNT(DISTINCT x), or the reverse."""
    counts = [c for c in tree.find_all(exp.Count) if not isinstance(c.this, exp.Star)]
    place = drawing.one([c for c in counts if c.this is not None])
    if place is None:
        return False
    inside = place.this
    single = isinstance(inside, exp.Distinct)
    place.set("this", inside.expressions[0] if single else exp.Distinct(expressions=[inside]))
    return True


def count_star(tree: exp.Expr, drawing: Drawing) -> bool:
    """Make COUNT(*) COUNT(column) of a table of the same SELECT."""
    stars = [c for c in tree.find_all(exp.Count) if isinstance(c.this, exp.Star)]
    place = drawing.one(stars)
    select = place.find_ancestor(exp.Select) if place is not None else None
    if place is None or select is None:
        return False
    columns = [
        exp.column(column.name, table=alias, quoted=not column.name.isidentifier())
        for alias, table in rewriting.sources(select, drawing.table)
        for column in table.columns
    ]
    chosen = drawing.one(columns)
    if chosen is None:
        return False
    place.set("this", chosen)
    return True


def group_by_swapped(tree: exp.Expr, drawing: Drawing) -> bool:
    """Group by another column of the same table: its name for its key, or its key for its name."""
    groups = [g for g in tree.find_all(exp.Group) if len(g.expressions) == 1]
    found = []
    for group in groups:
        column = group.expressions[0]
        table = rewriting.table_of(column, drawing.table)
        if table is not None:
            keys = {name.casefold() for name in table.primary_key}
            is_key = column.name.casefold() in keys
            for other in table.columns:
                if (other.name.casefold() in keys) != is_key:
                    found.append((column, other.name))
    if not found:
        return False
    column, name = drawing.dice.choice(found)
    rewriting.rename(column, name)
    return True


def limit_for_ties(tree: exp.Expr, _: Drawing) -> bool:
    """Make `x = (SELECT MAX(x))` an ORDER BY with LIMIT 1, or the reverse."""
    return rewriting.superlative_to_limit(tree) or rewriting.limit_to_superlative(tree)


def not_in_to_not_exists(tree: exp.Expr, drawing: Drawing) -> bool:
    """Make NOT IN a correlated NOT EXISTS."""
    return rewriting.not_in_to_not_exists(tree, drawing.table)


def column_swapped(tree: exp.Expr, drawing: Drawing) -> bool:
    """Replace a column of a SELECT list or condition by another of its table."""
    columns = [c for c in tree.find_all(exp.Column) if c.find_ancestor(exp.Join) is None]
    found = []
    for column in columns:
        table = rewriting.table_of(column, drawing.table)
        if table is not None and column.find_ancestor(exp.Group, exp.Order) is None:
            same = [c.name for c in table.columns if c.name.casefold() != column.name.casefold()]
            found += [(column, name) for name in same]
    if not found:
        return False
    column, name = drawing.dice.choice(found)
    rewriting.rename(column, name)
    return True


def condition_dropped(tree: exp.Expr, drawing: Drawing) -> bool:
    """Drop a condition of WHERE or HAVING: one side of an AND, or all of it."""
    place = drawing.one(list(tree.find_all(exp.And, exp.Where, exp.Having)))
    if place is None:
        return False
    if isinstance(place, exp.And):
        place.replace(place.this if drawing.dice.random() < 0.5 else place.expression)
    else:
        place.pop()
    return True


def null_check_dropped(tree: exp.Expr, drawing: Drawing) -> bool:
    """Drop `x IS NOT NULL`, which is added to the original where it has none."""
    checks = [n for n in tree.find_all(exp.Is) if isinstance(n.expression, exp.Null)]
    place = drawing.one(checks)
    if place is None:
        return False
    whole = place.parent if isinstance(place.parent, exp.Not) else place
    parent = whole.parent
    if isinstance(parent, exp.And):
        parent.replace(parent.expression if parent.this is whole else parent.this)
    elif isinstance(parent, exp.Where):
        parent.pop()
    else:
        return False
    return True


def with_null_check(sql: str, drawing: Drawing) -> str | None:
    """Return the query with `x IS NOT NULL` for a column of its outermost SELECT list."""
    tree = sqlglot.parse_one(sql, read=DIALECT)
    if not isinstance(tree, exp.Select) or tree.args.get("limit"):
        return None
    columns = [c for item in tree.expressions for c in item.find_all(exp.Column)]
    place = drawing.one([c for c in columns if not isinstance(c.this, exp.Star)])
    if place is None:
        return None
    check = exp.Not(this=exp.Is(this=place.copy(), expression=exp.Null()))
    return tree.where(check, copy=False).sql(DIALECT)


def union_all(tree: exp.Expr, drawing: Drawing) -> bool:
    """Make UNION UNION ALL."""
    place = drawing.one([u for u in tree.find_all(exp.Union) if u.args.get("distinct")])
    if place is None:
        return False
    place.set("distinct", False)
    return True


def set_operation(tree: exp.Expr, drawing: Drawing) -> bool:
    """Make one set operation another."""
    kinds = [exp.Union, exp.Intersect, exp.Except]
    place = drawing.one([n for n in tree.find_all(*kinds) if n.args.get("distinct") is not False])
    if place is None:
        return False
    other = drawing.dice.choice([kind for kind in kinds if not isinstance(place, kind)])
    place.replace(other(**place.args))
    return True


def order_by_dropped(tree: exp.Expr, _: Drawing) -> bool:
    """Drop the outermost ORDER BY of a query without LIMIT."""
    if not tree.args.get("order") or tree.args.get("limit"):
        return False
    tree.set("order", None)
    return True


def direction(tree: exp.Expr, drawing: Drawing) -> bool:
    """Turn the direction of an ordering."""
    place = drawing.one(list(tree.find_all(exp.Ordered)))
    if place is None:
        return False
    place.set("desc", not place.args.get("desc"))
    place.set("nulls_first", not place.args.get("desc"))
    return True


def literal_changed(tree: exp.Expr, drawing: Drawing) -> bool:
    """Change a literal of a condition: a number by one, a text by a letter."""
    inside = (exp.Where, exp.Join)
    place = drawing.one([n for n in tree.find_all(exp.Literal) if n.find_ancestor(*inside)])
    if place is None or place.find_ancestor(exp.Limit):
        return False
    text = place.name
    if place.is_string:
        place.replace(exp.Literal.string(f"{text}s"))
    else:
        place.replace(exp.Literal.number(_raised(text)))
    return True


def having_threshold(tree: exp.Expr, drawing: Drawing) -> bool:
    """Change a number in HAVING by one."""
    numbers = [n for h in tree.find_all(exp.Having) for n in h.find_all(exp.Literal)]
    place = drawing.one([n for n in numbers if not n.is_string])
    if place is None:
        return False
    place.replace(exp.Literal.number(_raised(place.name)))
    return True


def _raised(number: str) -> str:
    return str(Decimal(number) + 1)


def limit_changed(tree: exp.Expr, drawing: Drawing) -> bool:
    """Raise a LIMIT by one."""
    place = drawing.one([n.expression for n in tree.find_all(exp.Limit)])
    if not isinstance(place, exp.Literal):
        return False
    place.replace(exp.Literal.number(int(place.name) + 1))
    return True


def join_column(tree: exp.Expr, drawing: Drawing) -> bool:
    """Join on another column of one of the tables."""
    columns = [
        column
        for join in tree.find_all(exp.Join)
        if join.args.get("on")
        for column in join.args["on"].find_all(exp.Column)
    ]
    place = drawing.one(columns)
    table = rewriting.table_of(place, drawing.table) if place is not None else None
    if place is None or table is None:
        return False
    others = [c.name for c in table.columns if c.name.casefold() != place.name.casefold()]
    if not others:
        return False
    rewriting.rename(place, drawing.dice.choice(others))
    return True


def join_dropped(tree: exp.Expr, _: Drawing) -> bool:
    """Drop a joined table of which nothing is read but in its own ON."""
    return rewriting.drop_unread_join(tree)


def like_narrowed(tree: exp.Expr, drawing: Drawing) -> bool:
    """Take the leading `%` from a LIKE pattern."""
    likes = [n for n in tree.find_all(exp.Like) if isinstance(n.expression, exp.Literal)]
    place = drawing.one([n for n in likes if n.expression.name.startswith("%")])
    if place is None:
        return False
    place.set("expression", exp.Literal.string(place.expression.name[1:]))
    return True


def negation_dropped(tree: exp.Expr, drawing: Drawing) -> bool:
    """Drop a NOT, or make != equal."""
    place = drawing.one(list(tree.find_all(exp.Not, exp.NEQ)))
    if place is None:
        return False
    if isinstance(place, exp.Not):
        place.replace(place.this)
    else:
        place.replace(exp.EQ(**place.args))
    return True


CHANGES: dict[str, Change] = {
    "INNER to LEFT JOIN": join_left,
    "> to >=, < to <=, or back": _swapped(
        {exp.GT: exp.GTE, exp.GTE: exp.GT, exp.LT: exp.LTE, exp.LTE: exp.LT}
    ),
    "DISTINCT dropped": distinct_dropped,
    "DISTINCT added": distinct_added,
    "AND to OR, or back": _swapped({exp.And: exp.Or, exp.Or: exp.And}),
    "COUNT(*) to COUNT(column)": count_star,
    "COUNT(x) to COUNT(DISTINCT x), or back": count_distinct,
    "GROUP BY name for key, or back": group_by_swapped,
    "= (SELECT MAX) to LIMIT 1, or back": limit_for_ties,
    "NOT IN to NOT EXISTS": not_in_to_not_exists,
    "column for another of its table": column_swapped,
    "condition dropped": condition_dropped,
    "IS NOT NULL dropped": null_check_dropped,
    "UNION to UNION ALL": union_all,
    "set operation for another": set_operation,
    "ORDER BY dropped": order_by_dropped,
    "ASC to DESC, or back": direction,
    "MAX to MIN, AVG to SUM, or back": _swapped(
        {exp.Max: exp.Min, exp.Min: exp.Max, exp.Avg: exp.Sum, exp.Sum: exp.Avg}
    ),
    "literal changed": literal_changed,
    "threshold in HAVING changed": having_threshold,
    "LIMIT n to n + 1": limit_changed,
    "joined on another column": join_column,
    "joined table dropped": join_dropped,
    "leading % of LIKE dropped": like_narrowed,
    "NOT or != dropped": negation_dropped,
}
"""Kinds of change, by the name that tables give them."""
NULL_CHECK = "IS NOT NULL dropped"
