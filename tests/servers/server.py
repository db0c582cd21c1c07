"""A database server that tests run, and the databases that they make in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

READER = "reader"
"""The role that may read every table, and nothing else."""
WRITER = "writer"
"""The role that may change every table and make new ones, without being an administrator."""

_HOST = "127.0.0.1"
_ADMINISTRATORS = {"postgresql": "postgres", "mariadb": "administrator"}
_SCHEMES = {"postgresql": "postgresql+psycopg", "mariadb": "mysql+pymysql"}
_FIRST_DATABASES = {"postgresql": "postgres", "mariadb": "mysql"}
_POSTGRESQL_GRANTS = (
    f"GRANT USAGE ON SCHEMA public TO {READER}; "
    f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}; "
    f"GRANT ALL ON SCHEMA public TO {WRITER}; "
    f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {WRITER}"
)
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class ServerDatabase:
    """A database of a server, as seen by its three roles; all but the name are SQLAlchemy URLs."""

    name: str
    admin: str = field(repr=False)
    reader: str = field(repr=False)
    writer: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Server:
    """A server on the loopback."""

    kind: str
    """`postgresql` or `mariadb`."""
    port: int
    password: str = field(repr=False)
    """Of all its roles."""

    @property
    def is_postgresql(self) -> bool:
        """Whether it is a PostgreSQL."""
        return self.kind == "postgresql"

    @property
    def admin(self) -> str:
        """The name of the role that may do everything."""
        return _ADMINISTRATORS[self.kind]

    def url(self, role: str, database: str = "") -> str:
        """Return the SQLAlchemy URL of a database for a role."""
        name = database or _FIRST_DATABASES[self.kind]
        return f"{_SCHEMES[self.kind]}://{role}:{self.password}@{_HOST}:{self.port}/{name}"

    def admin_url(self, database: str = "") -> str:
        """Return the URL of a database for the administrator."""
        return self.url(self.admin, database)

    def create(self, script: str = "", name: str = "test") -> ServerDatabase:
        """Make a database of a script of SQL, in the server's own dialect, under a new name."""
        unique = f"{re.sub(r'[^a-z0-9]+', '_', name.lower())}_{os.getpid()}_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {unique}")
        if script:
            self.execute(script, unique)
        if self.is_postgresql:
            self.execute(_POSTGRESQL_GRANTS, unique)
        else:
            self.execute(
                f"GRANT SELECT, SHOW VIEW ON {unique}.* TO {READER}; "
                f"GRANT ALL ON {unique}.* TO {WRITER}"
            )
        return ServerDatabase(
            unique,
            self.admin_url(unique),
            self.url(READER, unique),
            self.url(WRITER, unique),
        )

    def drop(self, database: ServerDatabase) -> None:
        """Remove a database, whoever is still connected to it."""
        force = " WITH (FORCE)" if self.is_postgresql else ""
        self.execute(f"DROP DATABASE {database.name}{force}")

    def execute(self, script: str, database: str = "") -> list[tuple[Any, ...]]:
        """Run statements as the administrator; return the rows of the last one."""
        with self.connect(database) as connection, connection.cursor() as cursor:
            cursor.execute(script)
            while cursor.nextset():
                pass
            return list(cursor.fetchall()) if cursor.description else []

    @contextmanager
    def connect(self, database: str = "") -> Iterator[Any]:
        """Give a connection of the driver, as the administrator; each statement is committed."""
        where: dict[str, Any] = {
            "host": _HOST,
            "port": self.port,
            "user": self.admin,
            "password": self.password,
            "autocommit": True,
        }
        name = database or _FIRST_DATABASES[self.kind]
        if self.is_postgresql:
            import psycopg

            connection: Any = psycopg.connect(dbname=name, **where)
        else:
            import pymysql
            from pymysql.constants import CLIENT

            flags = CLIENT.MULTI_STATEMENTS
            connection = pymysql.connect(database=name, client_flag=flags, **where)
        try:
            yield connection
        finally:
            connection.close()
