"""Formulas of the evidence are read as expressions and compared with a query's calculations."""

import pytest

from clausewise.databases.model import Column, Schema, Table
from clausewise.signals.linking.formulas import averaged, marks, read_formula, swapped
from clausewise.sql import parse

SCHEMA = Schema(
    (
        Table("t", tuple(Column(name, "INTEGER") for name in ("id", "cost", "gain", "kind"))),
        Table("u", (Column("id", "INTEGER"), Column("weight", "INTEGER"))),
    ),
    (),
)


@pytest.mark.parametrize(
    ("text", "operators"),
    [
        ("DIVIDE(SUM(cost), COUNT(id))", ["/", "sum", "", "count", ""]),
        ("SUM(cost) / COUNT(id) * 100", ["*", "/", "sum", "", "count", "", ""]),
        ("MULTIPLY(DIVIDE(a, b), 100.0)", ["*", "/", "", "", ""]),
        ("(cost - gain) / gain", ["/", "-", "", "", ""]),
        ("cost - gain - id", ["-", "-", "", "", ""]),
        ("AVERAGE(cost)", ["avg", ""]),
        ("SUM(kind = 'a - b, c')", ["sum", ""]),
        ("a well-known thing", [""]),
        ("DIVIDE(SUM(cost), COUNT(id)", [""]),
        ("", [""]),
    ],
)
def test_reading(text: str, operators: list[str]) -> None:
    assert [node.operator for node in read_formula(text).walk()] == operators


def test_marks_are_columns_and_quoted_values() -> None:
    formula = read_formula("SUM(t.cost WHERE kind = 'Big One' AND nothing = 1)")
    assert marks(formula, SCHEMA) == {"cost", "kind", "big one"}


@pytest.mark.parametrize(
    ("formula", "sql", "at_fault"),
    [
        ("cost - gain", "SELECT gain - cost FROM t", "gain - cost"),
        ("cost - gain", "SELECT cost - gain FROM t", None),
        (
            "SUBTRACT(SUM(kind = 'a'), SUM(kind = 'b'))",
            "SELECT SUM(kind = 'a') - SUM(kind = 'b') FROM t",
            None,
        ),
        (
            "SUBTRACT(SUM(kind = 'a'), SUM(kind = 'b'))",
            "SELECT SUM(IIF(kind = 'b', 1, 0)) - SUM(IIF(kind = 'a', 1, 0)) FROM t",
            "SUM(IIF(kind = 'b', 1, 0)) - SUM(IIF(kind = 'a', 1, 0))",
        ),
        (
            "DIVIDE(SUM(kind = 1), COUNT(id)) * 100",
            "SELECT COUNT(*) * 100.0 / SUM(CASE WHEN kind = 1 THEN 1 END) FROM t",
            "COUNT(*) * 100.0 / SUM(CASE WHEN kind = 1 THEN 1 END)",
        ),
        (
            "DIVIDE(SUM(kind = 1), COUNT(id)) * 100",
            "SELECT CAST(SUM(IIF(kind = 1, 1, 0)) AS REAL) * 100 / COUNT(*) FROM t",
            None,
        ),
        (
            "DIVIDE(SUM(kind = 1), COUNT(id))",
            "SELECT COUNT(*) / (SELECT COUNT(*) FROM t WHERE cost > 1) FROM t WHERE kind = 1",
            None,
        ),
        ("cost - gain", "SELECT gain - weight FROM t, u", None),
    ],
)  # fmt: skip
def test_operands_the_other_way_round(formula: str, sql: str, at_fault: str | None) -> None:
    found = swapped(read_formula(formula), parse(sql), SCHEMA)
    assert (found.text if found is not None else None) == at_fault


def test_only_bare_columns_are_averaged() -> None:
    formula = read_formula("DIVIDE(SUM(t.cost), SUM(kind = 'a')) + AVG(gain)")
    assert averaged(formula, SCHEMA) == {"cost", "gain"}
