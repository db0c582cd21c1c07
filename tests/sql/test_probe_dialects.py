"""The words of probes in each dialect: read by that dialect's grammar, and SQLite's run."""

from __future__ import annotations

import sqlite3

import pytest

from clausewise.errors import NotApplicable
from clausewise.sql import parse
from clausewise.sql.probe_dialects import probe_dialect

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")
QUOTED = "it's"


def probes(dialect: str) -> list[str]:
    words = probe_dialect(dialect)
    table, a, b = (words.quote_name(name) for name in ("t", "a", "b"))
    tests = [
        words.differ(a, b),
        words.loses_remainder(a, b),
        words.is_no_number(a),
        words.is_date(a),
        words.is_text(a),
        words.holds_word(a, "word"),
        words.unequal(a, b),
        f"{words.as_real(a)} <> {words.as_integer(a)}",
        f"{a} = {words.quote_text(QUOTED)}",
    ]
    selected = [words.joined([words.or_empty(a), words.or_empty(b)]), words.joined([a])]
    inner = f"\nSELECT {a}, {b} FROM {table}\n"
    return [
        *(f"SELECT COUNT(*) FROM {table} WHERE {test}" for test in tests),
        *(f"SELECT {words.count_of(test)} FROM {table}" for test in tests),
        *(f"SELECT {item} FROM {words.derived(inner)}" for item in selected),
        words.gives_null(f"SELECT {a} FROM {table}"),
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_probes_read_only_the_named_columns(dialect: str) -> None:
    for sql in probes(dialect):
        query = parse(sql, dialect, {"t": ["a", "b"]})
        assert query.statement == "SELECT", sql
        assert not query.unknown_names, sql


def test_probes_run_in_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a, b)")
    connection.execute("INSERT INTO t VALUES (7, 2), ('x', 'y'), (NULL, 1)")
    for sql in probes("sqlite"):
        connection.execute(sql).fetchall()
    connection.close()


def test_rows_without_a_key() -> None:
    assert probe_dialect("postgres").row_id('"t"') == '"t".ctid'
    assert probe_dialect("duckdb").row_id('"t"') == '"t".rowid'
    with pytest.raises(NotApplicable, match="numbers no rows"):
        probe_dialect("mysql").row_id("`t`")


def test_quoting_follows_the_dialect() -> None:
    words = probe_dialect("mysql")
    assert words.quote_name("a`b") == "`a``b`"
    assert words.quote_text("C:\\it's") == "'C:\\\\it''s'"
    assert probe_dialect("postgres").quote_text("C:\\") == "'C:\\'"


def test_names_of_dialects() -> None:
    assert probe_dialect("SQLite").title == "SQLite"
    assert probe_dialect("redshift").title == "PostgreSQL"
