"""Statements put together from pieces of one SELECT."""

from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import create_database, open_database
from clausewise.signals.context import Context
from clausewise.signals.probes.rows import (
    enclosing_select,
    first_rows,
    in_set_operation,
    set_operations,
    sort_key,
    values_of,
    with_extras,
)
from clausewise.sql import parse
from clausewise.sql.model import Piece
from clausewise.types import Case

SCHEMA = """
CREATE TABLE sale (id INTEGER PRIMARY KEY, shop TEXT, price REAL);
INSERT INTO sale VALUES (1, 'Arc', 5), (2, 'Arc', 7), (3, 'Bow', 9);
"""


def context_of(sql: str, folder: Path) -> Context:
    file = create_database(folder / "shop.sqlite", SCHEMA)
    database = open_database(file, cache_dir=folder / "cache")
    case = Case(question_id=1, db_id="shop", question="", predicted_sql=sql)
    return Context(case, parse(sql, tables=database.schema.names()), database, None)


def members(sql: str) -> list[list[str]]:
    return [[select.piece.text for select in chain] for chain in set_operations(parse(sql))]


def test_set_operations_are_found_on_every_level() -> None:
    sql = (
        "SELECT a FROM t WHERE a IN (SELECT b FROM u EXCEPT SELECT c FROM v) "
        "UNION SELECT d FROM (SELECT e FROM w) AS x UNION SELECT f FROM y"
    )
    chains = members(sql)
    assert ["SELECT b FROM u", "SELECT c FROM v"] in chains
    outer = next(chain for chain in chains if len(chain) == 3)
    assert [text[:8] for text in outer] == ["SELECT a", "SELECT d", "SELECT f"]
    assert len(chains) == 2


def test_siblings_are_no_set_operation() -> None:
    query = parse("SELECT a FROM t WHERE a IN (SELECT b FROM u) AND c IN (SELECT d FROM v)")
    assert set_operations(query) == ()
    assert not any(in_set_operation(query, select) for select in query.selects)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("price", "price"),
        ("p", "price * 2"),
        ("2", "price * 2"),
        ("9", "9"),
        ("P DESC", "price * 2"),
    ],
)
def test_sort_keys(order: str, expected: str) -> None:
    select = parse(f"SELECT shop, price * 2 AS p FROM sale ORDER BY {order}").root
    assert sort_key(select.order_by[0]) == expected


def test_extras_keep_aliases_and_comments(tmp_path: Path) -> None:
    sql = (
        "SELECT shop AS s, -- the shop\n SUM(price) AS total -- all of it\nFROM sale -- here\n"
        "GROUP BY s -- so\nHAVING total > 9 -- enough\nORDER BY total"
    )
    context = context_of(sql, tmp_path)
    text = with_extras(context, context.query.root, ["COUNT(*)"], ordered=True)
    assert context.run(text).rows == (("Arc", 12.0, 2),)
    text = with_extras(context, context.query.root, ["COUNT(*)"], having=False)
    assert len(context.run(text).rows) == 2


@pytest.mark.parametrize(
    ("sql", "place", "expected"),
    [
        ("SELECT price + 1 FROM sale WHERE id > 1", "price + 1", [8.0, 10.0]),
        ("SELECT id FROM sale WHERE price + 1 > 7", "price + 1", [6.0, 8.0, 10.0]),
        ("SELECT SUM(price + 1) FROM sale", "price + 1", [6.0, 8.0, 10.0]),
        ("SELECT SUM(price) + 1 FROM sale GROUP BY shop", "SUM(price) + 1", [13.0, 10.0]),
    ],
)
def test_values_at_a_place(sql: str, place: str, expected: list[float], tmp_path: Path) -> None:
    context = context_of(sql, tmp_path)
    start = sql.index(place)
    piece = Piece(place, start, start + len(place))
    text = values_of(context, context.query.root, piece, [place])
    found: list[Any] = [row[-1] for row in context.run(text).rows]
    assert sorted(found) == sorted(expected)


def test_first_rows_go_beyond_the_limit(tmp_path: Path) -> None:
    context = context_of("SELECT DISTINCT shop FROM sale ORDER BY price LIMIT 1", tmp_path)
    _, result = first_rows(context, context.query.root)
    assert result.rows == (("Arc", 5.0), ("Arc", 7.0), ("Bow", 9.0))


def test_the_innermost_select_is_found() -> None:
    query = parse("SELECT a FROM t WHERE a = (SELECT b / 2 FROM u)")
    start = query.text.index("b / 2")
    assert enclosing_select(query, Piece("b / 2", start, start + 5)).piece.text.endswith("FROM u")
