"""`prove`: for every rewrite pairs that are proved."""

from pathlib import Path

import pytest

from clausewise.databases import Schema, create_database, open_database
from clausewise.equivalence import Conventions, OrderRule, compare
from clausewise.equivalence.proof import prove

PROVED = {
    "aliases": ("SELECT name FROM singer", "SELECT T1.name AS n FROM singer AS T1"),
    "comma join": (
        "SELECT s.name FROM singer s JOIN song g ON s.id = g.singer_id",
        "SELECT singer.name FROM song, singer WHERE song.singer_id = singer.id",
    ),
    "USING": (
        "SELECT s.height FROM singer s JOIN stadium t USING (name)",
        "SELECT s.height FROM stadium t CROSS JOIN singer s WHERE t.name = s.name",
    ),
    "NATURAL": (
        "SELECT height FROM (SELECT name, height FROM singer) NATURAL JOIN stadium",
        "SELECT s.height FROM singer s JOIN stadium t ON t.name = s.name",
    ),
    "RIGHT JOIN": (
        "SELECT s.name, g.title FROM song g RIGHT JOIN singer s ON s.id = g.singer_id",
        "SELECT s.name, g.title FROM singer s LEFT JOIN song g ON s.id = g.singer_id",
    ),
    "an inner join before or after an outer one": (
        "SELECT s.name FROM singer s LEFT JOIN song g ON s.id = g.guest_id, stadium t",
        "SELECT s.name FROM stadium t, singer s LEFT JOIN song g ON s.id = g.guest_id",
    ),
    "copies of one table": (
        "SELECT a.name FROM singer a, singer b WHERE a.age > b.age AND b.country = 'x'",
        "SELECT b.name FROM singer a, singer b WHERE a.age < b.age AND a.country = 'x'",
    ),
    "NOT pushed in": (
        "SELECT name FROM singer WHERE NOT (age > 5 OR country = 'x')",
        "SELECT name FROM singer WHERE country <> 'x' AND age <= 5",
    ),
    "literal as text": (
        "SELECT name FROM singer WHERE age = '5'",
        "SELECT name FROM singer WHERE 5 = age",
    ),
    "number as text": (
        "SELECT name FROM singer WHERE country = 5",
        "SELECT name FROM singer WHERE country = '5'",
    ),
    "text in double quotes": (
        'SELECT name FROM singer WHERE country = "x"',
        "SELECT name FROM singer WHERE country = 'x'",
    ),
    "BETWEEN": (
        "SELECT name FROM singer WHERE age BETWEEN 2 AND 5",
        "SELECT name FROM singer WHERE age <= 5 AND 2 <= age",
    ),
    "IN of constants": (
        "SELECT name FROM singer WHERE age IN (2, 3, 3)",
        "SELECT name FROM singer WHERE age = 3 OR age = 2",
    ),
    "NOT IN of constants": (
        "SELECT name FROM singer WHERE age NOT IN (2, 3)",
        "SELECT name FROM singer WHERE age <> 3 AND age <> 2",
    ),
    "a shared part of OR": (
        "SELECT name FROM singer WHERE (age > 5 AND height > 1) OR (age > 5 AND country = 'x')",
        "SELECT name FROM singer WHERE age > 5 AND (country = 'x' OR height > 1)",
    ),
    "a weaker condition": (
        "SELECT name FROM singer WHERE age > 5 AND age > 3 AND age <> 1",
        "SELECT name FROM singer WHERE age > 5",
    ),
    "IS NOT NULL beside a comparison": (
        "SELECT name FROM singer WHERE age > 5 AND age IS NOT NULL AND name IS NOT NULL",
        "SELECT name FROM singer WHERE age > 5",
    ),
    "constants": ("SELECT name FROM singer WHERE 1 = 1", "SELECT name FROM singer"),
    "a column equal to itself": (
        "SELECT name FROM singer WHERE age = age",
        "SELECT name FROM singer WHERE age IS NOT NULL",
    ),
    "CASE": (
        "SELECT CASE age WHEN 5 THEN 'x' ELSE 'y' END FROM singer",
        "SELECT IIF(5 = age, 'x', 'y') FROM singer",
    ),
    "sums": ("SELECT age + height FROM singer", "SELECT height + age FROM singer"),
    "COUNT": ("SELECT COUNT(*) FROM singer", "SELECT COUNT(name) FROM singer"),
    "COUNT of a constant": ("SELECT COUNT(*) FROM singer", "SELECT COUNT(1) FROM singer"),
    "COUNT of what a condition fills": (
        "SELECT COUNT(*) FROM singer WHERE age > 5",
        "SELECT COUNT(age) FROM singer WHERE age > 5",
    ),
    "COUNT of distinct keys": (
        "SELECT COUNT(DISTINCT id) FROM singer",
        "SELECT COUNT(*) FROM singer",
    ),
    "NOT IN and NOT EXISTS": (
        "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM song)",
        "SELECT name FROM singer s WHERE NOT EXISTS (SELECT 1 FROM song WHERE singer_id = s.id)",
    ),
    "IN and EXISTS": (
        "SELECT name FROM singer WHERE id IN (SELECT guest_id FROM song WHERE year > 5)",
        "SELECT name FROM singer s WHERE EXISTS "
        "(SELECT * FROM song WHERE year > 5 AND guest_id = s.id LIMIT 1)",
    ),
    "IN of a key and a join": (
        "SELECT title FROM song WHERE guest_id IN (SELECT id FROM singer WHERE age > 3)",
        "SELECT title FROM song g JOIN singer s ON s.id = g.guest_id WHERE s.age > 3",
    ),
    "IN and a join with DISTINCT": (
        "SELECT id, name FROM singer WHERE id IN (SELECT guest_id FROM song)",
        "SELECT DISTINCT s.id, s.name FROM singer s JOIN song g ON g.guest_id = s.id",
    ),
    "= of a nested query with one row": (
        "SELECT title FROM song WHERE guest_id = (SELECT id FROM singer WHERE code = 'a')",
        "SELECT g.title FROM song g JOIN singer s ON g.guest_id = s.id WHERE s.code = 'a'",
    ),
    "IN of a maximum": (
        "SELECT name FROM singer WHERE age IN (SELECT MAX(age) FROM singer)",
        "SELECT name FROM singer WHERE (SELECT MAX(age) FROM singer) = age",
    ),
    "maximum by order": (
        "SELECT name FROM singer WHERE age = (SELECT age FROM singer ORDER BY age DESC LIMIT 1)",
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
    ),
    "outer join made inner": (
        "SELECT s.name FROM singer s LEFT JOIN song g ON g.guest_id = s.id WHERE g.year > 5",
        "SELECT s.name FROM singer s JOIN song g ON g.guest_id = s.id WHERE g.year > 5",
    ),
    "outer join by a foreign key": (
        "SELECT s.name FROM song g LEFT JOIN singer s ON g.singer_id = s.id",
        "SELECT s.name FROM song g JOIN singer s ON g.singer_id = s.id",
    ),
    "needless outer join": (
        "SELECT g.title FROM song g LEFT JOIN singer s ON g.guest_id = s.id",
        "SELECT title FROM song",
    ),
    "needless outer join under DISTINCT": (
        "SELECT DISTINCT s.name FROM singer s LEFT JOIN song g ON g.guest_id = s.id",
        "SELECT DISTINCT name FROM singer",
    ),
    "needless inner join": (
        "SELECT g.title FROM song g JOIN singer s ON g.guest_id = s.id",
        "SELECT title FROM song WHERE guest_id IS NOT NULL",
    ),
    "equal column": (
        "SELECT s.id, g.title FROM song g JOIN singer s ON g.guest_id = s.id",
        "SELECT g.guest_id, g.title FROM song g JOIN singer s ON g.guest_id = s.id",
    ),
    "transitive equality": (
        "SELECT a.title FROM song a, song b, singer s "
        "WHERE a.guest_id = s.id AND b.guest_id = s.id AND s.age > 3",
        "SELECT a.title FROM song a, song b, singer s "
        "WHERE a.guest_id = b.guest_id AND b.guest_id = s.id AND s.age > 3",
    ),
    "a table joined with itself on its key": (
        "SELECT a.name FROM singer a JOIN singer b ON a.id = b.id WHERE b.age > 5",
        "SELECT name FROM singer WHERE age > 5",
    ),
    "DISTINCT of a key": ("SELECT DISTINCT id, age FROM singer", "SELECT id, age FROM singer"),
    "GROUP BY without aggregates": (
        "SELECT country, age FROM singer GROUP BY age, country",
        "SELECT DISTINCT country, age FROM singer",
    ),
    "GROUP BY of a key without aggregates": (
        "SELECT name FROM singer GROUP BY id",
        "SELECT name FROM singer",
    ),
    "GROUP BY of a key and more": (
        "SELECT s.name, COUNT(*) FROM singer s JOIN song g ON s.id = g.guest_id GROUP BY s.id",
        "SELECT s.name, COUNT(*) FROM singer s JOIN song g ON s.id = g.guest_id "
        "GROUP BY g.guest_id, s.name, s.age",
    ),
    "DISTINCT of groups": (
        "SELECT DISTINCT country, COUNT(*) FROM singer GROUP BY country",
        "SELECT country, COUNT(*) FROM singer GROUP BY 1",
    ),
    "HAVING of a grouped column": (
        "SELECT country, COUNT(*) FROM singer GROUP BY country HAVING country > 'b'",
        "SELECT country, COUNT(*) FROM singer WHERE country > 'b' GROUP BY country",
    ),
    "ORDER BY of alias, position and expression": (
        "SELECT country, COUNT(*) AS n FROM singer GROUP BY country ORDER BY n DESC, 1",
        "SELECT country, COUNT(*) FROM singer GROUP BY country ORDER BY COUNT(*) DESC, country ASC",
    ),
    "ORDER BY after a key": (
        "SELECT name FROM singer ORDER BY id, age",
        "SELECT name FROM singer ORDER BY id",
    ),
    "ORDER BY of one row": (
        "SELECT COUNT(*) FROM singer ORDER BY 1 LIMIT 1",
        "SELECT COUNT(*) FROM singer",
    ),
    "ORDER BY in a nested query": (
        "SELECT name FROM singer WHERE id IN (SELECT guest_id FROM song ORDER BY year)",
        "SELECT name FROM singer WHERE id IN (SELECT guest_id FROM song)",
    ),
    "CTE and derived table": (
        "WITH x AS (SELECT * FROM singer WHERE age > 5) SELECT name FROM x ORDER BY age",
        "SELECT y.name FROM (SELECT age, name FROM singer) AS y WHERE y.age > 5 ORDER BY y.age",
    ),
    "a filter on groups": (
        "SELECT country FROM (SELECT country, COUNT(*) AS n FROM singer GROUP BY country) "
        "WHERE n > 2",
        "SELECT country FROM singer GROUP BY country HAVING COUNT(*) > 2",
    ),
    "UNION and OR": (
        "SELECT name FROM singer WHERE age > 5 UNION SELECT name FROM singer WHERE country = 'x'",
        "SELECT DISTINCT name FROM singer WHERE country = 'x' OR age > 5",
    ),
    "UNION and UNION ALL": (
        "SELECT name FROM singer UNION SELECT name FROM stadium",
        "SELECT DISTINCT name FROM stadium UNION SELECT name FROM singer",
    ),
    "order of UNION ALL": (
        "SELECT name FROM singer UNION ALL SELECT name FROM stadium",
        "SELECT name FROM stadium UNION ALL SELECT name FROM singer",
    ),
    "INTERSECT of a key": (
        "SELECT id FROM singer WHERE age > 5 INTERSECT SELECT id FROM singer WHERE country = 'x'",
        "SELECT id FROM singer WHERE age > 5 AND country = 'x'",
    ),
    "INTERSECT and IN": (
        "SELECT name FROM singer INTERSECT SELECT label FROM song",
        "SELECT DISTINCT name FROM singer WHERE name IN (SELECT label FROM song)",
    ),
    "EXCEPT and NOT IN": (
        "SELECT id FROM singer EXCEPT SELECT singer_id FROM song",
        "SELECT id FROM singer WHERE id NOT IN (SELECT singer_id FROM song)",
    ),
    "solver: all cases": (
        "SELECT name FROM singer WHERE age > 5 AND (height > 1 OR height <= 1 OR height IS NULL)",
        "SELECT name FROM singer WHERE age > 5",
    ),
    "solver: at least and not equal": (
        "SELECT name FROM singer WHERE age >= 5 AND age <> 5",
        "SELECT name FROM singer WHERE 5 < age",
    ),
    "solver: HAVING": (
        "SELECT age FROM singer GROUP BY age HAVING COUNT(*) >= 2 AND NOT COUNT(*) = 2",
        "SELECT age FROM singer GROUP BY age HAVING COUNT(*) > 2",
    ),
}


@pytest.mark.parametrize("pair", PROVED.values(), ids=PROVED)
def test_pairs_that_are_proved(pair: tuple[str, str], schema: Schema) -> None:
    proof = prove(*pair, schema)
    assert proof is not None
    assert all(step.endswith(".") for step in proof.steps)
    assert prove(pair[1], pair[0], schema) is not None


def test_data_that_break_a_foreign_key_go_before_a_proof_that_rests_on_it(
    tmp_path: Path, ddl: str
) -> None:
    pair = (
        "SELECT g.title FROM song g JOIN singer s ON g.singer_id = s.id",
        "SELECT title FROM song",
    )
    row = "INSERT INTO song (id, singer_id, title) VALUES (1, {}, 'x');"
    singer = "INSERT INTO singer (id, name) VALUES (1, 'a');"
    for number, verdict in ((1, "EQUIVALENT"), (2, "NOT_EQUIVALENT")):
        path = tmp_path / f"{number}.sqlite"
        create_database(path, ddl + singer + row.format(number))
        proof = prove(*pair, open_database(path).schema)
        assert proof is not None
        assert proof.foreign_keys == (("song", ("singer_id",)),)
        assert compare(*pair, path).verdict == verdict


def test_without_the_solver_its_proofs_are_left_out(schema: Schema) -> None:
    pair = PROVED["solver: at least and not equal"]
    proof = prove(*pair, schema)
    assert proof is not None
    assert "as z3 shows" in " ".join(proof.steps)
    assert prove(*pair, schema, solver=False) is None


def test_order_counts_as_the_conventions_say(schema: Schema) -> None:
    plain, ordered = "SELECT name FROM singer", "SELECT name FROM singer ORDER BY age"
    assert prove(plain, ordered, schema) is None
    assert prove(plain, ordered, schema, conventions=Conventions(order=OrderRule.NEVER))
    assert prove(plain, ordered, schema, conventions=Conventions(order=OrderRule.FIRST))
    assert prove(ordered, plain, schema, conventions=Conventions(order=OrderRule.FIRST)) is None


def test_another_dialect_is_not_modelled(schema: Schema) -> None:
    assert prove("SELECT name FROM singer", "SELECT name FROM singer s", schema, "duckdb") is None


COLLATED = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);
CREATE TABLE street (id INTEGER PRIMARY KEY, name TEXT);
"""


def test_nothing_is_proved_of_a_table_with_collations(tmp_path: Path) -> None:
    schema = open_database(create_database(tmp_path / "collated.sqlite", COLLATED)).schema
    joined = "SELECT {}.name FROM {t} AS a JOIN {t} AS b ON a.name = b.name WHERE a.id = 1"
    for table, is_proved in (("city", False), ("street", True)):
        first, second = joined.format("a", t=table), joined.format("b", t=table)
        assert (prove(first, second, schema) is not None) is is_proved


def test_a_primary_key_that_numbers_no_rows_may_be_null(tmp_path: Path) -> None:
    tables = (
        "CREATE TABLE falling (id INTEGER PRIMARY KEY DESC);"
        "CREATE TABLE plain (id INTEGER, PRIMARY KEY (id DESC));"
        "CREATE TABLE unnumbered (id INTEGER PRIMARY KEY) WITHOUT ROWID;"
    )
    create_database(tmp_path / "keys.sqlite", tables)
    schema = open_database(tmp_path / "keys.sqlite").schema
    found = {
        table: prove(f"SELECT count(id) FROM {table}", f"SELECT count(*) FROM {table}", schema)
        for table in ("falling", "plain", "unnumbered")
    }
    assert [table for table, proof in found.items() if proof is None] == ["falling"]
