"""QST07: the query takes the smallest where the question wants the largest, or the reverse."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.words import name_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import facts_of
from clausewise.signals.question._ranking import (
    HIGHEST,
    LOWEST,
    end_wanted,
    ends_taken,
    order_wanted,
)
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

AVERAGE_LIKE = frozenset({"most"})
"""Words that pick nothing in a phrase such as `most of them`."""


@signal(
    code="QST07",
    name="direction_mismatch",
    group=Group.QUESTION,
    family="question_direction",
    clauses=set(Clause),
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=2,
    reasons={
        "clear": "The question has one superlative, and the query takes the other end.",
        "by_meaning": "The end depends on what the column holds: the oldest by date of birth.",
        "no_end": "A superlative has no counterpart at all.",
        "stated_order": "`in descending order` goes with an ascending ORDER BY, or the reverse.",
    },
)
def direction_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """The query sorts or picks in the opposite direction of the question's superlative.

    What it measures
    ----------------
    Superlatives of the question (largest, fewest, oldest, most recent) and stated orders (in
    descending order, from high to low), against ORDER BY with LIMIT, MAX and MIN. Words such as
    "oldest" and "fastest" are read by the column: an age, a date, a duration, a speed. A query that
    takes no end at all fires more weakly.

    Why it points to an error
    -------------------------
    ASC for DESC answers with the other end of the list.

    Fires on
    --------
    Who is the youngest singer? SELECT name FROM singer ORDER BY age DESC LIMIT 1

    Stays silent on
    ---------------
    Who is the youngest singer? SELECT name FROM singer ORDER BY age LIMIT 1

    Does not apply when
    -------------------
    The question has no superlative and states no order.

    How to repair
    -------------
    Turn the direction round: DESC for ASC, MAX for MIN.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    falls = order_wanted(reading)
    ends = list(ends_taken(context))
    ordered = context.query.root.order_by
    if not reading.superlatives and falls is None:
        raise NotApplicable("the question has no superlative and states no order")
    if not ends and not ordered:
        if _picks_otherwise(context):
            raise NotApplicable("the query picks rows by a window or by comparing them all")
        yield from _no_end(reading, context)
        return
    if falls is not None and ordered and context.query.root.limit is None:
        item = ordered[0]
        if item.descending != falls and len({part.descending for part in ordered}) == 1:
            span = context.span(Clause.ORDER_BY, item.piece.start, item.piece.end)
            yield _opposite(span, "stated_order", "descending" if falls else "ascending")
        return
    yield from _other_ends(reading, context)


def _picks_otherwise(context: Context) -> bool:
    """Whether a window ranks the rows, or a sub-query looks for a row that is better."""
    compares = any(
        pair.operator in ("<", "<=", ">", ">=")
        for select in context.query.selects
        for pair in (*select.outer_pairs, *select.join_pairs)
    )
    return compares or context.query.has_keyword("OVER", "ALL")


def _no_end(reading: QuestionReading, context: Context) -> Iterator[Finding]:
    """Yield where a superlative picks, and the query neither picks nor says its word otherwise."""
    evidence = reading.evidence.lower()
    columns = facts_of(context).column_names
    cues = [
        cue
        for cue in reading.superlatives
        if cue.text not in evidence
        and cue.text not in AVERAGE_LIKE
        and not any(cue.text in name or cue.text[:3] in name_words(name) for name in columns)
    ]
    if not cues:
        raise NotApplicable("the query takes no end and sorts nothing")
    root = context.query.root
    clause = root.clause(Clause.WHERE) or root.clause(Clause.FROM) or context.query.span
    yield Finding(
        clause=clause,
        reason="no_end",
        message=f"the question wants '{cues[0].text}', the query picks no such row",
        evidence={"wanted": cues[0].text},
        suggestion="order by what is meant and limit, or compare with MAX or MIN",
    )


def _other_ends(reading: QuestionReading, context: Context) -> Iterator[Finding]:
    """Yield where all superlatives want one end, and the query takes only the other."""
    opposite = []
    for taken in ends_taken(context):
        wanted = {end_wanted(cue, taken.words) for cue in reading.superlatives}
        if len(wanted) != 1 or None in wanted:
            continue
        if taken.end in wanted:
            return
        if not _ranks(taken.words):
            opposite.append((taken, wanted.pop()))
    if opposite:
        taken, end = opposite[0]
        by_meaning = any(cue.name not in (HIGHEST, LOWEST) for cue in reading.superlatives)
        yield _opposite(taken.clause, "by_meaning" if by_meaning else "clear", str(end))


def _ranks(words: frozenset[str]) -> bool:
    """Whether a column holds places of a ranking, where the best has the lowest number."""
    return bool(words & {"rank", "ranking", "position", "place", "order"})


def _opposite(clause: ClauseSpan, reason: str, wanted: str) -> Finding:
    return Finding(
        clause=clause,
        reason=reason,
        message=f"the question wants {wanted}, the query takes the opposite",
        evidence={"wanted": wanted},
        suggestion="turn the direction round",
    )
