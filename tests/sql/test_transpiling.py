"""What of other dialects is taken, and that everything else is refused with its name."""

from __future__ import annotations

import pytest

from clausewise.errors import InputError, NotComparable
from clausewise.sql.transpiling import EngineQuery, depends_on_collation, engine_query

TYPES = {
    "person": {
        "id": "BIGINT",
        "name": "VARCHAR",
        "age": "BIGINT",
        "score": "DOUBLE",
        "born": "DATE",
        "paid": "BOOLEAN",
        "city_id": "BIGINT",
    },
    "city": {"id": "BIGINT", "name": "VARCHAR"},
}


def refused(text, dialect):
    with pytest.raises(NotComparable) as error:
        engine_query(text, dialect, TYPES)
    return str(error.value)


def test_queries_of_the_engines_own_dialect_stay_as_they_are():
    text = "SELECT  a --c\n FROM t"
    assert engine_query(text, "sqlite", {}) == EngineQuery(text, "sqlite")
    native = "SELECT name FROM person GROUP BY ALL"
    assert engine_query(native, "duckdb", TYPES) == EngineQuery(native, "duckdb")


ORDERS = [
    ("postgres", "", '"age"'),
    ("postgres", " DESC", '"age" DESC NULLS FIRST'),
    ("postgres", " NULLS FIRST", '"age" NULLS FIRST'),
    ("mysql", "", '"age" NULLS FIRST'),
    ("mysql", " DESC", '"age" DESC'),
]


@pytest.mark.parametrize(("dialect", "order", "expected"), ORDERS)
def test_the_place_of_null_in_an_order_is_written_out(dialect, order, expected):
    made = engine_query(f"SELECT name FROM person ORDER BY age{order}", dialect, TYPES)
    assert made.text == f'SELECT "name" FROM "person" ORDER BY {expected}'


TAKEN = [
    "SELECT p.name, COUNT(*) FROM person p JOIN city c ON p.city_id = c.id GROUP BY p.name",
    "SELECT name FROM person WHERE age > (SELECT AVG(age) FROM person) AND NOT name = 'a'",
    "SELECT name FROM person WHERE born BETWEEN '2000-01-01' AND '2001-01-01'",
    "SELECT name FROM person WHERE id IN (SELECT id FROM city) UNION ALL SELECT name FROM city",
    "SELECT CASE WHEN age > 3 THEN 'a' ELSE 'b' END, COALESCE(score, 0) FROM person",
    "WITH x AS (SELECT age AS a FROM person) SELECT a, COUNT(DISTINCT a) FROM x GROUP BY a",
    "SELECT age / 2.0, SUM(score) / NULLIF(COUNT(*), 0) FROM person GROUP BY age",
    "SELECT LOWER(name) || 'x' FROM person WHERE name ILIKE 'a%' AND EXTRACT(YEAR FROM born) > 9",
    "SELECT age AS n FROM person GROUP BY n ORDER BY n LIMIT 2 OFFSET 1",
    "SELECT name FROM person WHERE age IS DISTINCT FROM 3 AND paid",
]


@pytest.mark.parametrize("text", TAKEN)
def test_what_postgres_and_the_engine_share_is_taken(text):
    assert engine_query(text, "postgres", TYPES).engine == "duckdb"


def test_a_number_of_any_precision_is_none_of_three_decimals():
    made = engine_query("SELECT SUM(age)::numeric / 7 FROM person", "postgres", TYPES)
    assert made.text == 'SELECT CAST(SUM("age") AS DOUBLE) / 7 FROM "person"'


REFUSED = [
    ("postgres", "SELECT age / 2 FROM person", "cut off"),
    ("postgres", "SELECT score / age FROM person", "may be 0"),
    ("postgres", "SELECT age % id FROM person", "may be 0"),
    ("postgres", "SELECT name FROM person WHERE age = '3'", "mixes number and text"),
    ("postgres", "SELECT name FROM person WHERE paid = 1", "mixes boolean and number"),
    ("postgres", "SELECT name FROM person WHERE age", "takes a number"),
    ("postgres", "SELECT name FROM person WHERE id IN (SELECT name FROM city)", "mixes"),
    ("postgres", "SELECT SUM(paid) FROM person", "takes a boolean"),
    ("postgres", "SELECT MAX(paid) FROM person", "truth values"),
    ("postgres", "SELECT ROUND(score) FROM person", "ROUND: halves"),
    ("postgres", "SELECT CONCAT(name, 'x') FROM person", "CONCAT: NULL"),
    ("postgres", "SELECT TO_CHAR(born, 'YYYY') FROM person", "a date as text: formats"),
    ("postgres", "SELECT DATE_TRUNC('month', born) FROM person", "DATE_TRUNC"),
    ("postgres", "SELECT EXTRACT(DOW FROM born) FROM person", "EXTRACT of DOW"),
    ("postgres", "SELECT name FROM person WHERE name ~ '^a'", "REGEXP"),
    ("postgres", "SELECT name FROM person WHERE name LIKE 'a\\_%'", "backslash"),
    ("postgres", "SELECT name FROM person WHERE name LIKE name", "no constant"),
    ("postgres", "SELECT age::text FROM person", "cast to TEXT"),
    ("postgres", "SELECT CURRENT_DATE FROM person", "CURRENT_DATE: its value changes"),
    ("postgres", "SELECT RANDOM() FROM person", "RANDOM: its value changes"),
    ("postgres", "SELECT STRING_AGG(name, ',') FROM person", "order of rows"),
    ("postgres", "SELECT DISTINCT ON (age) name FROM person", "DISTINCT ON"),
    ("postgres", "SELECT ROW_NUMBER() OVER (ORDER BY age) FROM person", "OVER: ties"),
    ("postgres", "SELECT person.name FROM person NATURAL JOIN city", "NATURAL JOIN"),
    ("postgres", "SELECT COUNT(*) AS n FROM person HAVING n > 1", "'n' is an alias"),
    ("postgres", "SELECT UPPER(name) AS name FROM person ORDER BY name", "'name' is an alias"),
    ("postgres", "SELECT name FROM person UNION SELECT id FROM city", "set operation"),
    ("postgres", "SELECT SUBSTRING(name, 1, 2) AS x FROM person ORDER BY x", "collation"),
    ("postgres", "SELECT nope FROM person", "nope"),
    ("postgres", "SELECT unheard_of(age) FROM person", "UNHEARD_OF"),
    ("postgres", "DELETE FROM person", "DELETE"),
    ("postgres", "SELECT 1; SELECT 2", "one statement"),
    ("postgres", "SELECT FROM WHERE", "parsed"),
    ("mysql", "SELECT age / 2 FROM person", "few decimals"),
    ("mysql", "SELECT AVG(age) FROM person", "AVG: the mean"),
    ("mysql", "SELECT name || 'x' FROM person", "||: it means OR"),
    ("mysql", "SELECT LENGTH(name) FROM person", "LENGTH: it counts bytes"),
    ("mysql", "SELECT LOWER(name) FROM person", "LOWER"),
    ("mysql", "SELECT name FROM person WHERE age = '3'", "mixes number and text"),
    ("mysql", "SELECT name FROM person WHERE name REGEXP 'a'", "REGEXP"),
    ("mysql", "SELECT COUNT(DISTINCT name, age) FROM person", "COUNT"),
    ("duckdb", "SELECT list(age) FROM person", "order of rows"),
    ("duckdb", "SELECT random() FROM person", "changes"),
    ("duckdb", "SELECT name FROM person QUALIFY row_number() OVER () = 1", "duckdb"),
    ("tsql", "SELECT 1", "known are sqlite, duckdb, postgres, mysql"),
]


@pytest.mark.parametrize(("dialect", "text", "words"), REFUSED)
def test_what_may_mean_something_else_is_refused_by_name(dialect, text, words):
    assert words in refused(text, dialect)


def test_mysql_takes_what_has_one_meaning():
    made = engine_query(
        "SELECT `name`, YEAR(born), SUM(age > 3), IF(age > 3, 1, 2) FROM person "
        'WHERE name = "Ann" AND name LIKE "a%" GROUP BY 1, 2, 4',
        "mysql",
        TYPES,
    )
    assert made.folds_case
    assert (made.texts, made.patterns) == (("Ann",), ("a%",))


def test_an_unknown_dialect_is_an_input_error():
    with pytest.raises(InputError, match="dialect"):
        engine_query("SELECT 1", "klingon", {})


FOLDING = EngineQuery("", "duckdb", texts=("Ann",), patterns=("a%",), folds_case=True)
ORDERING = EngineQuery("", "duckdb", orders_texts=True)
COLLATIONS = [
    (FOLDING, ["Bob", "Cleo"], True),  # 'Ann' LIKE 'a%'
    (EngineQuery("", "duckdb", texts=("Ann",), folds_case=True), ["Bob"], False),
    (EngineQuery("", "duckdb", texts=("Ann",), folds_case=True), ["ann"], True),
    (EngineQuery("", "duckdb", texts=("Ann",), folds_case=True), ["Ann "], True),
    (EngineQuery("", "duckdb", folds_case=True), ["é"], True),
    (ORDERING, ["Ann", "Bob", "2020-01-01"], False),
    (ORDERING, ["ann", "Bob"], True),
    (ORDERING, ["a b", "aa"], True),
    (ORDERING, ["a", "a!"], True),
    (EngineQuery("", "duckdb"), ["é", "e", "E"], False),
]


@pytest.mark.parametrize(("query", "texts", "expected"), COLLATIONS)
def test_instances_on_which_collations_differ_are_found(query, texts, expected):
    assert depends_on_collation([query], texts) is expected
