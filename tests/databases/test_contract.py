"""All backends keep the same contract."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Database, Databases, create_database, open_database
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.databases.remote import RemoteDatabases
from clausewise.testing import DATABASE_CHECKS, check_database, contract_script
from clausewise.workers import Isolation
from tests.servers.server import Server, ServerDatabase

each_check = pytest.mark.parametrize("check", DATABASE_CHECKS, ids=lambda check: check.__name__)
MEMBERS = sorted(name for name in vars(DatabaseProtocol) if not name.startswith("_"))


@pytest.fixture(scope="module")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contract")
    return create_database(folder / "contract.sqlite", contract_script("sqlite"))


@each_check
def test_sqlite(check, sqlite_file: Path) -> None:
    content = sqlite_file.read_bytes()
    check(lambda: Database(sqlite_file))
    assert sqlite_file.read_bytes() == content


@pytest.fixture(scope="module")
def duckdb_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    duckdb = pytest.importorskip("duckdb")
    file = tmp_path_factory.mktemp("contract") / "contract.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(contract_script("duckdb"))
    return file


@each_check
def test_duckdb(check, duckdb_file: Path) -> None:
    content = duckdb_file.read_bytes()
    check(lambda: open_database(duckdb_file))
    assert duckdb_file.read_bytes() == content
    assert [file.name for file in duckdb_file.parent.iterdir()] == [duckdb_file.name]


@pytest.fixture(scope="module")
def on_postgresql(postgresql: Server) -> ServerDatabase:
    return postgresql.create(contract_script("postgres"), "contract")


@pytest.fixture(scope="module")
def on_mariadb(mariadb: Server) -> ServerDatabase:
    return mariadb.create(contract_script("mysql"), "contract")


@each_check
@pytest.mark.parametrize("role", ["reader", "writer"])
def test_postgresql(check, role: str, on_postgresql: ServerDatabase, tmp_path: Path) -> None:
    check(lambda: open_database(getattr(on_postgresql, role), cache_dir=tmp_path))


@each_check
@pytest.mark.parametrize("role", ["reader", "writer"])
def test_mariadb(check, role: str, on_mariadb: ServerDatabase, tmp_path: Path) -> None:
    check(lambda: open_database(getattr(on_mariadb, role), cache_dir=tmp_path))


class PassedOn:
    """Has the members of the protocol and nothing else."""

    def __init__(self, inner: DatabaseProtocol) -> None:
        self._inner = inner


def _passed_on(name: str) -> property:
    return property(lambda self: getattr(self._inner, name))


for member in MEMBERS:
    setattr(PassedOn, member, _passed_on(member))


@each_check
def test_an_object_with_the_members_alone(check, sqlite_file: Path) -> None:
    check(lambda: PassedOn(Database(sqlite_file)))


@pytest.fixture(scope="module")
def remote(sqlite_file: Path) -> Iterator[RemoteDatabases]:
    databases = RemoteDatabases(Databases({"contract": sqlite_file}), Isolation())
    yield databases
    databases.close()


@pytest.mark.parametrize(
    "check",
    [check for check in DATABASE_CHECKS if check.__name__ != "check_fork"],
    ids=lambda check: check.__name__,
)
def test_a_database_in_another_process(check, remote: RemoteDatabases) -> None:
    check(lambda: remote.get("contract"))


def test_what_fails_is_named(sqlite_file: Path) -> None:
    class Wrong(Database):
        def row_count(self, table: str) -> int:
            return 1 + super().row_count(table)

        def scalar(self, sql: str, limits: Any = None) -> Any:
            raise RuntimeError("broken")

    with pytest.raises(AssertionError) as caught:
        check_database(lambda: Wrong(sqlite_file))
    failed = [line.partition(":")[0] for line in str(caught.value).splitlines()]
    assert "check_row_counts" in failed
    assert "check_cells" in failed
    assert "check_profiles" not in failed
