"""Text of statements: compared, and searched for what somebody copied from it."""

from __future__ import annotations

import pytest

from clausewise.sql import find_fragment, same_statement


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT  'a  b' ;", "SELECT 'a  b'"),
        ("\n SELECT\ta\n FROM t ; ", "SELECT a FROM t"),
        ('SELECT "two  words" FROM `a  b`, [c  d]', 'SELECT "two  words" FROM `a  b`, [c  d]'),
        ("SELECT 'it''s  so'  , x", "SELECT 'it''s  so' , x"),
        ("SELECT 'never  closed -- x", "SELECT 'never  closed -- x"),
        ("SELECT 1 /* never  closed", "SELECT 1 /* never  closed"),
        ("SELECT a -- all\nFROM/* of */t", "SELECT a FROM t"),
        ("SELECT '--  a', \"/* b */\" -- c;", "SELECT '--  a', \"/* b */\""),
        ("", ""),
    ],
)
def test_statements_that_differ_in_white_space_are_the_same(text: str, expected: str) -> None:
    assert same_statement(text) == expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("SELECT a FROM t -- all\nWHERE a > 5", "SELECT a FROM t -- all WHERE a > 5"),
        ("SELECT a b FROM t", "SELECT a\xa0b FROM t"),
        ("SELECT 'a -- b", "SELECT 'a -- c"),
    ],
)
def test_statements_that_read_otherwise_are_not_the_same(first: str, second: str) -> None:
    assert same_statement(first) != same_statement(second)


@pytest.mark.parametrize(
    ("fragment", "found"),
    [
        ("age>25", "age > 25"),
        ("AGE > 25", "age > 25"),
        ("`name`", "name"),
        ("where  age", "WHERE age"),
        ("ag", None),
        ("age > 2", None),
        ("", None),
        ("price", None),
        ("name FROM pet WHERE age > 25 AND more than the query says", None),
    ],
)
def test_a_copied_fragment_is_found(fragment: str, found: str | None) -> None:
    text = "SELECT name FROM pet WHERE age > 25"
    place = find_fragment(text, fragment)
    assert (place and text[slice(*place)]) == found
