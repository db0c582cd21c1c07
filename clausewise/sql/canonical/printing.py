"""The canonical text of a query: sources named by their role, everything without order sorted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, permutations, product

from clausewise.sql.canonical.conditions import FLIPPED
from clausewise.sql.canonical.dependencies import equal_columns, same_value
from clausewise.sql.canonical.model import (
    Column,
    Expression,
    OrderTerm,
    Query,
    Relation,
    SelectBlock,
    SetBlock,
)
from clausewise.text import quote_name

MOST_ORDERS = 24
"""Ways to name equal tables that are tried for one SELECT."""
_COMMUTATIVE = frozenset({"+", "*"})


@dataclass(frozen=True, slots=True)
class RelationNames:
    """What relations and columns are called."""

    relations: Mapping[Relation, str] = field(default_factory=dict)
    columns: Mapping[Column, str] = field(default_factory=dict)
    """Columns that go by the name of another one, which has the same value."""
    outer: RelationNames | None = None

    @property
    def depth(self) -> int:
        """How many blocks stand around."""
        return 0 if self.outer is None else self.outer.depth + 1

    def column(self, column: Column) -> str:
        """Return what a column goes by."""
        found = self.columns.get(column)
        return self.plain(column) if found is None else found

    def plain(self, column: Column) -> str:
        """Return what a column goes by where the conditions of the block at hand do not count."""
        if self.outer is not None and column[0] in self.outer.relations:
            return self.outer.column(column)
        name = column[1] if column[1].isidentifier() else quote_name(column[1])
        return f"{self.relations[column[0]]}.{name}"


def query_text(query: Query, names: RelationNames) -> str:
    """Return the canonical text of a query inside others whose relations have names."""
    if isinstance(query, SetBlock):
        members = [query_text(member, names) for member in query.members]
        if query.operator in ("union", "union all", "intersect"):
            members.sort()
        if query.operator != "union all":
            members = list(dict.fromkeys(members)) if query.operator == "union" else members
        terms = [f"{t.value[1]}{_direction(t)}" for t in query.order]
        body = f"{query.operator}: " + ", ".join(f"({member})" for member in members)
        return _with_tail(body, terms, query.limit, query.offset)
    return min(block_text(query, chosen) for chosen in namings(query, names))


def namings(
    block: SelectBlock, names: RelationNames, in_every_way: bool = False
) -> list[RelationNames]:
    """Return the ways to name the relations of a block that may give the least text.

    With `in_every_way` equal tables are also exchanged where the text tells them apart.
    """
    titles = {relation: _title(relation, names) for relation in block.relations}
    groups: list[list[Relation]] = []
    ordered = sorted(block.relations, key=lambda relation: titles[relation])
    for _, same in groupby(ordered, key=lambda relation: titles[relation]):
        alike = list(same)
        if len(alike) == 1 or in_every_way:
            groups.append(alike)
            continue
        marks = {one: _signature(block, one, titles, names) for one in alike}
        alike.sort(key=lambda relation: marks[relation])
        groups += [list(ties) for _, ties in groupby(alike, key=lambda one: marks[one])]
    orders = product(*(permutations(group) for group in groups))
    found = []
    for order in islice(orders, MOST_ORDERS):
        relations = dict(names.relations)
        flat = [relation for group in order for relation in group]
        for number, relation in enumerate(flat):
            relations[relation] = f"{relation.title.casefold()}_{names.depth}_{number}"
        found.append(_with_classes(block, relations, names))
    return found


def _with_classes(
    block: SelectBlock, relations: dict[Relation, str], names: RelationNames
) -> RelationNames:
    columns = dict(names.columns)
    plain = RelationNames(relations, {}, names)
    for column, others in equal_columns(block.where).items():
        columns[column] = min(plain.plain(other) for other in others)
    return RelationNames(relations, columns, names)


def _signature(
    block: SelectBlock, one: Relation, titles: Mapping[Relation, str], names: RelationNames
) -> str:
    relations = dict(names.relations)
    relations.update(titles)
    relations[one] = "@"
    return block_text(block, _with_classes(block, relations, names))


def _title(relation: Relation, names: RelationNames) -> str:
    if relation.query is None:
        return relation.title.casefold()
    return f"({query_text(relation.query, names)})"


def block_text(block: SelectBlock, names: RelationNames) -> str:
    """Return the canonical text of a SELECT under given names."""
    words = ["select distinct" if block.distinct else "select"]
    words.append(", ".join(expression_text(value, names) for value in block.select))
    sources = [_source_text(relation, names) for relation in block.inner]
    words.append("from " + ", ".join(sorted(sources)))
    words += sorted(
        "left join "
        + ", ".join(sorted(_source_text(relation, names) for relation in part.relations))
        + f" on {_conjunction_text(part.on, names)}"
        for part in block.outer
    )
    if block.where:
        words.append(f"where {_conjunction_text(block.where, names)}")
    if block.group is not None:
        texts = {expression_text(value, names) for value in block.group}
        words.append("group by " + ", ".join(sorted(texts)))
    elif block.aggregated:
        words.append("as one group")
    if block.having:
        words.append(f"having {_conjunction_text(block.having, names)}")
    terms = [f"{expression_text(t.value, names)}{_direction(t)}" for t in block.order]
    return _with_tail(" ".join(words), terms, block.limit, block.offset)


def _with_tail(body: str, terms: Sequence[str], limit: int | None, offset: int) -> str:
    if terms:
        body += " order by " + ", ".join(terms)
    if limit is not None:
        body += f" limit {limit}"
    return f"{body} offset {offset}" if offset else body


def _direction(term: OrderTerm) -> str:
    nulls_usual = term.nulls_first is not term.descending
    return (" desc" if term.descending else "") + ("" if nulls_usual else " nulls other")


def _source_text(relation: Relation, names: RelationNames) -> str:
    return f"{_title(relation, names)} {names.relations[relation]}"


def _conjunction_text(conditions: Sequence[Expression], names: RelationNames) -> str:
    equal: dict[str, set[str]] = {}
    texts: set[str] = set()
    for condition in conditions:
        pair = same_value(condition)
        if pair is not None and all(column in names.columns for column in pair):
            for column in pair:
                equal.setdefault(names.column(column), set()).add(names.plain(column))
        else:
            texts.add(expression_text(condition, names))
    texts.update(" = ".join(sorted({name, *others})) for name, others in equal.items())
    return " and ".join(sorted(texts)) or "true"


def expression_text(node: Expression, names: RelationNames) -> str:
    """Return the canonical text of an expression."""
    kind = node[0]
    if kind == "col":
        return names.column((node[1], node[2]))
    if kind == "num":
        return str(node[1])
    if kind == "str":
        return "'" + str(node[1]).replace("'", "''") + "'"
    if kind == "null":
        return "null"
    if kind == "cmp":
        left, right = expression_text(node[2], names), expression_text(node[3], names)
        operator = node[1]
        if node[3][0] not in ("num", "str", "null") and right < left:
            left, operator, right = right, FLIPPED[operator], left
        return f"({left} {operator} {right})"
    if kind in ("and", "or"):
        texts = sorted({expression_text(part, names) for part in node[1]})
        return f"({kind} {texts[0]})" if len(texts) == 1 else "(" + f" {kind} ".join(texts) + ")"
    if kind == "not":
        return f"(not {expression_text(node[1], names)})"
    if kind == "isnull":
        return f"({expression_text(node[1], names)} is null)"
    if kind == "is":
        return "(" + " is ".join(sorted(expression_text(part, names) for part in node[1:])) + ")"
    return _compound_text(node, names)


def _compound_text(node: Expression, names: RelationNames) -> str:
    kind = node[0]
    if kind == "arith":
        texts = [expression_text(part, names) for part in node[2:]]
        if node[1] in _COMMUTATIVE:
            texts.sort()
        return f"({texts[0]} {node[1]} {texts[1]})"
    if kind == "agg":
        inner = "*" if node[3] is None else expression_text(node[3], names)
        return f"{node[1].lower()}({'distinct ' if node[2] else ''}{inner})"
    if kind == "fn":
        return f"{node[1]}({', '.join(expression_text(part, names) for part in node[2])})"
    if kind == "cast":
        return f"cast({expression_text(node[2], names)} as {node[1]})"
    if kind == "case":
        branches = " ".join(
            f"when {expression_text(condition, names)} then {expression_text(value, names)}"
            for condition, value in node[1]
        )
        return f"case {branches} else {expression_text(node[2], names)} end"
    if kind == "exists":
        return f"exists ({query_text(node[1], names)})"
    if kind == "scalar":
        return f"({query_text(node[1], names)})"
    if kind == "insub":
        values = ", ".join(expression_text(part, names) for part in node[1])
        return f"(({values}) in ({query_text(node[2], names)}))"
    return f"{kind} {node[1]}"
