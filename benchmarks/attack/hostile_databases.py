"""Builders of hostile databases: what they hold. Each takes the path of the file to make."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.scoring import STATUSES

Build = Callable[[Path], None]

CHECKED = frozenset({"ok"})
COUNT = "SELECT COUNT(*) FROM people WHERE name = 'Ann'"
SLOW = "instr(hex(zeroblob(200000)), hex(zeroblob(100000)) || '1')"
"""Takes seconds in one step of SQLite's machine, on texts below every limit of size."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """A hostile database, the queries on it, and the statuses that they may end in."""

    name: str
    build: Build
    queries: tuple[str, ...] = (COUNT,)
    allowed: frozenset[str] = STATUSES


def script(text: str, rows: int = 50, encoding: str = "UTF-8") -> Build:
    """Return a builder of a database with a small table `people` and what a script adds."""

    def build(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA encoding = '{encoding}'")
            people(connection, rows)
            connection.executescript(text)
            connection.commit()

    return build


def people(connection: sqlite3.Connection, rows: int = 50) -> None:
    """Make the table that the queries ask for."""
    connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, town TEXT)")
    names = ("Ann", "Bob", "Cid", "Dora")
    connection.executemany(
        "INSERT INTO people VALUES (?, ?, ?)",
        ((number, names[number % 4], f"town {number % 9}") for number in range(rows)),
    )


def repeated(text: str, times: int) -> str:
    """Return a text for each number from 0 on, with the number in place of #."""
    return "".join(text.replace("#", str(number)) for number in range(times))


def photos(count: int, value: str) -> Build:
    """Return a builder of a table of so many rows with a large value each, and `people`."""
    return script(
        "CREATE TABLE photos (id INTEGER PRIMARY KEY, person INTEGER, image BLOB);"
        f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {count})"
        f"INSERT INTO photos SELECT x, x % 50, {value} FROM n;"
    )


def raw_names(table: bytes, column: bytes) -> Build:
    """Return a builder of a table whose names are these bytes, in whatever encoding."""

    def build(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            people(connection)
            connection.execute("CREATE TABLE zzzz (yyyy TEXT)")
            connection.execute("INSERT INTO zzzz VALUES ('x')")
            connection.execute("PRAGMA writable_schema = ON")
            sql = b'CREATE TABLE "' + table + b'" ("' + column + b'" TEXT)'
            connection.execute(
                "UPDATE sqlite_master SET name = CAST(? AS TEXT), tbl_name = CAST(? AS TEXT), "
                "sql = CAST(? AS TEXT) WHERE name = 'zzzz'",
                (table, table, sql),
            )
            connection.commit()

    return build


def schema_entry(kind: str, name: str, sql: str) -> Build:
    """Return a builder of a database with an entry of the schema that SQLite would not make."""

    def build(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            people(connection)
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(
                "INSERT INTO sqlite_master VALUES (?, ?, ?, 0, ?)", (kind, name, name, sql)
            )
            connection.commit()

    return build


RECURSIVE = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
GENERATED = "CREATE TABLE g (id INTEGER PRIMARY KEY, big TEXT GENERATED ALWAYS AS ({}) VIRTUAL);"
MANY_ROWS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {})"
ON_VIEW = "SELECT * FROM v"

LARGE = (
    Hostile("1,000 photos of 1 MB", photos(1_000, "randomblob(1000000)"), allowed=CHECKED),
    Hostile("300 texts of 1 MB", photos(300, "hex(randomblob(500000))"), allowed=CHECKED),
    Hostile(
        "photos that are selected, sorted, grouped and compared",
        photos(150, "randomblob(1000000)"),
        (
            "SELECT image FROM photos",
            "SELECT id FROM photos ORDER BY image",
            "SELECT image, COUNT(*) FROM photos GROUP BY image",
            "SELECT COUNT(DISTINCT image) FROM photos",
            "SELECT a.id FROM photos a JOIN photos b ON a.image = b.image",
        ),
    ),
    Hostile(
        "a generated column of 1 MB, 5,000 rows",
        script(
            GENERATED.format("hex(zeroblob(500000)) || id")
            + MANY_ROWS.format(5_000)
            + "INSERT INTO g (id) SELECT x FROM n;"
        ),
        allowed=CHECKED,
    ),
    Hostile(
        "a generated column with a slow function",
        script(
            GENERATED.format(SLOW) + MANY_ROWS.format(200) + "INSERT INTO g (id) SELECT x FROM n;"
        ),
        (COUNT, "SELECT big FROM g WHERE id = 1", "SELECT COUNT(*) FROM g WHERE big > 0"),
    ),
    Hostile(
        "a million rows and an IN with 3,000 texts",
        script("", rows=1_000_000),
        (
            "SELECT COUNT(*) FROM people WHERE town IN ("
            + ", ".join(f"'place {number}'" for number in range(3_000))
            + ")",
        ),
    ),
    Hostile(
        "one text of 9 MB",
        script("UPDATE people SET town = hex(zeroblob(4500000)) WHERE id = 3;"),
        allowed=CHECKED,
    ),
    Hostile(
        "one text of 60 MB",
        script("UPDATE people SET town = hex(zeroblob(30000000)) WHERE id = 3;"),
        (COUNT, "SELECT town FROM people"),
    ),
)

VIEWS = (
    Hostile(
        "a view that never ends",
        script(f"CREATE VIEW v AS {RECURSIVE};"),
        (COUNT, ON_VIEW),
    ),
    Hostile(
        "a view with a slow function",
        script(f"CREATE VIEW v AS SELECT {SLOW} AS x FROM people;", rows=1_000),
        (COUNT, ON_VIEW),
    ),
    Hostile(
        "a view with large values",
        script("CREATE VIEW v AS SELECT hex(randomblob(4000000)) AS x FROM people;", rows=2_000),
        (COUNT, ON_VIEW),
    ),
    Hostile(
        "a view over a cross join",
        script(
            "CREATE VIEW v AS SELECT a.name || b.name || c.name || d.name AS x "
            "FROM people a, people b, people c, people d ORDER BY 1;",
            rows=200,
        ),
        (COUNT, ON_VIEW),
    ),
    Hostile(
        "20 slow views",
        script(repeated(f"CREATE VIEW v# AS SELECT {SLOW} AS x FROM people;", 20), rows=1_000),
    ),
    Hostile(
        "views on views, each twice the one before",
        script(
            "CREATE VIEW v0 AS SELECT name FROM people;"
            + "".join(
                f"CREATE VIEW v{n} AS SELECT * FROM v{n - 1} UNION ALL SELECT * FROM v{n - 1};"
                for n in range(1, 30)
            )
        ),
        (COUNT, "SELECT COUNT(*) FROM v29"),
    ),
    Hostile("views in a circle", schema_entry("view", "v", "CREATE VIEW v AS SELECT * FROM v")),
    Hostile(
        "a view of a table that is not there",
        script("CREATE VIEW v AS SELECT * FROM nowhere;"),
        allowed=CHECKED,
    ),
    Hostile(
        "a view that loads an extension",
        script("CREATE VIEW v AS SELECT load_extension('/tmp/x') AS x FROM people;"),
        (COUNT, ON_VIEW),
    ),
    Hostile(
        "a view with fts3_tokenizer",
        script("CREATE VIEW v AS SELECT fts3_tokenizer('simple') AS x FROM people;"),
        (COUNT, ON_VIEW),
    ),
)

SCHEMAS = (
    Hostile(
        "triggers that write",
        script(
            "CREATE VIEW v AS SELECT * FROM people;"
            "CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN DELETE FROM people; END;"
            "CREATE TRIGGER u AFTER UPDATE ON people BEGIN DELETE FROM people; END;"
        ),
        (COUNT, "SELECT COUNT(*) FROM v"),
        CHECKED,
    ),
    Hostile(
        "1,000 tables without keys",
        script(
            repeated("CREATE TABLE t# (a INTEGER, b TEXT, c TEXT);", 1_000)
            + repeated("INSERT INTO t# VALUES (#, 'x', 'y'), (# + 1, 'z', 'w');", 1_000)
        ),
        allowed=CHECKED,
    ),
    Hostile(
        "a table of 2,000 columns",
        script(f"CREATE TABLE wide (c INTEGER{repeated(', c# TEXT', 1_999)});"),
        (COUNT, "SELECT * FROM wide"),
        CHECKED,
    ),
    Hostile(
        "keys in a circle, to themselves and to nothing",
        script(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES b(id), a REFERENCES a(id));"
            "CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a(id), x REFERENCES gone(id));"
            "CREATE TABLE c (id REFERENCES c(id), y REFERENCES a(nowhere));"
        ),
        (COUNT, "SELECT COUNT(*) FROM a JOIN b ON a.b = b.id JOIN c ON c.id = b.id"),
        CHECKED,
    ),
    Hostile("a table's name not in UTF-8", raw_names(b"t\xff\xfe", b"c"), allowed=CHECKED),
    Hostile("a column's name not in UTF-8", raw_names(b"t", b"c\xff\xfe"), allowed=CHECKED),
    Hostile("a name with a null character", raw_names(b"t\0t", b"c\0c")),
    Hostile("an empty name", script('CREATE TABLE "" ("" TEXT);'), allowed=CHECKED),
    Hostile(
        "names with line breaks, quotes, escapes and markup",
        script(
            'CREATE TABLE "a\nb" ("c\r\nd" TEXT); CREATE TABLE "x""y" ("z\'" TEXT);'
            'CREATE TABLE "\x1b[2J" ("<script>alert(1)</script>" TEXT);'
            'CREATE TABLE "`[select]" ("from" TEXT, "```" TEXT);'
        ),
        (COUNT, 'SELECT "<script>alert(1)</script>" FROM "\x1b[2J"'),
        CHECKED,
    ),
    Hostile(
        "a name of 500,000 letters", script(f'CREATE TABLE "{"x" * 500_000}" (a);'), allowed=CHECKED
    ),
    Hostile(
        "texts not in UTF-8",
        script("UPDATE people SET town = CAST(x'fffe41' AS TEXT) WHERE id < 9;"),
        (COUNT, "SELECT town FROM people"),
        CHECKED,
    ),
    Hostile("a database in UTF-16", script("", encoding="UTF-16le"), allowed=CHECKED),
    Hostile(
        "numbers at their limits",
        script(
            "CREATE TABLE n (i INTEGER, r REAL);"
            "INSERT INTO n VALUES (9223372036854775807, 9e999), (-9223372036854775808, -9e999),"
            " (NULL, 4.9e-324), (0, -0.0);"
        ),
        (COUNT, "SELECT SUM(i) FROM n", "SELECT r FROM n ORDER BY r"),
    ),
    Hostile(
        "full-text, spatial and unknown virtual tables",
        script(
            "CREATE VIRTUAL TABLE f5 USING fts5(body); INSERT INTO f5 VALUES ('a b c');"
            "CREATE VIRTUAL TABLE f4 USING fts4(body); INSERT INTO f4 VALUES ('a b c');"
            "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 0, 1);"
            "UPDATE f5_data SET block = zeroblob(50);"
            "UPDATE f4_segdir SET root = randomblob(50);"
            "UPDATE r_node SET data = randomblob(600);"
        ),
        (
            COUNT,
            "SELECT * FROM f5 WHERE f5 MATCH 'a'",
            "SELECT * FROM f4 WHERE f4 MATCH 'a'",
            "SELECT * FROM r",
        ),
    ),
    Hostile(
        "a virtual table of a module that is not there",
        schema_entry("table", "v", "CREATE VIRTUAL TABLE v USING nothing(1)"),
    ),
    Hostile("a table's statement that is no SQL", schema_entry("table", "v", "CREATE TABLE v (((")),
    Hostile(
        "indexes on slow expressions",
        script(
            "CREATE TABLE e (a TEXT, CHECK (length(a) < 9));"
            f"CREATE INDEX i ON e (a || {SLOW}); CREATE INDEX j ON people (name) WHERE id > 3;"
        ),
        allowed=CHECKED,
    ),
)
