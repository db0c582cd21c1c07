"""The affinity rules are SQLite's own: held against the stored types of a real table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.databases.affinity import (
    affinity,
    holds_numbers,
    holds_numeric_text,
    holds_words,
    reads_as_number,
)

TYPES = (
    "INTEGER", "bigint", "VARCHAR(20)", "CLOB", "text", "BLOB", "", "REAL", "double precision",
    "FLOAT", "NUMERIC", "DECIMAL(3, 1)", "DATE", "BOOLEAN", "CHARINT",
)  # fmt: skip
STORED = {"integer": "integer", "numeric": "integer", "real": "real", "text": "text"}


@pytest.mark.parametrize("declared", TYPES)
def test_affinity_tells_how_a_column_stores_a_text_that_reads_as_a_number(
    declared: str, tmp_path: Path
) -> None:
    file = create_database(
        tmp_path / "a.sqlite", f"CREATE TABLE t (x {declared}); INSERT INTO t VALUES ('7');"
    )
    with open_database(file, cache_dir=tmp_path) as database:
        stored = database.scalar("SELECT typeof(x) FROM t")
    assert STORED.get(affinity(declared), "text") == stored


@given(st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9))
def test_numbers_read_as_numbers(number: float) -> None:
    assert reads_as_number(f" {number} ")


@pytest.mark.parametrize("text", ["", "abc", "nan", "inf", "1_000", "12 km", "2008-01-01"])
def test_other_texts_do_not(text: str) -> None:
    assert not reads_as_number(text)


def _columns(folder: Path) -> BaseDatabase:
    script = """
        CREATE TABLE t (number INTEGER, word TEXT, digits TEXT, blank TEXT);
        INSERT INTO t VALUES (1, 'a', '10', NULL), (2, 'b', '9', NULL), (NULL, 'c', 'x', NULL);
    """
    file = create_database(folder / "t.sqlite", script)
    return open_database(file, cache_dir=folder)


def test_what_columns_hold(tmp_path: Path) -> None:
    with _columns(tmp_path) as database:
        profile = {name: database.profile("t", name) for name in ("number", "word", "digits")}
        blank = database.profile("t", "blank")
    assert [name for name, p in profile.items() if holds_numbers(p)] == ["number"]
    assert [name for name, p in profile.items() if holds_words(p)] == ["word"]
    assert [name for name, p in profile.items() if holds_numeric_text(p)] == ["digits"]
    assert not any(holds(blank) for holds in (holds_numbers, holds_words, holds_numeric_text))
