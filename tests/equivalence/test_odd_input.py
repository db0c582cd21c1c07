"""`compare` and `suite` on odd but valid schemas and queries: they answer, and never raise."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from clausewise.equivalence import EquivalenceVerdict, compare, suite

EQUIVALENT, NOT_EQUIVALENT, UNKNOWN = EquivalenceVerdict
PLAIN = "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, NULL);"
NODES = "CREATE TABLE t (id INTEGER PRIMARY KEY, up INTEGER REFERENCES t (id), b TEXT);"
WIDE = ", ".join(f"c{number} INT" for number in range(60))
COUNTING = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n {}) SELECT i FROM n"


def joined(kind: str) -> str:
    joins = (f"{kind} t x{n} ON x{n}.id = x{n - 1}.up" for n in range(1, 31))
    return f"SELECT x0.b FROM t x0 {' '.join(joins)}"


ODD = {
    "no table": (PLAIN, "SELECT 1", "SELECT 2", NOT_EQUIVALENT),
    "no type": (
        "CREATE TABLE t (a, b);",
        "SELECT a FROM t WHERE b = 1",
        "SELECT a FROM t WHERE b = '1'",
        NOT_EQUIVALENT,
    ),
    "view": (
        PLAIN + 'CREATE VIEW "v "" w" AS SELECT a AS "x y" FROM t WHERE a > 1;',
        'SELECT "x y" FROM "v "" w"',
        'SELECT DISTINCT "x y" FROM "v "" w"',
        NOT_EQUIVALENT,
    ),
    "view with a function of another program": (
        PLAIN + "CREATE VIEW v AS SELECT odd(a) AS a FROM t;",
        "SELECT a FROM v",
        "SELECT a + 1 FROM v",
        UNKNOWN,
    ),
    "without row numbers": (
        "CREATE TABLE t (a TEXT PRIMARY KEY, b INT) WITHOUT ROWID;",
        "SELECT a FROM t",
        "SELECT b FROM t",
        NOT_EQUIVALENT,
    ),
    "generated": (
        "CREATE TABLE t (a INT, g INT AS (a * 2), h TEXT AS (a || 'x') STORED);",
        "SELECT g FROM t WHERE h = '2x'",
        "SELECT g FROM t",
        NOT_EQUIVALENT,
    ),
    "names": (
        'CREATE TABLE "my ""t" (" a""b" TEXT, "ünï" INT, "a]b" INT);',
        'SELECT "ünï" FROM "my ""t"',
        'SELECT "a]b" FROM "my ""t" WHERE " a""b" > \'x\'',
        NOT_EQUIVALENT,
    ),
    "wide": (
        f"CREATE TABLE t ({WIDE});",
        "SELECT * FROM t",
        "SELECT * FROM t WHERE c7 > 3",
        NOT_EQUIVALENT,
    ),
    "recursive": (
        PLAIN,
        COUNTING.format("WHERE i < 5"),
        COUNTING.format("WHERE i < 6"),
        NOT_EQUIVALENT,
    ),
    "endless": (PLAIN, COUNTING.format(""), COUNTING.format("WHERE i > 0"), UNKNOWN),
    "values": (PLAIN, "VALUES (1)", "VALUES (2)", UNKNOWN),
    "values in FROM": (
        PLAIN,
        "SELECT * FROM (VALUES (1), (2))",
        "SELECT * FROM (VALUES (1), (3))",
        NOT_EQUIVALENT,
    ),
    "set operations": (
        PLAIN,
        "SELECT a FROM t UNION SELECT b FROM t INTERSECT SELECT a FROM t EXCEPT SELECT 1",
        "SELECT a FROM t UNION ALL SELECT b FROM t INTERSECT SELECT a FROM t",
        NOT_EQUIVALENT,
    ),
    "many joins": (NODES, joined("JOIN"), joined("LEFT JOIN"), NOT_EQUIVALENT),
    "NUL": (PLAIN, "SELECT 'a\0b' FROM t", "SELECT 'a' FROM t", UNKNOWN),
    "blob": (
        "CREATE TABLE t (a BLOB, b INT);",
        "SELECT a FROM t WHERE a = x'00ff'",
        "SELECT a FROM t WHERE b = 1",
        NOT_EQUIVALENT,
    ),
    "other kinds of values than declared": (
        "CREATE TABLE t (a INTEGER, b REAL);"
        "INSERT INTO t VALUES ('abc', x'ff00'), (x'01', 'nan'), (9e999, -9223372036854775808);",
        "SELECT a FROM t WHERE a > 1",
        "SELECT a FROM t WHERE a >= 1",
        NOT_EQUIVALENT,
    ),
    "not UTF-8": (
        "CREATE TABLE t (a TEXT, b INT); INSERT INTO t VALUES (CAST(x'fffe41' AS TEXT), 1);",
        "SELECT a FROM t WHERE b = 1",
        "SELECT a FROM t WHERE a = 'x'",
        NOT_EQUIVALENT,
    ),
    "large numbers": (
        PLAIN,
        "SELECT a FROM t WHERE a = 9223372036854775807",
        "SELECT a FROM t WHERE a >= -9223372036854775808 AND a < 1e300",
        NOT_EQUIVALENT,
    ),
    "types that are no names": (
        """CREATE TABLE t (a "INT, z INT", b "x"";y");""",
        "SELECT a FROM t",
        "SELECT b FROM t",
        NOT_EQUIVALENT,
    ),
    "no row is possible": (
        "CREATE TABLE t (a INT CHECK (a < 0 AND a > 0), b INT, CHECK (0));",
        "SELECT a FROM t",
        "SELECT b FROM t",
        UNKNOWN,
    ),
    "function of another program in CHECK": (
        "CREATE TABLE t (a INT CHECK (odd(a)), b INT);",
        "SELECT a FROM t",
        "SELECT b FROM t",
        UNKNOWN,
    ),
    "collation of another program": (
        "CREATE TABLE t (a TEXT COLLATE odd, b INT);",
        "SELECT a FROM t",
        "SELECT b FROM t",
        UNKNOWN,
    ),
}


@pytest.mark.parametrize(("script", "a", "b", "verdict"), ODD.values(), ids=ODD)
def test_odd_input_is_answered(
    tmp_path: Path, script: str, a: str, b: str, verdict: EquivalenceVerdict
) -> None:
    path = tmp_path / "odd.sqlite"
    connection = sqlite3.connect(path)
    connection.create_collation("odd", lambda one, other: (one > other) - (one < other))
    connection.create_function("odd", 1, lambda value: 1, deterministic=True)
    connection.executescript(script)
    connection.close()
    found = compare(a, b, path)
    assert found.verdict is verdict
    assert bool(found.reason) == (verdict is UNKNOWN)
    together = suite([a, b], path)
    assert together.tells_apart(0, 1) == (verdict is NOT_EQUIVALENT)
