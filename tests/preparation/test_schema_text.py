"""The schema as text: what is in it, what is dropped first, and what never is."""

from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.preparation import describe_schema, estimate_tokens, find_question_values
from clausewise.preparation.examples import write_value
from clausewise.sql import parse
from clausewise.sql.model import Query

SCHEMA = """
CREATE TABLE school (code TEXT PRIMARY KEY, "school name" TEXT NOT NULL, city TEXT, phone TEXT,
                     website TEXT, founded INTEGER, motto TEXT);
CREATE TABLE pupil (id INTEGER PRIMARY KEY, school TEXT REFERENCES school(code), first_name TEXT,
                    gender TEXT, grade REAL);
CREATE VIEW grades AS SELECT school, avg(grade) AS mean FROM pupil GROUP BY school;
INSERT INTO school VALUES
  ('A1', 'Oak Hill', 'Cork', '021-1', 'oak.example', 1901, 'Sapere aude'),
  ('B2', 'St. Mary''s', 'Dublin', '01-2', 'mary.example', 1850, 'Ora et labora'),
  ('C3', 'Elm Park', 'Dublin', '01-3', 'elm.example', 1990, 'Line one
line two');
INSERT INTO pupil VALUES (1, 'A1', 'Ann', 'F', 1.5), (2, 'B2', 'Ben', 'M', 2.5);
"""

DESCRIPTIONS = """original_column_name,column_name,column_description,data_format,value_description
gender,sex,the sex of the pupil,text,"F: female, M: male"
"""

CELLS = ("Oak Hill", "Mary", "Elm", "Cork", "Dublin", "021", "oak.example", "Sapere", "1901",
         "1850", "Ann", "'F'", "F: female", "2.5")  # fmt: skip


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> BaseDatabase:
    folder = tmp_path_factory.mktemp("school")
    described = folder / "database_description"
    described.mkdir()
    (described / "pupil.csv").write_text(DESCRIPTIONS, encoding="utf-8")
    return open_database(create_database(folder / "school.sqlite", SCHEMA))


def _query(database: BaseDatabase, sql: str) -> Query:
    return parse(sql, tables=database.schema.names())


def _line(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.strip().startswith(start))


def test_everything_is_told_where_there_is_room(database: BaseDatabase) -> None:
    text = describe_schema(database, question="How many girls are at Oak Hill?")
    assert "TABLE school\n  code TEXT primary key -- values: " in text
    assert _line(text, '"school name"') == (
        "  \"school name\" TEXT not null -- values: 'Oak Hill', 'Elm Park', 'St. Mary''s'"
    )
    assert _line(text, "gender") == (
        "  gender TEXT -- sex; the sex of the pupil; F: female, M: male; values: 'F', 'M'"
    )
    assert "VIEW grades" in text
    assert "FOREIGN KEYS\n  pupil.school = school.code" in text
    assert "'Line one line two'" in text


def test_the_same_every_time(database: BaseDatabase) -> None:
    question = "Which schools in Dublin are the oldest?"
    with open_database(Path(database.target)) as again:
        assert describe_schema(database, question=question) == describe_schema(
            again, question=question
        )


def test_values_that_the_question_says_come_first(database: BaseDatabase) -> None:
    city = _line(describe_schema(database, question="schools in CORK"), "city")
    assert city == "  city TEXT -- values: 'Cork', 'Dublin'"
    other = _line(describe_schema(database, question="schools"), "city")
    assert other == "  city TEXT -- values: 'Dublin', 'Cork'"


def test_longer_phrases_come_first(database: BaseDatabase) -> None:
    found = find_question_values(database, "Is Ann at 'oak hill' in Cork?")
    assert list(found) == [("school", "school name"), ("pupil", "first_name"), ("school", "city")]


def test_the_least_related_columns_go_first(database: BaseDatabase) -> None:
    question = "What is the phone of the school of Ann?"
    full = describe_schema(database, question=question)
    limit = estimate_tokens(full) - 40
    text = describe_schema(database, question=question, tokens=limit)
    assert estimate_tokens(text) <= limit
    assert "phone" in text
    assert "first_name" in text
    assert "motto" not in text
    assert "less related columns left out" in text


@pytest.mark.parametrize("tokens", [1, 30, 60, 100])
def test_keys_and_used_columns_stay_whatever_the_limit(database: BaseDatabase, tokens: int) -> None:
    query = _query(
        database, "SELECT s.motto FROM school s JOIN pupil p ON p.school = s.code WHERE grade > 2"
    )
    text = describe_schema(database, question="phone?", query=query, tokens=tokens)
    for name in ("code", "motto", "id", "school", "grade"):
        assert _line(text, name)
    if tokens == 1:
        assert "website" not in text
        assert "gender" not in text


def test_a_star_uses_all_columns_of_its_table(database: BaseDatabase) -> None:
    query = _query(database, "SELECT p.* FROM school s JOIN pupil p ON p.school = s.code")
    text = describe_schema(database, query=query, tokens=1)
    assert "first_name" in text
    assert "motto" not in text


def test_no_cell_leaves_where_values_may_not_be_sent(database: BaseDatabase) -> None:
    question = "How many girls are at oak hill in cork?"
    sent = describe_schema(database, question=question)
    assert all(cell in sent for cell in ("Oak Hill", "Cork", "'F'", "F: female"))
    kept = describe_schema(database, question=question, send_values=False)
    assert [cell for cell in CELLS if cell in kept] == []
    assert "the sex of the pupil" in kept
    assert '"school name" TEXT not null' in kept


def test_documentation_goes_in_place_of_the_annotation(database: BaseDatabase) -> None:
    text = describe_schema(database, documentation={("pupil", "gender"): "F or M"})
    assert _line(text, "gender").startswith("  gender TEXT -- F or M; F: female")
    assert "the sex of the pupil" not in text


def test_a_table_without_rows_or_columns_of_text(tmp_path: Path) -> None:
    file = create_database(tmp_path / "empty.sqlite", "CREATE TABLE t (a INTEGER, b BLOB)")
    assert describe_schema(open_database(file), question="a?") == "TABLE t\n  a INTEGER\n  b BLOB"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "NULL"),
        (1.5, "1.5"),
        (b"abc", "a blob of 3 bytes"),
        ("it's\n\tso", "'it''s so'"),
        ("x" * 100, "'" + "x" * 57 + "...'"),
    ],
)
def test_values_on_one_line(value: float | str | bytes | None, written: str) -> None:
    assert write_value(value) == written
