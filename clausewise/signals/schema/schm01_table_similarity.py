"""SCHM01: another table holds every column that the query takes from one table."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.words import closeness
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Source
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_COLUMNS = {1: "one_column", 2: "two_columns"}
"""Number of columns used to the start of the reason."""


@signal(
    code="SCHM01",
    name="table_similarity",
    group=Group.DATABASE,
    family="schema",
    clauses={Clause.FROM, Clause.JOIN},
    needs={Need.DATABASE, Need.QUESTION},
    cost=Cost.PROFILE,
    version=2,
    reasons={
        "one_column": "The other table holds the one column that is used.",
        "two_columns": "The other table holds both columns that are used.",
        "more_columns": "The other table holds the three or more columns that are used.",
        "one_column_and_closer_name": "One column, and the question names the other table more "
        "closely.",
        "two_columns_and_closer_name": "Two columns, and the question names the other table more "
        "closely.",
        "more_columns_and_closer_name": "Three or more columns, and the question names the other "
        "table more closely.",
    },
    sets={"sqlens", "sqlens-reference"},
)
def table_similarity(case: Case, context: Context) -> Iterator[Finding]:
    """Another table holds every column that the query takes from one of its tables.

    What it measures
    ----------------
    For each table of the query, the columns used of it, by name; and the tables outside the
    query that have columns of all these names.

    Why it points to an error
    -------------------------
    Where two tables could serve, the query may have taken the wrong one.

    Fires on
    --------
    SELECT name, price FROM product_archive  -- product has name and price, too

    Stays silent on
    ---------------
    SELECT name, archived_on FROM product_archive

    Does not apply when
    -------------------
    The query uses no column of a table.

    How to repair
    -------------
    Compare both tables with the question and with their rows; keep the one that is meant.

    Cost
    ----
    The rows of a similar table are counted, once per database; an empty one is no rival.

    References
    ----------
    SQLens, appendix A.1 (table similarity).
    """
    used: dict[str, dict[str, None]] = {}
    places: dict[str, Source] = {}
    for column in context.columns():
        if column.table is None or column.column is None or column.source is None:
            continue
        used.setdefault(column.table, {})[column.column.casefold()] = None
        places.setdefault(column.table, column.source)
    if not used:
        raise NotApplicable("the query uses no column of a table")
    for table, names in used.items():
        similar = _similar_tables(context, set(used), table, set(names))
        if similar:
            yield _finding(case, context, places[table], table, list(names), similar)


def _similar_tables(context: Context, in_query: set[str], table: str, names: set[str]) -> list[str]:
    return [
        other.name
        for other in context.schema.tables
        if other.name not in in_query
        and other.name != table
        and names <= {column.name.casefold() for column in other.columns}
        and (not context.database.has_data or _has_rows(context, other.name))
    ]


def _has_rows(context: Context, table: str) -> bool:
    # To count the rows of a large table takes seconds.
    return context.keeps_a_row(f"SELECT 1 FROM {context.words.quote_name(table)} LIMIT 1")


def _finding(
    case: Case, context: Context, source: Source, table: str, names: list[str], similar: list[str]
) -> Finding:
    own = closeness(table, case.question)
    nearest = max(similar, key=lambda name: (closeness(name, case.question), name))
    closer = closeness(nearest, case.question) > own
    reason = _COLUMNS.get(len(names), "more_columns")
    if source.join is not None:
        clause = source.join.clause
    else:
        clause = context.enclosing_clause(source.piece.start, source.piece.end)
    return Finding(
        clause=clause,
        reason=f"{reason}_and_closer_name" if closer else reason,
        message=f"{nearest} also holds every column used of {table} ({', '.join(names)})"
        + (", and the question names it more closely" if closer else ""),
        evidence={"table": table, "columns": list(names), "similar_tables": similar},
        suggestion=f"check whether {nearest} is meant",
    )
