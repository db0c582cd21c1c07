"""Which classes a query has, and that two ways of writing the same thing have the same."""

from __future__ import annotations

import pytest

from clausewise.expectation import ATTRIBUTES, observed
from clausewise.sql import parse

TABLES = {
    "singer": ["id", "name", "country", "age", "born", "first", "last"],
    "concert": ["id", "singer_id", "year", "stadium"],
}

CLASSES = [
    ("SELECT name FROM singer", "n_selected", "1"),
    ("SELECT * FROM singer", "n_selected", "all"),
    ("SELECT * FROM (SELECT name, age FROM singer)", "n_selected", "2"),
    ("SELECT first || ' ' || last FROM singer", "n_selected", "2"),
    ("SELECT id, name, age, born, country FROM singer", "n_selected", "4+"),
    ("SELECT COUNT(*) FROM singer", "aggregate", "count"),
    ("SELECT SUM(CASE WHEN age > 3 THEN 1 ELSE 0 END) FROM singer", "aggregate", "count"),
    ("SELECT SUM(IIF(age > 3, 1, 0)) FROM singer", "aggregate", "count"),
    ("SELECT SUM(age > 3) FROM singer", "aggregate", "count"),
    ("SELECT SUM(CASE WHEN age > 3 THEN age ELSE 0 END) FROM singer", "aggregate", "sum"),
    ("SELECT ROUND(AVG(age), 2) FROM singer", "aggregate", "avg"),
    ("SELECT CAST(COUNT(*) AS REAL) FROM singer", "aggregate", "count"),
    ("SELECT COUNT(age) * 1.0 / COUNT(*) FROM singer", "aggregate", "ratio"),
    ("SELECT AVG(CASE WHEN age > 3 THEN 1.0 ELSE 0 END) FROM singer", "aggregate", "ratio"),
    ("WITH c AS (SELECT COUNT(*) AS n FROM singer) SELECT n FROM c", "aggregate", "count"),
    ("SELECT (SELECT COUNT(*) FROM singer) / (SELECT COUNT(*) FROM concert)", "aggregate", "ratio"),
    ("SELECT MAX(age) FROM singer", "aggregate", "none"),
    ("SELECT DISTINCT country FROM singer", "distinct", "rows"),
    ("SELECT country FROM singer GROUP BY country", "distinct", "rows"),
    ("SELECT COUNT(DISTINCT country) FROM singer", "distinct", "counted"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT country FROM singer)", "distinct", "counted"),
    ("SELECT country FROM singer GROUP BY country", "grouping", "none"),
    ("SELECT country, COUNT(*) FROM singer GROUP BY country", "grouping", "groups"),
    ("SELECT country FROM singer GROUP BY country ORDER BY COUNT(*)", "grouping", "groups"),
    ("SELECT country FROM singer GROUP BY country HAVING COUNT(*) > 2", "having", "having"),
    ("SELECT country FROM singer GROUP BY country HAVING COUNT(*) > 0", "having", "none"),
    (
        "SELECT c FROM (SELECT country AS c, COUNT(*) AS n FROM singer GROUP BY c) WHERE n > 2",
        "having",
        "having",
    ),
    ("SELECT name FROM singer ORDER BY age DESC", "order", "desc"),
    ("SELECT name FROM singer ORDER BY age DESC LIMIT 3", "order", "none"),
    ("SELECT name FROM singer ORDER BY age DESC LIMIT 3", "limit", "several"),
    ("SELECT name FROM singer ORDER BY age LIMIT 1", "limit", "none"),
    ("SELECT name FROM singer ORDER BY age LIMIT 1", "extremum", "low"),
    ("SELECT name FROM singer WHERE age = (SELECT MIN(age) FROM singer)", "extremum", "low"),
    ("SELECT MAX(age), MIN(age) FROM singer", "extremum", "both"),
    ("SELECT name, RANK() OVER (ORDER BY age DESC) FROM singer", "extremum", "high"),
    ("SELECT name FROM singer ORDER BY age LIMIT 1", "extremum_of", "column"),
    (
        "SELECT country FROM singer GROUP BY country ORDER BY COUNT(*) DESC LIMIT 1",
        "extremum_of",
        "count",
    ),
    (
        "SELECT country, COUNT(*) AS n FROM singer GROUP BY country ORDER BY n DESC LIMIT 1",
        "extremum_of",
        "count",
    ),
    (
        "SELECT country FROM singer GROUP BY country ORDER BY AVG(age) DESC LIMIT 1",
        "extremum_of",
        "figure",
    ),
    ("SELECT name FROM singer JOIN concert ON singer.id = singer_id", "n_tables", "2"),
    (
        "SELECT a.name FROM singer AS a JOIN singer AS b ON a.id = b.age",
        "n_tables",
        "1",
    ),
    ("SELECT name FROM singer WHERE age > 3 AND age < 9 AND country = 'x'", "n_conditions", "2"),
    ("SELECT name FROM singer WHERE country IS NOT NULL", "n_conditions", "0"),
    ("SELECT name FROM singer WHERE country IN ('x', 'y')", "n_values", "2"),
    ("SELECT name FROM singer WHERE country = 'x' OR country = 'y'", "n_values", "2"),
    ("SELECT name FROM singer WHERE country IN ('x', 'y')", "disjunction", "or"),
    ("SELECT name FROM singer WHERE country IN ('x')", "disjunction", "none"),
    ("SELECT name FROM singer WHERE country <> 'x'", "negation", "not"),
    ("SELECT name FROM singer WHERE NOT country = 'x'", "negation", "not"),
    ("SELECT a.name FROM singer a, singer b WHERE a.id <> b.id", "negation", "none"),
    ("SELECT name FROM singer WHERE country <> ''", "negation", "none"),
    ("SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert)", "negation", "not"),
    (
        "SELECT name FROM singer LEFT JOIN concert ON singer.id = singer_id"
        " WHERE concert.id IS NULL",
        "negation",
        "not",
    ),
    ("SELECT id FROM singer EXCEPT SELECT singer_id FROM concert", "negation", "not"),
    ("SELECT name FROM singer WHERE name LIKE '%a%'", "pattern", "pattern"),
    ("SELECT name FROM singer WHERE name LIKE 'a'", "pattern", "none"),
    ("SELECT name FROM singer WHERE born LIKE '1990-%'", "pattern", "none"),
    ("SELECT name FROM singer WHERE 30 < age", "direction", "more"),
    ("SELECT name FROM singer WHERE age BETWEEN 3 AND 9", "direction", "range"),
    ("SELECT name FROM singer WHERE age > (SELECT AVG(age) FROM singer)", "direction", "more"),
    (
        "SELECT name FROM singer WHERE born >= '1990-01-01' AND born < '1991-01-01'",
        "direction",
        "none",
    ),
    (
        "SELECT name FROM singer WHERE born BETWEEN '1990-02-01' AND '1990-02-28'",
        "n_values",
        "1",
    ),
    ("SELECT name FROM singer WHERE country IS NULL", "null_check", "null"),
    ("SELECT name FROM singer WHERE country IS NOT NULL", "null_check", "none"),
    ("SELECT id FROM singer INTERSECT SELECT id FROM concert", "set_operation", "intersect"),
    (
        "SELECT name FROM singer WHERE age > (SELECT AVG(age) FROM singer)",
        "nested_figure",
        "compared",
    ),
    (
        "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM singer GROUP BY country)",
        "nested_figure",
        "summarized",
    ),
    ("SELECT 100.0 * SUM(age > 3) / COUNT(*) FROM singer", "arithmetic", "percent"),
    ("SELECT age - 3 FROM singer", "arithmetic", "plus"),
    ("SELECT name FROM singer WHERE STRFTIME('%Y', born) = '1990'", "date", "date"),
    ("SELECT name FROM singer WHERE born > '1990-01-01'", "date", "date"),
    ("SELECT IIF(age > 3, 'old', 'new') FROM singer", "conditional", "cases"),
    ("SELECT SUM(IIF(age > 3, 1, 0)) FROM singer", "conditional", "none"),
]


@pytest.mark.parametrize(("sql", "attribute", "label"), CLASSES)
def test_the_class_of_a_query(sql: str, attribute: str, label: str) -> None:
    assert observed(parse(sql, tables=TABLES))[attribute] == label


SAME = [
    (
        "SELECT name FROM singer ORDER BY age DESC LIMIT 1",
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
        {"nested_figure", "n_tables"},
    ),
    ("SELECT MAX(age) FROM singer", "SELECT age FROM singer ORDER BY age DESC LIMIT 1", set()),
    (
        "SELECT COUNT(*) FROM singer WHERE age > 3",
        "SELECT SUM(CASE WHEN age > 3 THEN 1 ELSE 0 END) FROM singer",
        set(),
    ),
    (
        "SELECT id FROM singer EXCEPT SELECT singer_id FROM concert",
        "SELECT id FROM singer WHERE id NOT IN (SELECT singer_id FROM concert)",
        {"set_operation"},
    ),
    (
        "SELECT country FROM singer GROUP BY country ORDER BY COUNT(*) DESC LIMIT 1",
        "WITH c AS (SELECT country, COUNT(*) AS n FROM singer GROUP BY country)"
        " SELECT country FROM c ORDER BY n DESC LIMIT 1",
        set(),
    ),
    (
        "SELECT DISTINCT country FROM singer",
        "SELECT country FROM singer GROUP BY country",
        set(),
    ),
]


@pytest.mark.parametrize(("one", "other", "differing"), SAME)
def test_two_ways_of_writing_the_same_have_the_same_classes(
    one: str, other: str, differing: set[str]
) -> None:
    first, second = (observed(parse(sql, tables=TABLES)) for sql in (one, other))
    assert {name for name in ATTRIBUTES if first[name] != second[name]} <= differing


@pytest.mark.parametrize("sql", [sql for sql, _, _ in CLASSES])
def test_every_class_is_declared(sql: str) -> None:
    found = observed(parse(sql))
    assert list(found) == list(ATTRIBUTES)
    assert all(label in ATTRIBUTES[name].classes for name, label in found.items())


def test_a_statement_without_select_has_no_classes() -> None:
    assert observed(parse("DROP TABLE singer")) == {}
