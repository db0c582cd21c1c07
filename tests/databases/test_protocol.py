"""Any object with the methods of `DatabaseProtocol` is a database."""

import inspect
from pathlib import Path
from typing import Any

import pytest

import clausewise
from clausewise.databases import Database, DatabaseProtocol, Databases
from clausewise.datasets import read_cases, sample_dir
from clausewise.errors import DatabaseError

PATH = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"
MEMBERS = sorted(name for name in vars(DatabaseProtocol) if not name.startswith("_"))


class Wrapper:
    """Passes on the members of the protocol and nothing else, and counts what is run."""

    def __init__(self, path: Path) -> None:
        self._inner = Database(path)
        self.statements = 0

    def run(self, sql, limits=None):
        self.statements += 1
        return self._inner.run(sql, limits)


def _passed_on(name):
    return property(lambda self: getattr(self._inner, name))


for member in MEMBERS:
    if member != "run":
        setattr(Wrapper, member, _passed_on(member))


def test_the_sqlite_database_has_all_members() -> None:
    assert len(MEMBERS) == 14
    database = Database(PATH)
    for name in MEMBERS:
        own, asked = getattr(database, name), getattr(DatabaseProtocol, name)
        if callable(asked):
            parameters = list(inspect.signature(asked).parameters)
            assert ["self", *inspect.signature(own).parameters] == parameters


def test_a_wrapper_with_these_members_alone_gives_the_same_scores() -> None:
    cases = [case for case in read_cases(sample_dir() / "cases.jsonl") if case.db_id == "bookshop"]
    wrapper: Any = Wrapper(PATH)
    detector = clausewise.packaged_detector()
    expected = detector.score(cases[:20], PATH)
    for databases in (wrapper, {"bookshop": wrapper}):
        found = detector.score(cases[:20], databases)
        assert [case.to_dict() for case in found] == [case.to_dict() for case in expected]
    assert wrapper.statements > 20
    assert clausewise.check("How many?", "SELECT 1", wrapper).db_id == "bookshop"


def test_a_mapping_names_its_databases(tmp_path: Path) -> None:
    databases = Databases({"b": PATH, "a": Database(PATH)})
    assert databases.names() == ("a", "b")
    given = databases.get("a")
    assert Path(databases.get("b").target) == PATH
    databases.close()
    assert given.scalar("SELECT 1") == 1
    with pytest.raises(DatabaseError, match="no database 'c' among those given"):
        databases.get("c")
