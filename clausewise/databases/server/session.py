"""One connection to a server, on which every statement is read-only and under limits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clausewise.databases.cells import cell_of, size_of
from clausewise.databases.model import Cell, Limits, QueryResult
from clausewise.databases.server.rules import ServerRules
from clausewise.errors import DatabaseError, QueryFailed, QueryTooLarge
from clausewise.sql.reading import reading_text
from clausewise.workers import heartbeat

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

_CHUNK = 512
_STREAMED = {"stream_results": True, "no_parameters": True, "max_row_buffer": _CHUNK}


class ServerSession:
    """A connection for one thread.

    Every statement has a transaction of its own, which is read-only and rolled back: what a
    statement sets does not outlive it. Statements of predictions are sent as they were read
    (`reading_text`), through a cursor on the server, which takes one query and nothing else.

    Raises DatabaseError where the server cannot be reached.
    """

    def __init__(self, engine: Engine, rules: ServerRules, target: str) -> None:
        self._engine = engine
        self._rules = rules
        self._target = target
        self._connection: Connection | None = None

    def run(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        """Run a statement of unknown origin; raises as `BaseDatabase.run`."""
        text = reading_text(sql, self._rules.dialect)
        heartbeat.begin_statement(limits.seconds)
        try:
            with self.transaction(limits) as connection:
                return self._fetch(connection, text, limits)
        finally:
            heartbeat.end_statement()

    def compile(self, sql: str, limits: Limits) -> None:
        """Let the server prepare a statement, which runs nothing of it; raises as `run`."""
        with self.transaction(limits) as connection:
            self._rules.prepare(connection, sql)

    @contextmanager
    def transaction(self, limits: Limits) -> Iterator[Connection]:
        """Yield the connection in a read-only transaction, which is rolled back at the end.

        The driver's errors are raised as ours; a connection that is lost is opened again at the
        next use.
        """
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        try:
            connection = self._begun(limits)
            yield connection
            connection.rollback()
        except DBAPIError as error:
            self._give_up(keep=not error.connection_invalidated)
            raise self._named(self._rules.error(error.orig or error, limits)) from None
        except SQLAlchemyError as error:
            self._give_up(keep=False)
            raise self._named(DatabaseError(f"cannot read the database: {error}")) from None
        except BaseException as error:
            self._give_up(keep=isinstance(error, DatabaseError))
            if self._is_of_driver(error):
                raise self._named(self._rules.error(error, limits)) from None
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def _begun(self, limits: Limits) -> Connection:
        """Return the connection in a transaction; one that was lost is replaced once."""
        from sqlalchemy.exc import DBAPIError

        if self._connection is not None:
            try:
                self._rules.begin(self._connection, limits)
                return self._connection
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                self.close()
        self._connection = self._engine.connect()
        self._rules.set_up(self._connection)
        self._rules.begin(self._connection, limits)
        return self._connection

    def _fetch(self, connection: Connection, text: str, limits: Limits) -> tuple[QueryResult, int]:
        result = connection.execution_options(**_STREAMED).exec_driver_sql(text)
        if not result.returns_rows:
            raise QueryFailed("there is no statement to run")
        columns = tuple(result.keys())
        rows: list[tuple[Cell, ...]] = []
        taken = 0
        while len(rows) <= limits.rows:
            wanted = min(_CHUNK, limits.rows + 1 - len(rows))
            chunk = [tuple(map(cell_of, row)) for row in result.fetchmany(wanted)]
            taken += size_of(chunk)
            if taken > limits.result_bytes:
                self._give_up(keep=False)
                raise QueryTooLarge(
                    f"the rows of the result take over {limits.result_bytes:,} bytes"
                )
            rows += chunk
            if len(chunk) < wanted:
                break
        truncated = len(rows) > limits.rows
        if truncated:
            self._abandon()
        else:
            result.close()
        return QueryResult(columns, tuple(rows[: limits.rows]), truncated), taken

    def _abandon(self) -> None:
        """Drop the connection, since some drivers would read all rows that are left."""
        if self._connection is not None and self._rules.reads_all_rows:
            self._connection.invalidate()

    def _give_up(self, *, keep: bool) -> None:
        """End the transaction, and the connection where it may be in any state."""
        if self._connection is None:
            return
        if keep:
            try:
                self._connection.rollback()
                return
            except Exception:  # whatever it is, a new connection mends it
                pass
        with contextlib.suppress(Exception):
            self._connection.invalidate()
        self.close()

    def _named(self, error: DatabaseError) -> DatabaseError:
        """Return an error of the database itself with its name; the statement's own as it is."""
        if type(error) is DatabaseError:
            return DatabaseError(f"'{self._target}': {error}")
        return error

    def _is_of_driver(self, error: BaseException) -> bool:
        module: Any = type(error).__module__ or ""
        return str(module).split(".", maxsplit=1)[0] == self._rules.driver
