"""AGG07: a stored average, rate or percentage is averaged or summed again."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.tokens import word_set
from clausewise.question.words import name_words, question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Aggregate, ColumnUse
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

SUMMED = 0.7
"""Score of a sum: averages and percentages do not add up."""
AVERAGED_IN_HAVING = 0.8
"""Score where groups are filtered by the average of averages: a filter on rows was meant."""
AVERAGED = 0.5
"""Score where the question speaks of one average and the column is one."""
ASKED_FOR = 0.2
"""Score where the question itself asks for the sum, or for an average beside the column's own."""
AGAIN = frozenset({"avg", "sum", "total"})


@signal(
    code="AGG07",
    name="aggregate_of_aggregate",
    group=Group.DATABASE,
    family="aggregate",
    clauses={Clause.SELECT, Clause.HAVING, Clause.ORDER_BY, Clause.QUERY},
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
)
def aggregate_of_aggregate(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        for aggregate in select.aggregates:
            if aggregate.function not in AGAIN or not aggregate.columns:
                continue
            looked_at = True
            for use in aggregate.columns:
                kind = _stored_kind(context, use)
                if kind is not None:
                    yield _finding(case, context, aggregate, use, kind)
    if not looked_at:
        raise NotApplicable("the query takes no average and no sum of a column")


def _stored_kind(context: Context, use: ColumnUse) -> str | None:
    """Return `averaged` or `relative` for a column that holds such values, else None."""
    spoken = set(name_words(use.column or use.name))
    table = context.schema.table(use.table or "")
    column = table.column(use.column or "") if table is not None else None
    if column is not None and column.label:
        spoken.update(name_words(column.label))
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
            return projection.expression.text.casefold().startswith("avg(")
    return False


def _finding(
    case: Case, context: Context, aggregate: Aggregate, use: ColumnUse, kind: str
) -> Finding:
    piece = aggregate.piece
    score = _score(case.question, aggregate, kind)
    return Finding(
        clause=context.span(aggregate.clause, piece.start, piece.end),
        score=score,
        message=f"{piece.text} aggregates {use.piece.text}, which already holds "
        + ("averages" if kind == "averaged" else "rates or percentages"),
        evidence={"function": aggregate.function, "column": use.piece.text, "holds": kind},
        suggestion=f"use {use.piece.text} itself",
        level=Level.WARNING if score > ASKED_FOR else Level.INFO,
    )


def _score(question: str, aggregate: Aggregate, kind: str) -> float:
    spoken = question_words(question)
    if aggregate.function != "avg":
        asked = any(word in word_set("columns", "asks_sum") for word in spoken)
        return ASKED_FOR if asked else SUMMED
    averages = sum(word in word_set("columns", "asks_average") for word in spoken)
    if averages > (kind == "averaged"):
        return ASKED_FOR
    return AVERAGED_IN_HAVING if aggregate.clause is Clause.HAVING else AVERAGED
