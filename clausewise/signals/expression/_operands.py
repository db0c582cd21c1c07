"""What kind of value an operand gives, as far as its text alone tells."""

from __future__ import annotations

import re

from clausewise.sql.calculations import calculations, casts
from clausewise.sql.model import Piece, Query

REAL_TYPES = frozenset({"REAL", "FLOAT", "DOUBLE", "DOUBLE PRECISION"})
WHOLE_TYPES = frozenset(
    {"INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "SIGNED", "UNSIGNED", "MEDIUMINT"}
)
NUMBER_TYPES = REAL_TYPES | WHOLE_TYPES | {"NUMERIC", "DECIMAL"}
_REAL_FUNCTIONS = frozenset({"avg", "total", "round", "julianday", "sqrt", "pow", "power"})
_NUMBER_FUNCTIONS = _REAL_FUNCTIONS | {"count", "sum", "abs", "length", "instr", "unixepoch"}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_CALL = re.compile(r"(\w+)\s*\(")


class Operands:
    """Reads the operands of a query's calculations and casts."""

    def __init__(self, query: Query) -> None:
        self._calculations = {(c.piece.start, c.piece.end): c for c in calculations(query)}
        self._casts = {(c.piece.start, c.piece.end): c for c in casts(query)}

    def is_number(self, operand: Piece) -> bool:
        """Whether the operand is a number whatever the data: nothing in it needs a look."""
        piece = _unwrapped(operand)
        place = piece.start, piece.end
        if place in self._calculations or _NUMBER.fullmatch(piece.text):
            return True
        if place in self._casts:
            return self._casts[place].target in NUMBER_TYPES
        return _called(piece) in _NUMBER_FUNCTIONS

    def is_real(self, operand: Piece) -> bool:
        """Whether the operand has a fraction's type whatever the data (or is NULL)."""
        piece = _unwrapped(operand)
        place = piece.start, piece.end
        if place in self._calculations:
            calculation = self._calculations[place]
            is_remainder = calculation.operator == "%"
            sides = (calculation.left, calculation.right)
            return not is_remainder and any(self.is_real(side) for side in sides)
        if place in self._casts:
            return self._casts[place].target in REAL_TYPES
        if _NUMBER.fullmatch(piece.text):
            return not piece.text.lstrip("+-").isdigit()
        return _called(piece) in _REAL_FUNCTIONS


def _unwrapped(piece: Piece) -> Piece:
    """Return a piece without the brackets around the whole of it."""
    while piece.text[:1] == "(" and _closing(piece.text, 0) == len(piece.text) - 1:
        inside = piece.text[1:-1]
        start = piece.start + 1 + len(inside) - len(inside.lstrip())
        text = inside.strip()
        piece = Piece(text, start, start + len(text))
    return piece


def _called(piece: Piece) -> str | None:
    """Return the function in lower case where the piece is one call and nothing else."""
    match = _CALL.match(piece.text)
    if match is None or _closing(piece.text, match.end() - 1) != len(piece.text) - 1:
        return None
    return match[1].lower()


def _closing(text: str, opening: int) -> int:
    """Return where the bracket closes, -1 where it does not; quoted text is passed over."""
    depth, quote = 0, ""
    for place in range(opening, len(text)):
        character = text[place]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"`":
            quote = character
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return place
    return -1
