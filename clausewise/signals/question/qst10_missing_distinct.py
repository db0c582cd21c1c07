"""QST10: the question asks for different things, and duplicates are shown or counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clausewise.errors import NotApplicable, QueryFailed
from clausewise.question.asked import AskedKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import column_words, table_words
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
    version=2,
    reasons={
        "listed": "The result repeats rows.",
        "counted": "Another DISTINCT would change the count.",
        "repeated_counted": (
            "The values of a column are counted with repeats where the question counts them.",
            "strong",
        ),
        "all_counted": "COUNT(*) in such a question: what is to be counted once is not said.",
    },
)
def missing_distinct(case: Case, context: Context) -> Iterator[Finding]:
    """`different`, `distinct` or `unique` has no counterpart, and duplicates are there.

    What it measures
    ----------------
    Whether the question says such a word, or asks how many values of a column there are, while the
    query has neither DISTINCT nor GROUP BY nor a set operation. A list must then repeat a row in
    its result, a count must change when DISTINCT is put into it.

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
    The question has no such word, and counts no column's values.

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
    root = context.query.root
    if not reading.cues("distinct"):
        repeated = list(_repeated_counted(reading, root, context))
        yield from repeated
        if repeated:
            return
        raise NotApplicable("the question does not ask for different things")
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


def _repeated_counted(
    reading: QuestionReading, root: Select, context: Context
) -> Iterator[Finding]:
    """Yield COUNT(country) with repeats where the question asks how many countries there are."""
    counted = [item for item in reading.asked if item.kind is AskedKind.COUNT and item.required]
    aggregate = root.projections[0].aggregate if len(root.projections) == 1 else None
    if len(counted) != 1 or aggregate is None or aggregate.argument is None:
        return
    column = aggregate.argument
    if context.query.has_keyword("DISTINCT", "GROUP", "UNION") or column.table is None:
        return
    words = frozenset(counted[0].words)
    named = column_words(context.schema, column.table, column.column or column.name)
    tables = frozenset(
        word
        for select in context.query.selects
        for source in select.sources
        if source.table
        for word in table_words(context.schema, source.table)
    )
    if not words or words & tables or not words <= named:
        return
    for finding in _counted(root, context):
        yield replace(finding, reason="repeated_counted", message=_REPEATED)


_REPEATED = "the values of a column are to be counted, its repeats are counted too"


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
