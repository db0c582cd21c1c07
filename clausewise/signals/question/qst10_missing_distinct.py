"""QST10: the question asks for different things, and duplicates are shown or counted."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import facts_of
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

LISTED = 0.7
"""Score of a result that repeats rows."""
COUNTED = 0.8
"""Score of a count that another DISTINCT would change."""
ALL_COUNTED = 0.5
"""Score of COUNT(*) in such a question: what is to be counted once is not said."""


@signal(
    code="QST10",
    name="missing_distinct",
    group=Group.QUESTION,
    family="question_distinct",
    clauses={Clause.SELECT, Clause.QUERY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
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
    facts = facts_of(context)
    words = facts.outside.replace("(", " ").split()
    root = context.query.root
    if "distinct" in words or "group" in words or context.query.set_operations:
        return
    clause = root.clause(Clause.SELECT) or context.query.span
    rows = context.result.rows if context.result else ()
    counts = [item for item in root.aggregates if item.clause is Clause.SELECT]
    if not counts and len(set(rows)) < len(rows):
        yield Finding(
            clause,
            LISTED,
            "different things are asked for, rows repeat",
            {"reason": "listed", "rows": len(rows), "different": len(set(rows))},
            "write SELECT DISTINCT",
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
            yield Finding(span, ALL_COUNTED, message, {"reason": "star"}, level=Level.INFO)
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
            suggestion = f"COUNT(DISTINCT {aggregate.columns[0].piece.text})"
            evidence = {"reason": "counted", "sql": sql}
            yield Finding(span, COUNTED, message, evidence, suggestion)
