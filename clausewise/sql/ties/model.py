"""What is found out about the open points of a query: statements to run, or why it cannot be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TieCheck:
    """Shows whether one open point makes a difference on the data at hand.

    It makes none where `statement` gives no row, or, with `other`, where both give the same rows
    in whatever order. A check that fails to run shows nothing.
    """

    what: str
    """The open point in words, for a reason."""
    statement: str
    other: str | None = None
    keeps_count: bool = False
    """Whether the open point changes values that are shown, and never the number of rows."""


@dataclass(frozen=True, slots=True)
class RankedVariants:
    """The query with its selected expressions as last keys of ORDER BY, ascending and descending.

    Of rows that tie under the query's own keys, the first variant gives the smallest first and the
    second the largest. So two rows are strictly ordered by the query where both variants give them
    in the same order, and a LIMIT without OFFSET cuts between different rows that tie where the
    variants give different rows.
    """

    ascending: str
    descending: str
    all_ascending: str
    """As `ascending`, without LIMIT."""
    all_descending: str
    limit: int | None
    """Rows at most; None for all."""
    offset: int
    is_exact: bool
    """Whether `limit` and `offset` are constants; else nothing is known of the cut."""


@dataclass(frozen=True, slots=True)
class Determinacy:
    """What SQL leaves open in a query, and how to find out whether that matters on some data.

    On data that passes all `checks` every part of the query but the ORDER BY and LIMIT of its
    outermost level gives one bag of rows, whichever row of a tie the database takes.
    """

    reason: str = ""
    """Why it cannot be found out at all; empty where it can."""
    checks: tuple[TieCheck, ...] = ()
    ranked: RankedVariants | None = None
    """Set where the outermost level has ORDER BY or LIMIT, and None, too, where it has no LIMIT and
    it cannot be said how many columns `*` stands for."""
    merges: bool = False
    """Whether equal texts are merged into one, so that a collation leaves open which is shown."""
