"""AGG08: what is counted is always missing, or there even where nothing was joined."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.question.reading import read_question
from clausewise.question.words import name_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import is_key
from clausewise.signals.units import for_each
from clausewise.sql.model import Aggregate, ColumnUse, Join, Select, Source
from clausewise.types import Clause, Cost, Finding, Group, Need

_BEGIN = 3
_CASE = re.compile(r"(?i)\b(?:case|i?if|nullif|filter)\b")
_ELSE = re.compile(r"(?i)\belse\s+(?!null\b)")
_COMPARED = re.compile(r"(?i)[<>=]|\bin\s*\(|\bis\s+(?:not\s+)?null\b|\blike\b")


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
    cost=Cost.PROFILE,
    version=1,
    reasons={
        "always_null": (
            "The counted column is NULL in every row that WHERE lets pass: the count is 0.",
            "decisive",
        ),
        "condition_counted": (
            "COUNT of a condition counts rows that do not meet it, too.",
            "strong",
        ),
        "nullable_counted": (
            "The column is missing in some rows and nobody asked for it.",
            "strong",
        ),
        "empty_counted": (
            "COUNT(*) over a LEFT JOIN counts 1 where nothing was joined.",
            "strong",
        ),
    },
)
@for_each(_counts, otherwise="the query counts no rows")
def miscounted_rows(unit: tuple[Select, Aggregate], context: Context) -> Iterator[Finding]:
    """COUNT counts other rows than those that are meant, for it leaves out NULL and nothing else.

    What it measures
    ----------------
    COUNT(column) beside `WHERE column IS NULL`, or of a column that is NULL in some rows and of
    which neither question nor evidence has a word. COUNT of a condition, or of CASE with ELSE.
    COUNT(*) beside LEFT JOIN, grouped by columns of the table before it, where the joined table
    may have several rows for one, or none.

    Why it points to an error
    -------------------------
    COUNT of a column leaves out NULL: it is 0 if only NULL is kept, and too small if some is. A
    condition that is false is not NULL and is counted. A row without partners comes out of a LEFT
    JOIN once, so that COUNT(*) says 1 for "none".

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
    Count rows with COUNT(*); sum a condition, or leave out ELSE; count the joined table's key.

    Cost
    ----
    The profile of a counted column.

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
    if not count.star and _counts_condition(piece.text):
        yield Finding(
            clause=place,
            reason="condition_counted",
            message=f"{piece.text} also counts rows that do not meet the condition",
            suggestion="sum the condition",
        )
        return
    alone = count.argument is not None and _is_alone(select, count)
    missing = _missing(count.argument, context) if count.argument and alone else 0
    if missing:
        yield Finding(
            clause=place,
            reason="nullable_counted",
            message=f"{piece.text} leaves out {missing} rows without a value",
            evidence={"nulls": missing},
            suggestion="write COUNT(*), or count a key",
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


def _counts_condition(text: str) -> bool:
    """Whether a comparison, or a CASE that is never NULL, stands in the brackets of COUNT."""
    inner = text.partition("(")[2]
    if inner.lstrip()[:4].upper() == "CASE":
        return _ELSE.search(inner) is not None
    return _COMPARED.search(inner) is not None and _CASE.search(inner) is None


def _is_alone(select: Select, count: Aggregate) -> bool:
    """Whether it is shown by itself, and nothing else in its SELECT is about rows with a value."""
    others = [one for one in select.aggregates if one is not count]
    plain = any(shown.aggregate is count for shown in select.projections)
    beside = any(one.star or one.argument is not None for one in others)
    return plain and not beside


def _missing(column: ColumnUse, context: Context) -> int:
    """Return how many rows have no value in a column of which nobody speaks, 0 if any does."""
    if column.table is None or column.column is None:
        return 0
    reading = read_question(context.case)
    said = reading.words | frozenset(name_words(reading.evidence))
    begin = {word[:_BEGIN] for word in name_words(column.column)}
    if begin & {word[:_BEGIN] for word in said}:
        return 0
    if is_key(context.schema, column.table, column.column):
        return 0
    return context.database.profile(column.table, column.column).nulls


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
