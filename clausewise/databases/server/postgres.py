"""PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from clausewise.databases.model import Limits
from clausewise.databases.server.rules import ServerRules, one_line
from clausewise.errors import (
    DatabaseError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection

_SESSION = (
    "SET timezone = 'UTC'",
    "SET datestyle = 'ISO, YMD'",
    "SET intervalstyle = 'postgres'",
    "SET extra_float_digits = 1",
    "SET standard_conforming_strings = on",
    "SET client_encoding = 'UTF8'",
    # The same rows in the same order each time.
    "SET max_parallel_workers_per_gather = 0",
    "SET synchronize_seqscans = off",
    "SET jit = off",
    "SET default_transaction_read_only = on",
    "SET work_mem = '16MB'",
    "SET idle_in_transaction_session_timeout = '600s'",
)
_BEGIN = (
    "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true), "
    "setseed(0.5)"
)
_MAY_WRITE = """
SELECT
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
  (SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'v') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
"""
_ROWS = """
SELECT c.relname, c.reltuples FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'm') AND c.reltuples >= 0
"""
_LOST = ("08", "57P")
_TOO_LARGE = frozenset({"53000", "53100", "53200", "53400", "54000"})
_DENIED = frozenset({"25006", "0A000"})
_NO_RIGHT = "42501"
_TIMED_OUT = frozenset({"57014", "55P03"})


class PostgresRules(ServerRules):
    """PostgreSQL, through psycopg."""

    dialect: ClassVar[str] = "postgres"
    title: ClassVar[str] = "PostgreSQL"
    drivername: ClassVar[str] = "postgresql+psycopg"
    driver: ClassVar[str] = "psycopg"
    extra: ClassVar[str] = "postgresql"
    reads_all_rows: ClassVar[bool] = False

    def arguments(self, url: URL) -> Mapping[str, object]:
        """Return what a connection is made with beside the URL."""
        timeout = {} if "connect_timeout" in url.query else {"connect_timeout": 10}
        # Prepared statements would outlive the transaction.
        return {"prepare_threshold": None, "application_name": "clausewise", **timeout}

    def set_up(self, connection: Connection) -> None:
        """Set up a session, once: formats, order, and read-only as the default."""
        with connection.begin():
            for statement in _SESSION:
                connection.exec_driver_sql(statement)
        connection.execution_options(postgresql_readonly=True)

    def begin(self, connection: Connection, limits: Limits) -> None:
        """Begin a read-only transaction whose statements are under limits."""
        milliseconds = str(max(1, round(limits.seconds * 1000)))
        connection.begin()
        connection.exec_driver_sql(_BEGIN, (milliseconds, milliseconds))

    def prepare(self, connection: Connection, sql: str) -> None:
        """Let the server prepare a statement without running it; raises the driver's errors."""
        import psycopg
        from psycopg import pq

        driver: Any = connection.connection.driver_connection
        result = driver.pgconn.prepare(b"", sql.encode("utf-8"))
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise psycopg.errors.error_from_result(result)

    def error(self, error: BaseException, limits: Limits) -> DatabaseError:
        """Return our error for one of psycopg's, by its SQLSTATE."""
        state = getattr(error, "sqlstate", None) or ""
        diagnosis = getattr(error, "diag", None)
        message = one_line(getattr(diagnosis, "message_primary", None) or error)
        if state in _TIMED_OUT:
            return QueryTimeout(f"stopped after {limits.seconds:g} seconds")
        if state in _DENIED:
            return QueryDenied(f"only reading is allowed, refused: {message}")
        if state in _TOO_LARGE:
            return QueryTooLarge(message)
        if not state or state.startswith(_LOST) or state == _NO_RIGHT:
            return DatabaseError(f"cannot read the database: {message}")
        return QueryFailed(message)

    def may_write(self, connection: Connection) -> str | None:
        """Return what the role may do beside reading, None for nothing."""
        is_superuser, tables = connection.exec_driver_sql(_MAY_WRITE).one()
        if is_superuser:
            return "is a superuser"
        return f"may write to {tables} tables" if tables else None

    def estimated_rows(self, connection: Connection) -> dict[str, int]:
        """Return the rows of each table by `pg_class.reltuples`, which is -1 where unknown."""
        return {name: int(rows) for name, rows in connection.exec_driver_sql(_ROWS)}

    def exact_text(self, column: str) -> str:
        """Return an expression by which a column of text is grouped byte by byte."""
        return f'{column}::text COLLATE "C"'
