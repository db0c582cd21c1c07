"""Functional dependencies in a join: equal columns, and what determines a row."""

from __future__ import annotations

from collections.abc import Iterable, Set

from clausewise.sql.canonical.expressions import AFFINE, affinity_of, columns
from clausewise.sql.canonical.model import (
    Column,
    Expression,
    OuterPart,
    Relation,
    SelectBlock,
    SetBlock,
)
from clausewise.sql.canonical.nulls import Nullness, filled_in

Classes = dict[Column, frozenset[Column]]


def same_value(condition: Expression) -> tuple[Column, Column] | None:
    """Return two columns that a condition makes the same value, and not NULL.

    Both must have the same affinity: 1 equals '1' where one column is a number and one a text.
    """
    if condition[0] != "cmp" or condition[1] != "=":
        return None
    left, right = condition[2], condition[3]
    if left[0] != "col" or right[0] != "col" or left == right:
        return None
    affinity = affinity_of(left)
    if affinity not in AFFINE or affinity != affinity_of(right):
        return None
    return (left[1], left[2]), (right[1], right[2])


def equal_columns(conditions: Iterable[Expression]) -> Classes:
    """Return each column that a conjunction makes equal to others, with all of these."""
    classes: Classes = {}
    for condition in conditions:
        pair = same_value(condition)
        if pair is not None:
            merged = classes.get(pair[0], frozenset(pair[:1])) | classes.get(
                pair[1], frozenset(pair[1:])
            )
            for column in merged:
                classes[column] = merged
    return classes


class Determined:
    """What is the same in all rows of a block that agree in some columns.

    Columns of outer queries are constant. A relation is fixed where at most one of its rows (or
    only the absence of one) can stand in such a row.
    """

    def __init__(self, block: SelectBlock, seeds: Iterable[Expression]) -> None:
        self.block = block
        self.fixed: set[Relation] = set()
        self.columns: set[Column] = set()
        self._own = set(block.relations)
        self._classes = equal_columns(block.where)
        self._null_of = filled_in(block)
        for seed in seeds:
            if seed[0] == "col":
                self.columns.add((seed[1], seed[2]))
        for condition in block.where:
            self._add_constant(condition, self.columns)
        self._close()

    @property
    def everything(self) -> bool:
        """Whether at most one row of the block is left."""
        return self.fixed >= self._own

    def has(self, expression: Expression) -> bool:
        """Whether the value of an expression is determined."""
        return all(self._known(column) for column in columns(expression))

    def _known(self, column: Column) -> bool:
        return column[0] not in self._own or column in self.columns or column[0] in self.fixed

    def _add_constant(self, condition: Expression, found: set[Column]) -> None:
        """Add a column that is compared with a constant of its own kind."""
        if condition[0] != "cmp" or condition[1] != "=":
            return
        for side, other in ((condition[2], condition[3]), (condition[3], condition[2])):
            if side[0] == "col" and (
                other[0] in ("num", "str") and affinity_of(side) in AFFINE and _fits(side, other)
            ):
                found.add((side[1], side[2]))

    def _close(self) -> None:
        before = -1
        while before != len(self.columns) + len(self.fixed):
            before = len(self.columns) + len(self.fixed)
            self._spread(self._classes, self.columns)
            for relation in self.block.inner:
                if relation not in self.fixed and self._has_key(relation, self.columns):
                    self._fix(relation)
            for part in self.block.outer:
                self._close_part(part)

    def _spread(self, classes: Classes, found: set[Column]) -> None:
        for column, others in classes.items():
            if column not in found and any(
                other in found or not self._own & {other[0]} or other[0] in self.fixed
                for other in others
            ):
                found.add(column)

    def _close_part(self, part: OuterPart) -> None:
        """Fix relations of a LEFT JOIN: given the row before it, what matches is determined."""
        before = self._own - set(part.relations)
        used = {column for condition in part.on for column in columns(condition)}
        # Whether there is a match at all must depend on nothing that is not determined.
        if all(self._known(column) for column in used if column[0] in before):
            classes = equal_columns(part.on)
            matched: set[Column] = set(classes)
            for condition in part.on:
                self._add_constant(condition, matched)
            found = self.columns | (matched - set(classes))
            fixed: set[Relation] = set()
            size = -1
            while size != len(found):
                size = len(found)
                self._spread(classes, found)
                for relation in part.relations:
                    if self._has_key(relation, found, matched):
                        fixed.add(relation)
                        found.update((relation, key) for key in relation.facts.columns)
            if fixed >= set(part.relations):
                for relation in part.relations:
                    self._fix(relation)
        for relation in part.relations:
            if relation not in self.fixed and self._has_key(relation, self.columns):
                self._fix(relation)

    def _fix(self, relation: Relation) -> None:
        self.fixed.add(relation)
        self.columns.update((relation, key) for key in relation.facts.columns)

    def _has_key(
        self, relation: Relation, found: set[Column], matched: Set[Column] = frozenset()
    ) -> bool:
        """Whether the found columns hold a key of a relation.

        A key that may be NULL identifies no row. In an outer join its columns must be declared
        NOT NULL, so that NULL means that there is no row, or be matched by the condition.
        """
        if relation.query is not None:
            return any(
                all((relation, key) in found for key in keys) for keys in result_keys(relation)
            )
        return any(
            all(
                (relation, key) in found
                and (
                    relation.column(key).not_null
                    or (relation, key) in matched
                    or (not relation.optional and self._is_filled((relation, key)))
                )
                for key in keys
            )
            for keys in relation.facts.keys
        )

    def _is_filled(self, column: Column) -> bool:
        return self._null_of(column) is Nullness.FILLED


def _fits(column: Expression, literal: Expression) -> bool:
    return bool((affinity_of(column) == "text") == (literal[0] == "str"))


def result_keys(relation: Relation) -> list[frozenset[str]]:
    """Return the columns of a derived table in which no two of its rows agree, even for NULL."""
    query = relation.query
    if relation.optional or query is None:
        return []
    everything = frozenset(relation.facts.columns)
    if isinstance(query, SetBlock):
        return [] if query.operator == "union all" else [everything]
    found = [everything] if query.distinct else []
    if query.aggregated and not query.group:
        found.append(frozenset())
    if query.group:
        places = {value: str(place) for place, value in reversed([*enumerate(query.select)])}
        if all(part in places for part in query.group):
            found.append(frozenset(places[part] for part in query.group))
    return found


def one_row_at_most(block: SelectBlock) -> bool:
    """Whether a block gives one row at most, whatever its LIMIT."""
    if block.aggregated and not block.group:
        return True
    return not block.aggregated and Determined(block, ()).everything
