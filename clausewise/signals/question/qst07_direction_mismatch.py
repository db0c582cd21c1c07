"""QST07: the query takes the smallest where the question wants the largest, or the reverse."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.inflection import is_plural
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.question.words import name_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import column_words, match_score, table_words
from clausewise.signals.linking.constants import facts_of
from clausewise.signals.question._ranking import (
    HIGHEST,
    LOWEST,
    end_wanted,
    ends_taken,
    order_wanted,
)
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

_SURE = 0.9
"""Match in [0, 1] of a word and a table's name from which it names the table."""
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
    version=3,
    reasons={
        "clear": "The question has one superlative, and the query takes the other end.",
        "by_meaning": "The end depends on what the column holds: the oldest by date of birth.",
        "no_end": "A superlative has no counterpart at all.",
        "most_without_count": (
            "The question wants the most or fewest of something, and nothing is counted.",
            "strong",
        ),
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
    uncounted = _most_without_count(reading, context)
    if uncounted is not None:
        yield uncounted
        return
    yield from _other_ends(reading, context)


def _most_without_count(reading: QuestionReading, context: Context) -> Finding | None:
    """Return a finding where `the most trips` is read off a column of single rows."""
    root = context.query.root
    picks = len(root.order_by) == 1 and root.limit == 1
    if not picks or root.order_by[0].column is None or root.group_by or root.set_operator:
        return None
    if facts_of(context).calls("count", "sum", "avg", "total") or "OVER" in context.query.functions:
        return None
    column = root.order_by[0].column
    if column.table is None or column.column is None:
        return None
    named = column_words(context.schema, column.table, column.column)
    named -= table_words(context.schema, column.table)
    for noun in _most_of(reading):
        tables = [
            table.name
            for table in context.schema.tables
            if match_score(noun, table_words(context.schema, table.name)) >= _SURE
        ]
        if not tables or match_score(noun, named):
            continue
        if column.table in tables or not _is_counter(named):
            item = root.order_by[0]
            return Finding(
                clause=context.span(Clause.ORDER_BY, item.piece.start, item.piece.end),
                reason="most_without_count",
                message=f"the most or fewest '{noun}' are wanted, the query counts none",
                evidence={"counted": noun, "tables": tables},
                suggestion="group the rows and order by COUNT(*)",
            )
    return None


def _most_of(reading: QuestionReading) -> Iterator[str]:
    """Yield the nouns of `the most trips`, `fewest pets`, `largest number of visits`."""
    tokens, lowers = reading.tokens, reading.lowers
    for cue in reading.superlatives:
        at = cue.token + cue.length
        if lowers[at : at + 1] and lowers[at] in ("number", "count", "amount"):
            at += 2 if lowers[at + 1 : at + 2] == ("of",) else len(lowers)
        elif cue.text not in ("most", "fewest"):
            continue
        if at < len(tokens) and is_plural(tokens[at].lower) and not tokens[at].quoted:
            yield tokens[at].word


def _is_counter(words: frozenset[str]) -> bool:
    """Whether a column may hold a number of things: `num_trips`, `total`, `visits_no`."""
    return bool(words & (word_set("asking", "count_heads") | {"total", "num", "no", "times"}))


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
