"""What NULL does to an expression: which truth values it may take, and what must not be NULL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from enum import Enum

from clausewise.sql.canonical.expressions import columns
from clausewise.sql.canonical.model import Column, Expression, Relation, SelectBlock


class Nullness(Enum):
    """Whether a value is NULL."""

    NULL = "null"
    FILLED = "filled"
    ANY = "any"


NullnessOf = Callable[[Column], Nullness]
TRUE, FALSE, UNKNOWN = True, False, None
_ALL = frozenset({TRUE, FALSE, UNKNOWN})
_TWO = frozenset({TRUE, FALSE})
_ONLY_UNKNOWN = frozenset({UNKNOWN})
_STRICT = frozenset(
    {"LIKE", "GLOB", "||", "-", "UPPER this", "LOWER this", "LENGTH this", "ABS this"}
    | {"ROUND this", "ROUND decimals this", "SUBSTRING length start this", "SUBSTRING start this"}
)
"""Functions that give NULL for every NULL among their arguments."""
_TOTAL = frozenset({"LIKE", "GLOB", "||"})
"""Functions that give NULL for nothing else."""


def truths(node: Expression, null_of: NullnessOf) -> frozenset[bool | None]:
    """Return the truth values that a condition may take, None for unknown."""
    kind = node[0]
    if kind == "cmp":
        return _compared(nullness(node[2], null_of), nullness(node[3], null_of))
    if kind == "isnull":
        known = nullness(node[1], null_of)
        return _TWO if known is Nullness.ANY else frozenset({known is Nullness.NULL})
    if kind == "is":
        return _TWO
    if kind == "not":
        inner = truths(node[1], null_of)
        return frozenset(None if truth is None else not truth for truth in inner)
    if kind in ("and", "or"):
        return _connected(kind, [truths(part, null_of) for part in node[1]])
    if kind == "exists":
        return _TWO
    if kind == "fn" and node[1] in _TOTAL:
        states = [nullness(part, null_of) for part in node[2]]
        worst = Nullness.NULL if Nullness.NULL in states else Nullness.FILLED
        return _compared(worst, Nullness.ANY if Nullness.ANY in states else Nullness.FILLED)
    if kind == "num":
        return frozenset({node[1].strip("-0.") != ""})
    known = nullness(node, null_of)
    if known is Nullness.NULL:
        return _ONLY_UNKNOWN
    return _TWO if known is Nullness.FILLED else _ALL


def _compared(left: Nullness, right: Nullness) -> frozenset[bool | None]:
    if Nullness.NULL in (left, right):
        return _ONLY_UNKNOWN
    return _TWO if left is right is Nullness.FILLED else _ALL


def _connected(kind: str, inner: Iterable[frozenset[bool | None]]) -> frozenset[bool | None]:
    """Return what AND or OR may give; for OR both sides are negated, twice."""
    stop = kind == "or"
    found: set[bool | None] = {not stop}
    for one in inner:
        found = {_both(left, right, stop) for left in found for right in one}
    return frozenset(found)


def _both(left: bool | None, right: bool | None, stop: bool) -> bool | None:
    if stop in (left, right):
        return stop
    return None if None in (left, right) else not stop


def nullness(node: Expression, null_of: NullnessOf) -> Nullness:
    """Return whether a value is NULL, where it is known which columns are."""
    kind = node[0]
    if kind == "col":
        return null_of((node[1], node[2]))
    if kind in ("num", "str"):
        return Nullness.FILLED
    if kind == "null":
        return Nullness.NULL
    if kind == "cast":
        return nullness(node[2], null_of)
    if kind == "arith" or (kind == "fn" and node[1] in _STRICT):
        inner = node[2] if kind == "fn" else node[2:]
        states = [nullness(part, null_of) for part in inner]
        if Nullness.NULL in states:
            return Nullness.NULL
        total = kind == "fn" and node[1] in _TOTAL and Nullness.ANY not in states
        return Nullness.FILLED if total else Nullness.ANY
    if kind == "fn" and node[1] == "COALESCE":
        states = [nullness(part, null_of) for part in node[2]]
        if Nullness.FILLED in states:
            return Nullness.FILLED
        return Nullness.ANY if Nullness.ANY in states else Nullness.NULL
    if kind == "agg":
        return Nullness.FILLED if node[1] == "COUNT" else Nullness.ANY
    if kind in ("cmp", "isnull", "is", "not", "and", "or", "exists"):
        found = truths(node, null_of)
        if found == _ONLY_UNKNOWN:
            return Nullness.NULL
        return Nullness.ANY if None in found else Nullness.FILLED
    return Nullness.ANY


def declared(column: Column) -> Nullness:
    """Return what the declarations say of a column."""
    relation, key = column
    safe = not relation.optional and relation.column(key).not_null
    return Nullness.FILLED if safe else Nullness.ANY


def rejects_nulls(condition: Expression, relations: Set[Relation]) -> bool:
    """Whether a condition is never true for a row in which these relations are all NULL."""

    def null_of(column: Column) -> Nullness:
        return Nullness.NULL if column[0] in relations else declared(column)

    return True not in truths(condition, null_of)


def forced(block: SelectBlock) -> set[Column]:
    """Return the columns that are not NULL in any row that the conditions keep."""
    found: set[Column] = set()
    for condition in block.where:
        for column in columns(condition) - found:

            def null_of(other: Column, this: Column = column) -> Nullness:
                return Nullness.NULL if other == this else declared(other)

            if True not in truths(condition, null_of):
                found.add(column)
    return found


def filled_in(block: SelectBlock) -> NullnessOf:
    """Return what is known of columns in the rows that the conditions keep."""
    known = forced(block)

    def null_of(column: Column) -> Nullness:
        return Nullness.FILLED if column in known else declared(column)

    return null_of
