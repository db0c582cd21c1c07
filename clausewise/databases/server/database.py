"""A database on a PostgreSQL, MySQL or MariaDB server."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakSet

from clausewise.databases.base import BaseDatabase
from clausewise.databases.descriptions import read_descriptions
from clausewise.databases.marker import Marker
from clausewise.databases.model import Limits, QueryResult, Schema
from clausewise.databases.server.building import SAMPLED_FROM, build_store
from clausewise.databases.server.mysql import MySQLRules
from clausewise.databases.server.postgres import PostgresRules
from clausewise.databases.server.rules import ServerRules
from clausewise.databases.server.schema import read_schema
from clausewise.databases.server.session import ServerSession
from clausewise.databases.store import Store
from clausewise.errors import DatabaseError, MissingExtraError

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy.engine import URL, Connection, Engine

logger = logging.getLogger(__name__)

EXACT_ROWS = SAMPLED_FROM
"""Rows, by the catalog's estimate, from which on a table is not counted but estimated."""

_warned: set[str] = set()
"""Databases of whose role a warning was given in this process."""


class ServerDatabase(BaseDatabase):
    """A database on a server, for reading only.

    Every statement runs in a read-only transaction of its own, under the server's own time limit;
    `Limits.steps` has no meaning there, so what a slow machine breaks off depends on its speed.
    The content is not watched: profiles and index stay as they were built until a table is made
    anew, or the cache is emptied. One connection is open for each thread that asks. In `run`,
    `random()` and `rand()` give the same numbers in every statement; `now()` is the real time,
    in UTC.

    Parameters
    ----------
    target : SQLAlchemy URL; the driver is psycopg 3 or PyMySQL.
    descriptions : folder of BIRD's description files; where one says nothing of a column, its
        comment on the server is its description.
    cache_dir, limits : as for `BaseDatabase`.

    Raises DatabaseError where the URL names no database or another driver, MissingExtraError where
    the driver is not installed. The server is asked at the first use.
    """

    rules: ClassVar[type[ServerRules]]
    """What is particular to this kind of server."""

    def __init__(
        self,
        target: str | Path,
        *,
        descriptions: str | Path | None = None,
        cache_dir: str | Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        from sqlalchemy.engine import make_url

        self._url = _with_driver(make_url(str(target)), self.rules)
        name = self._url.database
        if not name:
            raise DatabaseError(f"the URL of a {self.rules.title} database ends in its name")
        super().__init__(_shown(self._url), name, cache_dir, limits, descriptions)
        self._local = threading.local()
        self._sessions: WeakSet[ServerSession] = WeakSet()
        self._engine: tuple[int, Engine] | None = None

    @property
    def _address(self) -> str:
        return self._url.render_as_string(hide_password=False)

    def compile(self, sql: str) -> None:
        """Let the server prepare one statement without running it; raises as `run`."""
        self.session.compile(sql, self.limits)

    @cached_property
    def declared_schema(self) -> Schema:
        """The schema with declared keys only: the tables that the connection finds by their names.

        Raises DatabaseError where it cannot be read.
        """
        described = {} if self._descriptions is None else read_descriptions(self._descriptions)
        with self._inspected() as connection:
            self._warn_of_rights(self.server.may_write(connection))
            return read_schema(connection, self.server, described)

    @cached_property
    def content_key(self) -> str:
        """32 hexadecimal digits that stand for server, role, schema, and the making of its tables.

        Rows that are added or changed later are not seen: a server tells of them only by reading.
        """
        url, schema = self._url, self.declared_schema
        place = (url.host, url.port, url.username, url.database, sorted(url.query.items()))
        with self._inspected() as connection:
            state = self.server.state(connection)
        content = repr((self.dialect, place, schema.tables, schema.foreign_keys, state))
        return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def row_count(self, table: str) -> int:
        """Return the number of rows, the name in any case.

        It is exact where the server's statistics say at most `EXACT_ROWS`, and beyond that their
        estimate: to count would read the whole table. Raises DatabaseError where there is no such
        table, and as `run`.
        """
        known = self.declared_schema.table(table)
        estimate = 0 if known is None else self.estimated_rows.get(known.name, 0)
        return estimate if estimate > EXACT_ROWS else super().row_count(table)

    @cached_property
    def estimated_rows(self) -> dict[str, int]:
        """Table to its number of rows by the server's statistics, where there are any."""
        with self._inspected() as connection:
            return self.server.estimated_rows(connection)

    @property
    def session(self) -> ServerSession:
        """This thread's connection; one made before a fork is left to the parent."""
        session: ServerSession | None = getattr(self._local, "session", None)
        if session is not None and self._local.process != os.getpid():
            session.close()
            session = None
        if session is None:
            session = ServerSession(self._engine_here(), self.server, self.dialect, self.target)
            self._local.session = session
            self._local.process = os.getpid()
            with self._lock:
                self._sessions.add(session)
        return session

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        super().close()
        with self._lock:
            for session in list(self._sessions):
                session.close()
            self._sessions.clear()
            self._engine = None
            self._local = threading.local()

    @cached_property
    def server(self) -> ServerRules:
        """What is particular to this server."""
        return self.rules()

    def _execute(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        return self.session.run(sql, limits)

    def _new_store(self) -> Store:
        def build(connection: sqlite3.Connection, _marker: Marker) -> None:
            build_store(self, connection)

        schema, seconds = self.declared_schema, self.profile_seconds
        return Store(self.target, schema, build, self._cache_dir, self.content_key, seconds)

    def _engine_here(self) -> Engine:
        from sqlalchemy import create_engine
        from sqlalchemy.pool import NullPool

        with self._lock:
            if self._engine is None or self._engine[0] != os.getpid():
                arguments = dict(self.server.arguments(self._url))
                engine = create_engine(self._url, poolclass=NullPool, connect_args=arguments)
                self._engine = (os.getpid(), engine)
            return self._engine[1]

    @contextmanager
    def _inspected(self) -> Iterator[Connection]:
        """Yield a connection of its own to read the catalog with. Raises DatabaseError."""
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        try:
            with self._engine_here().connect() as connection:
                self.server.begin_inspection(connection)
                yield connection
        except DBAPIError as error:
            reason: object = self.server.error(error.orig or error, self.limits)
        except SQLAlchemyError as error:
            reason = error
        else:
            return
        raise DatabaseError(f"cannot read the database '{self.target}': {reason}")

    def _warn_of_rights(self, more: str | None) -> None:
        if more is not None and self.target not in _warned:
            _warned.add(self.target)
            logger.warning(
                "the role with which '%s' is read %s; statements run in read-only transactions, "
                "but better give a role that may only read: %s",
                self.target,
                more,
                self.server.reading_grants,
            )


class PostgreSQLDatabase(ServerDatabase):
    """A database on a PostgreSQL server."""

    dialect = "postgres"
    reopens: ClassVar[bool] = True
    rules: ClassVar[type[ServerRules]] = PostgresRules


class MySQLDatabase(ServerDatabase):
    """A database on a MySQL or MariaDB server."""

    dialect = "mysql"
    reopens: ClassVar[bool] = True
    rules: ClassVar[type[ServerRules]] = MySQLRules

    def quote_name(self, name: str) -> str:
        """Return a table's or column's name as this database quotes it."""
        return "`" + name.replace("`", "``") + "`"


def _with_driver(url: URL, rules: type[ServerRules]) -> URL:
    """Return the URL with our driver. Raises DatabaseError where it names another."""
    _, _, driver = url.drivername.partition("+")
    if driver not in ("", rules.driver):
        raise DatabaseError(f"the driver '{driver}' is not supported; write {rules.drivername}://")
    if find_spec(rules.driver) is None:
        raise MissingExtraError(f"databases of {rules.title}", rules.extra)
    return url.set(drivername=rules.drivername)


def _shown(url: URL) -> str:
    """Return the URL without user, password and options."""
    port = "" if url.port is None else f":{url.port}"
    return f"{url.get_backend_name()}://{url.host or ''}{port}/{url.database or ''}"
