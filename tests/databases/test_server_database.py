"""What is particular to databases on servers: values, schemas, connections, large tables."""

import logging
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Limits, index, open_database
from clausewise.databases.server import database as server_database
from clausewise.databases.server.database import ServerDatabase
from clausewise.errors import DatabaseError, MissingExtraError, QueryFailed, QueryTimeout
from tests.servers.server import Server

POSTGRESQL = """
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE odd (
  id INT PRIMARY KEY, amount NUMERIC(10, 2), yes BOOLEAN, ratio DOUBLE PRECISION, day DATE,
  moment TIMESTAMP, zoned TIMESTAMPTZ, gap INTERVAL, doc JSON, tags TEXT[], feeling mood);
INSERT INTO odd VALUES
  (1, 10, true, 'NaN', '0044-03-15 BC', 'infinity', '2024-02-29 12:30:00+02', '1 mon 1 day', '{}',
   '{a,NULL}', 'glad'),
  (2, 10.5, false, 'Infinity', '20240-01-01', '2024-02-29 12:30:00.5', NULL, NULL, NULL, NULL,
   'sad');
COMMENT ON COLUMN odd.amount IS 'in euros';
CREATE MATERIALIZED VIEW kept AS SELECT id FROM odd;
CREATE SCHEMA sales;
CREATE TABLE sales.odd (z INT);
CREATE TABLE sales.extra (z INT);
GRANT USAGE ON SCHEMA sales TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA sales TO reader;
CREATE TABLE parts (id INT, name TEXT) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
INSERT INTO parts VALUES (1, 'x');
"""
MARIADB = """
CREATE TABLE odd (
  id INT PRIMARY KEY, amount DECIMAL(10, 2) COMMENT 'in euros', yes BOOLEAN, day DATE,
  moment DATETIME(6), gap TIME, bits BIT(9), feeling ENUM('sad', 'glad'), doc JSON);
SET SESSION sql_mode = '';
INSERT INTO odd VALUES
  (1, 10, true, '0000-00-00', '2024-02-29 12:30:00', '-100:00:01', 257, 'glad', '{}'),
  (2, 10.5, false, '2024-02-29', '2024-02-29 12:30:00.5', NULL, NULL, 'sad', NULL);
"""


@pytest.fixture(scope="module")
def on_postgresql(postgresql: Server) -> Any:
    return postgresql.create(POSTGRESQL, "particular")


@pytest.fixture(scope="module")
def on_mariadb(mariadb: Server) -> Any:
    return mariadb.create(MARIADB, "particular")


def test_values_of_postgresql(on_postgresql: Any, tmp_path: Path) -> None:
    with open_database(on_postgresql.reader, cache_dir=tmp_path) as database:
        first, second = database.run("SELECT * FROM odd ORDER BY id").rows
        assert first[:5] == (1, 10, 1, "NaN", "0044-03-15 BC")
        assert first[5:] == (
            *("infinity", "2024-02-29 10:30:00+00", "1 mon 1 day", "{}", "{a,NULL}", "glad"),
        )
        assert second[:6] == (2, 10.5, 0, float("inf"), "20240-01-01", "2024-02-29 12:30:00.5")
        assert database.profile("odd", "feeling").frequent == (("glad", 1), ("sad", 1))
        assert database.profile("odd", "tags").frequent == (("{a,NULL}", 1),)
        assert database.profile("odd", "ratio").stored_types == {"real": 1, "text": 1}


def test_values_of_mariadb(on_mariadb: Any, tmp_path: Path) -> None:
    with open_database(on_mariadb.reader, cache_dir=tmp_path) as database:
        first, second = database.run("SELECT * FROM odd ORDER BY id").rows
        assert first == (
            *(1, 10, 1, "0000-00-00", "2024-02-29 12:30:00", "-100:00:01", 257, "glad", "{}"),
        )
        assert second[1:5] == (10.5, 0, "2024-02-29", "2024-02-29 12:30:00.5")
        assert database.profile("odd", "bits").frequent == ((257, 1),)
        assert database.profile("odd", "day").minimum == "0000-00-00"


def test_schemas_of_postgresql(on_postgresql: Any, tmp_path: Path) -> None:
    url = on_postgresql.reader + "?options=-csearch_path%3Dpublic,sales"
    with open_database(url, cache_dir=tmp_path) as database:
        schema = database.declared_schema
        assert [table.name for table in schema.tables] == ["extra", "odd", "parts", "kept"]
        assert schema.left_out["odd"] == "its name stands for another table"
        assert schema.left_out["parts_1"] == "it is a partition of another table"
        odd = schema.table("odd")
        assert odd.column("amount").description == "in euros"
        assert odd.column("feeling").declared_type == "ENUM('sad', 'glad')"
        assert database.profile("parts", "name").rows == 1
        assert database.run("SELECT z FROM extra").rows == ()


@pytest.mark.parametrize("kind", ["on_postgresql", "on_mariadb"])
def test_a_connection_that_is_lost_is_opened_again(
    kind: str, server: Server, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if server.is_postgresql != (kind == "on_postgresql"):
        pytest.skip("the other server")
    made = request.getfixturevalue(kind)
    with open_database(made.reader, cache_dir=tmp_path) as database:
        own = "pg_backend_pid()" if server.is_postgresql else "connection_id()"
        assert database.scalar("SELECT count(*) FROM odd") == 2
        assert isinstance(database, ServerDatabase)
        session = database.session
        ((before,),) = session.rows(f"SELECT {own}", 5)
        end = f"pg_terminate_backend({before})"
        server.execute(f"SELECT {end}" if server.is_postgresql else f"KILL {before}")
        assert database.scalar("SELECT count(*) + 1 FROM odd") == 3
        ((after,),) = session.rows(f"SELECT {own}", 5)
        assert after != before


def test_a_pickled_database_opens_the_same_one(on_postgresql: Any, tmp_path: Path) -> None:
    with open_database(on_postgresql.reader, cache_dir=tmp_path) as database:
        again = pickle.loads(pickle.dumps(database))
        assert again.scalar("SELECT count(*) FROM odd") == 2
        assert again.content_key == database.content_key
        assert again.reopens
        again.close()


def test_no_message_shows_a_password(postgresql: Server, tmp_path: Path) -> None:
    url = f"postgresql://reader:secret-word@127.0.0.1:{postgresql.port}/postgres"
    database = open_database(url, cache_dir=tmp_path)
    with pytest.raises(DatabaseError) as caught:
        database.scalar("SELECT 1")
    shown = f"{database!r} {database.target} {caught.value} {caught.value.__cause__}"
    assert "secret-word" not in shown
    assert "password authentication failed" in str(caught.value)


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(DatabaseError, match="cannot read the database"):
        open_database("postgresql://reader@127.0.0.1:1/none").scalar("SELECT 1")
    with pytest.raises(DatabaseError, match="cannot read the database"):
        _ = open_database("mysql://reader@127.0.0.1:1/none").schema


@pytest.mark.parametrize("url", ["postgresql+psycopg2://h/x", "mysql+mysqldb://h/x"])
def test_other_drivers_are_refused(url: str) -> None:
    with pytest.raises(DatabaseError, match="driver"):
        open_database(url)


def test_a_url_names_a_database() -> None:
    with pytest.raises(DatabaseError, match="ends in its name"):
        open_database("postgresql://host")


def test_a_driver_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_database, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="mysql"):
        open_database("mariadb://host/x")


def test_a_role_that_may_write_is_warned_of_once(
    server: Server, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    made = server.create("CREATE TABLE one (a INT)", "rights")
    with caplog.at_level(logging.WARNING):
        open_database(made.reader, cache_dir=tmp_path).schema  # noqa: B018
        assert not caplog.messages
        for _ in range(2):
            open_database(made.writer, cache_dir=tmp_path).schema  # noqa: B018
    (message,) = caplog.messages
    assert "GRANT SELECT" in message
    server.drop(made)


def test_large_tables_are_estimated(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = ", ".join(f"({number})" for number in range(500))
    made = server.create(f"CREATE TABLE many (a INT); INSERT INTO many VALUES {rows}", "large")
    server.execute("ANALYZE many" if server.is_postgresql else "ANALYZE TABLE many", made.name)
    monkeypatch.setattr(server_database, "EXACT_ROWS", 100)
    with open_database(made.reader, cache_dir=tmp_path) as database:
        assert isinstance(database, ServerDatabase)
        assert database.row_count("MANY") == database.estimated_rows["many"] == 500
    server.drop(made)


def test_an_index_that_is_built_afresh(server: Server, tmp_path: Path) -> None:
    made = server.create("CREATE TABLE one (a INT); INSERT INTO one VALUES (1)", "fresh")
    with open_database(made.reader, cache_dir=tmp_path) as database:
        assert database.profile("one", "a").rows == 1
    server.execute("INSERT INTO one VALUES (2)", made.name)
    with open_database(made.reader, cache_dir=tmp_path) as database:
        assert not index(database).built
        assert index(database, fresh=True).built
        assert database.profile("one", "a").rows == 2
    with open_database(made.reader, cache_dir=tmp_path) as database:
        assert database.profile("one", "a").rows == 2
    server.drop(made)


def test_messages_are_one_line(server: Server, tmp_path: Path) -> None:
    made = server.create("CREATE TABLE one (a INT)", "messages")
    with open_database(made.reader, cache_dir=tmp_path) as database:
        for sql in ("SELECT b FROM one", "SELECT FROM WHERE", "SELECT\n* FROM\nnowhere", "\ud800"):
            with pytest.raises(QueryFailed) as caught:
                database.compile(sql)
            assert "\n" not in str(caught.value)
            assert "check the manual" not in str(caught.value)
    server.drop(made)


def test_a_cut_result_is_not_read_on(server: Server, tmp_path: Path) -> None:
    rows = ", ".join(f"({number})" for number in range(1_000))
    made = server.create(f"CREATE TABLE many (a INT); INSERT INTO many VALUES {rows}", "cut")
    joined = "SELECT x.a FROM many AS x, many AS y, many AS z LIMIT 1000000000"
    with open_database(made.reader, cache_dir=tmp_path) as database:
        found = database.run(joined, Limits(seconds=60, rows=5))
        assert found.truncated
        assert len(found.rows) == 5
        assert database.scalar("SELECT count(*) FROM many") == 1_000
        with pytest.raises(QueryTimeout):
            database.run(joined.replace("x.a", "count(*)"), Limits(seconds=0.2))
    server.drop(made)


def test_a_fork_leaves_the_connection_to_its_parent(on_postgresql: Any, tmp_path: Path) -> None:
    with open_database(on_postgresql.reader, cache_dir=tmp_path) as database:
        assert database.scalar("SELECT count(*) FROM odd") == 2
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if database.scalar("SELECT count(*) + 1 FROM odd") == 3 else 1
                database.close()
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert database.scalar("SELECT count(*) + 2 FROM odd") == 4
