"""Read-only access to a database's data: one connection that obeys limits.

Statements that come from a model are treated as hostile. Four measures confine them:
the file is opened read-only; an authorizer lets SQLite compile nothing but SELECTs; the size of
values, patterns and statements is capped; and a count of virtual machine steps, with the clock
behind it, stops what does not end. None of them reaches into a single call of a SQL function, nor
limits what SQLite takes of memory: that is why cases are checked in workers, which can be ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path
from time import monotonic
from typing import Protocol

from clausewise.databases.files import unreadable
from clausewise.databases.model import Cell, Limits, QueryResult
from clausewise.databases.sqlite.semicolons import without_semicolons
from clausewise.databases.store import tolerant_text
from clausewise.errors import DatabaseError, QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge
from clausewise.text import quote_name
from clausewise.workers import heartbeat, memory

_STEPS_BETWEEN_CHECKS = 10_000
_FIRST_CHUNK, _LARGEST_CHUNK = 8, 512
"""Rows fetched at once: few at first, since each could hold values of the largest size."""

_BYTES_OF_ROW = 64

_ALLOWED_ACTIONS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_DENIED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer"})
_ACTION_NAMES = {
    sqlite3.SQLITE_ALTER_TABLE: "ALTER TABLE",
    sqlite3.SQLITE_ANALYZE: "ANALYZE",
    sqlite3.SQLITE_ATTACH: "ATTACH or VACUUM",
    sqlite3.SQLITE_DELETE: "DELETE",
    sqlite3.SQLITE_DETACH: "DETACH",
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_PRAGMA: "PRAGMA",
    sqlite3.SQLITE_REINDEX: "REINDEX",
    sqlite3.SQLITE_SAVEPOINT: "SAVEPOINT",
    sqlite3.SQLITE_TRANSACTION: "transaction",
    sqlite3.SQLITE_UPDATE: "UPDATE",
}

_LONGEST_STATEMENT = 1_000_000
_FIXED_LIMITS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: _LONGEST_STATEMENT,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 1_000_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}

# Errors of the file or its medium; all others are the statement's own.
_FILE_ERRORS = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


class _StepBudget:
    """The progress handler: counts steps and looks at the clock; true stops the statement.

    SQLite discards what is raised in a handler, so it is kept in `raised`.
    """

    def __init__(self) -> None:
        self.interval = 0
        self.steps_left = 0
        self.deadline = 0.0
        self.reason: str | None = None
        self.raised: BaseException | None = None

    def start(self, limits: Limits) -> None:
        # SQLite takes 0 for no handler at all.
        self.interval = max(1, min(limits.steps, _STEPS_BETWEEN_CHECKS))
        self.steps_left = limits.steps
        self.deadline = monotonic() + limits.seconds
        self.reason = None
        self.raised = None

    def check_clock(self) -> None:
        """Raise QueryTimeout where the time is up; for functions of ours that SQLite calls."""
        if monotonic() >= self.deadline:
            self.reason = "seconds"
            raise QueryTimeout

    def __call__(self) -> bool:
        try:
            self.steps_left -= self.interval
            if self.steps_left <= 0:
                self.reason = "steps"
            elif monotonic() >= self.deadline:
                self.reason = "seconds"
        except BaseException as error:
            self.raised = error
            return True
        return self.reason is not None


class _Gate:
    """The authorizer: lets SELECTs pass and remembers the first thing that it refused."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.denied: str | None = None
        self.selects = False

    def __call__(
        self, action: int, first: str | None, second: str | None, _db: str | None, _by: str | None
    ) -> int:
        if action in _ALLOWED_ACTIONS:
            self.selects = True
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA and self.selects and first == "data_version":
            # FTS5 asks for it itself when one of its tables is read.
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            if (second or "").lower() not in _DENIED_FUNCTIONS:
                return sqlite3.SQLITE_OK
            refused = f"the function {second}"
        elif first in ("sqlite_master", "sqlite_temp_master"):
            refused = "a change of the schema, or a table function such as pragma_table_info"
        else:
            refused = " ".join(
                filter(None, (_ACTION_NAMES.get(action, "a statement other than SELECT"), first))
            )
        self.denied = self.denied or refused
        return sqlite3.SQLITE_DENY


class _Dice:
    """Stand-ins for random() and randomblob(): the same numbers for every statement."""

    def __init__(self, largest: int, budget: _StepBudget) -> None:
        self.rolls = 0
        self.largest = largest
        self._budget = budget

    def random(self) -> int:
        return int.from_bytes(self._roll(8), "big", signed=True)

    def randomblob(self, size: object) -> bytes:
        wanted = size if isinstance(size, int) else 1
        # One byte over the limit is enough for SQLite to refuse the value.
        return self._roll(max(1, min(wanted, self.largest + 1)))

    def _roll(self, size: int) -> bytes:
        self._budget.check_clock()
        self.rolls += 1
        return hashlib.shake_128(self.rolls.to_bytes(8, "big")).digest(size)


class Openable(Protocol):
    """What a reader opens: a file, or a database in memory."""

    @property
    def path(self) -> Path: ...  # noqa: D102
    @property
    def uri(self) -> str: ...  # noqa: D102


class Reader:
    """One read-only connection to a database, for one thread.

    `cached_statements` are kept prepared: a statement that is run again then counts its steps from
    where the last run ended in the interval between two checks.

    Raises DatabaseError where the file cannot be opened.
    """

    def __init__(self, file: Openable, limits: Limits, cached_statements: int = 0) -> None:
        self._path = file.path
        self._budget = _StepBudget()
        self._gate = _Gate()
        self._dice = _Dice(limits.cell_bytes, self._budget)
        self._cell_bytes = -1
        self._interval = -1
        try:
            self._connection = sqlite3.connect(
                file.uri,
                uri=True,
                isolation_level=None,
                cached_statements=cached_statements,
                check_same_thread=False,
            )
            self._set_up()
        except (sqlite3.Error, MemoryError) as error:
            raise unreadable(self._path, error) from error

    def _set_up(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA query_only = ON")
        connection.create_function("random", 0, self._dice.random)
        connection.create_function("randomblob", 1, self._dice.randomblob)
        self._connect_virtual_tables()
        for category, value in _FIXED_LIMITS.items():
            connection.setlimit(category, value)
        connection.set_authorizer(self._gate)

    def _connect_virtual_tables(self) -> None:
        """Touch each virtual table: its first use declares it, which the authorizer would deny.

        SQLite forgets these declarations when a statement that changes the schema is refused.
        """
        rows = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'create virtual%'"
        ).fetchall()
        for name in ("json_each", "json_tree", *(quote_name(row[0]) for row in rows)):
            with contextlib.suppress(sqlite3.OperationalError):
                self._connection.execute(f"SELECT 1 FROM {name} LIMIT 0").close()

    def run(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        """Run one statement; return its rows, and about how many bytes of memory they take.

        Raises QueryDenied (close the reader then: virtual tables are lost), QueryTimeout,
        QueryTooLarge, QueryFailed, or DatabaseError itself where the file is damaged or locked.
        """
        self._prepare(limits)
        heartbeat.begin_statement(limits.seconds)
        try:
            return self._fetch(sql, limits)
        except sqlite3.OperationalError as error:
            if not str(error).startswith("Could not decode to UTF-8"):
                raise self._translate(error, limits) from error
        except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError, OverflowError) as error:
            raise self._translate(error, limits) from error
        finally:
            heartbeat.end_statement()
        # Clean text is the rule and str the fastest factory; pay for the tolerant one when needed.
        self._connection.text_factory = tolerant_text
        return self.run(sql, limits)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            self._connection.close()

    def _prepare(self, limits: Limits) -> None:
        self._gate.start()
        self._dice.rolls = 0
        self._budget.start(limits)
        if self._interval != self._budget.interval:
            self._interval = self._budget.interval
            self._connection.set_progress_handler(self._budget, self._interval)
        if self._cell_bytes != limits.cell_bytes:
            self._cell_bytes = self._dice.largest = limits.cell_bytes
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.cell_bytes)

    def _fetch(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        cursor = self._connection.execute(without_semicolons(sql))
        try:
            if cursor.description is None:
                raise QueryFailed("there is no statement to run")
            columns = tuple(entry[0] for entry in cursor.description)
            rows: list[tuple[Cell, ...]] = []
            taken = 0
            at_once = _FIRST_CHUNK
            while len(rows) <= limits.rows:
                wanted = min(at_once, limits.rows + 1 - len(rows))
                chunk = cursor.fetchmany(wanted)
                size = sum([cell.__sizeof__() for row in chunk for cell in row])
                taken += size + _BYTES_OF_ROW * len(chunk)
                if taken > limits.result_bytes:
                    raise QueryTooLarge(
                        f"the rows of the result take over {limits.result_bytes:,} bytes"
                    )
                rows += chunk
                if len(chunk) < wanted:
                    break
                if size * _LARGEST_CHUNK < limits.result_bytes:
                    at_once = min(2 * at_once, _LARGEST_CHUNK)
        finally:
            cursor.close()
        truncated = len(rows) > limits.rows
        return QueryResult(columns, tuple(rows[: limits.rows]), truncated), taken

    def _translate(self, error: Exception, limits: Limits) -> BaseException:
        code = getattr(error, "sqlite_errorcode", None)
        primary = None if code is None else code & 0xFF
        if self._gate.denied is not None:
            return QueryDenied(f"only reading is allowed, refused: {self._gate.denied}")
        if primary == sqlite3.SQLITE_AUTH:
            # The authorizer itself was broken off: by Ctrl-C, which SQLite discards.
            return KeyboardInterrupt()
        if primary == sqlite3.SQLITE_INTERRUPT or self._budget.reason is not None:
            return self._interruption(limits)
        if primary in _FILE_ERRORS:
            return unreadable(self._path, error)
        return _query_error(error, primary, limits)

    def _interruption(self, limits: Limits) -> BaseException:
        if self._budget.raised is not None:
            return self._budget.raised
        if self._budget.reason == "steps":
            return QueryTimeout(f"stopped after {limits.steps:,} steps of the database's machine")
        if self._budget.reason == "seconds":
            return QueryTimeout(f"stopped after {limits.seconds:g} seconds")
        # Neither limit was reached: Ctrl-C broke off the handler before its first line.
        return KeyboardInterrupt()


def _query_error(error: Exception, primary: int | None, limits: Limits) -> DatabaseError:
    """Return our error for one that the statement itself brought about."""
    if isinstance(error, MemoryError):
        memory.note_shortage()
        return QueryTooLarge("the statement needs more memory than there is for it")
    message = str(error)
    if primary == sqlite3.SQLITE_TOOBIG:
        return QueryTooLarge(f"{message} (limit {limits.cell_bytes:,} bytes)")
    if "query string is too large" in message:
        return QueryTooLarge(f"{message} (limit {_LONGEST_STATEMENT:,} bytes)")
    if "one statement at a time" in message:
        return QueryDenied("only one statement may be run at a time")
    return QueryFailed(message)
