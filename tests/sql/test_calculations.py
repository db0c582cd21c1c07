"""Operands of arithmetic and casts, as text and as places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.sql import parse
from clausewise.sql.calculations import calculations, casts


def shown(sql: str) -> list[str]:
    return [f"{c.left.text} {c.operator} {c.right.text}" for c in calculations(parse(sql))]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT COUNT(*), t.*, * FROM t", []),
        ("SELECT DISTINCT * FROM t", []),
        ("SELECT -1, +2, - a FROM t WHERE x = -3 AND y IN (-4)", []),
        ("SELECT a / b FROM t", ["a / b"]),
        ("SELECT 100 * SUM(a) / COUNT(*) FROM t", ["100 * SUM(a)", "100 * SUM(a) / COUNT(*)"]),
        ("SELECT a - b - c FROM t", ["a - b", "a - b - c"]),
        ("SELECT a + b * c - d FROM t", ["a + b * c", "b * c", "a + b * c - d"]),
        ("SELECT (a + b) / -.5 FROM t", ["a + b", "(a + b) / -.5"]),
        ("SELECT .5 * t.a FROM t", [".5 * t.a"]),
        ("SELECT date - `x y`.[z w] FROM t", ["date - `x y`.[z w]"]),
        (
            "SELECT CASE WHEN a THEN 1 END / (SELECT b % 2 FROM u) FROM t",
            ["CASE WHEN a THEN 1 END / (SELECT b % 2 FROM u)", "b % 2"],
        ),
        ("SELECT a FROM t WHERE b > 1 - c AND d / 2 = 1", ["1 - c", "d / 2"]),
        ("SELECT x || '-' || y, 'a / b' FROM t -- a / b", []),
    ],
)
def test_operands(sql: str, expected: list[str]) -> None:
    assert shown(sql) == expected


def test_places() -> None:
    sql = "SELECT\n  SUM(a) /* all */ / COUNT(b)\nFROM t"
    (found,) = calculations(parse(sql))
    for piece in (found.left, found.right, found.piece):
        assert sql[piece.start : piece.end] == piece.text
    assert found.piece.text == "SUM(a) /* all */ / COUNT(b)"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT CAST(a AS INTEGER) FROM t", [("a", "INTEGER")]),
        ("SELECT cast(SUM(a) as decimal(5, 2)) FROM t", [("SUM(a)", "DECIMAL")]),
        ("SELECT CAST(CAST(a AS TEXT) AS INT) FROM t", [("CAST(a AS TEXT)", "INT"), ("a", "TEXT")]),
        ("SELECT cast FROM t", []),
        ("SELECT a FROM t", []),
    ],
)
def test_casts(sql: str, expected: list[tuple[str, str]]) -> None:
    assert [(c.operand.text, c.target) for c in casts(parse(sql))] == expected


OPERAND = st.sampled_from(["a", "t.b", "COUNT(*)", "(a + 1)", "2.5", "'x'", "CAST(a AS REAL)"])
CHAIN = st.lists(st.tuples(st.sampled_from("+-*/%"), OPERAND), min_size=1, max_size=5)


@given(OPERAND, CHAIN)
def test_every_operator_of_a_chain_is_found_once_and_spans_hold(first, chain) -> None:
    text = first + "".join(f" {operator} {operand}" for operator, operand in chain)
    sql = f"SELECT {text} AS n, * FROM t"
    found = calculations(parse(sql))
    written = text.count("(a + 1)")
    assert len(found) == len(chain) + written
    assert any(item.piece.start == 7 for item in found)
    for item in found:
        assert sql[item.piece.start : item.piece.end] == item.piece.text
        assert item.left.start == item.piece.start
        assert item.right.end == item.piece.end
        assert sql[item.left.end : item.right.start].strip() == item.operator


@pytest.mark.parametrize(
    ("operand", "inner", "number", "function"),
    [
        ("100", "100", 100, None),
        ("- 2", "- 2", -2, None),
        ("(+.5)", "+.5", 0.5, None),
        ("1e3", "1e3", 1000.0, None),
        ("( /* x */ (7) )", "7", 7, None),
        ("a", "a", None, None),
        ("'7'", "'7'", None, None),
        ("round (a, 1)", "round (a, 1)", None, "round"),
        ("(COUNT(*))", "COUNT(*)", None, "count"),
        ("(a) + (b)", "(a) + (b)", None, None),
        ("f(')') + g(b)", "f(')') + g(b)", None, None),
    ],
)
def test_what_an_operand_is(operand, inner, number, function) -> None:
    (cast,) = casts(parse(f"SELECT CAST({operand} AS REAL) FROM t"))
    found = cast.operand
    assert (found.inner.text, found.number, found.function) == (inner, number, function)
    assert type(found.number) is type(number)
