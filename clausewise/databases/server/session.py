"""One connection to a server, on which every statement is read-only and under limits."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clausewise.databases.cells import cell_of, size_of
from clausewise.databases.model import Cell, Limits, QueryResult
from clausewise.databases.server.rules import (
    DriverConnection,
    LostConnection,
    ServerRules,
    first_line,
)
from clausewise.errors import DatabaseError, ParseError, QueryDenied, QueryFailed, QueryTooLarge
from clausewise.sql.reading import reading_text
from clausewise.workers import heartbeat

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

_FIRST_CHUNK = 64
_LARGEST_CHUNK = 5_000
_CHUNK_BYTES = 8_000_000
"""Rows are fetched by as many as take about so many bytes."""


_left_to_parent: list[DriverConnection] = []
"""Kept, since a connection that is collected may say so to the server."""


class ServerSession:
    """A connection for one thread.

    Every statement has a transaction of its own, which is read-only and rolled back: what a
    statement sets does not outlive it. Statements of predictions are sent as they were read
    (`reading_text`), through a cursor on the server, which takes one query and nothing else.

    Raises DatabaseError where the server cannot be reached.
    """

    def __init__(self, engine: Engine, rules: ServerRules, dialect: str, target: str) -> None:
        self._engine = engine
        self._rules = rules
        self._dialect = dialect
        self._target = target
        self._connection: DriverConnection | None = None
        self._process = os.getpid()

    def __del__(self) -> None:
        # The thread has ended that it was for.
        self.close()

    def run(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        """Run a statement of unknown origin; raises as `BaseDatabase.run`."""
        text = self._readable(sql, limits)
        with self._transaction(limits) as connection:
            return self._fetch(connection, text, limits)

    def compile(self, sql: str, limits: Limits) -> None:
        """Let the server prepare a statement, which runs nothing of it; raises as `run`."""
        self._prepare(self._readable(sql, limits), limits)

    def rows(self, statement: str, seconds: float) -> Iterator[Sequence[Any]]:
        """Yield the rows of a statement of ours, as the driver gives them; raises as `run`."""
        limits = Limits(seconds=seconds, rows=2**62)
        with self._transaction(limits) as connection:
            cursor = self._rules.open_cursor(connection)
            is_read = True
            try:
                cursor.execute(statement)
                is_read = False
                while chunk := cursor.fetchmany(_LARGEST_CHUNK):
                    yield from chunk
                is_read = True
            finally:
                self._finish(cursor, is_read=is_read)

    def close(self) -> None:
        """Close the connection; one made before a fork is left to the parent as it is."""
        connection, self._connection = self._connection, None
        if connection is not None and self._process != os.getpid():
            _left_to_parent.append(connection)
        elif connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _readable(self, sql: str, limits: Limits) -> str:
        """Return a statement as it may be sent.

        The server says what is wrong with one that we cannot read; what it takes and we cannot
        read is refused. Raises QueryDenied and QueryFailed.
        """
        try:
            return reading_text(sql, self._dialect)
        except ParseError as error:
            self._prepare(sql, limits)
            message = f"not run, since it cannot be read as one query: {error.message}"
            raise QueryDenied(message) from None

    def _prepare(self, sql: str, limits: Limits) -> None:
        with self._transaction(limits) as connection:
            try:
                self._rules.prepare(connection, sql)
            except UnicodeEncodeError:
                raise QueryFailed("the statement holds characters that are none") from None

    @contextmanager
    def _transaction(self, limits: Limits) -> Iterator[DriverConnection]:
        """Yield the connection in a read-only transaction, which is taken back at the end.

        The driver's errors are raised as ours; a connection that is lost is opened again at the
        next use.
        """
        heartbeat.begin_statement(limits.seconds)
        try:
            yield self._begun(limits)
        except self._rules.driver_errors() as error:
            raise self._ended(self._rules.error(error, limits)) from None
        except DatabaseError as error:
            raise self._ended(error) from None
        except BaseException:
            # Ctrl-C, or a part of a result that nobody reads on: in the middle of anything.
            self.close()
            raise
        else:
            self._end()
        finally:
            heartbeat.end_statement()

    def _begun(self, limits: Limits) -> DriverConnection:
        """Return the connection in a transaction; one that was lost meanwhile is replaced once."""
        if self._connection is not None:
            try:
                self._rules.begin(self._connection, limits)
                return self._connection
            except self._rules.driver_errors() as error:
                self.close()
                if not isinstance(self._rules.error(error, limits), LostConnection):
                    raise
        self._connection = self._connect()
        self._rules.set_up(self._connection)
        self._rules.begin(self._connection, limits)
        return self._connection

    def _connect(self) -> DriverConnection:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            pooled = self._engine.raw_connection()
            # The pool would end transactions of its own when it is collected, also after a fork.
            connection = pooled.driver_connection
            pooled.detach()
            return connection
        except SQLAlchemyError as error:
            raise DatabaseError(first_line(error)) from None

    def _ended(self, error: DatabaseError) -> DatabaseError:
        """End the transaction after an error; return the error with the database's name."""
        if isinstance(error, LostConnection):
            self.close()
        else:
            self._end()
        if type(error) in (DatabaseError, LostConnection):
            return DatabaseError(f"cannot read the database '{self._target}': {error}")
        return error

    def _end(self) -> None:
        if self._connection is not None:
            try:
                self._rules.end(self._connection)
            except self._rules.driver_errors():
                self.close()

    def _fetch(
        self, connection: DriverConnection, text: str, limits: Limits
    ) -> tuple[QueryResult, int]:
        cursor = self._rules.open_cursor(connection)
        is_read = True
        try:
            cursor.execute(text)
            is_read = False
            if cursor.description is None:
                raise QueryDenied("only reading is allowed, and the statement gives no rows")
            columns = tuple(column[0] for column in cursor.description)
            rows, taken, is_read = _fetch_rows(cursor, limits)
        finally:
            self._finish(cursor, is_read=is_read)
        truncated = len(rows) > limits.rows
        return QueryResult(columns, tuple(rows[: limits.rows]), truncated), taken

    def _finish(self, cursor: Any, *, is_read: bool) -> None:
        """Close a cursor, and the connection where that would read all rows that are left."""
        is_usable = False
        with contextlib.suppress(*self._rules.driver_errors()):
            is_usable = self._rules.close_cursor(cursor, is_read=is_read)
        if not is_usable:
            self.close()


def _fetch_rows(cursor: Any, limits: Limits) -> tuple[list[tuple[Cell, ...]], int, bool]:
    """Return one row more than the limit, their bytes, and whether these were all.

    Raises QueryTooLarge.
    """
    rows: list[tuple[Cell, ...]] = []
    taken = 0
    wanted = _FIRST_CHUNK
    while len(rows) <= limits.rows:
        wanted = min(wanted, limits.rows + 1 - len(rows))
        chunk = [tuple(map(cell_of, row)) for row in cursor.fetchmany(wanted)]
        _check_cells(chunk, limits)
        taken += size_of(chunk)
        if taken > limits.result_bytes:
            raise QueryTooLarge(f"the rows of the result take over {limits.result_bytes:,} bytes")
        rows += chunk
        if len(chunk) < wanted:
            return rows, taken, True
        wanted = max(1, min(_LARGEST_CHUNK, _CHUNK_BYTES * len(rows) // max(1, taken)))
    return rows, taken, False


def _check_cells(rows: Sequence[tuple[Cell, ...]], limits: Limits) -> None:
    for row in rows:
        for cell in row:
            if isinstance(cell, str | bytes) and len(cell) > limits.cell_bytes // 4:
                size = len(cell.encode("utf-8", "replace") if isinstance(cell, str) else cell)
                if size > limits.cell_bytes:
                    raise QueryTooLarge(f"a value is too large (limit {limits.cell_bytes:,} bytes)")
