"""MySQL and MariaDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

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
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION TRANSACTION READ ONLY",
    # Queries are read with double quotes around texts and backslashes as escapes.
    "SET SESSION sql_mode = TRIM(BOTH ',' FROM REPLACE(REPLACE(REPLACE("
    "CONCAT(',', @@sql_mode, ','), "
    "',ANSI_QUOTES,', ','), ',ANSI,', ','), ',NO_BACKSLASH_ESCAPES,', ','))",
)
_MAY_WRITE = """
SELECT privilege_type FROM information_schema.user_privileges
WHERE grantee = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')
UNION SELECT privilege_type FROM information_schema.schema_privileges
WHERE table_schema = DATABASE()
AND grantee = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')
"""
_READING = frozenset({"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES", "PROCESS", "EXECUTE"})
_ROWS = """
SELECT table_name, table_rows FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_rows IS NOT NULL
"""
_TIMED_OUT = frozenset({1205, 1317, 1907, 1969, 3024})
_DENIED = frozenset({1290, 1792, 1836})
_NO_RIGHT = frozenset({1044, 1045, 1142, 1143, 1227, 1370, 1410})
_TOO_LARGE = frozenset({1021, 1037, 1038, 1041, 1104, 1114, 1153})
_LOST = frozenset({0, 1040, 1053, 1927, 2003, 2006, 2013, 2014, 2055})


class MySQLRules(ServerRules):
    """MySQL and MariaDB, through PyMySQL."""

    dialect: ClassVar[str] = "mysql"
    title: ClassVar[str] = "MySQL or MariaDB"
    drivername: ClassVar[str] = "mysql+pymysql"
    driver: ClassVar[str] = "pymysql"
    extra: ClassVar[str] = "mysql"
    reads_all_rows: ClassVar[bool] = True

    def __init__(self) -> None:
        self._limit = "max_statement_time = {seconds}"

    def arguments(self, url: URL) -> Mapping[str, object]:
        """Return what a connection is made with beside the URL."""
        charset = {} if "charset" in url.query else {"charset": "utf8mb4"}
        # The driver must never offer files of this machine to the server.
        return {
            "connect_timeout": 10,
            "local_infile": False,
            "program_name": "clausewise",
            **charset,
        }

    def set_up(self, connection: Connection) -> None:
        """Set up a session, once: formats, quotes, and read-only as the default."""
        for statement in _SESSION:
            connection.exec_driver_sql(statement)
        version = str(connection.exec_driver_sql("SELECT VERSION()").scalar_one())
        if "mariadb" not in version.lower():
            self._limit = "max_execution_time = {milliseconds}"
        connection.rollback()

    def begin(self, connection: Connection, limits: Limits) -> None:
        """Begin a read-only transaction whose statements are under limits."""
        milliseconds = max(1, round(limits.seconds * 1000))
        limit = self._limit.format(seconds=milliseconds / 1000, milliseconds=milliseconds)
        lock = max(1, round(limits.seconds))
        connection.exec_driver_sql(
            f"SET SESSION {limit}, SESSION lock_wait_timeout = {lock}, "
            f"SESSION innodb_lock_wait_timeout = {lock}, rand_seed1 = 1, rand_seed2 = 2"
        )
        connection.exec_driver_sql("START TRANSACTION READ ONLY")

    def prepare(self, connection: Connection, sql: str) -> None:
        """Let the server prepare a statement without running it; raises the driver's errors."""
        connection.exec_driver_sql("PREPARE clausewise_statement FROM %s", (sql,))
        connection.exec_driver_sql("DEALLOCATE PREPARE clausewise_statement")

    def error(self, error: BaseException, limits: Limits) -> DatabaseError:
        """Return our error for one of PyMySQL's, by its number."""
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        message = one_line(error.args[1] if len(error.args) > 1 else error)
        if code in _TIMED_OUT:
            return QueryTimeout(f"stopped after {limits.seconds:g} seconds")
        if code in _DENIED:
            return QueryDenied(f"only reading is allowed, refused: {message}")
        if code in _TOO_LARGE:
            return QueryTooLarge(message)
        if code in _LOST or code in _NO_RIGHT:
            return DatabaseError(f"cannot read the database: {message}")
        return QueryFailed(message)

    def may_write(self, connection: Connection) -> str | None:
        """Return what the role may do beside reading, None for nothing."""
        held = {str(row[0]) for row in connection.exec_driver_sql(_MAY_WRITE.replace("%", "%%"))}
        more = sorted(held - _READING)
        return f"has {', '.join(more[:4])}{' and more' if len(more) > 4 else ''}" if more else None

    def estimated_rows(self, connection: Connection) -> dict[str, int]:
        """Return the rows of each table by `information_schema.tables`."""
        return {name: int(rows) for name, rows in connection.exec_driver_sql(_ROWS)}

    def exact_text(self, column: str) -> str:
        """Return an expression by which a column of text is grouped byte by byte, as bytes."""
        return f"CAST(CONVERT({column} USING utf8mb4) AS BINARY)"
