"""What a repair is given and what it returns, and the table of all repairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from clausewise.databases.model import Limits, QueryResult
from clausewise.errors import QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge
from clausewise.registry import Registry
from clausewise.sql.edits import TextEdit, written_name
from clausewise.sql.model import Query, Select
from clausewise.sql.probe_dialects import probe_dialect
from clausewise.types import Case, Finding

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.databases.model import Schema

PROBE_LIMITS = Limits(steps=20_000_000, seconds=20.0, rows=1_000)
"""What one statement of a repair may spend."""


class RepairContext:
    """The query that is repaired, parsed, with its case and its database; all read-only.

    `text` is the query as it was judged: what surrounds the SQL in a model's reply is blanks, so
    the offsets of the findings fit it.
    """

    def __init__(self, text: str, query: Query, case: Case, database: DatabaseProtocol) -> None:
        self.text = text
        self.query = query
        self.case = case
        self.database = database
        self.words = probe_dialect(database.dialect)
        """How the database's dialect quotes names and texts."""

    def written_name(self, name: str) -> str:
        """Return a table's or column's name, quoted where the dialect needs it."""
        return written_name(name, self.database.dialect)

    @property
    def schema(self) -> Schema:
        """The database's tables and keys."""
        return self.database.schema

    def run(self, sql: str) -> QueryResult | None:
        """Return what a statement gives under limits, None where the database refuses it.

        Raises DatabaseError where the database cannot be read.
        """
        try:
            return self.database.run(sql, PROBE_LIMITS)
        except (QueryFailed, QueryDenied, QueryTimeout, QueryTooLarge):
            return None

    @cached_property
    def result(self) -> QueryResult | None:
        """The first rows of the query itself, None where it does not run."""
        return self.run(self.text)

    def select_around(self, start: int, end: int) -> Select | None:
        """Return the innermost SELECT that holds a stretch of the query."""
        holding = [
            select
            for select in self.query.selects
            if any(clause.start <= start and end <= clause.end for clause in select.clauses)
        ]
        return min(holding, key=lambda select: select.piece.end - select.piece.start, default=None)


RepairFunction: TypeAlias = Callable[[Finding, RepairContext], Sequence[TextEdit]]
"""Returns the edits that settle a finding, none where the finding does not determine them."""


@dataclass(frozen=True, slots=True)
class RepairSpec:
    """A repair and what is known of it.

    Attributes
    ----------
    settles
        Signal to the reasons of its findings that the repair settles.
    risky
        Whether it may change what a right query means; such repairs are off by default.
    """

    name: str
    description: str
    settles: Mapping[str, frozenset[str]]
    risky: bool
    function: RepairFunction

    def is_for(self, finding: Finding) -> bool:
        """Whether the repair settles findings of that signal and reason."""
        return finding.reason in self.settles.get(finding.signal, ())


REPAIRS: Registry[RepairSpec] = Registry("repair")
"""Every repair by name, in the order in which they are tried for a finding."""


def repair(
    *, name: str, description: str, settles: Mapping[str, Sequence[str]], risky: bool = False
) -> Callable[[RepairFunction], RepairFunction]:
    """Register the decorated function as a repair and return it unchanged."""

    def register(function: RepairFunction) -> RepairFunction:
        reasons = {signal: frozenset(named) for signal, named in settles.items()}
        REPAIRS.add(name, RepairSpec(name, description, reasons, risky, function))
        return function

    return register
