"""What a script of CREATE, ALTER and COMMENT statements defines."""

from __future__ import annotations

import pytest

from clausewise.errors import InputError
from clausewise.sql.definitions import DefinedKey, read_definitions

POSTGRES = """
SET client_encoding = 'UTF8';
\\connect shop
CREATE TABLE public.makers (
    id integer NOT NULL,
    name character varying(40) DEFAULT 'a;b'::character varying,
    opened timestamp without time zone
);
COPY public.makers (id, name) FROM stdin;
1	it's; odd
\\.
CREATE FUNCTION f() RETURNS int AS $$ BEGIN; RETURN 1; END $$ LANGUAGE plpgsql;
CREATE TABLE public.cars (id serial PRIMARY KEY, maker integer, "Top Speed" numeric(10,2));
ALTER TABLE ONLY public.makers ADD CONSTRAINT makers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cars
    ADD CONSTRAINT cars_maker FOREIGN KEY (maker) REFERENCES public.makers(id) ON DELETE CASCADE;
CREATE UNIQUE INDEX one_name ON public.makers (name);
CREATE UNIQUE INDEX part_of_it ON public.makers (opened) WHERE opened IS NOT NULL;
COMMENT ON COLUMN public.cars.maker IS 'who built it';
CREATE VIEW fast AS SELECT id, "Top Speed" AS speed FROM cars;
"""
MYSQL = """
/*!40101 SET NAMES utf8 */;
# a comment; with a semicolon
CREATE TABLE `makers` (
  `id` int unsigned NOT NULL AUTO_INCREMENT COMMENT 'the number',
  `name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'it\\'s; odd',
  `kind` enum('a','b') DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `one` (`name`,`kind`),
  KEY `slow` (`name`(10)),
  CONSTRAINT `own` FOREIGN KEY (`id`) REFERENCES `others` (`n`)
) ENGINE=InnoDB COMMENT='all; of them';
INSERT INTO `makers` VALUES (1,'x\\'; CREATE TABLE fake (a int)','a');
"""


def test_a_postgresql_dump() -> None:
    found = read_definitions(POSTGRES, "postgres")
    makers, cars, fast = found.tables.values()
    assert [(c.name, c.type, c.not_null) for c in makers.columns] == [
        ("id", "integer", True),
        ("name", "character varying(40)", False),
        ("opened", "timestamp without time zone", False),
    ]
    assert (makers.primary_key, makers.unique) == (("id",), (("name",),))
    assert cars.foreign_keys == (DefinedKey(("maker",), "makers", ("id",)),)
    assert [c.comment for c in cars.columns] == [None, "who built it", None]
    assert (fast.is_view, [c.name for c in fast.columns]) == (True, ["id", "speed"])
    assert found.skipped == {"SET": 1, "CREATE": 1}
    assert not found.left_out


def test_a_mysql_dump() -> None:
    found = read_definitions(MYSQL, "mysql")
    (makers,) = found.tables.values()
    assert [(c.name, c.type) for c in makers.columns] == [
        ("id", "int unsigned"),
        ("name", "varchar(40)"),
        ("kind", "enum('a','b')"),
    ]
    assert makers.columns[0].comment == "the number"
    assert (makers.primary_key, makers.unique) == (("id",), (("name", "kind"),))
    assert makers.foreign_keys == (DefinedKey(("id",), "others", ("n",)),)
    assert makers.has_collations
    assert found.skipped == {"INSERT": 1}


def test_a_damaged_statement_leaves_the_others() -> None:
    script = "CREATE TABLE a (x INT);\n\nCREATE TABLE b (x INT;\nCREATE TABLE c (z TEXT)"
    found = read_definitions(script)
    assert list(found.tables) == ["a", "c"]
    (place, reason) = next(iter(found.left_out.items()))
    assert place == "line 3"
    assert "CREATE TABLE b" in reason


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("CREATE VIEW v AS SELECT * FROM a", "its columns follow from a query"),
        ("ALTER TABLE nowhere ADD COLUMN x INT", "altered, and not defined before"),
        ("CREATE TABLE a (y INT)", "defined twice; the first definition counts"),
    ],
)
def test_what_is_not_known_from_the_script_is_said(statement: str, reason: str) -> None:
    found = read_definitions(f"CREATE TABLE a (x INT); {statement}")
    assert list(found.left_out.values()) == [reason]
    assert [column.name for column in found.tables["a"].columns] == ["x"]


def test_keys_that_name_no_own_column_are_dropped() -> None:
    found = read_definitions("CREATE TABLE a (X INT, y INT, PRIMARY KEY (x), UNIQUE (y, gone))")
    assert (found.tables["a"].primary_key, found.tables["a"].unique) == (("X",), ())


def test_sqlite_keeps_types_as_written() -> None:
    script = (
        "CREATE TABLE t (a, b VARCHAR2 (20) NOT NULL, [c d] bool DEFAULT 1, "
        "e INTEGER PRIMARY KEY AUTOINCREMENT REFERENCES u, f unsigned big int)"
    )
    (table,) = read_definitions(script).tables.values()
    types = [column.type for column in table.columns]
    assert types == ["", "VARCHAR2 (20)", "bool", "INTEGER", "unsigned big int"]
    assert table.foreign_keys == (DefinedKey(("e",), "u", ()),)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(InputError, match="dialect"):
        read_definitions("CREATE TABLE a (x INT)", "cobol")


def test_unclosed_quotes_and_nothing_at_all() -> None:
    assert not read_definitions("").tables
    found = read_definitions("CREATE TABLE a (x INT); CREATE TABLE b (y TEXT DEFAULT 'oh; no)")
    assert list(found.tables) == ["a"]
    assert found.left_out
