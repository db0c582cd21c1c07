"""Execution match: whether a query returns on one database what the gold query returns.

It is the measure of both benchmarks, and a proxy: a wrong query can return the right rows by
chance, above all where the gold query finds nothing.

References
----------
Spider's evaluation (columns in any order; the order of rows where the gold query asks for one).
BIRD, section 4 (execution accuracy: equal sets of rows).
"""

from __future__ import annotations

from clausewise.corrected_case import RowMatch
from clausewise.databases import DatabaseProtocol, Limits, QueryResult
from clausewise.errors import (
    ParseError,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)
from clausewise.sql import parse
from clausewise.sql.model import Role

LIMITS = Limits(steps=400_000_000, seconds=30.0, rows=1_000_000)
"""What one query may spend; a result that is cut off cannot be compared."""


def same_rows(
    gold: QueryResult, other: QueryResult, match: RowMatch, *, ordered: bool = False
) -> bool | None:
    """Return whether two results are the same, None where one of them was cut off.

    Numbers are equal that agree in six digits. Two empty results are the same whatever their
    columns are, as in the benchmarks' own scripts.

    Parameters
    ----------
    ordered
        Whether the gold query asks for an order (`asks_for_order`); BIRD takes no notice of it.
    """
    from clausewise.equivalence.differing import difference
    from clausewise.equivalence.model import Conventions, OrderRule
    from clausewise.equivalence.results import QueryOutcome

    if gold.truncated or other.truncated:
        return None
    if not gold.rows or not other.rows:
        return not gold.rows and not other.rows
    sets = match is RowMatch.BIRD
    lists = ordered and not sets
    conventions = Conventions(
        OrderRule.FIRST if lists else OrderRule.NEVER,
        any_column_order=not sets,
        duplicates=not sets,
    )
    outcomes = [
        QueryOutcome((result,), lists, ranked=(result, result) if lists else None)
        for result in (gold, other)
    ]
    return difference(outcomes[0], outcomes[1], conventions) is None


def asks_for_order(sql: str, dialect: str = "sqlite") -> bool:
    """Return whether a query asks for an order at its outermost level."""
    try:
        query = parse(sql, dialect)
    except ParseError:
        return False
    return any(select.role is Role.ROOT and select.order_by for select in query.selects)


def rows_of(sql: str, database: DatabaseProtocol) -> QueryResult | None:
    """Return what a query returns under the limits, None where it does not run.

    Raises DatabaseError where the database itself cannot be read.
    """
    try:
        return database.run(sql, LIMITS)
    except (QueryDenied, QueryTimeout, QueryTooLarge, QueryFailed):
        return None


def execution_match(
    sql: str, gold_sql: str, database: DatabaseProtocol, match: RowMatch
) -> bool | None:
    """Return whether a query returns what the gold query returns.

    None where the gold query does not run, or a result is too large to be compared. A query that
    does not run matches nothing. Raises DatabaseError where the database cannot be read.
    """
    gold = rows_of(gold_sql, database)
    if gold is None:
        return None
    other = rows_of(sql, database)
    if other is None:
        return False
    return same_rows(gold, other, match, ordered=asks_for_order(gold_sql, database.dialect))
