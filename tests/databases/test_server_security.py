"""Hostile statements on real servers: nothing of the server is changed, whatever the role may."""

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Limits, open_database
from clausewise.databases.base import BaseDatabase
from clausewise.errors import DatabaseError, QueryDenied, QueryFailed
from tests.servers.server import Server, ServerDatabase

SCRIPT = {
    "postgresql": (
        "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20));"
        "INSERT INTO item VALUES (1, 'one'), (2, 'two');"
        "CREATE SEQUENCE counter;"
        "CREATE FUNCTION sneaky() RETURNS INT LANGUAGE sql AS "
        "$$ INSERT INTO item VALUES (3, 'x') RETURNING id $$;"
        "CREATE FUNCTION take_lock() RETURNS INT LANGUAGE sql AS "
        "$$ SELECT 1 FROM pg_advisory_lock(77) $$;"
        "CREATE FUNCTION change_path() RETURNS TEXT LANGUAGE sql AS "
        "$$ SELECT set_config('search_path', 'nowhere', false) $$;"
    ),
    "mariadb": (
        "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20));"
        "INSERT INTO item VALUES (1, 'one'), (2, 'two');"
        "CREATE SEQUENCE counter;"
        "CREATE FUNCTION sneaky() RETURNS INT MODIFIES SQL DATA "
        "BEGIN INSERT INTO item VALUES (3, 'x'); RETURN 1; END;"
        "CREATE FUNCTION change_path() RETURNS INT BEGIN SET @left = 5; RETURN 1; END;"
    ),
}
BOTH = (
    "DELETE FROM item",
    "DROP TABLE item",
    "SELECT 1; DROP TABLE item",
    "SELECT sneaky()",
    "SELECT * FROM item FOR UPDATE",
    "SELECT nextval(counter)",
    "SELECT setval(counter, 5)",
    "WITH a AS (SELECT 1) DELETE FROM item",
    "SELECT 1 FROM item WHERE id = 1 INTO OUTFILE '{file}'",
)
ATTACKS = {
    "postgresql": (
        *BOTH,
        "SELECT nextval('counter')",
        "SELECT setval('counter', 50)",
        "SELECT pg_sleep(60)",
        "SELECT pg_catalog.pg_sleep(60)",
        'SELECT "pg_sleep"(60)',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity",
        "SELECT pg_reload_conf()",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT lo_export(lo_from_bytea(0, 'x'), '{file}')",
        "SELECT lo_creat(-1)",
        "SELECT pg_file_write('{file}', 'x', false)",
        "SELECT set_config('statement_timeout', '0', false)",
        "SELECT set_config('default_transaction_read_only', 'off', false)",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_notify('a', 'b')",
        "SELECT query_to_xml('DELETE FROM item', true, true, '')",
        "COPY item TO '{file}'",
        "COPY (SELECT 1) TO PROGRAM 'touch {file}'",
        "SELECT id INTO stolen FROM item",
        "WITH a AS (DELETE FROM item RETURNING id) SELECT * FROM a",
        "EXPLAIN ANALYZE DELETE FROM item",
        "PREPARE stolen AS SELECT 1",
        "DECLARE stolen CURSOR WITH HOLD FOR SELECT 1",
        "LISTEN a",
        "LOCK TABLE item",
        "CREATE TEMP TABLE stolen AS SELECT 1",
        "DO $$ BEGIN DELETE FROM item; END $$",
        "SET ROLE postgres",
        "COMMIT",
        "SELECT 1) ; DELETE FROM item; --",
        "SELECT 'a\\'; DELETE FROM item; --'",
    ),
    "mariadb": (
        *BOTH,
        "SELECT SLEEP(60)",
        "SELECT BENCHMARK(1000000000, MD5('a'))",
        "SELECT GET_LOCK('a', 1)",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT id INTO @stolen FROM item",
        "SELECT @stolen := 5",
        "SELECT 'x' INTO DUMPFILE '{file}'",
        "SELECT 1 /*! INTO OUTFILE '{file}' */",
        "SELECT 1 /*M! INTO OUTFILE '{file}' */",
        "SELECT NEXT VALUE FOR counter",
        "SELECT * FROM item LOCK IN SHARE MODE",
        "SELECT * FROM item PROCEDURE ANALYSE()",
        "INSERT INTO item SELECT 9, 'x'",
        "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE item",
        "CREATE TEMPORARY TABLE stolen AS SELECT 1",
        "SET SESSION TRANSACTION READ WRITE",
        "SET @stolen = 1",
        "SET STATEMENT max_statement_time = 0 FOR SELECT 1",
        "CALL nothing()",
        "HANDLER item OPEN",
        "LOCK TABLES item WRITE",
        "FLUSH TABLES WITH READ LOCK",
        "KILL 1",
        "PREPARE stolen FROM 'SELECT 1'",
        "COMMIT",
        "SELECT 1 UNION SELECT name FROM item INTO OUTFILE '{file}'",
    ),
}
EVIDENCE = {
    "postgresql": (
        "SELECT * FROM item ORDER BY id",
        "SELECT last_value, is_called FROM counter",
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
        "SELECT count(*) FROM pg_largeobject_metadata",
        "SELECT count(*) FROM pg_prepared_statements",
        "SELECT name, setting FROM pg_settings WHERE source NOT IN ('client', 'session') "
        "ORDER BY 1",
    ),
    "mariadb": (
        "SELECT * FROM item ORDER BY id",
        "SELECT next_not_cached_value FROM counter",
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
        "ORDER BY 1",
        "SELECT IS_FREE_LOCK('a')",
        "SELECT @@global.read_only, @@global.max_connections, @@global.local_infile",
    ),
}
PATIENT = Limits(seconds=2)
_numbers = count()


def _evidence(server: Server, name: str) -> list[Any]:
    return [server.execute(statement, name) for statement in EVIDENCE[server.kind]]


@pytest.fixture(scope="module", params=["reader", "writer", "admin"])
def attacked(request: pytest.FixtureRequest, server: Server) -> Iterator[tuple[Server, Any, str]]:
    made = server.create(SCRIPT[server.kind], "attacked")
    if not server.is_postgresql:
        server.execute(f"GRANT EXECUTE ON {made.name}.* TO reader")
    yield server, made, request.param
    server.drop(made)


def _opened(made: ServerDatabase, role: str, cache: Path) -> BaseDatabase:
    return open_database(getattr(made, role), cache_dir=cache, limits=PATIENT)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder in which the server's own user may write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


def test_no_attack_changes_anything(
    attacked: tuple[Server, Any, str], tmp_path: Path, public_folder: Path
) -> None:
    server, made, role = attacked
    before = _evidence(server, made.name)
    file = public_folder / "stolen"
    with _opened(made, role, tmp_path / "cache") as database:
        session = _session_settings(database)
        for attack in ATTACKS[server.kind]:
            sql = attack.replace("{file}", str(file))
            for ask in (database.run, database.compile):
                try:
                    ask(sql)
                except (QueryDenied, QueryFailed):
                    continue
                except DatabaseError as error:
                    pytest.fail(f"{sql}: {error!r}")
                # To prepare a call of a function runs nothing of it.
                assert ask == database.compile, f"{sql} was run"
                assert "sneaky" in sql, f"{sql} was compiled"
            assert not file.exists(), sql
            assert database.scalar("SELECT count(*) FROM item") == 2, sql
        assert _session_settings(database) == session
        assert _evidence(server, made.name) == before


def _session_settings(database: BaseDatabase) -> list[Any]:
    """Return what a statement sees of its session: the same whatever was run before."""
    if database.dialect == "mysql":
        sql = (
            "SELECT @@session.sql_mode, @@session.time_zone, @@session.max_statement_time, "
            "@@session.sql_select_limit, @@session.autocommit, @@session.tx_isolation"
        )
    else:
        sql = (
            "SELECT current_setting('search_path'), current_setting('statement_timeout'), "
            "current_setting('transaction_read_only'), current_setting('timezone'), current_user"
        )
    # The same question is answered from memory.
    return list(database.run(f"{sql}, {next(_numbers)}").rows[0][:-1])


def test_what_a_function_of_the_database_does_is_taken_back(
    attacked: tuple[Server, Any, str], tmp_path: Path
) -> None:
    server, made, role = attacked
    with _opened(made, role, tmp_path) as database:
        if server.is_postgresql:
            before = _session_settings(database)
            assert database.scalar("SELECT change_path()") == "nowhere"
            assert database.scalar("SELECT take_lock()") == 1
            assert _session_settings(database) == before
            held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
            assert server.execute(held) == [(0,)]
        with pytest.raises(QueryDenied, match=r"(?i)read.only"):
            database.run("SELECT sneaky()")


def test_a_statement_sees_its_limits(attacked: tuple[Server, Any, str], tmp_path: Path) -> None:
    _, made, role = attacked
    with _opened(made, role, tmp_path) as database:
        for limits in (Limits(seconds=1), Limits(seconds=2)):
            if database.dialect == "mysql":
                found = database.scalar("SELECT @@max_statement_time", limits)
                assert found == limits.seconds
            else:
                found = database.scalar("SELECT current_setting('statement_timeout')", limits)
                assert found == f"{limits.seconds:.0f}s"
