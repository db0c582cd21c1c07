"""Canonical queries with their conditions held apart, for a solver to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clausewise.sql.canonical.expressions import AFFINE, NUMERIC, affinity_of
from clausewise.sql.canonical.model import Expression, Query, Relation, SelectBlock
from clausewise.sql.canonical.nulls import Nullness, declared, nullness
from clausewise.sql.canonical.printing import (
    RelationNames,
    block_text,
    expression_text,
    namings,
)


@dataclass(frozen=True, slots=True)
class OpenForm:
    """A query under one naming of its relations, and the conditions of its outermost SELECT."""

    skeleton: str
    """The canonical text without them."""
    where: tuple[Expression, ...]
    having: tuple[Expression, ...]
    _names: RelationNames
    _titles: Mapping[Relation, str]

    def text(self, node: Expression) -> str:
        """Return the text of an expression, the same for the same meaning."""
        return expression_text(node, self._names)

    def shown(self, node: Expression) -> str:
        """Return the text of an expression for a person."""
        return expression_text(node, RelationNames(self._titles))


def open_forms(query: Query) -> list[OpenForm]:
    """Return the ways to name the relations of a finished query; none for a set operation."""
    if not isinstance(query, SelectBlock):
        return []
    where, having = tuple(query.where), tuple(query.having)
    titles = [relation.title for relation in query.relations]
    found = []
    for names in namings(query, RelationNames(), in_every_way=True):
        shown = {
            relation: relation.title if titles.count(relation.title) == 1 else name
            for relation, name in names.relations.items()
        }
        query.where, query.having = [], []
        skeleton = block_text(query, names)
        query.where, query.having = list(where), list(having)
        plain = RelationNames(names.relations, {}, names.outer)
        found.append(OpenForm(skeleton, where, having, plain, shown))
    return found


def is_never_null(node: Expression) -> bool:
    """Whether a value is declared so that it is not NULL."""
    return nullness(node, declared) is Nullness.FILLED


def compares_in_order(left: Expression, right: Expression) -> bool:
    """Whether SQLite compares two values as they are, so that they stand in one total order.

    Numbers come before texts. Where one side would be converted there is no such order.
    """
    if left[0] in ("num", "str") and right[0] in ("num", "str"):
        return True
    if left[0] in ("num", "str"):
        return compares_in_order(right, left)
    affinity = affinity_of(left)
    if affinity is None and left[0] in ("col", "scalar"):
        return False  # computed in a nested query: versions of SQLite differ
    if right[0] == "num":
        return affinity in NUMERIC or affinity is None
    if right[0] == "str":
        return affinity in ("text", None) or (affinity in NUMERIC and not _is_number(right[1]))
    other = affinity_of(right)
    if affinity in NUMERIC:
        return other in NUMERIC
    return affinity == other and (affinity in AFFINE or affinity is None)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
