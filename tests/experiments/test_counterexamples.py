"""The pairs, the baseline and the independent check of the experiment on counterexamples."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from clausewise.databases import open_database
from experiments.counterexamples import plain
from experiments.counterexamples.checking import Checker, is_readable
from experiments.counterexamples.fuzzer import Fuzzer
from experiments.counterexamples.measuring import COMPARE, measure
from experiments.counterexamples.mutations import CHANGES, NULL_CHECK, Drawing, mutant
from experiments.counterexamples.pairs import MUTANTS, Pair, is_ordered
from experiments.counterexamples.plain import Rule

BAGS = Rule((False, False), any_column_order=True)
STATEMENTS = (
    "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER)",
    "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER, "
    "author_id INTEGER REFERENCES author (id))",
    "INSERT INTO author VALUES (1, 'Ann', 1960), (2, 'Bob', NULL)",
    "INSERT INTO book VALUES (1, 'Sea', 100, 1), (2, 'Sun', 300, 1)",
)
JOINED = "FROM author AS a JOIN book AS b ON a.id = b.author_id"
CHANGED = {
    "INNER to LEFT JOIN": (f"SELECT a.name {JOINED}", "LEFT JOIN"),
    "> to >=, < to <=, or back": ("SELECT name FROM author WHERE born > 1950", ">= 1950"),
    "DISTINCT dropped": ("SELECT DISTINCT name FROM author", "SELECT name"),
    "DISTINCT added": ("SELECT name FROM author", "SELECT DISTINCT name"),
    "AND to OR, or back": ("SELECT id FROM author WHERE id > 1 AND born > 2", "OR born"),
    "COUNT(*) to COUNT(column)": ("SELECT COUNT(*) FROM author", "COUNT(author."),
    "COUNT(x) to COUNT(DISTINCT x), or back": ("SELECT COUNT(born) FROM author", "(DISTINCT born"),
    "GROUP BY name for key, or back": (f"SELECT a.name {JOINED} GROUP BY a.name", "BY a.id"),
    "= (SELECT MAX) to LIMIT 1, or back": (
        "SELECT name FROM author ORDER BY born DESC LIMIT 1",
        "WHERE born = (SELECT MAX(born) FROM author)",
    ),
    "NOT IN to NOT EXISTS": (
        "SELECT name FROM author WHERE id NOT IN (SELECT author_id FROM book)",
        "book.author_id = author.id",
    ),
    "condition dropped": ("SELECT name FROM author WHERE born > 1950", "FROM author"),
    "UNION to UNION ALL": ("SELECT id FROM author UNION SELECT id FROM book", "UNION ALL"),
    "set operation for another": ("SELECT id FROM author EXCEPT SELECT id FROM book", "id FROM"),
    "ORDER BY dropped": ("SELECT name FROM author ORDER BY born", "FROM author"),
    "ASC to DESC, or back": ("SELECT name FROM author ORDER BY born", "born DESC"),
    "MAX to MIN, AVG to SUM, or back": ("SELECT MAX(born) FROM author", "MIN(born)"),
    "literal changed": ("SELECT name FROM author WHERE born > 1950", "> 1951"),
    "LIMIT n to n + 1": ("SELECT name FROM author ORDER BY born LIMIT 3", "LIMIT 4"),
    "joined table dropped": (f"SELECT b.title {JOINED.replace('author AS a', 'book AS b', 1)}", ""),
    "leading % of LIKE dropped": ("SELECT id FROM author WHERE name LIKE '%n%'", "LIKE 'n%'"),
    "NOT or != dropped": ("SELECT id FROM author WHERE name != 'Ann'", "name = 'Ann'"),
    "threshold in HAVING changed": (
        f"SELECT a.name {JOINED} GROUP BY a.id HAVING COUNT(*) > 1",
        "COUNT(*) > 2",
    ),
    NULL_CHECK: ("SELECT name FROM author WHERE born IS NOT NULL", "FROM author"),
    "column for another of its table": ("SELECT name FROM author", "FROM author"),
    "joined on another column": (f"SELECT a.name {JOINED}", " ON "),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "books.sqlite"
    with plain.opened(made) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    return made


@pytest.mark.parametrize("kind", CHANGES)
def test_every_kind_of_change_makes_a_query_that_runs(kind: str, path: Path) -> None:
    gold, wanted = CHANGED[kind]
    if kind == "joined table dropped":
        gold = "SELECT b.title FROM book AS b JOIN author AS a ON a.id = b.author_id"
        wanted = "SELECT b.title FROM book AS b"
    drawing = Drawing(open_database(path).schema, random.Random(0))
    made = mutant(gold, CHANGES[kind], drawing)
    assert made is not None
    assert made != gold
    assert wanted in made
    with plain.opened(path) as connection:
        assert plain.rows_of(connection, made) is not None


def test_a_change_that_is_not_possible_makes_nothing(path: Path) -> None:
    drawing = Drawing(open_database(path).schema, random.Random(0))
    assert mutant("SELECT name FROM author", CHANGES["INNER to LEFT JOIN"], drawing) is None
    assert mutant("SELEC name", CHANGES["DISTINCT added"], drawing) is None


@pytest.mark.parametrize(
    ("a", "b", "any_column_order", "ordered", "same"),
    [
        ([(1, 2)], [(2, 1)], True, False, True),
        ([(1, 2)], [(2, 1)], False, False, False),
        ([(1,), (2,)], [(2,), (1,)], True, False, True),
        ([(1,), (2,)], [(2,), (1,)], True, True, False),
        ([(1,), (1,)], [(1,)], True, False, False),
        ([(1, 2), (2, 1)], [(2, 1), (2, 1)], True, False, False),
        ([], [], True, True, True),
    ],
)
def test_results_are_compared_as_bags_or_lists(
    a: plain.Rows, b: plain.Rows, any_column_order: bool, ordered: bool, same: bool
) -> None:
    assert plain.same(a, b, any_column_order, ordered) is same


def test_a_difference_under_ties_is_not_certain() -> None:
    one: plain.Rows = [(1,)]
    other: plain.Rows = [(2,)]
    assert plain.certainly_different([one], [other], BAGS)
    assert not plain.certainly_different([one, other], [other, one], BAGS)


def test_an_order_that_only_one_query_asks_for_is_a_difference_where_another_can_come() -> None:
    asked = Rule((True, False), any_column_order=False, first=True)
    up: plain.Rows = [(1,), (2,)]
    down: plain.Rows = [(2,), (1,)]
    assert plain.shows_difference([up, up], [up, down], asked)
    assert not plain.shows_difference([up, down], [up, down], asked)
    assert not plain.shows_difference(
        [up, down], [up, up], Rule((False, True), any_column_order=False, first=True)
    )


@pytest.mark.parametrize(
    ("book", "fault"),
    [
        ((1, "Sea", 5, 1), ""),
        ((1, "Sea", 0, 1), "no difference"),
        ((1, "Sea", 5, 9), "invalid: FOREIGN KEY constraint failed"),
    ],
)
def test_a_counterexample_is_checked_on_the_declared_tables(
    path: Path, book: tuple[object, ...], fault: str
) -> None:
    content: plain.Content = {"author": [(1, "Ann", None)], "book": [book]}
    sql = "SELECT title FROM book", "SELECT title FROM book WHERE pages < 1"
    assert Checker(path).fault(content, *sql, BAGS) == fault


def test_a_difference_that_ties_explain_is_a_fault(path: Path) -> None:
    content = {"author": [(1, "Ann", 5), (2, "Bob", 5)]}
    best = "SELECT name FROM author ORDER BY born LIMIT 1"
    assert Checker(path).fault(content, best, f"{best} OFFSET 1", BAGS) == "under ties"


def test_values_are_counted_by_where_they_are_known_from(path: Path) -> None:
    content = {"author": [(1, "Ann", None), (2, "Zoe", 1234), (3, "xqj7", 999)]}
    found = Checker(path).readability(content, "SELECT 1234")
    assert found == {"database": 3, "queries": 1, "plain": 3, "other": 1}


@pytest.mark.parametrize(
    ("value", "readable"),
    [
        ("New York", True),
        ("Street 5", True),
        ("2020-01-31", True),
        ("xq7z", False),
        ("", False),
        (12, True),
        (2.5, True),
        (12345678, False),
        (b"a", False),
    ],
)
def test_words_dates_and_small_numbers_are_readable(value: object, readable: bool) -> None:
    assert is_readable(value) is readable


def test_the_fuzzer_tells_apart_what_chance_meets_and_respects_keys(path: Path) -> None:
    fuzzer, checker = Fuzzer(path), Checker(path)
    pair = ("SELECT title FROM book WHERE pages > 100", "SELECT title FROM book WHERE pages >= 100")
    content = fuzzer.search(*pair, BAGS, certain=True, seed=0)
    assert content is not None
    assert checker.fault(content, *pair, BAGS) == ""
    assert fuzzer.search(pair[0], pair[0], BAGS, certain=False, seed=0) is None


def test_orders_hold_the_same_rows() -> None:
    content = {"t": [(1,), (2,), (3,)]}
    found = list(plain.orders(content, 3))
    assert len(found) == 5
    assert found[1] == {"t": [(3,), (2,), (1,)]}
    assert all(sorted(of["t"]) == [(1,), (2,), (3,)] for of in found)


def test_a_filled_table_loses_what_it_held() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE a (x)")
    connection.execute("CREATE TABLE b (x)")
    plain.fill(connection, {"a": [(1,)], "b": [(2,)]})
    plain.fill(connection, {"a": [(3,)]})
    assert plain.rows_of(connection, "SELECT x FROM a UNION ALL SELECT x FROM b") == [(3,)]


def test_a_pair_is_measured_in_every_way(path: Path) -> None:
    pair = Pair(MUTANTS, "condition dropped", path, "SELECT id FROM book WHERE pages > 1",
                "SELECT id FROM book")  # fmt: skip
    ((measured, found),) = measure([pair], jobs=1)
    assert measured == pair
    assert [of.told_apart for of in found] == [True] * 3
    assert found[0].way == COMPARE
    assert [of.fault for of in found] == [""] * 3
    assert all((of.rows or 0) > 0 for of in found)


def test_an_order_of_a_subquery_is_not_the_query_s() -> None:
    assert is_ordered("SELECT id FROM book ORDER BY id")
    assert not is_ordered("SELECT id FROM (SELECT id FROM book ORDER BY id)")
    assert not is_ordered("SELEC")
