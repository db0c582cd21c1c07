"""Which operands are numbers, or real numbers, whatever the data."""

import pytest

from clausewise.signals.expression._operands import Operands
from clausewise.sql import parse
from clausewise.sql.calculations import calculations, casts


def read(operand: str) -> tuple[bool, bool]:
    sql = f"SELECT {operand} / b FROM t"
    query = parse(sql)
    operands = Operands(query)
    left = next(made.left for made in calculations(query) if made.right.text == "b")
    assert left.text == operand
    return operands.is_number(left), operands.is_real(left)


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
    query = parse("SELECT CAST(5.5 % 2 AS TEXT) FROM t")
    assert not Operands(query).is_real(casts(query)[0].operand)
