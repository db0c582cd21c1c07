"""QST10: the question asks for different things, and duplicates are shown or counted."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Need


@signal(
    code="QST10",
    name="missing_distinct",
    group=Group.QUESTION,
    family="question_distinct",
    clauses={Clause.SELECT, Clause.QUERY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "listed": "The result repeats rows.",
        "counted": "Another DISTINCT would change the count.",
        "all_counted": "COUNT(*) in such a question: what is to be counted once is not said.",
    },
)
def missing_distinct(case: Case, context: Context) -> Iterator[Finding]:
    """`different`, `distinct` or `unique` has no counterpart, and duplicates are there.

    What it measures
    ----------------
    Whether the question says such a word while the query has neither DISTINCT nor GROUP BY nor a
    set operation. A list must then repeat a row in its result, a count must change when DISTINCT
    is put into it.

    Why it points to an error
    -------------------------
    Duplicates are listed or counted where each thing is wanted once.

    Fires on
    --------
    How many different countries are there? SELECT COUNT(country) FROM singer

    Stays silent on
    ---------------
    How many different countries are there? SELECT COUNT(DISTINCT country) FROM singer

    Does not apply when
    -------------------
    The question has no such word.

    How to repair
    -------------
    Write SELECT DISTINCT, or COUNT(DISTINCT column).

    Cost
    ----
    The query once more, with DISTINCT in its count.

    References
    ----------
    None.
    """
    reading = read_question(case)
    if not reading.cues("distinct"):
        raise NotApplicable("the question does not ask for different things")
    root = context.query.root
    if context.query.has_keyword("DISTINCT", "GROUP") or context.query.set_operations:
        return
    clause = root.clause(Clause.SELECT) or context.query.span
    rows = context.result.rows if context.result else ()
    counts = [item for item in root.aggregates if item.clause is Clause.SELECT]
    if not counts and len(set(rows)) < len(rows):
        yield Finding(
            clause=clause,
            reason="listed",
            message="different things are asked for, rows repeat",
            evidence={"rows": len(rows), "different": len(set(rows))},
            suggestion="write SELECT DISTINCT",
        )
    elif counts:
        yield from _counted(root, context)


def _counted(root: Select, context: Context) -> Iterator[Finding]:
    """Yield a count that would be another with DISTINCT."""
    for aggregate in root.aggregates:
        if aggregate.function != "count" or aggregate.clause is not Clause.SELECT:
            continue
        start, end = aggregate.piece.start, aggregate.piece.end
        span = context.span(Clause.SELECT, start, end)
        message = "different things are asked for, all are counted"
        if aggregate.star or not aggregate.columns:
            yield Finding(clause=span, reason="all_counted", message=message)
            continue
        opening = context.query.text.index("(", start) + 1
        text = context.query.span.text
        offset = opening - context.query.span.start
        sql = f"{text[:offset]}DISTINCT {text[offset:]}"
        try:
            rows = context.run(sql).rows
        except QueryFailed:
            continue
        if context.result is not None and rows != context.result.rows:
            yield Finding(
                clause=span,
                reason="counted",
                message=message,
                evidence={"sql": sql},
                suggestion=f"COUNT(DISTINCT {aggregate.columns[0].piece.text})",
            )
