"""What the contents of a database must obey, with SQLite itself as the judge."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from threading import get_ident

from clausewise.databases.instances.definitions import checks_of, read_definitions
from clausewise.databases.instances.model import Instance, InstanceTable
from clausewise.databases.model import ForeignKey, Schema, Table
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.errors import DatabaseError
from clausewise.text import quote_name

_DENIED_ACTIONS = frozenset(
    {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_CREATE_VTABLE}
)
_LARGEST_VALUE = 5_000_000
_STEPS = 1_000_000
_MOST_CALLS = 100
"""Calls of the progress handler, one each million steps, before a statement is stopped."""
_BINARY = "BINARY"


class Constraints:
    """The constraints of a database, read from the statements that made its tables.

    An `Instance` lists every column, generated ones too: their cells are what the engine computes
    (`completed` fills them in), and `violations` reports any other value.

    Raises DatabaseError where the database cannot be read.
    """

    def __init__(self, database: DatabaseProtocol) -> None:
        self._schema = database.schema
        self._definitions = read_definitions(database)
        self._keys = [key for key in database.schema.foreign_keys if not key.inferred]
        self._unusable: dict[str, str] = {}
        self._generated: dict[str, frozenset[str]] = {}
        self._steps = _StepCount()

    def checks(self, table: str) -> tuple[str, ...]:
        """Return the CHECK expressions of a table as text; the name in any case."""
        return tuple(
            check
            for entry in self._definitions
            if entry.kind == "table" and entry.name.casefold() == table.casefold()
            for check in checks_of(entry.sql)
        )

    def require(self, table: str) -> None:
        """Raise DatabaseError where a table cannot be made here: it needs a missing function."""
        _ = self._engine
        if table.casefold() in self._unusable:
            reason = self._unusable[table.casefold()]
            raise DatabaseError(f"the table '{table}' cannot be made: {reason}")

    def collations(self, table: str) -> Mapping[str, str]:
        """Return the columns that are compared by another collation than BINARY, to its name."""
        known = self._known(table)
        if not self._mentions_collation(known.name):
            return {}
        self.require(known.name)
        name = quote_name(known.name)
        found = {}
        for column in known.columns:
            # An index on a column has the column's collation: no pragma gives it for the column.
            with self._undone(), contextlib.suppress(sqlite3.Error):
                self._engine.execute(
                    f"CREATE INDEX _collation ON {name} ({quote_name(column.name)})"
                )
                rows = self._engine.execute(
                    "SELECT coll FROM pragma_index_xinfo('_collation') WHERE key"
                )
                found[column.name] = rows.fetchone()[0]
        return {column: used for column, used in found.items() if used.upper() != _BINARY}

    def generated(self, table: str) -> frozenset[str]:
        """Return the columns of a table that the engine computes; they cannot be inserted."""
        if table not in self._generated:
            known = self._known(table)
            self.require(known.name)
            rows = self._engine.execute(
                "SELECT name FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3)", (known.name,)
            )
            self._generated[table] = frozenset(row[0] for row in rows)
        return self._generated[table]

    def view_sources(self, view: str) -> tuple[str, ...]:
        """Return the tables that a view reads, directly or through other views, by name.

        Raises DatabaseError where it cannot be read here: its tables are virtual, or it calls a
        function that is not known.
        """
        read: set[str] = set()

        def note(action: int, first: str | None, *_: str | None) -> int:
            if action == sqlite3.SQLITE_READ and first is not None:
                read.add(first.casefold())
            return _authorize(action, first, *_)

        self._engine.set_authorizer(note)
        try:
            self._engine.execute(f"EXPLAIN SELECT * FROM {quote_name(view)}").close()
        except sqlite3.Error as error:
            raise DatabaseError(f"the view '{view}' cannot be made over: {error}") from error
        finally:
            self._engine.set_authorizer(_authorize)
        tables = (table for table in self._schema.tables if not table.is_view)
        return tuple(sorted(table.name for table in tables if table.name.casefold() in read))

    def view_statements(self, views: Iterable[str]) -> tuple[str, ...]:
        """Return the statements that make these views, and the views that they read, in order."""
        wanted = {name.casefold() for name in views}
        read: set[str] = set()

        def note(action: int, first: str | None, *rest: str | None) -> int:
            read.update(part.casefold() for part in (first, *rest) if part is not None)
            return _authorize(action, first, *rest)

        self._engine.set_authorizer(note)
        for name in sorted(wanted):
            with contextlib.suppress(sqlite3.Error):
                self._engine.execute(f"EXPLAIN SELECT * FROM {quote_name(name)}").close()
        self._engine.set_authorizer(_authorize)
        return tuple(
            entry.sql
            for entry in self._definitions
            if entry.kind == "view" and entry.name.casefold() in wanted | read
        )

    def violations(self, instance: Instance) -> list[str]:
        """Return what an instance violates, one sentence each; empty for a valid one.

        Its rows are inserted into tables made from the database's own statements. Foreign keys
        are looked up one by one, since many databases declare ones that SQLite itself rejects.
        """
        with self._filled(instance) as found:
            for key in self._keys:
                found.extend(self._dangling(key, instance))
            for table in instance.tables:
                found.extend(self._wrongly_generated(table))
            return found

    def completed(self, instance: Instance) -> Instance:
        """Return the instance with the values of generated columns as the engine computes them.

        Where rows violate a constraint the instance is returned as it is.
        """
        computed = {table.name: self.generated(table.name) for table in instance.tables}
        if not any(computed.values()):
            return instance
        with self._filled(instance) as found:
            if found:
                return instance
            rows = {}
            for table in instance.tables:
                if computed[table.name]:
                    names = ", ".join(map(quote_name, table.columns))
                    cursor = self._engine.execute(f"SELECT {names} FROM {quote_name(table.name)}")
                    rows[table.name] = cursor.fetchall()
        return instance.with_rows(rows)

    @cached_property
    def _engine(self) -> sqlite3.Connection:
        """A database in memory with all tables and views, empty; what fails is left out."""
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
        connection.set_progress_handler(self._steps, _STEPS)
        connection.set_authorizer(_authorize)
        for entry in self._definitions:
            try:
                connection.execute(entry.sql)
            except (sqlite3.Error, sqlite3.Warning) as error:
                self._unusable[entry.table.casefold()] = str(error)
        connection.execute("BEGIN")
        return connection

    def _mentions_collation(self, table: str) -> bool:
        folded = table.casefold()
        return any(
            entry.kind == "table"
            and entry.name.casefold() == folded
            and "COLLATE" in entry.sql.upper()
            for entry in self._definitions
        )

    def _known(self, name: str) -> Table:
        table = self._schema.table(name)
        if table is None:
            raise DatabaseError(f"there is no table '{name}'")
        return table

    @contextlib.contextmanager
    def _undone(self) -> Iterator[None]:
        """Take back at the end what is done inside."""
        self._engine.execute("SAVEPOINT before")
        try:
            yield
        finally:
            self._engine.execute("ROLLBACK TO before")
            self._engine.execute("RELEASE before")

    @contextlib.contextmanager
    def _filled(self, instance: Instance) -> Iterator[list[str]]:
        """Insert the rows of an instance and give what was refused; empty the tables at the end."""
        found: list[str] = []
        self._steps.calls = 0
        with self._undone():
            for table in instance.tables:
                found.extend(self._insert(table))
            yield found

    def _insert(self, table: InstanceTable) -> Iterator[str]:
        known = self._known(table.name)
        computed = self.generated(table.name)
        places = [n for n, name in enumerate(table.columns) if name not in computed]
        names = ", ".join(quote_name(table.columns[place]) for place in places)
        marks = ", ".join("?" * len(places))
        statement = f"INSERT INTO {quote_name(table.name)} ({names}) VALUES ({marks})"
        keys = [(name, table.columns.index(name)) for name in known.primary_key]
        for number, row in enumerate(table.rows, 1):
            # SQLite makes up an INTEGER PRIMARY KEY that is NULL, and lets others pass.
            for name, place in keys:
                if row[place] is None:
                    yield f"row {number} of '{table.name}': the primary key '{name}' is NULL"
            try:
                self._engine.execute(statement, [row[place] for place in places])
            except (sqlite3.Error, OverflowError) as error:
                yield f"row {number} of '{table.name}': {error}"

    def _dangling(self, key: ForeignKey, instance: Instance) -> Iterator[str]:
        present = {table.name for table in instance.tables}
        if key.table not in present or key.referred_table not in present:
            return
        own = [f"_child.{quote_name(name)}" for name in key.columns]
        referred = [f"_parent.{quote_name(name)}" for name in key.referred_columns]
        matched = " AND ".join(f"{a} = {b}" for a, b in zip(referred, own, strict=True))
        statement = (
            f"SELECT count(*) FROM {quote_name(key.table)} AS _child "
            f"WHERE {' AND '.join(f'{name} IS NOT NULL' for name in own)} AND NOT EXISTS "
            f"(SELECT 1 FROM {quote_name(key.referred_table)} AS _parent WHERE {matched})"
        )
        (count,) = self._engine.execute(statement).fetchone()
        if count:
            names = ", ".join(f"{key.table}.{name}" for name in key.columns)
            yield f"{names}: {count} rows refer to no row of '{key.referred_table}'"

    def _wrongly_generated(self, table: InstanceTable) -> Iterator[str]:
        for name in sorted(self.generated(table.name) & set(table.columns)):
            place = table.columns.index(name)
            statement = f"SELECT {quote_name(name)} FROM {quote_name(table.name)}"
            computed = Counter(row[0] for row in self._engine.execute(statement))
            if computed != Counter(row[place] for row in table.rows):
                yield f"'{table.name}.{name}' is generated, and holds other values"


def constraints_of(database: DatabaseProtocol) -> Constraints:
    """Return the constraints of a database, kept with its schema for this thread.

    Raises DatabaseError where the database cannot be read.
    """
    kept = database.schema.once(_kept)
    thread = get_ident()
    if thread not in kept:
        kept[thread] = Constraints(database)
    return kept[thread]


def _kept(_schema: Schema) -> dict[int, Constraints]:
    return {}


class _StepCount:
    """Stops a statement that takes too many steps: the schema may come from anybody."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.calls > _MOST_CALLS


def _authorize(action: int, *names: str | None) -> int:
    is_denied = action in _DENIED_ACTIONS or (
        action == sqlite3.SQLITE_FUNCTION and (names[1] or "").lower() == "load_extension"
    )
    return sqlite3.SQLITE_DENY if is_denied else sqlite3.SQLITE_OK
