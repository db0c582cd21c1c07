"""What one query gives on one instance or database."""

from __future__ import annotations

from dataclasses import dataclass

from clausewise.databases import Cell, QueryResult

Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class OpenRows:
    """The rows between which SQL leaves the choice open, where a LIMIT cuts between ties.

    Each possible result holds all rows of `sure`, and the rest of its rows from `choice`.
    """

    sure: tuple[Row, ...]
    choice: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What one query gives on one instance.

    `variants` are possible results: first what the database gave for the query as it is written,
    then, where ties under a LIMIT leave the rows open, those with the smallest and the largest of
    the rows that tie. `failure` is the database's message where the query does not run; there are
    no variants then.
    """

    variants: tuple[QueryResult, ...]
    ordered: bool
    """Whether the query asks for an order at its outermost level."""
    failure: str = ""
    indeterminate: str = ""
    """Why it cannot be said which results are possible; such a query differs in its number of
    columns alone, and in that of its rows where it `has_sure_count`."""
    has_sure_count: bool = False
    """Whether every possible result has as many rows, though `indeterminate`."""
    pool: OpenRows | None = None
    """Set where ties under the outermost LIMIT leave the rows open; else there is one bag."""
    ranked: tuple[QueryResult, QueryResult] | None = None
    """The result with the smallest and with the largest of rows that tie in its order first; None
    where it is not ordered, or has fewer than two rows."""
    flipped: QueryResult | None = None
    """What a query without an order gives on the instance with its rows in the reverse order."""

    @property
    def result(self) -> QueryResult:
        """What the database gave for the query as it is written."""
        return self.variants[0]
