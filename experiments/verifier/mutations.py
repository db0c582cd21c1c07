"""Natural errors made in right queries: one change of meaning each, and the clause it is in."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlglot
from rapidfuzz.distance import JaroWinkler
from sqlglot import exp
from sqlglot.errors import SqlglotError

from clausewise.databases import Schema

Node: TypeAlias = Any
"""An expression of sqlglot; which kinds have which parts, its types do not say."""
AGGREGATES = (exp.Sum, exp.Avg, exp.Max, exp.Min)
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
OTHER_BOUND = {exp.GT: exp.GTE, exp.GTE: exp.GT, exp.LT: exp.LTE, exp.LTE: exp.LT}
REVERSED = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE, exp.EQ: exp.NEQ}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A query with one error: its kind and its clause."""

    sql: str
    kind: str
    clause: str


class Mutator:
    """Changes the queries of one schema."""

    def __init__(self, schema: Schema, rng: random.Random) -> None:
        self.rng = rng
        self.columns: dict[str, list[str]] = {
            table.name.casefold(): [column.name for column in table.columns]
            for table in schema.tables
        }
        self.types = {
            (table.name.casefold(), column.name.casefold()): column.declared_type[:3].upper()
            for table in schema.tables
            for column in table.columns
        }
        self.keys = {
            (key.table.casefold(), own.casefold())
            for key in schema.foreign_keys
            for own in key.columns
        }

    def mutants(self, sql: str, most: int, dialect: str = "sqlite") -> list[Mutant]:
        """Return at most so many different mutants, of different kinds as far as there are."""
        try:
            tree = sqlglot.parse_one(sql, read=dialect)
        except SqlglotError:
            return []
        if not isinstance(tree, exp.Query) or tree.find(exp.Select) is None:
            return []
        text = tree.sql(dialect)
        kinds = list(KINDS.items())
        self.rng.shuffle(kinds)
        # the kinds that reviewers meet most come first more often
        kinds.sort(key=lambda item: self.rng.random() / FREQUENCY.get(item[0], 1.0))
        found: dict[str, Mutant] = {}
        for kind, change in kinds:
            if len(found) >= most:
                break
            holder = exp.Subquery(this=tree.copy())  # what is replaced may be the whole query
            try:
                clause = change(self, holder.this)
                made = holder.this.sql(dialect) if clause else text
            except (SqlglotError, AttributeError, ValueError, IndexError, KeyError):
                continue
            if clause and made != text and made not in found:
                found[made] = Mutant(made, kind, clause)
        return list(found.values())

    def _pick(self, items: Sequence[Node]) -> Node:
        return self.rng.choice(list(items)) if items else None

    def table_of(self, column: exp.Column) -> str | None:
        """Return the folded base table of a column, None where it is not plain."""
        select = column.find_ancestor(exp.Select)
        while select is not None:
            tables = [item for item in select.find_all(exp.Table) if item.parent_select is select]
            for table in tables:
                if column.table and column.table.casefold() == table.alias_or_name.casefold():
                    return table.name.casefold()
            if not column.table:
                for table in tables:
                    names = self.columns.get(table.name.casefold(), ())
                    if column.name.casefold() in (name.casefold() for name in names):
                        return table.name.casefold()
            select = select.parent_select
        return None

    def other_column(self, column: exp.Column, *, similar: bool = True) -> bool:
        """Put another column of the same table in the place of one, one that looks alike."""
        table = self.table_of(column)
        if table is None or table not in self.columns:
            return False
        own = column.name.casefold()
        others = [name for name in self.columns[table] if name.casefold() != own]
        if similar:
            kind = self.types.get((table, own))
            same = [name for name in others if self.types[table, name.casefold()] == kind]
            others = same or others
        if not others:
            return False
        weights = [0.3 + JaroWinkler.similarity(own, name.casefold()) ** 2 for name in others]
        chosen = self.rng.choices(others, weights)[0]
        column.set("this", exp.to_identifier(chosen, quoted=not chosen.isidentifier()))
        return True


def clause_of(node: Node) -> str:
    """Return the clause that an expression stands in."""
    current: Node = node
    while current is not None and not isinstance(current, exp.Select):
        for kind, name in _CLAUSES:
            if isinstance(current, kind):
                return name
        current = current.parent
    return "select"


_CLAUSES = (
    (exp.Where, "where"), (exp.Having, "having"), (exp.Group, "group"), (exp.Order, "order"),
    (exp.Join, "join"), (exp.Limit, "limit"), (exp.From, "from"),
)  # fmt: skip


def _swap_column(m: Mutator, tree: Node, kind: Any) -> str:
    columns = [
        column
        for column in tree.find_all(exp.Column)
        if isinstance(column.this, exp.Identifier)
        and not column.find_ancestor(exp.Join)
        and (
            clause_of(column) == "select"
            if kind is None
            else column.find_ancestor(kind) is not None
        )
    ]
    column = m._pick(columns)
    return clause_of(column) if column is not None and m.other_column(column) else ""


def _wrong_selected(m: Mutator, tree: Node) -> str:
    return _swap_column(m, tree, None)


def _wrong_filtered(m: Mutator, tree: Node) -> str:
    return _swap_column(m, tree, exp.Where)


def _wrong_grouped(m: Mutator, tree: Node) -> str:
    return _swap_column(m, tree, exp.Group)


def _wrong_ordered(m: Mutator, tree: Node) -> str:
    return _swap_column(m, tree, exp.Order)


def _wrong_aggregated(m: Mutator, tree: Node) -> str:
    columns = [
        column
        for call in tree.find_all(*AGGREGATES, exp.Count)
        for column in call.find_all(exp.Column)
        if isinstance(column.this, exp.Identifier)
    ]
    column = m._pick(columns)
    return clause_of(column) if column is not None and m.other_column(column) else ""


def _other_table(m: Mutator, tree: Node) -> str:
    """Take a selected or filtered column from another table of the query."""
    found = []
    for column in tree.find_all(exp.Column):
        select = column.parent_select
        if select is None or column.find_ancestor(exp.Join) or not column.table:
            continue
        tables = [item for item in select.find_all(exp.Table) if item.parent_select is select]
        for table in tables:
            names = m.columns.get(table.name.casefold(), ())
            if table.alias_or_name.casefold() != column.table.casefold():
                like = [n for n in names if n.casefold() == column.name.casefold()]
                like = like or [n for n in names if JaroWinkler.similarity(n, column.name) > 0.75]
                found += [(column, table.alias_or_name, name) for name in like]
    if not found:
        return ""
    column, alias, name = m.rng.choice(found)
    column.set("this", exp.to_identifier(name, quoted=not name.isidentifier()))
    column.set("table", exp.to_identifier(alias))
    return clause_of(column)


def _missing_condition(m: Mutator, tree: Node) -> str:
    where = m._pick(list(tree.find_all(exp.Where, exp.Having)))
    if where is None:
        return ""
    name = "where" if isinstance(where, exp.Where) else "having"
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    if len(parts) == 1:
        if isinstance(parts[0], exp.EQ) and all(
            isinstance(side, exp.Column) for side in (parts[0].this, parts[0].expression)
        ):
            return ""
        where.pop()
        return name
    parts.remove(m.rng.choice(parts))
    where.set("this", exp.and_(*[part.copy() for part in parts], copy=False))
    return name


def _extra_condition(m: Mutator, tree: Node) -> str:
    select = m._pick(
        [s for s in tree.find_all(exp.Select) if s.args.get("from_") or s.args.get("from")]
    )
    if select is None:
        return ""
    table = m._pick([t for t in select.find_all(exp.Table) if t.parent_select is select])
    if table is None or table.name.casefold() not in m.columns:
        return ""
    name = m.rng.choice(m.columns[table.name.casefold()])
    column = exp.column(
        name,
        table.alias_or_name if len(list(select.find_all(exp.Table))) > 1 else None,
        quoted=not name.isidentifier(),
    )
    is_text = m.types[table.name.casefold(), name.casefold()] in ("TEX", "VAR", "CHA", "STR", "")
    choices = [
        exp.Is(this=column, expression=exp.null()),
        exp.Not(this=exp.Is(this=column, expression=exp.null())),
    ]
    if is_text:
        choices.append(
            exp.EQ(
                this=column,
                expression=exp.Literal.string(m.rng.choice(["active", "A", "Y", "open", "yes"])),
            )
        )
    else:
        choices += [
            exp.GT(this=column, expression=exp.Literal.number(0)),
            exp.EQ(this=column, expression=exp.Literal.number(1)),
        ]
    select.where(m.rng.choice(choices), copy=False)
    return "where"


def _bound(m: Mutator, tree: Node) -> str:
    return _operator(m, tree, OTHER_BOUND)


def _reverse(m: Mutator, tree: Node) -> str:
    return _operator(m, tree, REVERSED)


def _operator(m: Mutator, tree: Node, to: Mapping[Any, Any]) -> str:
    nodes = [
        node
        for node in tree.find_all(*to)
        if not (isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column))
        and not node.find_ancestor(exp.Join)
    ]
    node = m._pick(nodes)
    if node is None:
        return ""
    clause = clause_of(node)
    node.replace(to[type(node)](this=node.this.copy(), expression=node.expression.copy()))
    return clause


def _negation(m: Mutator, tree: Node) -> str:
    nots = [
        node
        for node in tree.find_all(exp.Not)
        if isinstance(node.this, exp.In | exp.Exists | exp.Like | exp.Is)
    ]
    plain = [
        node
        for node in tree.find_all(exp.In, exp.Exists, exp.Is, exp.Like)
        if not isinstance(node.parent, exp.Not)
    ]
    node = m._pick(nots + plain)
    if node is None:
        return ""
    clause = clause_of(node)
    node.replace(node.this.copy() if isinstance(node, exp.Not) else exp.Not(this=node.copy()))
    return clause


def _value(m: Mutator, tree: Node) -> str:
    literals = [
        node
        for node in tree.find_all(exp.Literal)
        if not node.find_ancestor(exp.Limit)
        and isinstance(node.parent, (*COMPARISONS, exp.Between, exp.In, exp.Like))
    ]
    node = m._pick(literals)
    if node is None:
        return ""
    clause = clause_of(node)
    text = str(node.this)
    if not node.is_string:
        number = float(text)
        made = m.rng.choice([number + 1, number - 1, number * 10, number / 100])
        node.replace(exp.Literal.number(int(made) if made == int(made) else round(made, 4)))
        return clause
    if match := re.search(r"\d+", text):
        digits = match.group()
        other = str(int(digits) + m.rng.choice([-1, 1])).zfill(len(digits))
        node.replace(exp.Literal.string(text[: match.start()] + other + text[match.end() :]))
        return clause
    changed = [text.upper(), text.lower(), text.title(), text[:1], text + "s", text[:3].upper()]
    node.replace(exp.Literal.string(m.rng.choice([item for item in changed if item != text])))
    return clause


def _aggregate(m: Mutator, tree: Node) -> str:
    calls = list(tree.find_all(*AGGREGATES, exp.Count))
    call = m._pick(calls)
    if call is None:
        return ""
    clause = clause_of(call)
    if isinstance(call, exp.Count):
        inside = call.this
        if isinstance(inside, exp.Distinct):
            if len(inside.expressions) != 1:
                return ""
            call.set("this", inside.expressions[0].copy())
            return clause
        columns = _numbers(m, call)
        if columns and m.rng.random() < 0.6:
            call.replace(exp.Sum(this=m.rng.choice(columns)))
            return clause
        if isinstance(inside, exp.Column):
            call.set("this", exp.Distinct(expressions=[inside.copy()]))
            return clause
        return ""
    if m.rng.random() < 0.3:
        call.replace(exp.Count(this=exp.Star()))
        return clause
    other = m.rng.choice([kind for kind in AGGREGATES if kind is not type(call)])
    call.replace(other(this=call.this.copy()))
    return clause


def _numbers(m: Mutator, call: Node) -> list[Node]:
    select = call.parent_select
    found: list[Node] = []
    if select is None:
        return found
    tables = [t for t in select.find_all(exp.Table) if t.parent_select is select]
    for table in tables:
        for name in m.columns.get(table.name.casefold(), ()):
            kind = m.types[table.name.casefold(), name.casefold()]
            if (
                kind in ("INT", "REA", "NUM", "DEC", "FLO", "DOU")
                and not re.search(r"(?i)id$|key$|code$|_no$|year", name)
                and (table.name.casefold(), name.casefold()) not in m.keys
            ):
                alias = table.alias_or_name if len(tables) > 1 else None
                found.append(exp.column(name, alias, quoted=not name.isidentifier()))
    return found


def _direction(m: Mutator, tree: Node) -> str:
    order = m._pick(list(tree.find_all(exp.Ordered)))
    if order is None:
        extreme = m._pick(list(tree.find_all(exp.Max, exp.Min)))
        if extreme is None:
            return ""
        clause = clause_of(extreme)
        other = exp.Min if isinstance(extreme, exp.Max) else exp.Max
        extreme.replace(other(this=extreme.this.copy()))
        return clause
    order.set("desc", not order.args.get("desc"))
    return "order"


def _limit(m: Mutator, tree: Node) -> str:
    limit = m._pick(list(tree.find_all(exp.Limit)))
    if limit is None:
        return ""
    if m.rng.random() < 0.6:
        limit.pop()
    else:
        number = int(limit.expression.this)
        limit.set(
            "expression",
            exp.Literal.number(m.rng.choice([1, 5, 10, number + 1]) if number == 1 else 1),
        )
    return "limit"


def _order(_m: Mutator, tree: Node) -> str:
    order = tree.args.get("order")
    if order is None or tree.args.get("limit") is None:
        return ""
    order.pop()
    return "order"


def _grain(m: Mutator, tree: Node) -> str:
    group = m._pick(list(tree.find_all(exp.Group)))
    if group is None or not group.expressions:
        return ""
    if len(group.expressions) > 1 and m.rng.random() < 0.6:
        kept = [item.copy() for item in group.expressions]
        kept.pop(m.rng.randrange(len(kept)))
        group.set("expressions", kept)
        return "group"
    column = m._pick([item for item in group.expressions if isinstance(item, exp.Column)])
    if column is None:
        return ""
    added = column.copy()
    if not m.other_column(added, similar=False):
        return ""
    if m.rng.random() < 0.5:
        group.append("expressions", added)
    else:
        column.replace(added)
    return "group"


def _logic(m: Mutator, tree: Node) -> str:
    nodes = [n for n in tree.find_all(exp.And, exp.Or) if not n.find_ancestor(exp.Join)]
    node = m._pick(nodes)
    if node is None:
        return ""
    clause = clause_of(node)
    other = exp.Or if isinstance(node, exp.And) else exp.And
    left, right = node.this.copy(), node.expression.copy()
    node.replace(other(this=left, expression=right))
    return clause


def _join_kind(m: Mutator, tree: Node) -> str:
    join = m._pick([join for join in tree.find_all(exp.Join) if join.side])
    if join is None:
        return ""
    join.set("side", None)
    return "join"


def _join_key(m: Mutator, tree: Node) -> str:
    columns = [
        c
        for j in tree.find_all(exp.Join)
        if j.args.get("on")
        for c in j.args["on"].find_all(exp.Column)
    ]
    column = m._pick(columns)
    return "join" if column is not None and m.other_column(column) else ""


def _lost_column(m: Mutator, tree: Node) -> str:
    select = tree.find(exp.Select)
    if select is None or len(select.expressions) < 2:
        return ""
    kept = [item.copy() for item in select.expressions]
    kept.pop(m.rng.randrange(len(kept)))
    select.set("expressions", kept)
    return "select"


def _projection(m: Mutator, tree: Node) -> str:
    """Count instead of listing, list instead of counting."""
    select = tree.find(exp.Select)
    if select is None or len(select.expressions) != 1 or select.args.get("group"):
        return ""
    shown = select.expressions[0].unalias()
    if isinstance(shown, exp.Column) and not select.args.get("limit"):
        select.set("expressions", [exp.Count(this=exp.Star())])
        return "select"
    if isinstance(shown, exp.Count):
        table = select.find(exp.Table)
        names = m.columns.get(table.name.casefold(), ()) if table is not None else ()
        if names:
            alias = table.alias_or_name if len(list(select.find_all(exp.Table))) > 1 else None
            select.set(
                "expressions", [exp.column(names[0], alias, quoted=not names[0].isidentifier())]
            )
            return "select"
    return ""


def _set_operation(m: Mutator, tree: Node) -> str:
    node = m._pick(list(tree.find_all(exp.Union, exp.Intersect, exp.Except)))
    if node is None:
        return ""
    kinds = [k for k in (exp.Union, exp.Intersect, exp.Except) if not isinstance(node, k)]
    made = m.rng.choice(kinds)(
        this=node.this.copy(), expression=node.expression.copy(), distinct=True
    )
    node.replace(made)
    return "setop"


def _distinct(_m: Mutator, tree: Node) -> str:
    for count in tree.find_all(exp.Count):
        if isinstance(count.this, exp.Distinct) and len(count.this.expressions) == 1:
            count.set("this", count.this.expressions[0].copy())
            return clause_of(count)
    select = tree.find(exp.Select)
    if select is not None and select.args.get("distinct") and list(select.find_all(exp.Join)):
        select.set("distinct", None)
        return "select"
    return ""


def _unit(m: Mutator, tree: Node) -> str:
    """A factor of a hundred, a thousand or sixty lost: cents, percent, minutes."""
    nodes = [
        node
        for node in tree.find_all(exp.Mul, exp.Div)
        for side in (node.this, node.expression)
        if isinstance(side, exp.Literal)
        and not side.is_string
        and float(side.this) in (60, 100, 1000, 3600)
    ]
    node = m._pick(nodes)
    if node is None:
        return ""
    clause = clause_of(node)
    left = node.this
    keeps_left = not (isinstance(left, exp.Literal) and float(left.this) in (60, 100, 1000, 3600))
    node.replace((left if keeps_left else node.expression).copy())
    return clause


KINDS: dict[str, Callable[[Mutator, Node], str]] = {
    "wrong_selected": _wrong_selected,
    "wrong_filtered": _wrong_filtered,
    "wrong_grouped": _wrong_grouped,
    "wrong_ordered": _wrong_ordered,
    "wrong_aggregated": _wrong_aggregated,
    "other_table": _other_table,
    "missing_condition": _missing_condition,
    "extra_condition": _extra_condition,
    "bound": _bound,
    "reverse": _reverse,
    "negation": _negation,
    "value": _value,
    "aggregate": _aggregate,
    "direction": _direction,
    "limit": _limit,
    "order": _order,
    "grain": _grain,
    "logic": _logic,
    "join_kind": _join_kind,
    "join_key": _join_key,
    "lost_column": _lost_column,
    "projection": _projection,
    "set_operation": _set_operation,
    "distinct": _distinct,
    "unit": _unit,
}
FREQUENCY = {
    "missing_condition": 4.0, "wrong_selected": 2.0, "wrong_filtered": 2.5, "wrong_aggregated": 2.0,
    "aggregate": 2.5, "value": 1.5, "bound": 1.5, "reverse": 1.0, "direction": 1.5, "limit": 1.5,
    "extra_condition": 1.5, "grain": 2.0, "distinct": 1.5, "unit": 2.0, "lost_column": 0.7,
    "join_key": 0.7, "logic": 0.8, "other_table": 2.0,
}  # fmt: skip
