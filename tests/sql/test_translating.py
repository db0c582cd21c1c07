"""A query in the words of another dialect."""

import pytest

from clausewise.errors import InputError, ParseError
from clausewise.sql.translating import translated


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("mysql", "SELECT IF(`a b` > 1, 'x', 'y') FROM t"),
        ("postgres", "SELECT CASE WHEN \"a b\" > 1 THEN 'x' ELSE 'y' END FROM t"),
        ("sqlite", "SELECT IIF(\"a b\" > 1, 'x', 'y') FROM t"),
    ],
)
def test_quotes_and_functions_are_rewritten(target: str, expected: str) -> None:
    text = "select iif([a b] > 1, 'x', 'y') from t -- why"
    assert translated(text, "sqlite", target) == expected


def test_what_is_no_query_is_refused() -> None:
    for text in ("", "SELECT 1; SELECT 2", "SELECT (", "(" * 5_000):
        with pytest.raises(ParseError):
            translated(text, "sqlite", "duckdb")
    with pytest.raises(InputError):
        translated("SELECT 1", "sqlite", "klingon")
