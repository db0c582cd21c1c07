"""What kind of value an operand gives, whatever the data."""

from __future__ import annotations

from clausewise.signals.context import Context
from clausewise.sql.calculations import Operand, calculations, casts
from clausewise.sql.model import Query

REAL_TYPES = frozenset({"REAL", "FLOAT", "DOUBLE", "DOUBLE PRECISION"})
WHOLE_TYPES = frozenset(
    {"INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "SIGNED", "UNSIGNED", "MEDIUMINT"}
)
NUMBER_TYPES = REAL_TYPES | WHOLE_TYPES | {"NUMERIC", "DECIMAL"}
_REAL_FUNCTIONS = frozenset({"avg", "total", "round", "julianday", "sqrt", "pow", "power"})
_NUMBER_FUNCTIONS = _REAL_FUNCTIONS | {"count", "sum", "abs", "length", "instr", "unixepoch"}


class Operands:
    """Reads the operands of a query's calculations and casts."""

    def __init__(self, query: Query) -> None:
        self._calculations = {(c.piece.start, c.piece.end): c for c in calculations(query)}
        self._casts = {(c.piece.start, c.piece.end): c for c in casts(query)}

    def is_number(self, operand: Operand) -> bool:
        """Whether the operand is a number whatever the data: nothing in it needs a look."""
        place = operand.inner.start, operand.inner.end
        if place in self._calculations or operand.number is not None:
            return True
        if place in self._casts:
            return self._casts[place].target in NUMBER_TYPES
        return operand.function in _NUMBER_FUNCTIONS

    def is_real(self, operand: Operand) -> bool:
        """Whether the operand has a fraction's type whatever the data (or is NULL)."""
        place = operand.inner.start, operand.inner.end
        if place in self._calculations:
            calculation = self._calculations[place]
            is_remainder = calculation.operator == "%"
            sides = (calculation.left, calculation.right)
            return not is_remainder and any(self.is_real(side) for side in sides)
        if place in self._casts:
            return self._casts[place].target in REAL_TYPES
        if operand.number is not None:
            return isinstance(operand.number, float)
        return operand.function in _REAL_FUNCTIONS


def operands(context: Context) -> Operands:
    """Return the operands of a case's query, for `Context.once`."""
    return Operands(context.query)
