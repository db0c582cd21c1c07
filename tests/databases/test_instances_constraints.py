"""The constraints of a database, with SQLite as the judge."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clausewise.databases import Database
from clausewise.databases.instances import Constraints, Instance, InstanceTable
from clausewise.errors import DatabaseError

SHOP = """
CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    name TEXT COLLATE NOCASE UNIQUE,
    price INT CHECK (price > 0 /* ) */ AND price < 100),
    double_price INT GENERATED ALWAYS AS (price * 2),
    CHECK (name <> ')')
);
CREATE TABLE sale (
    item_id INT REFERENCES item(id), place TEXT REFERENCES item(price), day NOT NULL
);
CREATE UNIQUE INDEX one_a_day ON sale(day) WHERE place IS NOT NULL;
CREATE TABLE pair (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE VIEW sold AS SELECT * FROM sale JOIN item ON item.id = sale.item_id;
CREATE VIEW sold_dear AS SELECT * FROM sold WHERE price > 50;
"""


@pytest.fixture
def shop(make: Callable[..., Database]) -> Constraints:
    return Constraints(make(SHOP, "shop"))


def item(*rows: tuple[object, ...]) -> InstanceTable:
    return InstanceTable("item", ("id", "name", "price", "double_price"), rows)  # type: ignore[arg-type]


def sale(*rows: tuple[object, ...]) -> InstanceTable:
    return InstanceTable("sale", ("item_id", "place", "day"), rows)  # type: ignore[arg-type]


def test_what_generation_needs(shop: Constraints) -> None:
    assert shop.checks("ITEM") == ("price > 0 /* ) */ AND price < 100", "name <> ')'")
    assert shop.checks("sale") == ()
    assert shop.collations("item") == {"name": "NOCASE"}
    assert shop.generated("item") == {"double_price"}
    assert shop.generated("sale") == frozenset()


def test_views(shop: Constraints) -> None:
    assert shop.view_sources("sold_dear") == ("item", "sale")
    statements = shop.view_statements(["sold_dear"])
    assert [statement.split()[2] for statement in statements] == ["sold", "sold_dear"]
    assert len(shop.view_statements(["sold"])) == 1
    with pytest.raises(DatabaseError, match="no_view"):
        shop.view_sources("no_view")


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([item((1, "a", 5, 10)), sale((1, "5", 1), (None, None, 1))], ""),
        ([item((1, "a", 5, 10), (2, "A", 5, 10))], "row 2 of 'item': UNIQUE"),
        ([item((None, "a", 5, 10))], "primary key 'id' is NULL"),
        ([item((1, "a", 0, 0))], "CHECK constraint failed"),
        ([item((1, ")", 5, 10))], "CHECK constraint failed"),
        ([item((1, "a", 5, 11))], "'item.double_price' is generated"),
        ([item(), sale((None, None, None))], "NOT NULL constraint failed"),
        ([item(), sale((1, None, 1))], "sale.item_id: 1 rows refer to no row of 'item'"),
        ([item((1, "a", 5, 10)), sale((1, "5", 1), (1, "5", 1))], "row 2 of 'sale': UNIQUE"),
        ([sale((1, None, 1))], ""),
        ([item(("x", "a", 5, 10))], "datatype mismatch"),
    ],
)
def test_violations(shop: Constraints, tables: list[InstanceTable], expected: str) -> None:
    for _ in range(2):  # nothing is left behind by the first time
        found = shop.violations(Instance.of(tables))
        assert bool(found) == bool(expected)
        assert expected in "; ".join(found)


def test_generated_columns_are_completed(shop: Constraints) -> None:
    instance = Instance.of([item((1, "a", 5, None))])
    done = shop.completed(instance)
    assert done.table("item").rows == ((1, "a", 5, 10),)
    assert not shop.violations(done)
    broken = Instance.of([item((1, "a", 0, None))])
    assert shop.completed(broken) is broken


class Schematic:
    """A database that is not SQLite: it knows its schema and cannot run our statements."""

    def __init__(self, database: Database) -> None:
        self.schema = database.schema

    def run(self, *_: object) -> object:
        raise DatabaseError("no such table: sqlite_master")


def test_a_database_of_another_kind_is_judged_by_its_schema(make: Callable[..., Database]) -> None:
    constraints = Constraints(Schematic(make(SHOP, "other")))  # type: ignore[arg-type]
    assert constraints.checks("item") == ()
    assert not constraints.violations(Instance.of([item((1, "a", 0, 0), (2, "A", 0, 0))]))
    assert (
        "UNIQUE" in constraints.violations(Instance.of([item((1, "a", 0, 0), (1, "b", 0, 0))]))[0]
    )
    assert "refer to no row" in constraints.violations(Instance.of([item(), sale((1, None, 1))]))[0]


def test_hostile_statements_of_a_schema_are_not_run(make: Callable[..., Database]) -> None:
    constraints = Constraints(make("CREATE TABLE t (a CHECK (load_extension('x') IS NULL))", "bad"))
    with pytest.raises(DatabaseError, match="not authorized"):
        constraints.violations(Instance.of([InstanceTable("t", ("a",), ((1,),))]))
