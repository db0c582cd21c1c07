"""PRED07: NULL makes a condition keep nothing, or drop rows without a word."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import subquery_text
from clausewise.sql import with_prefix
from clausewise.sql.model import Comparison, SubqueryFilter
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

NEVER_TRUE = 1.0
FEWEST_DROPPED = 0.1
"""Score where hardly any row is dropped for being NULL; it grows with their share."""
MOST_DROPPED = 0.4
COMPARING = frozenset({"=", "<>", "<", "<=", ">", ">=", "LIKE", "GLOB", "BETWEEN"})


@signal(
    code="PRED07",
    name="null_trap",
    group=Group.DATABASE,
    family="null",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
)
def null_trap(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        for comparison in select.comparisons:
            if not _may_trap(comparison):
                continue
            looked_at = True
            finding = _in_comparison(context, comparison)
            if finding is not None:
                yield finding
        for item in select.subquery_filters:
            if item.operator == "IN" and item.negated:
                looked_at = True
                finding = _in_subquery(context, item)
                if finding is not None:
                    yield finding
    if not looked_at:
        raise NotApplicable("nothing is compared with NULL or negated")


def _negates(comparison: Comparison) -> bool:
    if comparison.operator == "IS":
        return False
    return comparison.negated or comparison.operator == "<>"


def _may_trap(comparison: Comparison) -> bool:
    has_null = any(literal.value is None for literal in comparison.literals)
    compares = comparison.operator in COMPARING or comparison.operator == "IN"
    return _negates(comparison) or (has_null and compares and not comparison.wrapped)


def _in_comparison(context: Context, comparison: Comparison) -> Finding | None:
    has_null = any(literal.value is None for literal in comparison.literals)
    plain = not comparison.wrapped and not comparison.in_negated_group
    if has_null and plain and (comparison.operator in COMPARING or comparison.negated):
        return Finding(
            clause=comparison.clause,
            score=NEVER_TRUE,
            message=f"{comparison.clause.text} is never true, since it compares with NULL",
            evidence={"condition": comparison.clause.text},
            suggestion="use IS NULL or IS NOT NULL",
            level=Level.ERROR,
        )
    column = comparison.column
    if not plain or not _negates(comparison) or column.table is None or column.column is None:
        return None
    profile = context.database.profile(column.table, column.column)
    if not profile.nulls or [literal.value for literal in comparison.literals] == [""]:
        return None  # who excludes the empty text means to drop what is missing
    share = profile.null_share
    return Finding(
        clause=comparison.clause,
        score=round(FEWEST_DROPPED + (MOST_DROPPED - FEWEST_DROPPED) * share, 3),
        message=f"{comparison.clause.text} also drops the {profile.nulls} rows in which "
        f"{column.table}.{column.column} is NULL",
        evidence={"nulls": profile.nulls, "rows": profile.rows, "sampled": profile.sampled},
        suggestion=f"add `OR {column.piece.text} IS NULL` where those rows are meant to stay",
        level=Level.INFO,
    )


def _in_subquery(context: Context, item: SubqueryFilter) -> Finding | None:
    # a blob equals nothing that a column of keys holds, so only NULL can leave the answer open
    probe = (
        f"{with_prefix(context.query)}SELECT x'00' NOT IN ({subquery_text(context, item)}) IS NULL"
    )
    try:
        holds_null = bool(context.run(probe, rows=1).rows[0][0])
    except QueryFailed:
        return None  # the sub-query refers to an enclosing SELECT
    if not holds_null:
        return None
    return Finding(
        clause=item.clause,
        score=NEVER_TRUE,
        message="NOT IN keeps no row, since the sub-query returns NULL among its values",
        evidence={"sql": probe},
        suggestion="leave NULL out of the sub-query, or use NOT EXISTS",
        level=Level.ERROR,
    )
