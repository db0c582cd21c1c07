"""A database on a PostgreSQL, MySQL or MariaDB server."""

from __future__ import annotations

import logging
import os
import threading
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakSet

from clausewise.databases.base import BaseDatabase
from clausewise.databases.descriptions import read_descriptions
from clausewise.databases.model import Limits, QueryResult, Schema
from clausewise.databases.server.building import build_store
from clausewise.databases.server.mysql import MySQLRules
from clausewise.databases.server.postgres import PostgresRules
from clausewise.databases.server.rules import ServerRules
from clausewise.databases.server.schema import read_schema
from clausewise.databases.server.session import ServerSession
from clausewise.databases.store import Store
from clausewise.errors import DatabaseError, MissingExtraError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Engine

logger = logging.getLogger(__name__)

EXACT_ROWS = 1_000_000
"""Rows, by the catalog's estimate, from which on a table is not counted but estimated."""

_RULES: dict[str, type[ServerRules]] = {
    "postgresql": PostgresRules,
    "mysql": MySQLRules,
    "mariadb": MySQLRules,
}


class ServerDatabase(BaseDatabase):
    """A database on a server, for reading only.

    Every statement runs in a read-only transaction of its own, under the server's own time limit;
    `Limits.steps` has no meaning there, so what a slow machine breaks off depends on its speed.
    The content is not watched: profiles and index stay as they were built until the schema changes
    or the cache is emptied. One connection is open for each thread that asks.

    Parameters
    ----------
    target : SQLAlchemy URL of the backends `postgresql`, `mysql` and `mariadb`; psycopg and PyMySQL
        are the drivers where it names none.
    descriptions : folder of BIRD's description files.
    cache_dir, limits : as for `BaseDatabase`.

    Raises DatabaseError where the URL names no database, MissingExtraError where the driver is
    not installed. The server is asked at the first use.
    """

    reopens: ClassVar[bool] = True

    def __init__(
        self,
        target: str | Path,
        *,
        descriptions: str | Path | None = None,
        cache_dir: str | Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        from sqlalchemy.engine import make_url

        url = make_url(str(target))
        if not url.database:
            raise DatabaseError(f"the URL '{url.drivername}://' names no database")
        self._rules = _RULES[url.get_backend_name()]()
        self._url = _with_driver(url, self._rules)
        super().__init__(_shown(url), url.database, cache_dir, limits)
        self._descriptions = None if descriptions is None else Path(descriptions).absolute()
        self._local = threading.local()
        self._sessions: WeakSet[ServerSession] = WeakSet()
        self._made_engine: tuple[int, Engine] | None = None
        self._estimates: dict[str, int] | None = None

    def __repr__(self) -> str:
        return f"ServerDatabase({self.target!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what is needed to connect to the same database."""
        url = self._url.render_as_string(hide_password=False)
        return (_reopen, (url, self._descriptions, self._cache_dir, self.limits))

    @property
    def dialect(self) -> str:  # type: ignore[override]
        """The SQL dialect of its queries, by sqlglot's name."""
        return self._rules.dialect

    def quote_name(self, name: str) -> str:
        """Return a table's or column's name as this database quotes it."""
        mark = "`" if self.dialect == "mysql" else '"'
        return mark + name.replace(mark, mark + mark) + mark

    def compile(self, sql: str) -> None:
        """Let the server prepare one statement without running it; raises as `run`."""
        self.session.compile(sql, self.limits)

    @cached_property
    def declared_schema(self) -> Schema:
        """The schema with declared keys only, of the URL's own database and schema.

        Raises DatabaseError where it cannot be read.
        """
        described = {} if self._descriptions is None else read_descriptions(self._descriptions)
        with self.session.transaction(self.limits) as connection:
            self._warn_of_rights(self._rules.may_write(connection))
            return read_schema(connection, described)

    @cached_property
    def content_key(self) -> str:
        """32 hexadecimal digits that stand for server, database and declared schema.

        What the tables hold is not part of it: a server cannot be asked for that cheaply.
        """
        url = self._url
        place = (self.dialect, url.host, url.port, url.database, sorted(url.query.items()))
        schema = self.declared_schema
        content = repr((place, schema.tables, schema.foreign_keys))
        return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def row_count(self, table: str) -> int:
        """Return the number of rows, the name in any case.

        It is exact up to about `EXACT_ROWS`, and beyond that the server's own estimate: to count
        would read the whole table. Raises DatabaseError where there is no such table, and as `run`.
        """
        known = self.declared_schema.table(table)
        estimate = 0 if known is None else self.estimated_rows.get(known.name, 0)
        return estimate if estimate > EXACT_ROWS else super().row_count(table)

    @property
    def estimated_rows(self) -> dict[str, int]:
        """Table to its number of rows by the server's statistics, where there are any."""
        if self._estimates is None:
            with self.session.transaction(self.limits) as connection:
                self._estimates = self._rules.estimated_rows(connection)
        return self._estimates

    @property
    def session(self) -> ServerSession:
        """This thread's connection; one made before a fork is left to the parent."""
        session: ServerSession | None = getattr(self._local, "session", None)
        if session is None or self._local.process != os.getpid():
            session = ServerSession(self._engine(), self._rules, self.target)
            self._local.session = session
            self._local.process = os.getpid()
            with self._lock:
                self._sessions.add(session)
        return session

    @property
    def rules(self) -> ServerRules:
        """What is particular to this kind of server."""
        return self._rules

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        super().close()
        with self._lock:
            if self._made_engine is not None and self._made_engine[0] == os.getpid():
                for session in list(self._sessions):
                    session.close()
                self._made_engine[1].dispose()
            self._sessions.clear()
            self._made_engine = None
            self._local = threading.local()

    def _execute(self, sql: str, limits: Limits) -> tuple[QueryResult, int]:
        return self.session.run(sql, limits)

    def _new_store(self) -> Store:
        def build(connection: object, _marker: object) -> None:
            build_store(self, connection)  # type: ignore[arg-type]

        return Store(self.target, self.declared_schema, build, self._cache_dir, self.content_key)

    def _engine(self) -> Engine:
        from sqlalchemy import create_engine
        from sqlalchemy.pool import NullPool

        with self._lock:
            if self._made_engine is None or self._made_engine[0] != os.getpid():
                arguments = dict(self._rules.arguments(self._url))
                engine = create_engine(self._url, poolclass=NullPool, connect_args=arguments)
                self._made_engine = (os.getpid(), engine)
            return self._made_engine[1]

    def _warn_of_rights(self, more: str | None) -> None:
        if more is not None:
            logger.warning(
                "the role of '%s' %s; queries run read-only, but give a role that may only read",
                self.target,
                more,
            )


def _with_driver(url: URL, rules: ServerRules) -> URL:
    """Return the URL with our driver where it names none."""
    if "+" not in url.drivername or url.drivername == rules.drivername:
        if find_spec(rules.driver) is None:
            raise MissingExtraError(f"databases of {rules.title}", rules.extra)
        return url.set(drivername=rules.drivername)
    if url.drivername.partition("+")[2] != rules.driver:
        raise DatabaseError(
            f"the driver of '{url.drivername}' is not supported; use {rules.drivername}://"
        )
    return url


def _shown(url: URL) -> str:
    """Return the URL without user, password and options."""
    port = "" if url.port is None else f":{url.port}"
    return f"{url.get_backend_name()}://{url.host or ''}{port}/{url.database}"


def _reopen(url: str, descriptions: Path | None, cache_dir: Path, limits: Limits) -> ServerDatabase:
    return ServerDatabase(url, descriptions=descriptions, cache_dir=cache_dir, limits=limits)
