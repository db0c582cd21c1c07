"""MySQL and MariaDB, through PyMySQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

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

READ_SECONDS = 120
"""How long to wait for the next bytes of a server that has ceased to answer."""

_NO_MODES = frozenset(
    {"ANSI", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT", "IGNORE_SPACE"}
    | {"HIGH_NOT_PRECEDENCE", "ORACLE", "MSSQL", "DB2", "MAXDB", "POSTGRESQL", "MYSQL40"}
    | {"MYSQL323", "PAD_CHAR_TO_FULL_LENGTH", "EMPTY_STRING_IS_NULL", "NO_UNSIGNED_SUBTRACTION"}
)
"""Modes in which a server reads quotes and operators in another way than we do."""
_ME = "CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')"
_MAY_WRITE = f"""
SELECT privilege_type FROM information_schema.user_privileges WHERE grantee = {_ME}
UNION SELECT privilege_type FROM information_schema.schema_privileges WHERE grantee = {_ME}
UNION SELECT privilege_type FROM information_schema.table_privileges WHERE grantee = {_ME}
"""
_READING = frozenset({"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES", "PROCESS"})
_ROWS = """
SELECT table_name, table_rows FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_rows IS NOT NULL
"""
_STATE = """
SELECT table_name, create_time FROM information_schema.tables
WHERE table_schema = DATABASE() ORDER BY table_name
"""
_SEEDS = "rand_seed1 = 123456789, rand_seed2 = 987654321"
_SYNTAX = 1064
_NEAR = "syntax to use near "
_TIMED_OUT = frozenset({1205, 1317, 1907, 1969, 3024})
_NO_READING = frozenset({1290, 1792, 1836})
_TOO_LARGE = frozenset({1021, 1037, 1038, 1041, 1104, 1114, 1153})
_LOST = frozenset({0, 1040, 1053, 1927, 2003, 2006, 2013, 2014, 2055})


class MySQLRules(ServerRules):
    """MySQL and MariaDB, through PyMySQL."""

    title: ClassVar[str] = "MySQL or MariaDB"
    drivername: ClassVar[str] = "mysql+pymysql"
    driver: ClassVar[str] = "pymysql"
    extra: ClassVar[str] = "mysql"
    reading_grants: ClassVar[str] = (
        "CREATE USER reader IDENTIFIED BY '...'; GRANT SELECT, SHOW VIEW ON name.* TO reader"
    )

    native_types: ClassVar[frozenset[str]] = frozenset(
        {"TINYINT", "SMALLINT", "MEDIUMINT", "INTEGER", "INT", "BIGINT", "DECIMAL", "NUMERIC"}
        | {"DOUBLE", "FLOAT", "REAL", "BIT", "YEAR", "DATE", "DATETIME", "TIMESTAMP", "TIME"}
    )
    binary_types: ClassVar[frozenset[str]] = frozenset(
        {"BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BINARY", "VARBINARY"}
    )

    def __init__(self) -> None:
        self._time_limit = "max_statement_time = {seconds}"

    def arguments(self, url: URL) -> Mapping[str, object]:
        """Return what a connection is made with beside the URL."""
        fixed = {
            "charset": "utf8mb4",
            "connect_timeout": CONNECT_SECONDS,
            "read_timeout": READ_SECONDS,
            "program_name": "clausewise",
        }
        found = {name: value for name, value in fixed.items() if name not in url.query}
        # The driver must never offer files of this machine to the server, nor send two statements.
        return {**found, "local_infile": False, "client_flag": 0}

    def driver_errors(self) -> tuple[type[Exception], ...]:
        """Return what PyMySQL raises."""
        import pymysql

        return (pymysql.MySQLError,)

    def set_up(self, connection: DriverConnection) -> None:
        """Set the time zone, quotes and values of a session."""
        connection.autocommit(True)
        modes = str(_first(connection, "SELECT @@sql_mode")).split(",")
        kept = ",".join(mode for mode in modes if mode and mode not in _NO_MODES)
        _send(
            connection,
            f"SET SESSION time_zone = '+00:00', SESSION sql_mode = '{kept}', "
            "SESSION group_concat_max_len = 1048576",
        )
        if "mariadb" not in str(_first(connection, "SELECT VERSION()")).lower():
            self._time_limit = "max_execution_time = {milliseconds}"
        connection.decoders = {**connection.decoders, **_decoders()}

    def begin(self, connection: DriverConnection, limits: Limits) -> None:
        """Begin a read-only transaction under limits.

        A result without a LIMIT of its own ends after one row more than is wanted: the driver
        would read all of them.
        """
        milliseconds = max(1, round(limits.seconds * 1_000))
        limit = self._time_limit.format(seconds=milliseconds / 1_000, milliseconds=milliseconds)
        lock = max(1, round(limits.seconds))
        _send(
            connection,
            f"SET SESSION {limit}, SESSION lock_wait_timeout = {lock}, "
            f"SESSION innodb_lock_wait_timeout = {lock}, "
            f"SESSION sql_select_limit = {limits.rows + 1}, {_SEEDS}",
        )
        _send(connection, "START TRANSACTION READ ONLY")

    def end(self, connection: DriverConnection) -> None:
        """Roll back."""
        _send(connection, "ROLLBACK")

    def begin_inspection(self, connection: Connection) -> None:
        """Make the transaction in which the catalog is read a read-only one."""
        connection.exec_driver_sql("START TRANSACTION READ ONLY")

    def open_cursor(self, connection: DriverConnection) -> DriverCursor:
        """Return a cursor whose rows are read as they are asked for."""
        from pymysql.cursors import SSCursor

        return connection.cursor(SSCursor)

    def close_cursor(self, cursor: DriverCursor, *, is_read: bool) -> bool:
        """Close a cursor; where rows are left, its connection with it, rather than read them."""
        if not is_read and cursor.fetchone() is not None:
            # Else all would be read when they are collected, of a connection that is closed.
            result, cursor.connection = cursor._result, None
            result.unbuffered_active, result.connection = False, None
            return False
        cursor.close()
        return True

    def prepare(self, connection: DriverConnection, sql: str) -> None:
        """Let the server prepare a statement without running it; raises the driver's errors."""
        text = connection.escape(sql)
        _send(connection, f"PREPARE clausewise_statement FROM {text}")
        _send(connection, "DEALLOCATE PREPARE clausewise_statement")

    def error(self, error: BaseException, limits: Limits) -> DatabaseError:
        """Return our error for one of PyMySQL's, by its number."""
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        message = first_line(error.args[1] if len(error.args) > 1 else error)
        if code == _SYNTAX:
            message = f"syntax error near {message.partition(_NEAR)[2] or 'the end'}"
        if code in _TIMED_OUT:
            return QueryTimeout(f"stopped after {limits.seconds:g} seconds")
        if code in _NO_READING:
            return QueryDenied(f"only reading is allowed, refused: {message}")
        if code in _TOO_LARGE:
            return QueryTooLarge(message)
        return (LostConnection if code in _LOST else QueryFailed)(message)

    def schemas(self, connection: Connection) -> tuple[str | None, ...]:  # noqa: ARG002
        """Return the URL's own database alone."""
        return (None,)

    def reflected_name(self, name: str) -> str:
        """Return a name of SQLAlchemy's, which leaves marks as they are escaped."""
        return name.replace("``", "`")

    def hidden(self, connection: Connection) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: what a role may not read is not listed for it."""
        return {}

    def may_write(self, connection: Connection) -> str | None:
        """Return what the role may do beside reading, None for nothing."""
        held = {str(row[0]) for row in connection.exec_driver_sql(_MAY_WRITE)}
        more = sorted(held - _READING)
        return f"has {', '.join(more[:4])}{' and more' if len(more) > 4 else ''}" if more else None

    def estimated_rows(self, connection: Connection) -> dict[str, int]:
        """Return the rows of each table by `information_schema.tables`."""
        return {name: int(rows) for name, rows in connection.exec_driver_sql(_ROWS)}

    def state(self, connection: Connection) -> object:
        """Return when each table was made; TRUNCATE and ALTER make it anew."""
        return [tuple(map(str, row)) for row in connection.exec_driver_sql(_STATE)]

    def exact_text(self, column: str) -> str:
        """Return an expression by which a column is grouped and sorted byte by byte, as bytes.

        Collations of MySQL, binary ones among them, do not look at blanks at the end.
        """
        return f"CAST(CONVERT({column} USING utf8mb4) AS BINARY)"

    def sample(self, table: str, rows: int, estimate: int) -> str:  # noqa: ARG002
        """Return the first rows of a table."""
        return f"(SELECT * FROM {table} LIMIT {rows}) AS sampled"


def _send(connection: DriverConnection, statement: str) -> None:
    """Send a statement of ours whose rows do not matter."""
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _first(connection: DriverConnection, statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def _decoders() -> dict[int, Any]:
    """Return by type how values are read where PyMySQL's own way loses something.

    It makes `None` or text of dates that Python lacks, such as 0000-00-00.
    """
    from pymysql.constants import FIELD_TYPE

    moments = (FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP, FIELD_TYPE.TIME, FIELD_TYPE.DATE)
    return {FIELD_TYPE.BIT: _bits, **dict.fromkeys(moments, _moment)}


def _bits(value: bytes) -> int:
    return int.from_bytes(value, "big")


def _moment(text: str) -> str:
    """Return a time without a fraction of zeros, as other servers write it."""
    return text.rstrip("0").rstrip(".") if "." in text else text
