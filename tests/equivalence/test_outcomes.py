"""What queries give on an instance, and in what two outcomes differ for certain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from clausewise.databases import Cell, Database, QueryResult, create_database
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence import Conventions, DifferenceKind, OrderRule
from clausewise.equivalence.outcomes import (
    InstanceRunner,
    OpenRows,
    QueryOutcome,
    database_outcomes,
    difference,
)
from clausewise.equivalence.plan import make_plan

ROWS, ORDER, COLUMNS = DifferenceKind.ROWS, DifferenceKind.ORDER, DifferenceKind.COLUMNS
Rows = Sequence[tuple[Cell, ...]]

SCRIPT = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, code TEXT, people INTEGER);
CREATE TABLE person (pid INTEGER PRIMARY KEY, city INTEGER REFERENCES city(id), age INTEGER);
"""
CITIES = ((1, "Rome", "IT", 3), (2, "Bari", "IT", 1), (3, "Lyon", "FR", 1), (4, "Rome", "FR", 2))
TIED = ((1, "Rome", "IT", 1), (2, "Bari", "IT", 1), (3, "Lyon", "FR", 1), (4, "Caen", "FR", 2))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("outcomes")
    with Database(create_database(folder / "d.sqlite", SCRIPT), cache_dir=folder) as opened:
        yield opened


@pytest.fixture
def run(database: Database) -> Callable[..., tuple[QueryOutcome, ...]]:
    """Return a function that runs queries on an instance of `city` (and `person`)."""

    def _run(queries: Sequence[str], cities: Rows, persons: Rows = ()) -> tuple[QueryOutcome, ...]:
        plan = make_plan(queries, database)
        present = {table.name for table in plan.tables}
        tables = [
            InstanceTable("city", ("id", "name", "code", "people"), tuple(cities)),
            InstanceTable("person", ("pid", "city", "age"), tuple(persons)),
        ]
        with closing(InstanceRunner(plan)) as runner:
            return runner.outcomes(Instance.of([t for t in tables if t.name in present]))

    return _run


def outcome(
    *rows: tuple[Cell, ...],
    ordered: bool = False,
    ranked: tuple[Rows, Rows] | None = None,
    pool: OpenRows | None = None,
    flipped: Rows | None = None,
    truncated: bool = False,
    width: int = 1,
) -> QueryOutcome:
    columns = tuple("abcdefgh"[: len(rows[0]) if rows else width])

    def result(of: Rows) -> QueryResult:
        return QueryResult(columns, tuple(of), truncated)

    return QueryOutcome(
        (result(rows),),
        ordered,
        pool=pool,
        ranked=None if ranked is None else (result(ranked[0]), result(ranked[1])),
        flipped=None if flipped is None else result(flipped),
    )


# --- what is possible


def test_a_query_without_open_points_has_one_result(
    run: Callable[..., Sequence[QueryOutcome]],
) -> None:
    (found,) = run(["SELECT name FROM city WHERE people = 1"], CITIES)
    assert found == QueryOutcome((found.result,), ordered=False)
    assert found.result.rows == (("Bari",), ("Lyon",))


@pytest.mark.parametrize(
    ("sql", "sure", "choice"),
    [
        ("SELECT name FROM city ORDER BY people LIMIT 1", set(), {"Rome", "Bari", "Lyon"}),
        ("SELECT name FROM city ORDER BY people DESC LIMIT 2", {"Caen"}, {"Rome", "Bari", "Lyon"}),
        (
            "SELECT name FROM city ORDER BY people LIMIT 2 OFFSET 2",
            {"Caen"},
            {"Rome", "Bari", "Lyon"},
        ),
        ("SELECT name FROM city ORDER BY people LIMIT 1 OFFSET 1", set(), {"Rome", "Bari", "Lyon"}),
        ("SELECT name FROM city LIMIT 3", set(), {"Rome", "Bari", "Lyon", "Caen"}),
        ("SELECT code FROM city GROUP BY code ORDER BY count(*) LIMIT 1", set(), {"IT", "FR"}),
    ],
)
def test_ties_under_limit_are_counted_out(
    run: Callable[..., Sequence[QueryOutcome]], sql: str, sure: set[str], choice: set[str]
) -> None:
    (found,) = run([sql], TIED)
    assert not found.indeterminate
    assert found.pool is not None
    assert {row[0] for row in found.pool.sure} == sure
    assert {row[0] for row in found.pool.choice} == choice


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM city ORDER BY people DESC LIMIT 1",
        "SELECT name FROM city ORDER BY people LIMIT 3",
        "SELECT people FROM city ORDER BY people LIMIT 2",
        "SELECT people FROM city ORDER BY people LIMIT 1 OFFSET 1",
        "SELECT name FROM city LIMIT 9",
        "SELECT name FROM city LIMIT 0",
        "SELECT name FROM city LIMIT -1",
        "SELECT name, max(people) FROM city",
        "SELECT name FROM city WHERE id = (SELECT id FROM city ORDER BY people DESC LIMIT 1)",
        "SELECT name FROM city WHERE people = (SELECT people FROM city WHERE code = 'IT')",
    ],
)
def test_ties_that_make_no_difference(run: Callable[..., Sequence[QueryOutcome]], sql: str) -> None:
    (found,) = run([sql], TIED)
    assert not found.failure
    assert not found.indeterminate
    assert found.pool is None


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT name, count(*) FROM city", "column beside an aggregate"),
        ("SELECT name, min(people) FROM city", "column beside an aggregate"),
        ("SELECT count(*) FROM city GROUP BY code HAVING id < 2", "column beside an aggregate"),
        ("SELECT DISTINCT name, count(*) FROM city GROUP BY code", "column beside an aggregate"),
        ("SELECT name FROM city WHERE id = (SELECT id FROM city LIMIT 1)", "several rows"),
        ("SELECT sum(id) FROM (SELECT id FROM city ORDER BY people LIMIT 1)", "ties under LIMIT"),
        ("SELECT name, row_number() OVER (ORDER BY people) FROM city", "rows that tie"),
        ("SELECT group_concat(name) FROM city", "order of rows"),
        ("SELECT name FROM city WHERE people < random()", "not the same each time"),
        ("SELECT name COLLATE NOCASE FROM city LIMIT 1 + 1", "ties under LIMIT"),
    ],
)
def test_open_points_that_make_a_difference(
    run: Callable[..., Sequence[QueryOutcome]], sql: str, reason: str
) -> None:
    (found,) = run([sql], TIED)
    rows, width = len(found.result.rows), len(found.result.columns)
    shown = ["'none'", *map(str, range(width - 1))]
    as_long = f"SELECT {', '.join(shown)} FROM city LIMIT {rows}"
    longer = f"SELECT {', '.join(shown)} FROM city, city AS other"
    wider = f"SELECT {', '.join(shown)}, 7 FROM city"
    found, *others = run([sql, as_long, longer, wider], TIED)
    assert reason in found.indeterminate
    is_sure = reason == "column beside an aggregate" and not {"HAVING", "DISTINCT"} & {*sql.split()}
    expected = [None, ROWS if is_sure else None, COLUMNS]
    assert [difference(found, other, Conventions()) for other in others] == expected
    assert difference(found, others[1], Conventions(duplicates=False)) is None


def test_equal_texts_under_a_collation(tmp_path: Path) -> None:
    path = create_database(tmp_path / "c.sqlite", "CREATE TABLE t (a TEXT COLLATE NOCASE)")
    with Database(path, cache_dir=tmp_path) as database:
        queries = ["SELECT DISTINCT a FROM t", "SELECT a FROM t"]
        with closing(InstanceRunner(make_plan(queries, database))) as runner:
            for texts, is_open in ((("x", "X"), True), (("x", "y"), False)):
                rows = tuple((text,) for text in texts)
                merged, plain = runner.outcomes(Instance.of([InstanceTable("t", ("a",), rows)]))
                assert bool(merged.indeterminate) is is_open
                assert not plain.indeterminate


def test_what_a_view_leaves_open(tmp_path: Path) -> None:
    views = """
    CREATE VIEW cities AS SELECT id, name FROM city ORDER BY name;
    CREATE VIEW top AS SELECT name FROM city ORDER BY people LIMIT 1;
    CREATE VIEW best AS SELECT name AS n FROM top;
    """
    path = create_database(tmp_path / "v.sqlite", SCRIPT + views)
    queries = ["SELECT n FROM best", "SELECT name FROM city", "SELECT name FROM cities"]
    with Database(path, cache_dir=tmp_path) as database:
        with closing(InstanceRunner(make_plan(queries[:2], database))) as runner:
            for cities, is_open in ((TIED, True), (CITIES[:2], False)):
                rows = InstanceTable("city", ("id", "name", "code", "people"), cities)
                best, plain = runner.outcomes(Instance.of([rows]))
                assert bool(best.indeterminate) is is_open
                assert not plain.indeterminate
        with closing(InstanceRunner(make_plan(queries[1:], database))) as runner:
            plain, cities_read = runner.outcomes(Instance.of([rows]))
            assert cities_read.result.rows == (("Bari",), ("Rome",))
            assert difference(plain, cities_read, Conventions()) is None


def test_a_query_that_fails(run: Callable[..., Sequence[QueryOutcome]]) -> None:
    failing, other = run(["SELECT abs(-9223372036854775808)", "SELECT 1"], CITIES)
    assert failing.failure == "integer overflow"
    assert difference(failing, other, Conventions()) is None


def test_the_same_care_on_a_database(tmp_path: Path) -> None:
    rows = ", ".join(map(str, TIED))
    path = create_database(tmp_path / "d.sqlite", f"{SCRIPT}INSERT INTO city VALUES {rows};")
    queries = [
        "SELECT name FROM city ORDER BY people LIMIT 1",
        "SELECT name FROM city WHERE people = 2",
        "SELECT name, count(*) FROM city GROUP BY code",
        "SELECT id, name, count(*) FROM city GROUP BY id",
        "SELECT name FROM city WHERE people = 1 ORDER BY id LIMIT 1",
    ]
    with Database(path, cache_dir=tmp_path) as database:
        tied, caen, bare, keyed, rome = database_outcomes(make_plan(queries, database))
    assert tied.pool is not None
    assert difference(tied, caen, Conventions()) is ROWS
    assert difference(tied, rome, Conventions()) is None
    assert bare.indeterminate
    assert not keyed.indeterminate


# --- differences


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (outcome((1,), (2,)), outcome((2,), (1,)), None),
        (outcome((1,), (1,)), outcome((1,)), ROWS),
        (outcome((1,)), outcome((1, 2)), COLUMNS),
        (outcome(), outcome(width=2), COLUMNS),
        (outcome((1,)), outcome((1.0,)), None),
        (outcome((0.0,)), outcome((-0.0,)), None),
        (outcome((math.nan,)), outcome((math.nan,)), None),
        (outcome((math.nan,)), outcome((1.0,)), ROWS),
        (outcome((math.inf,)), outcome((math.inf,)), None),
        (outcome((math.inf,)), outcome((1e300,)), ROWS),
        (outcome((2**53,)), outcome((2**53 + 1,)), ROWS),
        (outcome((1,)), outcome(("1",)), ROWS),
        (outcome(("1",)), outcome((b"1",)), ROWS),
        (outcome((None,)), outcome((0,)), ROWS),
        (outcome((0.1 + 0.2,)), outcome((0.3,)), None),
        (outcome((0.1 + 0.2 - 0.3,)), outcome((0,)), None),
        (outcome((1.23456749999,)), outcome((1.2345675,)), None),
        (outcome((1.2345,)), outcome((1.2346,)), ROWS),
        (outcome((1, 2)), outcome((2, 1)), ROWS),
        (outcome((1,), truncated=True), outcome((2,)), None),
    ],
)
def test_rows(a: QueryOutcome, b: QueryOutcome, expected: DifferenceKind | None) -> None:
    assert difference(a, b, Conventions()) is expected
    assert difference(b, a, Conventions()) is expected


def test_digits() -> None:
    a, b = outcome((1.234,)), outcome((1.239,))
    assert difference(a, b, Conventions()) is ROWS
    assert difference(a, b, Conventions(digits=3)) is None


def test_duplicates() -> None:
    a, b = outcome((1,), (1,), (2,)), outcome((1,), (2,))
    assert difference(a, b, Conventions(duplicates=False)) is None
    assert difference(a, outcome((1,)), Conventions(duplicates=False)) is ROWS
    ordered = outcome((1,), (1,), (2,), ordered=True, ranked=([(1,), (1,), (2,)],) * 2)
    other = outcome((1,), (2,), ordered=True, ranked=([(1,), (2,)],) * 2)
    assert difference(ordered, other, Conventions(duplicates=False)) is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (outcome((1, 2)), outcome((2, 1)), None),
        (outcome((1, 2, 3), (4, 5, 6)), outcome((5, 6, 4), (2, 3, 1)), None),
        (outcome((1, 2), (3, 4)), outcome((2, 3), (4, 1)), ROWS),  # column by column the same
        (outcome((1, 2)), outcome((2, 2)), ROWS),
        (outcome(tuple(range(8))), outcome(tuple(range(7, -1, -1))), None),
    ],
)
def test_any_column_order(
    a: QueryOutcome, b: QueryOutcome, expected: DifferenceKind | None
) -> None:
    assert difference(a, b, Conventions(any_column_order=True)) is expected
    assert difference(b, a, Conventions(any_column_order=True)) is expected


def test_too_many_orders_of_columns_say_nothing() -> None:
    a = outcome((0,) * 8, (1,) * 8, (0, 1) * 4, (1, 0) * 4)
    b = outcome((0,) * 8, (1,) * 8, (0, 0, 0, 1, 1, 1, 1, 1), (1, 1, 1, 0, 0, 0, 0, 0))
    assert difference(a, b, Conventions()) is ROWS
    assert difference(a, b, Conventions(any_column_order=True)) is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # One of three that tie, and another query that always gives one of the three.
        (outcome((1,), pool=OpenRows((), ((1,), (2,), (3,)))), outcome((2,)), None),
        (outcome((1,), pool=OpenRows((), ((1,), (2,), (3,)))), outcome((4,)), ROWS),
        (outcome((1,), (2,), pool=OpenRows(((1,),), ((2,), (3,)))), outcome((2,), (3,)), ROWS),
        (outcome((1,), (2,), pool=OpenRows(((1,),), ((2,), (3,)))), outcome((1,), (3,)), None),
        (outcome((1,), pool=OpenRows((), ((1,), (2,)))), outcome((1,), (2,)), ROWS),
        (
            outcome((1,), pool=OpenRows((), ((1,), (2,)))),
            outcome((3,), pool=OpenRows((), ((2,), (3,)))),
            None,
        ),
        (
            outcome((1,), pool=OpenRows((), ((1,), (2,)))),
            outcome((3,), pool=OpenRows((), ((3,), (4,)))),
            ROWS,
        ),
    ],
)
def test_sets_of_possible_rows(
    a: QueryOutcome, b: QueryOutcome, expected: DifferenceKind | None
) -> None:
    assert difference(a, b, Conventions()) is expected
    assert difference(b, a, Conventions()) is expected


# --- order


def listed(*ways: Rows) -> QueryOutcome:
    return outcome(*ways[0], ordered=True, ranked=(ways[0], ways[-1]))


X, Y, Z = ("x",), ("y",), ("z",)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (listed([X, Y]), listed([X, Y]), None),
        (listed([X, Y]), listed([Y, X]), ORDER),
        (listed([X, Y]), listed([X, Y], [Y, X]), None),
        (listed([X, Y, Z], [Y, X, Z]), listed([Z, X, Y]), ORDER),
        (listed([X, Y, Z], [X, Z, Y]), listed([Y, X, Z], [X, Y, Z]), None),
        (listed([X, Y, X]), listed([X, X, Y]), ORDER),
        (listed([X, Y, X], [Y, X, X]), listed([X, X, Y]), None),
        (listed([X, Y]), outcome(X, Y, flipped=[X, Y]), None),
        (listed([X, Y]), outcome(X, Y, flipped=[Y, X]), ORDER),
        (listed([X, Y]), outcome(Y, X), ORDER),
        (listed([X, Y], [Y, X]), outcome(Y, X, flipped=[X, Y]), None),
        (outcome(X, Y), outcome(Y, X), None),
    ],
)
def test_order(a: QueryOutcome, b: QueryOutcome, expected: DifferenceKind | None) -> None:
    assert difference(a, b, Conventions()) is expected
    assert difference(b, a, Conventions()) is expected
    assert difference(a, b, Conventions(order=OrderRule.NEVER)) is None


def test_the_order_of_the_first_query_alone() -> None:
    first = Conventions(order=OrderRule.FIRST)
    ordered, other = listed([X, Y]), outcome(Y, X)
    assert difference(ordered, other, first) is ORDER
    assert difference(other, ordered, first) is None


def test_order_with_columns_in_any_order() -> None:
    a = listed([("x", 1), ("y", 2)])
    b = listed([(2, "y"), (1, "x")])
    assert difference(a, b, Conventions(any_column_order=True)) is ORDER
    assert difference(a, b, Conventions(any_column_order=True, order=OrderRule.NEVER)) is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (
            "SELECT name FROM city ORDER BY people",
            "SELECT name FROM city ORDER BY people DESC",
            ORDER,
        ),
        (
            "SELECT name FROM city ORDER BY people",
            "SELECT name FROM city ORDER BY people, id",
            None,
        ),
        ("SELECT name FROM city ORDER BY id", "SELECT name FROM city", ORDER),
        ("SELECT name FROM city ORDER BY code", "SELECT name FROM city ORDER BY id", ORDER),
        ("SELECT name FROM city ORDER BY 1", "SELECT name FROM city ORDER BY name", None),
        ("SELECT people FROM city ORDER BY 1", "SELECT people FROM city ORDER BY people, id", None),
    ],
)
def test_order_of_queries(
    run: Callable[..., Sequence[QueryOutcome]], a: str, b: str, expected: DifferenceKind | None
) -> None:
    one, other = run([a, b], TIED)
    assert difference(one, other, Conventions()) is expected
    assert difference(other, one, Conventions()) is expected
