"""What differs between the servers: how a session is set up, limited, and what its errors mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from clausewise.databases.model import Limits
from clausewise.errors import DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection

DriverConnection: TypeAlias = Any
"""A connection of psycopg or of PyMySQL."""
DriverCursor: TypeAlias = Any

CONNECT_SECONDS = 10
"""How long to wait for a server."""


class LostConnection(DatabaseError):
    """The connection ended, which a new one may mend."""


class ServerRules(ABC):
    """One kind of server."""

    title: ClassVar[str]
    """What the server is called in messages."""
    drivername: ClassVar[str]
    """SQLAlchemy's name of the driver."""
    driver: ClassVar[str]
    """The module of the driver."""
    extra: ClassVar[str]
    """The extra that brings it."""
    reading_grants: ClassVar[str]
    """The statements that make a role which may only read, in one line."""

    page: ClassVar[str | None] = None
    """An expression for the block of the disk that a row stands in, where `sample` reads blocks."""

    @abstractmethod
    def arguments(self, url: URL) -> Mapping[str, object]:
        """Return what a connection is made with beside the URL."""

    @abstractmethod
    def driver_errors(self) -> tuple[type[Exception], ...]:
        """Return what the driver raises."""

    @abstractmethod
    def set_up(self, connection: DriverConnection) -> None:
        """Set up a session, once: there is no transaction but those that `begin` begins."""

    @abstractmethod
    def begin(self, connection: DriverConnection, limits: Limits) -> None:
        """Begin a read-only transaction under limits, with all settings as they must be."""

    @abstractmethod
    def end(self, connection: DriverConnection) -> None:
        """Take back whatever the transaction did, and free its locks."""

    @abstractmethod
    def begin_inspection(self, connection: Connection) -> None:
        """Make the transaction in which the catalog is read a read-only one."""

    @abstractmethod
    def open_cursor(self, connection: DriverConnection) -> DriverCursor:
        """Return a cursor that executes one query, and whose rows stay on the server."""

    @abstractmethod
    def close_cursor(self, cursor: DriverCursor, *, is_read: bool) -> bool:
        """Close a cursor, read to its end or not; return whether the connection is still usable."""

    @abstractmethod
    def prepare(self, connection: DriverConnection, sql: str) -> None:
        """Let the server prepare a statement without running it; raises the driver's errors."""

    @abstractmethod
    def error(self, error: BaseException, limits: Limits) -> DatabaseError:
        """Return our error for one of the driver's; LostConnection where that is what happened."""

    @abstractmethod
    def schemas(self, connection: Connection) -> tuple[str | None, ...]:
        """Return the schemas in which names are looked up, in that order; None for the first."""

    def reflected_name(self, name: str) -> str:
        """Return a column's name as it is, of one that SQLAlchemy's inspector gives."""
        return name

    @abstractmethod
    def hidden(self, connection: Connection) -> Mapping[str, str]:
        """Return what is no table of its own or may not be read, to the reason."""

    @abstractmethod
    def may_write(self, connection: Connection) -> str | None:
        """Return what the role may do beside reading, None for nothing."""

    @abstractmethod
    def estimated_rows(self, connection: Connection) -> dict[str, int]:
        """Return the rows of each table by the catalog's estimate; those unknown are left out."""

    @abstractmethod
    def state(self, connection: Connection) -> object:
        """Return what the catalog says of the tables' making: other where one was made anew."""

    native_types: ClassVar[frozenset[str]]
    """First words of types whose values are grouped and sorted as they are, beside binary ones."""
    binary_types: ClassVar[frozenset[str]]
    nulls_first: ClassVar[str] = ""
    """What to put after an expression to sort by."""

    @abstractmethod
    def exact_text(self, column: str) -> str:
        """Return an expression by which a column is grouped and sorted byte by byte, in UTF-8."""

    @abstractmethod
    def sample(self, table: str, rows: int, estimate: int) -> str:
        """Return what to put after FROM to read about so many of a table's rows, by its name."""


def first_line(message: object) -> str:
    """Return the first line of a server's message: what follows repeats the statement."""
    return str(message).strip().split("\n", maxsplit=1)[0].strip()
