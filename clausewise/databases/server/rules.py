"""What differs between the servers: how a session is set up, limited, and what its errors mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from clausewise.databases.model import Limits
from clausewise.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection


class ServerRules(ABC):
    """One kind of server."""

    dialect: ClassVar[str]
    """The SQL dialect, by sqlglot's name."""
    title: ClassVar[str]
    """What the server is called in messages."""
    drivername: ClassVar[str]
    """SQLAlchemy's name of the driver."""
    driver: ClassVar[str]
    """The module of the driver."""
    extra: ClassVar[str]
    """The extra that brings it."""
    reads_all_rows: ClassVar[bool]
    """Whether the driver reads the rows that are left when a result is closed."""

    @abstractmethod
    def arguments(self, url: URL) -> Mapping[str, object]:
        """Return what a connection is made with beside the URL."""

    @abstractmethod
    def set_up(self, connection: Connection) -> None:
        """Set up a session, once."""

    @abstractmethod
    def begin(self, connection: Connection, limits: Limits) -> None:
        """Begin a read-only transaction whose statements are under limits."""

    @abstractmethod
    def prepare(self, connection: Connection, sql: str) -> None:
        """Let the server prepare a statement without running it; raises the driver's errors."""

    @abstractmethod
    def error(self, error: BaseException, limits: Limits) -> DatabaseError:
        """Return our error for one of the driver's."""

    @abstractmethod
    def may_write(self, connection: Connection) -> str | None:
        """Return what the role may do beside reading, None for nothing."""

    @abstractmethod
    def estimated_rows(self, connection: Connection) -> dict[str, int]:
        """Return the rows of each table by the catalog's estimate; those unknown are left out."""

    @abstractmethod
    def exact_text(self, column: str) -> str:
        """Return an expression by which a column of text is grouped byte by byte."""


def one_line(message: object) -> str:
    """Return the first line of a server's message: what follows repeats the statement."""
    return str(message).strip().split("\n", maxsplit=1)[0].strip()
