"""How far the columns and tables that a query uses are from those that its question asks for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.columns import ExpectedColumns
from clausewise.expectation.columns_statics import Floats
from clausewise.expectation.columns_used import ROLES, columns_used, stars, tables_used
from clausewise.sql.model import Query

MOST = 10.0
"""Log-odds; a gap is never larger."""
GAPS = tuple(
    f"columns.{what}_{gap}"
    for what in (*ROLES, "anywhere", "table")
    for gap in ("missing", "unexpected")
)
"""Names of the gaps: `missing` for what is expected and not used, `unexpected` for the reverse."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnsInQuery:
    """Which of a schema's columns and tables a query uses, beside what was expected of it."""

    used: NDArray[np.bool_]
    """Of each column and role, `[n, 4]`."""
    reached: NDArray[np.bool_]
    """The same with columns that stand for one another: tied by a key or a join of the query, or
    shown by `*`."""
    tables: NDArray[np.bool_]
    """`[m]`."""
    tied: NDArray[np.int64]
    """Number of the set of columns that stand for one another, in [0, n), `[n]`."""


def columns_in_query(expected: ExpectedColumns, query: Query) -> ColumnsInQuery:
    """Return which of the columns and tables of an expectation a query uses."""
    words = expected.words
    used = np.zeros((len(words.columns), len(ROLES)), dtype=np.bool_)
    for item in columns_used(query):
        row = words.at.get(item.key)
        if row is not None:
            used[row, ROLES.index(item.role)] = True
    tied = _tied(expected, query)
    reached = used.copy()
    for role in range(len(ROLES)):
        reached[:, role] = tied_to(used[:, role], tied)
    shown = [words.table_at[name] for name in stars(query) if name in words.table_at]
    if shown:
        reached[np.isin(words.table_of, shown), 0] = True
    tables = np.zeros(len(words.tables), dtype=np.bool_)
    for name in tables_used(query):
        if name in words.table_at:
            tables[words.table_at[name]] = True
    return ColumnsInQuery(used, reached, tables, tied)


def tied_to(used: NDArray[np.bool_], tied: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which columns are among those used, or tied to one of them; all are `[n]`."""
    sets = np.zeros(len(tied), dtype=np.bool_)
    sets[tied[used]] = True
    return sets[tied]


def _tied(expected: ExpectedColumns, query: Query) -> NDArray[np.int64]:
    at, same = expected.words.at, expected.words.same
    for select in query.selects:
        for pair in select.join_pairs:
            ends = [
                at.get(((use.table or "").casefold(), (use.column or "").casefold()))
                for use in (pair.left, pair.right)
            ]
            if pair.operator == "=" and ends[0] is not None and ends[1] is not None:
                one, other = same[ends[0]], same[ends[1]]
                if one != other:
                    same = np.where(same == other, one, same)
    return same


def column_gaps(
    expected: ExpectedColumns, found: ColumnsInQuery, grounded: Collection[int] = ()
) -> dict[str, float]:
    """Return the gaps by name, in the order of `GAPS`, each in [0, MOST], high = suspicious.

    Each is a sum of log-odds: of what is more probable than not and missing, and of what is less
    probable than not and used. A query that selects every column has no missing one. `grounded`
    are the places of columns that are compared with what stands in them: no such comparison is
    unexpected.
    """
    counted = found.used.copy()
    counted[list(grounded), ROLES.index("filtered")] = False
    odds = np.column_stack([expected.log_odds, _anywhere(expected.log_odds)])
    used = np.column_stack([counted, counted.any(axis=1)])
    reached = np.column_stack([found.reached, found.reached.any(axis=1)])
    # What is tied to an expected column is as good as that one.
    best = _best_of_tied(odds, found.tied)
    missing = (np.maximum(odds, 0.0) * ~reached).sum(axis=0)
    unexpected = (np.maximum(-best, 0.0) * used).sum(axis=0)
    of_tables = expected.table_log_odds
    values = np.empty(len(GAPS))
    values[0:-2:2], values[1:-2:2] = missing, unexpected
    values[-2] = (np.maximum(of_tables, 0.0) * ~found.tables).sum()
    values[-1] = (np.maximum(-of_tables, 0.0) * found.tables).sum()
    return {
        name: round(float(value), 3)
        for name, value in zip(GAPS, np.minimum(values, MOST), strict=True)
    }


def _anywhere(log_odds: Floats) -> Floats:
    """Return the log-odds that a column is used as anything, were its roles independent."""
    none = -np.logaddexp(0.0, log_odds).sum(axis=1)
    made: Floats = np.log(-np.expm1(np.minimum(none, -1e-6))) - none
    return made


def _best_of_tied(odds: Floats, tied: NDArray[np.int64]) -> Floats:
    best = np.full((len(tied), odds.shape[1]), -np.inf, dtype=odds.dtype)
    np.maximum.at(best, tied, odds)
    made: Floats = best[tied]
    return made
