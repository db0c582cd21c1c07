"""Conditions brought into one shape by rules that hold in three-valued logic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from clausewise.sql.canonical.expressions import NUMERIC, affinity_of, rebuilt
from clausewise.sql.canonical.model import Expression, SelectBlock
from clausewise.sql.canonical.nulls import Nullness, NullnessOf, nullness, truths

NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_PREDICATES = frozenset({"cmp", "isnull", "is", "not", "and", "or", "exists", "insub"})
_LITERALS = frozenset({"num", "str", "null"})
_PLAIN_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,14})")


def normal(node: Expression) -> Expression:
    """Return an expression with NOT pushed in, AND and OR flat, and literals on the right."""
    node = rebuilt(node, normal)
    kind = node[0]
    if kind == "cmp":
        return _comparison(node)
    if kind == "not":
        return negated(node[1])
    if kind in ("and", "or"):
        return _connected(kind, node[1])
    return node


def is_condition(node: Expression) -> bool:
    """Whether an expression gives true, false or NULL and no other value."""
    return node[0] in _PREDICATES or (node[0] == "fn" and node[1] in ("LIKE", "GLOB"))


def negated(node: Expression) -> Expression:
    """Return NOT of a normal expression, in normal form."""
    kind = node[0]
    if kind == "cmp":
        return ("cmp", NEGATED[node[1]], node[2], node[3])
    if kind == "not" and is_condition(node[1]):
        return node[1]  # type: ignore[no-any-return]
    if kind in ("and", "or"):
        return _connected("or" if kind == "and" else "and", [negated(part) for part in node[1]])
    return ("not", node)


def _comparison(node: Expression) -> Expression:
    _, operator, left, right = node
    if (left[0] in _LITERALS and right[0] not in _LITERALS) or (
        left[0] == "scalar" and right[0] not in ("scalar", *_LITERALS)
    ):
        operator, left, right = FLIPPED[operator], right, left
    if left[0] == right[0] == "col" and _place(right) < _place(left):
        operator, left, right = FLIPPED[operator], right, left
    affinity = affinity_of(left)
    if affinity is None and left[0] in ("col", "scalar"):
        return ("cmp", operator, left, right)  # versions of SQLite differ in what it is
    return ("cmp", operator, left, _coerced(right, affinity))


def _place(column: Expression) -> tuple[str, str]:
    return column[1].title, column[2]


def _coerced(literal: Expression, affinity: str | None) -> Expression:
    """Return a literal as it is after SQLite has converted it for a comparison."""
    if literal[0] == "str" and affinity in NUMERIC and _PLAIN_NUMBER.fullmatch(literal[1]):
        literal = ("num", literal[1])
    if literal[0] == "num" and affinity == "text" and _WHOLE.fullmatch(literal[1]):
        return ("str", literal[1])
    if literal[0] == "num" and affinity != "text":
        value = Fraction(literal[1])
        if value.denominator == 1:
            return ("num", str(value.numerator))
    return literal


def _connected(kind: str, inner: Sequence[Expression]) -> Expression:
    flat: list[Expression] = []
    for part in inner:
        for one in part[1] if part[0] == kind else (part,):
            if one not in flat or not is_condition(one):
                flat.append(one)
    if len(flat) == 1:
        return flat[0]
    other = "or" if kind == "and" else "and"
    # a OR (a AND b) is a; (a AND b) OR (a AND c) is a AND (b OR c). Both hold with NULLs.
    kept = [
        part
        for part in flat
        if not (part[0] == other and any(one in flat for one in part[1] if is_condition(one)))
    ]
    shared = [
        one
        for one in (kept[0][1] if kept[0][0] == other else ())
        if all(part[0] == other and one in part[1] for part in kept) and is_condition(one)
    ]
    if len(kept) == 1:
        return kept[0]
    if not shared:
        return (kind, tuple(kept))
    rest = []
    for part in kept:
        left = tuple(one for one in part[1] if one not in shared)
        if not left:
            return (other, tuple(shared)) if len(shared) > 1 else shared[0]
        rest.append(left[0] if len(left) == 1 else (other, left))
    return _connected(other, [*shared, _connected(kind, rest)])


def conjuncts(conditions: Iterable[Expression]) -> list[Expression]:
    """Return the parts of a conjunction, without repetition."""
    found: list[Expression] = []
    for condition in conditions:
        for part in conjuncts(condition[1]) if condition[0] == "and" else (condition,):
            if part not in found:
                found.append(part)
    return found


def kept_rows(conditions: Iterable[Expression], outer: NullnessOf) -> list[Expression]:
    """Return a conjunction that is true for the same rows, with what says nothing left out."""
    found = conjuncts(normal(condition) for condition in conditions)
    found = conjuncts(_where_true(condition) for condition in found)
    found = [part for part in found if part != ("num", "1") and not _same_literals(part)]
    found = _strongest(found)
    return _without_null_tests(found, outer)


def _where_true(node: Expression) -> Expression:
    """Return a condition that is true where a given one is; what else it is does not matter."""
    is_same = node[0] == "cmp" and node[2] == node[3] and node[2][0] == "col"
    if is_same and node[1] in ("=", "<=", ">="):
        return ("not", ("isnull", node[2]))
    if node[0] in ("and", "or"):
        return _connected(node[0], [_where_true(part) for part in node[1]])
    return node


def _same_literals(node: Expression) -> bool:
    """Whether it is a comparison like 1 = 1."""
    return (
        node[0] == "cmp"
        and node[1] in ("=", "<=", ">=")
        and node[2] == node[3]
        and node[2][0] in ("num", "str")
    )


def _without_null_tests(parts: list[Expression], outer: NullnessOf) -> list[Expression]:
    """Leave out `x IS NOT NULL` where x is not NULL anyway, or another part says so."""
    kept = list(parts)
    for part in parts:
        if part[0] == "not" and part[1][0] == "isnull":
            others = [other for other in kept if other is not part]
            value = part[1][1]
            if nullness(value, outer) is Nullness.FILLED or _says_filled(others, value, outer):
                kept = others
    return kept


def _says_filled(parts: Sequence[Expression], value: Expression, outer: NullnessOf) -> bool:
    if value[0] != "col":
        return False
    this = (value[1], value[2])
    return any(
        True not in truths(part, lambda column: Nullness.NULL if column == this else outer(column))
        for part in parts
    )


def _strongest(parts: list[Expression]) -> list[Expression]:
    """Leave out comparisons with a constant that a stronger one implies: a > 3 beside a > 5."""
    kept = list(parts)
    for part in parts:
        if any(other is not part and _implies(other, part) for other in kept):
            kept = [other for other in kept if other is not part]
    return kept


def _implies(strong: Expression, weak: Expression) -> bool:
    """Whether one comparison with a constant implies another one of the same column."""
    for part in (strong, weak):
        if part[0] != "cmp" or part[2][0] != "col" or part[3][0] not in ("num", "str"):
            return False
    if strong[2] != weak[2] or strong[3][0] != weak[3][0] or strong == weak:
        return False
    affinity = affinity_of(strong[2])
    kind = strong[3][0]
    if affinity is None or (affinity == "text") != (kind == "str"):
        return False
    have = Fraction(strong[3][1]) if kind == "num" else strong[3][1]
    want = Fraction(weak[3][1]) if kind == "num" else weak[3][1]
    first, second = strong[1], weak[1]
    if first == "=":
        holds = {"=": have == want, "<>": have != want, "<": have < want}
        holds |= {"<=": have <= want, ">": have > want, ">=": have >= want}
        return holds[second]
    if first in (">", ">="):
        above = have > want or (have == want and first == ">")
        return (second in (">", "<>") and above) or (second == ">=" and have >= want)
    if first in ("<", "<="):
        below = have < want or (have == want and first == "<")
        return (second in ("<", "<>") and below) or (second == "<=" and have <= want)
    return False


def normalize_values(block: SelectBlock) -> None:
    """Bring everything but WHERE, ON and HAVING into normal form."""
    block.select = [normal(value) for value in block.select]
    if block.group is not None:
        block.group = [normal(value) for value in block.group]
    block.order = [type(t)(normal(t.value), t.descending, t.nulls_first) for t in block.order]
