"""PRED07: NULL makes a condition keep nothing, or drop rows silently."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import subquery_text
from clausewise.signals.units import for_each
from clausewise.sql import with_prefix
from clausewise.sql.model import Comparison, SubqueryFilter
from clausewise.types import Clause, Cost, Finding, Group, Need

COMPARING = frozenset({"=", "<>", "<", "<=", ">", ">=", "LIKE", "GLOB", "BETWEEN"})


def _conditions(context: Context) -> Iterator[Comparison | SubqueryFilter]:
    """Yield what NULL may spoil in each SELECT: comparisons, then NOT IN with a sub-query."""
    for select in context.query.selects:
        yield from (comparison for comparison in select.comparisons if _may_trap(comparison))
        for item in select.subquery_filters:
            if item.operator == "IN" and item.negated:
                yield item


@signal(
    code="PRED07",
    name="null_trap",
    group=Group.DATABASE,
    family="null",
    clauses={
        Clause.WHERE,
        Clause.HAVING,
        Clause.JOIN,
        Clause.SELECT,
        Clause.GROUP_BY,
        Clause.ORDER_BY,
    },
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "never_true": "A comparison with NULL, or NOT IN over a set with NULL, is never true.",
        "drops_null_rows": "A negated comparison also drops the rows in which the column is NULL; "
        "measured by their share.",
    },
)
@for_each(_conditions, otherwise="nothing is compared with NULL or negated")
def null_trap(condition: Comparison | SubqueryFilter, context: Context) -> Iterator[Finding]:
    """NULL makes a condition keep nothing, or silently drop rows.

    What it measures
    ----------------
    Comparisons with NULL by any operator but IS; NOT IN over a list or a sub-query that holds
    NULL; and negated comparisons (`<>`, NOT IN, NOT LIKE) of a column that holds NULL, whose rows
    are dropped though they do not have the value either.

    Why it points to an error
    -------------------------
    A comparison with NULL is never true. NOT IN over a set with NULL keeps no row at all. In the
    last case the rows without a value are mostly meant to stay.

    Fires on
    --------
    SELECT name FROM author WHERE id NOT IN (SELECT author_id FROM book)  -- some are NULL

    Stays silent on
    ---------------
    SELECT name FROM author WHERE id NOT IN (SELECT author_id FROM book WHERE author_id > 0)

    Does not apply when
    -------------------
    The query neither compares with NULL nor negates a comparison.

    How to repair
    -------------
    Use IS NULL or IS NOT NULL; keep NULL out of the sub-query, or use NOT EXISTS; add
    `OR column IS NULL` where rows without a value are meant to stay.

    Cost
    ----
    One statement for each NOT IN with a sub-query; profiles for the others.

    References
    ----------
    None: SQL's three-valued logic.
    """
    if isinstance(condition, SubqueryFilter):
        yield from _in_subquery(context, condition)
    else:
        yield from _in_comparison(context, condition)


def _negates(comparison: Comparison) -> bool:
    if comparison.operator == "IS":
        return False
    return comparison.negated or comparison.operator == "<>"


def _may_trap(comparison: Comparison) -> bool:
    has_null = any(literal.value is None for literal in comparison.literals)
    compares = comparison.operator in COMPARING or comparison.operator == "IN"
    return _negates(comparison) or (has_null and compares and not comparison.wrapped)


def _in_comparison(context: Context, comparison: Comparison) -> Iterator[Finding]:
    has_null = any(literal.value is None for literal in comparison.literals)
    plain = not comparison.wrapped and not comparison.in_negated_group
    if has_null and plain and (comparison.operator in COMPARING or comparison.negated):
        yield Finding(
            clause=comparison.clause,
            reason="never_true",
            message=f"{comparison.clause.text} is never true, since it compares with NULL",
            evidence={"condition": comparison.clause.text},
            suggestion="use IS NULL or IS NOT NULL",
        )
        return
    column = comparison.column
    if not plain or not _negates(comparison) or column.table is None or column.column is None:
        return
    profile = context.database.profile(column.table, column.column)
    if not profile.nulls or [literal.value for literal in comparison.literals] == [""]:
        return  # who excludes the empty text means to drop what is missing
    yield Finding(
        clause=comparison.clause,
        reason="drops_null_rows",
        measure=profile.null_share,
        message=f"{comparison.clause.text} also drops the {profile.nulls} rows in which "
        f"{column.table}.{column.column} is NULL"
        + (f" (of {profile.read})" if profile.sampled else ""),
        evidence={
            "nulls": profile.nulls,
            "rows": profile.rows,
            "sampled": profile.sampled,
            **({"read": profile.read} if profile.sampled else {}),
        },
        suggestion=f"add `OR {column.piece.text} IS NULL` where those rows are meant to stay",
    )


def _in_subquery(context: Context, item: SubqueryFilter) -> Iterator[Finding]:
    probe = with_prefix(context.query) + context.words.gives_null(subquery_text(context, item))
    try:
        holds_null = bool(context.run(probe, rows=1).rows[0][0])
    except QueryFailed:
        return  # the sub-query refers to an enclosing SELECT
    if holds_null:
        yield Finding(
            clause=item.clause,
            reason="never_true",
            message="NOT IN keeps no row, since the sub-query returns NULL among its values",
            evidence={"sql": probe},
            suggestion="leave NULL out of the sub-query, or use NOT EXISTS",
        )
