"""PostgreSQL, through psycopg."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from clausewise.databases.model import Limits
from clausewise.databases.server.rules import (
    CONNECT_SECONDS,
    DriverConnection,
    DriverCursor,
    LostConnection,
    ServerRules,
    first_line,
)
from clausewise.errors import (
    DatabaseError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection

_SETTINGS = {
    "timezone": "'UTC'",
    "datestyle": "'ISO, YMD'",
    "intervalstyle": "'postgres'",
    "extra_float_digits": "1",
    "bytea_output": "'hex'",
    # Queries are read with the standard's texts, in which a backslash is a backslash.
    "standard_conforming_strings": "on",
    # The same rows in the same order each time, and the same sums of floating point.
    "max_parallel_workers_per_gather": "0",
    "synchronize_seqscans": "off",
    "jit": "off",
    "work_mem": "'16MB'",
    "idle_in_transaction_session_timeout": "'600s'",
}
_SET = "; ".join(f"SET LOCAL {name} = {value}" for name, value in _SETTINGS.items())
# What a transaction that is rolled back did not take back is freed in the same round trip.
_END = "ROLLBACK; SELECT pg_advisory_unlock_all()"
_CURSOR = "clausewise"
_PLAIN = frozenset(
    {"bool", "int2", "int4", "int8", "oid", "float4", "float8", "numeric", "bytea"}
    | {"text", "varchar", "bpchar", "name", "char", "unknown"}
)
"""Types whose values come as Python's; all others come as the server writes them."""
_OWN = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_'"
_MAY_WRITE = f"""
SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
  (SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'v') AND {_OWN}
   AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
  (SELECT count(*) FROM pg_namespace AS n WHERE {_OWN}
   AND has_schema_privilege(n.oid, 'CREATE')),
  (SELECT string_agg(rolname, ', ' ORDER BY rolname) FROM pg_roles
   WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files',
     'pg_execute_server_program', 'pg_write_all_data', 'pg_signal_backend')
   AND pg_has_role(oid, 'MEMBER'))
"""
_TABLES = """
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""
_ROWS = f"SELECT c.relname, c.reltuples {_TABLES} AND c.reltuples >= 0 AND c.relkind <> 'v'"
_HIDDEN = f"""
SELECT c.relname, c.relispartition {_TABLES}
AND (c.relispartition OR NOT has_any_column_privilege(c.oid, 'SELECT'))
"""
# TRUNCATE, REFRESH and a table made anew give new files; rows that are added do not.
_STATE = f"SELECT c.relname, c.oid, c.relfilenode {_TABLES} ORDER BY n.nspname, c.relname"
_LOST = ("08", "57P")
_TOO_LARGE = ("53", "54")
_NO_READING = frozenset({"25006"})
_TIMED_OUT = frozenset({"57014", "55P03"})


class PostgresRules(ServerRules):
    """PostgreSQL, through psycopg."""

    title: ClassVar[str] = "PostgreSQL"
    drivername: ClassVar[str] = "postgresql+psycopg"
    driver: ClassVar[str] = "psycopg"
    extra: ClassVar[str] = "postgresql"
    reading_grants: ClassVar[str] = (
        "CREATE ROLE reader LOGIN PASSWORD '...'; GRANT USAGE ON SCHEMA public TO reader; "
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"
    )

    native_types: ClassVar[frozenset[str]] = frozenset(
        {"SMALLINT", "INTEGER", "BIGINT", "NUMERIC", "DECIMAL", "REAL", "DOUBLE", "FLOAT"}
        | {"BOOLEAN", "OID"}
    )
    binary_types: ClassVar[frozenset[str]] = frozenset({"BYTEA"})
    nulls_first: ClassVar[str] = " NULLS FIRST"

    page = "(ctid::text::point)[0]"

    def arguments(self, url: URL) -> Mapping[str, object]:
        """Return what a connection is made with beside the URL."""
        fixed = {"application_name": "clausewise", "connect_timeout": CONNECT_SECONDS}
        return {name: value for name, value in fixed.items() if name not in url.query}

    def driver_errors(self) -> tuple[type[Exception], ...]:
        """Return what psycopg raises."""
        import psycopg

        return (psycopg.Error,)

    def set_up(self, connection: DriverConnection) -> None:
        """Let no statement begin a transaction, or be kept prepared, by itself."""
        from psycopg import postgres
        from psycopg.types.string import TextLoader

        connection.autocommit = True
        connection.prepare_threshold = None
        # Dates before Christ, months of intervals, and arrays: Python's have no place for some.
        for kind in postgres.types:
            if kind.name not in _PLAIN:
                connection.adapters.register_loader(kind.oid, TextLoader)
            if kind.array_oid:
                connection.adapters.register_loader(kind.array_oid, TextLoader)

    def begin(self, connection: DriverConnection, limits: Limits) -> None:
        """Begin a read-only transaction under limits, in one round trip."""
        milliseconds = max(1, round(limits.seconds * 1_000))
        connection.execute(
            f"BEGIN READ ONLY; {_SET}; SET LOCAL statement_timeout = {milliseconds}; "
            f"SET LOCAL lock_timeout = {milliseconds}; SELECT setseed(0.5)"
        )

    def end(self, connection: DriverConnection) -> None:
        """Roll back, and free the locks that a session keeps."""
        connection.execute(_END)

    def begin_inspection(self, connection: Connection) -> None:
        """Make the transaction in which the catalog is read a read-only one."""
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    def open_cursor(self, connection: DriverConnection) -> DriverCursor:
        """Return a cursor that is declared: one query, sent by the extended protocol."""
        return connection.cursor(name=_CURSOR)

    def close_cursor(self, cursor: DriverCursor, *, is_read: bool) -> bool:  # noqa: ARG002
        """Close a cursor."""
        cursor.close()
        return True

    def prepare(self, connection: DriverConnection, sql: str) -> None:
        """Let the server parse and analyze a statement: no plan is made, nothing is computed."""
        from psycopg import errors, pq

        result = connection.pgconn.prepare(b"", sql.encode("utf-8"))
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result)

    def error(self, error: BaseException, limits: Limits) -> DatabaseError:
        """Return our error for one of psycopg's, by its SQLSTATE."""
        import psycopg

        state = getattr(error, "sqlstate", None) or ""
        diagnosis = getattr(error, "diag", None)
        message = first_line(getattr(diagnosis, "message_primary", None) or error)
        if state in _TIMED_OUT:
            return QueryTimeout(f"stopped after {limits.seconds:g} seconds")
        if state in _NO_READING:
            return QueryDenied(f"only reading is allowed, refused: {message}")
        if state.startswith(_TOO_LARGE):
            return QueryTooLarge(message)
        is_lost = not state and isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        if is_lost or state.startswith(_LOST):
            return LostConnection(message)
        return QueryFailed(message)

    def schemas(self, connection: Connection) -> tuple[str | None, ...]:
        """Return the schemas of the search path, the current one as None."""
        (names,) = connection.exec_driver_sql("SELECT current_schemas(false)").one()
        return (None, *names[1:])

    def hidden(self, connection: Connection) -> Mapping[str, str]:
        """Return partitions of other tables, and what the role may not read."""
        reasons = ("the role may not read it", "it is a partition of another table")
        rows = connection.exec_driver_sql(_HIDDEN)
        return {name: reasons[is_partition] for name, is_partition in rows}

    def may_write(self, connection: Connection) -> str | None:
        """Return what the role may do beside reading, None for nothing."""
        is_superuser, tables, schemas, roles = connection.exec_driver_sql(_MAY_WRITE).one()
        if is_superuser:
            return "is a superuser"
        if roles:
            return f"is a member of {roles}"
        if tables:
            return f"may change {tables} tables"
        return "may create tables" if schemas else None

    def estimated_rows(self, connection: Connection) -> dict[str, int]:
        """Return the rows of each table by `pg_class.reltuples`, which is -1 where unknown."""
        return {name: int(rows) for name, rows in connection.exec_driver_sql(_ROWS)}

    def state(self, connection: Connection) -> object:
        """Return numbers of tables and their files."""
        return [tuple(row) for row in connection.exec_driver_sql(_STATE)]

    def exact_text(self, column: str) -> str:
        """Return an expression by which a column is grouped and sorted byte by byte."""
        return f'{column}::text COLLATE "C"'

    def sample(self, table: str, rows: int, estimate: int) -> str:
        """Return random blocks of a table, the same ones each time."""
        percent = min(100.0, 100 * rows / max(1, estimate))
        return f"{table} TABLESAMPLE SYSTEM ({percent:.6f}) REPEATABLE (1)"
