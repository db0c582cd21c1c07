"""AGG08: what is counted is always missing, or there even where nothing was joined."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import is_key
from clausewise.signals.units import for_each
from clausewise.sql.model import Aggregate, ColumnUse, Join, Select, Source
from clausewise.types import Clause, Cost, Finding, Group, Need


def _counts(context: Context) -> Iterator[tuple[Select, Aggregate]]:
    """Yield every COUNT without DISTINCT, with its SELECT."""
    for select in context.query.selects:
        for one in select.aggregates:
            if one.function == "count" and not one.distinct:
                yield select, one


@signal(
    code="AGG08",
    name="miscounted_rows",
    group=Group.DATABASE,
    family="null",
    clauses={Clause.SELECT, Clause.HAVING, Clause.ORDER_BY},
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "always_null": (
            "The counted column is NULL in every row that WHERE lets pass: the count is 0.",
            "decisive",
        ),
        "empty_counted": (
            "COUNT(*) over a LEFT JOIN counts 1 where nothing was joined.",
            "strong",
        ),
    },
)
@for_each(_counts, otherwise="the query counts no rows")
def miscounted_rows(unit: tuple[Select, Aggregate], context: Context) -> Iterator[Finding]:
    """COUNT counts a column that WHERE keeps only where it is NULL, or rows of an empty LEFT JOIN.

    What it measures
    ----------------
    COUNT(column) beside `WHERE column IS NULL`. COUNT(*) beside LEFT JOIN, grouped by columns of
    the table before it, where the joined table may have several rows for one, or none.

    Why it points to an error
    -------------------------
    COUNT of a column leaves out NULL, so the first is 0 everywhere. A row without partners comes
    out of a LEFT JOIN once, so that the second says 1 for "none".

    Fires on
    --------
    SELECT kind, COUNT(doctor_id) FROM visit WHERE doctor_id IS NULL GROUP BY kind

    Stays silent on
    ---------------
    SELECT kind, COUNT(*) FROM visit WHERE doctor_id IS NULL GROUP BY kind

    Does not apply when
    -------------------
    The query counts no rows.

    How to repair
    -------------
    Count rows with COUNT(*) in the first case, and the joined table's key in the second.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None: what SQL's COUNT does with NULL.
    """
    select, count = unit
    piece = count.piece
    place = context.span(count.clause, piece.start, piece.end)
    if count.argument is not None and _kept_null(select, count.argument):
        yield Finding(
            clause=place,
            reason="always_null",
            message=f"{piece.text} counts a column that is NULL in every row that is kept",
            suggestion="write COUNT(*)",
        )
        return
    join = _empty(select, context) if count.star else None
    if join is not None:
        yield Finding(
            clause=place,
            reason="empty_counted",
            message=f"{piece.text} is 1 where the LEFT JOIN of {join.source.name} finds nothing",
            evidence={"join": join.clause.text},
            suggestion=f"count a key of {join.source.name}",
        )


def _kept_null(select: Select, column: ColumnUse) -> bool:
    return any(
        one.operator == "IS"
        and not one.negated
        and not one.wrapped
        and one.literals[0].value is None
        and one.clause.kind is Clause.WHERE
        and one.column.source is column.source
        and one.column.name.casefold() == column.name.casefold()
        and select.is_conjunct(one)
        for one in select.comparisons
    )


def _empty(select: Select, context: Context) -> Join | None:
    """Return the LEFT JOIN of what is counted: the last one, of many rows for one before it."""
    join = select.joins[-1] if select.group_columns and select.joins else None
    if join is None or join.kind != "left" or join.source.table is None or len(join.pairs) != 1:
        return None
    pair, joined = join.pairs[0], join.source
    ends = (pair.left, pair.right) if pair.left.source is joined else (pair.right, pair.left)
    own, other = ends
    grouped = any(one.source is joined for one in select.group_columns)
    kept = any(
        part.clause is Clause.WHERE and _reads(part.columns, joined) for part in select.conjuncts
    )
    if grouped or kept or own.source is not joined or _is_unique(own, context):
        return None
    return join if _is_key(other, context) else None


def _reads(columns: tuple[ColumnUse, ...], source: Source) -> bool:
    return any(one.source is source for one in columns)


def _is_key(use: ColumnUse, context: Context) -> bool:
    known = use.table is not None and use.column is not None
    return known and is_key(context.schema, use.table or "", use.column or "")


def _is_unique(use: ColumnUse, context: Context) -> bool:
    table = context.schema.table(use.table or "")
    return table is not None and (
        table.primary_key == (use.column,) or (use.column,) in table.unique
    )
