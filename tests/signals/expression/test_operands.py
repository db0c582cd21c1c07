"""Which operands are numbers, or real numbers, whatever the data."""

import pytest

from clausewise.signals.expression._operands import Operands
from clausewise.sql import parse
from clausewise.sql.model import Piece


def read(operand: str) -> tuple[bool, bool]:
    sql = f"SELECT {operand} / b FROM t"
    operands = Operands(parse(sql))
    piece = Piece(operand, 7, 7 + len(operand))
    return operands.is_number(piece), operands.is_real(piece)


@pytest.mark.parametrize(
    ("operand", "number", "real"),
    [
        ("100", True, False),
        ("100.0", True, True),
        (".5", True, True),
        ("1e3", True, True),
        ("a", False, False),
        ("COUNT(a)", True, False),
        ("(COUNT(a))", True, False),
        ("AVG(a)", True, True),
        ("MAX(a)", False, False),
        ("CAST(a AS REAL)", True, True),
        ("CAST(a AS INTEGER)", True, False),
        ("CAST(a AS TEXT)", False, False),
        ("CAST(SUM(a) AS REAL) * 100", True, True),
        ("100 * COUNT(CASE WHEN x > 1.5 THEN 1 END)", True, False),
        ("(a + 1.0)", True, True),
        ("( (a + 1) )", True, False),
        ("SUBSTR(a, 1, 2)", False, False),
        ("SUBSTR(')', 1, 2)", False, False),
    ],
)
def test_operands(operand: str, number: bool, real: bool) -> None:
    assert read(operand) == (number, real)


def test_a_remainder_is_whole() -> None:
    sql = "SELECT 5.5 % 2 FROM t"
    assert not Operands(parse(sql)).is_real(Piece("5.5 % 2", 7, 14))
