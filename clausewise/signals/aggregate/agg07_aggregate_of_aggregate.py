"""AGG07: a stored average, rate or percentage is averaged or summed again."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.naming.expansion import expanded
from clausewise.question.tokens import word_set
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.model import Aggregate, ColumnUse
from clausewise.types import Clause, Cost, Finding, Group, Need

AGAIN = frozenset({"avg", "sum", "total"})


def _aggregates(context: Context) -> Iterator[Aggregate]:
    for select in context.query.selects:
        yield from select.aggregates


@signal(
    code="AGG07",
    name="aggregate_of_aggregate",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.SELECT, Clause.HAVING, Clause.ORDER_BY, Clause.QUERY},
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "summed": "A sum of averages, rates or percentages: they do not add up.",
        "averaged_in_having": "Groups are filtered by the average of averages, where a filter on "
        "rows was meant.",
        "averaged": "The question asks for one average, and the column is one.",
        "asked_for": "The question itself asks for the sum, or for an average beside the column's "
        "own.",
    },
)
@for_each(_aggregates, otherwise="the query takes no average and no sum of a column")
def aggregate_of_aggregate(aggregate: Aggregate, context: Context) -> Iterator[Finding]:
    """A column that already holds averages, rates or percentages is averaged or summed.

    What it measures
    ----------------
    AVG, SUM and TOTAL over a column whose name or description says that each of its values is
    an average, a rate or a percentage, or over the averages of a sub-query.

    Why it points to an error
    -------------------------
    A question about "the average score" of one school wants the value stored in that column. An
    average of averages weighs all groups alike, and a sum of percentages means nothing.

    Fires on
    --------
    SELECT school FROM sat GROUP BY school HAVING AVG(avg_score) = 499

    Stays silent on
    ---------------
    SELECT AVG(score) FROM result

    Does not apply when
    -------------------
    The query takes no average and no sum of a column.

    How to repair
    -------------
    Use the stored value itself, in WHERE where it filters; to combine averages, weigh each by its
    number of rows.

    Cost
    ----
    Nothing is run.

    References
    ----------
    GBV-SQL, figure 1.
    """
    skip_unless(aggregate.function in AGAIN and aggregate.columns)
    piece = aggregate.piece
    for use in aggregate.columns:
        kind = _stored_kind(context, use)
        if kind is not None:
            yield Finding(
                clause=context.span(aggregate.clause, piece.start, piece.end),
                reason=_reason(context.case.question, aggregate, kind),
                message=f"{piece.text} aggregates {use.piece.text}, which already holds "
                + ("averages" if kind == "averaged" else "rates or percentages"),
                evidence={"function": aggregate.function, "column": use.piece.text, "holds": kind},
                suggestion=f"use {use.piece.text} itself",
            )


def _stored_kind(context: Context, use: ColumnUse) -> str | None:
    """Return `averaged` or `relative` for a column that holds such values, else None."""
    spoken = expanded(context.schema).column(use.table, use.column or use.name).words
    if use.source is not None and use.source.select is not None:
        return "averaged" if _is_average(use) else None
    for kind in ("averaged", "relative"):
        if spoken & word_set("columns", kind):
            return kind
    return None


def _is_average(use: ColumnUse) -> bool:
    """Whether a column of a sub-query is an AVG there."""
    inner = use.source.select if use.source is not None else None
    for projection in inner.projections if inner is not None else ():
        if (projection.alias or "").casefold() == use.name.casefold():
            return projection.aggregate is not None and projection.aggregate.function == "avg"
    return False


def _reason(question: str, aggregate: Aggregate, kind: str) -> str:
    spoken = question_words(question)
    if aggregate.function != "avg":
        asked = any(word in word_set("columns", "asks_sum") for word in spoken)
        return "asked_for" if asked else "summed"
    averages = sum(word in word_set("columns", "asks_average") for word in spoken)
    if averages > (kind == "averaged"):
        return "asked_for"
    return "averaged_in_having" if aggregate.clause is Clause.HAVING else "averaged"
