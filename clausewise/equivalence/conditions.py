"""Whether two conditions keep the same rows, by the solver z3.

Conditions are encoded in three-valued logic: a value is NULL or stands in one total order, numbers
before texts, as SQLite compares them; whatever else a condition holds (a function, arithmetic, a
nested query, a comparison with a conversion) is an unknown that is the same wherever its text is.
The order is taken to be that of the real numbers, into which every finite set of values fits, so
that what holds there holds for integers and texts too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from clausewise.sql.canonical import (
    Expression,
    OpenForm,
    compares_in_order,
    is_never_null,
)

if TYPE_CHECKING:
    import z3

STEPS = 2_000_000
"""What the solver may spend on one pair, in its own units: the same on every machine."""
MOST_NODES = 2_000
"""Expressions in the conditions of both queries, above which the solver is not asked."""
_ABOVE_NUMBERS = 10**30
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_MIRRORED = {">": "<", "<=": ">="}


def keep_the_same_rows(
    first: OpenForm, second: OpenForm, part: str = "where", steps: int = STEPS
) -> bool:
    """Whether the conditions of two queries are true for the same rows.

    `part` is `where` or `having`. False also where the solver is not installed or gives up.
    """
    try:
        import z3
    except ImportError:
        return False
    conditions = [(form, getattr(form, part)) for form in (first, second)]
    nodes = [node for _, parts in conditions for node in _nodes(parts)]
    if len(nodes) > MOST_NODES:
        return False
    texts = sorted({node[1] for node in nodes if node[0] == "str"})
    encoder = _Encoder(z3, {text: _ABOVE_NUMBERS + rank for rank, text in enumerate(texts)})
    sides = [
        z3.And([encoder.truth(form, condition)[0] for condition in parts])
        for form, parts in conditions
    ]
    solver = z3.Solver()
    solver.set("rlimit", steps)
    solver.add(*encoder.facts)
    solver.add(sides[0] != sides[1])
    return bool(solver.check() == z3.unsat)


def _nodes(parts: Sequence[Any]) -> list[Expression]:
    """Return all expressions within some others."""
    found = []
    stack: list[Any] = list(parts)
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            if node and isinstance(node[0], str):
                found.append(node)
            stack.extend(node)
    return found


class _Encoder:
    """Turns conditions into formulas; a truth is a pair of formulas: is true, is false."""

    def __init__(self, solver: Any, ranks: dict[str, int]) -> None:
        self._z3 = solver
        self._ranks = ranks
        self.facts: list[z3.BoolRef] = []

    def truth(self, form: OpenForm, node: Expression) -> tuple[Any, Any]:
        """Return when a condition is true and when it is false; it is NULL otherwise."""
        kind = node[0]
        z3 = self._z3
        if kind in ("and", "or"):
            trues, falses = zip(*(self.truth(form, part) for part in node[1]), strict=True)
            both, either = (z3.And, z3.Or) if kind == "and" else (z3.Or, z3.And)
            return both(trues), either(falses)
        if kind == "not":
            true, false = self.truth(form, node[1])
            return false, true
        if kind == "isnull":
            null = self._null(form, node[1])
            return null, z3.Not(null)
        if kind == "cmp":
            return self._comparison(form, node)
        if kind == "fn" and node[1] in ("LIKE", "GLOB"):
            filled = z3.Not(z3.Or([self._null(form, part) for part in node[2]]))
            matches = self._unknown(form.text(node))
            return z3.And(filled, matches), z3.And(filled, z3.Not(matches))
        return self._opaque(form.text(node), kind == "exists")

    def _opaque(self, text: str, is_total: bool) -> tuple[Any, Any]:
        """Return an unknown truth, the same wherever the text is; never NULL if `is_total`."""
        true = self._unknown(f"true: {text}")
        if is_total:
            return true, self._z3.Not(true)
        false = self._unknown(f"false: {text}")
        self.facts.append(self._z3.Not(self._z3.And(true, false)))
        return true, false

    def _comparison(self, form: OpenForm, node: Expression) -> tuple[Any, Any]:
        z3 = self._z3
        _, name, left, right = node
        filled = z3.Not(z3.Or(self._null(form, left), self._null(form, right)))
        if compares_in_order(left, right):
            holds = _OPERATORS[name](self._value(form, left), self._value(form, right))
            return z3.And(filled, holds), z3.And(filled, z3.Not(holds))
        sides = [form.text(left), form.text(right)]
        if name in ("=", "<>"):
            sides.sort()
        elif name in _MIRRORED:
            name, sides = _MIRRORED[name], sides[::-1]
        base = "=" if name in ("=", "<>") else "<"
        known = self._unknown(f"{sides[0]} {base} {sides[1]}")
        holds = known if name == base else z3.Not(known)
        return z3.And(filled, holds), z3.And(filled, z3.Not(holds))

    def _null(self, form: OpenForm, node: Expression) -> Any:
        if node[0] == "null":
            return self._z3.BoolVal(True)
        if is_never_null(node):
            return self._z3.BoolVal(False)
        return self._unknown(f"null: {form.text(node)}")

    def _value(self, form: OpenForm, node: Expression) -> Any:
        if node[0] == "num":
            return self._z3.RealVal(str(Fraction(node[1])))
        if node[0] == "str":
            return self._z3.RealVal(self._ranks[node[1]])
        return self._z3.Real(form.text(node))

    def _unknown(self, text: str) -> Any:
        return self._z3.Bool(text)
