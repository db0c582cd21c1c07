"""Every fault of the data is found where a query is changed by it, and nowhere else."""

from __future__ import annotations

import pytest

from clausewise.auditing import audit
from clausewise.auditing.column_faults import MOST_ROWS, faults_of, read_faults
from clausewise.databases import create_database, open_database
from clausewise.workers import IN_PROCESS

MATTERS = {
    "stray_blanks": [
        "SELECT code FROM city WHERE name = 'Paris'",
        "SELECT code FROM city WHERE name IN ('Rome', 'Paris')",
        "SELECT code FROM city WHERE name LIKE 'paris'",
        "SELECT p.name FROM person AS p JOIN city AS c ON p.city_code = c.code",
        "SELECT name, COUNT(*) FROM city GROUP BY name",
    ],
    "mixed_spelling": [
        "SELECT name FROM person WHERE country = 'France'",
        "SELECT country, COUNT(*) FROM person GROUP BY country",
        "SELECT DISTINCT country FROM person",
        "SELECT COUNT(DISTINCT country) FROM person",
    ],
    "orphaned_keys": ["SELECT p.name FROM person AS p JOIN city AS c ON p.city_code = c.code"],
    "duplicate_keys": ["SELECT p.name FROM person AS p JOIN city AS c ON p.city_code = c.code"],
    "numbers_as_text": [
        "SELECT name FROM person ORDER BY age DESC LIMIT 1",
        "SELECT MAX(age) FROM person",
        "SELECT name FROM person WHERE age > 50",
    ],
    "empty_for_null": [
        "SELECT name FROM person WHERE phone IS NULL",
        "SELECT COUNT(phone) FROM person",
    ],
    "mixed_dates": [
        "SELECT name FROM person WHERE born = '2001-05-30'",
        "SELECT name FROM person ORDER BY born LIMIT 1",
        "SELECT name FROM person WHERE strftime('%Y', born) = '2001'",
    ],
}
UNTOUCHED = [
    "SELECT name FROM city",
    "SELECT name FROM city WHERE code = 'ROM'",
    "SELECT name FROM person WHERE country = 'Italy'",
    "SELECT name FROM person ORDER BY CAST(age AS INTEGER) DESC LIMIT 1",
    "SELECT age, born, phone FROM person WHERE name = 'Ann'",
    "SELECT name FROM city WHERE name LIKE '%aris%'",
]


def names(case):
    return [category.name for category in case.categories]


@pytest.mark.parametrize(
    ("name", "sql"), [(name, sql) for name, queries in MATTERS.items() for sql in queries]
)
def test_a_fault_is_found_where_it_matters_and_not_in_clean_data(name, sql, databases, scored):
    dirty, clean = audit([scored(sql), scored(sql, db_id="clean")], databases, isolation=IN_PROCESS)
    assert name in names(dirty)
    found = next(category for category in dirty.categories if category.name == name)
    assert found.side.value == "C"
    assert found.evidence
    assert found.clause is not None
    assert sql[found.clause.start : found.clause.end] == found.clause.text
    assert names(clean) == []
    assert clean.status.value == "clean"


@pytest.mark.parametrize("sql", UNTOUCHED)
def test_a_column_that_is_only_shown_is_no_fault(sql, databases, scored):
    (case,) = audit([scored(sql)], databases, isolation=IN_PROCESS)
    assert names(case) == []


def test_a_value_that_no_stored_spelling_has_is_left_to_the_query(databases, scored):
    sql = "SELECT name FROM person WHERE country = 'FRANCE'"
    (case,) = audit([scored(sql)], databases, isolation=IN_PROCESS)
    assert names(case) == []


def test_the_annotator_who_wrote_the_blank_knew_of_it(databases, scored):
    sql = "SELECT code FROM city WHERE name = 'Paris '"
    (case,) = audit([scored(sql)], databases, isolation=IN_PROCESS)
    assert names(case) == []


def test_a_large_table_is_sampled_and_says_so(tmp_path):
    create_database(
        tmp_path / "big.sqlite",
        "CREATE TABLE t (a TEXT); WITH RECURSIVE n(i) AS "
        f"(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MOST_ROWS + 5}) "
        "INSERT INTO t SELECT 'x' || (i % 7) FROM n;",
    )
    found = read_faults(open_database(tmp_path / "big.sqlite"), "t", "a")
    assert found.limits == f"only the first {MOST_ROWS:,} of {MOST_ROWS + 5:,} rows were looked at"
    assert not found.padded


def test_what_cannot_be_read_is_unchecked(databases, scored, monkeypatch):
    from clausewise.auditing import data_side
    from clausewise.errors import QueryTimeout

    def slow(*_: object) -> None:
        raise QueryTimeout("took too long")

    monkeypatch.setattr(data_side, "read_faults", slow)
    sql = "SELECT code FROM city WHERE name = 'Paris'"
    (case,) = audit([scored(sql)], databases, isolation=IN_PROCESS)
    assert names(case) == []
    assert case.unchecked == {"values of city.name": "took too long"}


def test_each_column_is_read_once_a_database(databases, scored, monkeypatch):
    from clausewise.auditing import data_side

    read = []

    def counted(database, table, column):
        read.append((database.name, table, column))
        return read_faults(database, table, column)

    monkeypatch.setattr(data_side, "read_faults", counted)
    sql = "SELECT code FROM city WHERE name = 'Paris'"
    cases = [scored(sql, question_id=number) for number in range(3)]
    assert len(audit(cases, databases, isolation=IN_PROCESS)) == 3
    assert read == [("dirty", "city", "name")]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["9", "10"], ("10", "9")),
        (["1,200", "300"], ("300", "1,200")),
        (["10", "20", "30"], None),
        (["9", "10", "n/a"], ("10", "9")),
        (["9", "ten", "eleven"], None),
        ([], None),
    ],
)
def test_numbers_as_text_are_those_whose_order_differs(values, expected):
    found = faults_of("t", "a", [(value, 1) for value in values]).numbers_as_text
    assert set(found or ()) == set(expected or ())


def test_numbers_blobs_and_null_are_no_texts():
    found = faults_of("t", "a", [(1, 2), (1.5, 1), (None, 3), (b" x ", 1)])
    assert not found.padded
    assert not found.spellings
    assert not found.missing
