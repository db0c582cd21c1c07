"""Where a model points to: fragments that it copied, and columns that it named."""

import pytest

from clausewise.databases import create_database, open_database
from clausewise.signals import Context
from clausewise.signals.llm._places import (
    clause_named,
    locate,
    schema_column,
    used_column,
)
from clausewise.sql import parse
from clausewise.types import Case, Clause

SCHEMA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, "no. of pupils (K-12)" INTEGER, code TEXT);
CREATE TABLE land (code TEXT PRIMARY KEY, title TEXT);
"""
SQL = (
    "SELECT c.name , l.title FROM city AS c JOIN land l ON l.code = c.code\n"
    "WHERE c.name = 'Name' AND c.\"no. of pupils (K-12)\">10 AND c.id IN (SELECT id FROM city "
    "WHERE name = 'x') ORDER BY name"
)


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    file = create_database(tmp_path_factory.mktemp("places") / "city.sqlite", SCHEMA)
    database = open_database(file)
    case = Case(question_id=1, db_id="city", question="?", predicted_sql=SQL)
    return Context(case, parse(SQL, tables=database.schema.names()), database, None)


@pytest.mark.parametrize(
    ("fragment", "kind", "text"),
    [
        ("l.title", Clause.SELECT, "l.title"),
        ("c.name,l.title", Clause.SELECT, "c.name , l.title"),
        ("  `order by NAME`; ", Clause.ORDER_BY, "ORDER BY name"),
        ('c."no. of pupils (K-12)" > 10', Clause.WHERE, 'c."no. of pupils (K-12)">10'),
        ("name = 'x'", Clause.WHERE, "name = 'x'"),
        ("JOIN land l ON l.code = c.code", Clause.JOIN, "JOIN land l ON l.code = c.code"),
        ("FROM city AS c JOIN land", Clause.QUERY, SQL),
        (SQL, Clause.QUERY, SQL),
    ],
)
def test_fragments_are_found_by_their_tokens(
    context: Context, fragment: str, kind: Clause, text: str
) -> None:
    span = locate(context, fragment)
    assert span is not None
    assert (span.kind, span.text) == (kind, text)
    assert SQL[span.start : span.end] == text


@pytest.mark.parametrize(
    "fragment", ["", "  ", "`", "HAVING x", "titl", "am", SQL + SQL, "(" * 5000]
)
def test_what_is_not_in_the_query_is_not_found(context: Context, fragment: str) -> None:
    assert locate(context, fragment) is None


def test_case_is_heeded_where_it_decides(context: Context) -> None:
    span = locate(context, "Name")
    assert span is not None
    assert SQL[span.start - 1] == "'"


def test_a_clause_is_named_only_where_there_is_one(context: Context) -> None:
    join = clause_named(context, "join")
    assert join is not None
    assert join.kind is Clause.JOIN
    assert clause_named(context, "where") is None
    assert clause_named(context, "having") is None
    assert clause_named(context, "none") is None


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("city.name", ("city", "name")),
        ("CITY.NAME", ("city", "name")),
        ("c.name", ("city", "name")),
        ("main.city.name", ("city", "name")),
        ("title", ("land", "title")),
        ("code", None),
        ('city."no. of pupils (K-12)"', ("city", "no. of pupils (K-12)")),
        ("[city].[no. of pupils (K-12)]", ("city", "no. of pupils (K-12)")),
        ("no. of pupils (K-12)", ("city", "no. of pupils (K-12)")),
        ("city.no. of pupils (K-12)", ("city", "no. of pupils (K-12)")),
        ("city.mayor", None),
        ("town.name", None),
        ("", None),
        ("..", None),
    ],
)
def test_columns_of_the_schema(context: Context, name: str, column: tuple[str, str] | None) -> None:
    assert schema_column(context, name) == column


def test_columns_that_the_query_uses(context: Context) -> None:
    used = used_column(context, "city.code")
    assert used is not None
    assert used.piece.text == "c.code"
    assert used_column(context, "C.NAME") is not None
    assert used_column(context, "city.mayor") is None
    assert used_column(context, "name") is not None
