"""Semicolons behind a statement do not make two of it."""

import pytest

from clausewise.databases import Databases
from clausewise.databases.sqlite.semicolons import without_semicolons
from clausewise.datasets import sample_dir
from clausewise.errors import QueryDenied


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        ("SELECT 1;", "SELECT 1;"),
        ("SELECT 1;;", "SELECT 1"),
        ("SELECT 1; \n ;\t-- done; really\n;", "SELECT 1"),
        ("SELECT 1;/* ; */;/* never closed ;", "SELECT 1"),
        ("SELECT ';--;' ;;", "SELECT ';--;'"),
        ('SELECT "a;b", `c;d`, [e;f];;', 'SELECT "a;b", `c;d`, [e;f]'),
        ("SELECT 4 - 2 / 1;;", "SELECT 4 - 2 / 1"),
        ("SELECT 'it''s;';;", "SELECT 'it''s;'"),
        ("SELECT 1;; SELECT 2", "SELECT 1;; SELECT 2"),
        ("SELECT 'x;;", "SELECT 'x"),
        (";;", ""),
    ],
)
def test_what_is_left(sql: str, left: str) -> None:
    assert without_semicolons(sql) == left


def test_several_semicolons_run_and_several_statements_do_not() -> None:
    database = Databases(sample_dir() / "databases").get("clinic")
    assert database.run("SELECT 'a;' ; ; -- done\n ;").rows == (("a;",),)
    database.compile("SELECT 1;;")
    with pytest.raises(QueryDenied, match="one statement"):
        database.run("SELECT 1;; DELETE FROM patients")
