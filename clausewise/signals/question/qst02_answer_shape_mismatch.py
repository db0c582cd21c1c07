"""QST02: the result has another shape than the answer that the question wants."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.model import QueryResult
from clausewise.errors import NotApplicable
from clausewise.inflection import is_plural
from clausewise.question.asked import Asked, AskedKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import asked_function
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need


@signal(
    code="QST02",
    name="answer_shape_mismatch",
    group=Group.QUESTION,
    family="answer_shape",
    clauses={Clause.SELECT, Clause.GROUP_BY, Clause.LIMIT, Clause.QUERY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.PARSE,
    version=3,
    reasons={
        "no_number": "A text is shown where a number is wanted.",
        "many_numbers": "Several rows are shown where one number is wanted.",
        "one_of_each_group": "An extreme of each group is shown where the question asks for one.",
        "many_rows": "Several rows are shown where a superlative wants one.",
        "tied_rows": (
            "Several rows hold the extreme that the query compares with.",
            "slight",
            "convention",
        ),
        "one_row": "The result is cut to one row where several are wanted.",
        "number_for_person": "A number is shown where a person is wanted.",
    },
)
def answer_shape_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """The result is a list where one number is wanted, a text where a number is, one row for many.

    What it measures
    ----------------
    What the question wants is read off its words: one number (how many, the average), one thing
    (which ... the largest, in the singular), several things (what are the names), a person. The
    rows of the result are held against it. Where a superlative wants one extreme, MIN or MAX of
    each group is another answer.

    Why it points to an error
    -------------------------
    A right query can give no answer of another kind: an aggregate is missing, or one too many, or
    a LIMIT cuts what should be listed.

    Fires on
    --------
    How many singers are there? SELECT name FROM singer

    Stays silent on
    ---------------
    How many singers are there? SELECT COUNT(*) FROM singer

    Does not apply when
    -------------------
    The question asks for several kinds of things or groups them, or the result is empty.

    How to repair
    -------------
    Aggregate, list or limit as the question wants it.

    Cost
    ----
    Nothing is run but the query itself.

    References
    ----------
    GBV-SQL (answer form).
    """
    result = context.result
    if result is None or not result.rows:
        raise NotApplicable("the query gives no rows")
    reading = read_question(case)
    needless = _needless_groups(reading, result, context)
    if needless is not None:
        yield needless
        return
    wanted = [item for item in reading.asked if item.required]
    grouped = any(item.kind is AskedKind.GROUP for item in reading.asked)
    figures = all(_is_figure(item) for item in wanted)
    if not wanted or grouped or (len(wanted) > 1 and not figures):
        raise NotApplicable("the question asks for several things, or groups them")
    yield from _differences(wanted[0], reading, result, context)


def _needless_groups(
    reading: QuestionReading, result: QueryResult, context: Context
) -> Finding | None:
    """Return a finding where the smallest or largest of each group is shown and one is wanted."""
    root = context.query.root
    clause = root.clause(Clause.GROUP_BY)
    if clause is None or len(result.rows) < 2 or root.limit is not None or root.set_operator:
        return None
    if root.clause(Clause.HAVING) or not root.aggregates or not reading.superlatives:
        return None
    if any(aggregate.function not in ("min", "max") for aggregate in root.aggregates):
        return None
    groups = any(item.kind is AskedKind.GROUP for item in reading.asked) or reading.cues("each")
    if groups or reading.says("by", "in all", "per", "all"):
        return None
    if any(is_plural(_head(item, reading)) for item in reading.asked if item.words):
        return None
    return _finding(
        clause, "one_of_each_group", "one extreme is wanted, one of each group is shown", result
    )


def _is_figure(item: Asked) -> bool:
    return item.kind is AskedKind.COUNT or bool(asked_function(item))


def _differences(
    item: Asked, reading: QuestionReading, result: QueryResult, context: Context
) -> Iterator[Finding]:
    rows = len(result.rows)
    select = context.query.root.clause(Clause.SELECT) or context.query.span
    function = asked_function(item)
    if item.kind is AskedKind.COUNT or function:
        counted = item.kind is AskedKind.COUNT or function in ("avg", "sum")
        if counted and not any(_is_number(cell) for cell in result.rows[0]):
            yield _finding(select, "no_number", "a number is wanted, the result has none", result)
        elif rows > 1 and not _grouped(reading, result):
            yield _finding(select, "many_numbers", "one number is wanted, there are more", result)
    elif item.kind is AskedKind.PERSON and all(_is_number(cell) for cell in result.rows[0]):
        yield _finding(select, "number_for_person", "a person is wanted, a number is shown", result)
    elif rows > 1 and _wants_one(item, reading):
        reason = "tied_rows" if _takes_all_tied(context) else "many_rows"
        yield _finding(select, reason, "one thing is wanted, there are more", result)
    elif _wants_several(item, reading) and context.query.root.limit == 1:
        limit = context.query.root.clause(Clause.LIMIT) or select
        yield _finding(limit, "one_row", "several things are wanted, one is shown", result)


def _takes_all_tied(context: Context) -> bool:
    """Whether rows are compared with an extreme or ranked: all that hold it are right."""
    extremes = any(
        aggregate.function in ("max", "min")
        for select in context.query.selects
        if select is not context.query.root
        for aggregate in select.aggregates
    )
    return extremes or context.query.has_keyword("OVER", "ALL")


def _grouped(reading: QuestionReading, result: QueryResult) -> bool:
    """Whether a group is named by another word than `each`, or shown beside the figures."""
    figures = sum(item.required and _is_figure(item) for item in reading.asked)
    named = any(lower.startswith("group") for lower in reading.lowers)
    return bool(reading.cues("each")) or named or len(result.columns) > figures


def _is_number(cell: object) -> bool:
    if isinstance(cell, int | float) or cell is None:
        return True
    if not isinstance(cell, str):
        return False
    try:
        float(cell.strip("% "))
    except ValueError:
        return False
    return True


def _head(item: Asked, reading: QuestionReading) -> str:
    """Return the last word of the thing asked for, as it is written."""
    return reading.question[item.start : item.end].lower().split()[-1]


def _wants_one(item: Asked, reading: QuestionReading) -> bool:
    """Whether a superlative picks one thing, named in the singular throughout."""
    if item.kind not in (AskedKind.PLAIN, AskedKind.WHICH) or not item.words:
        return False
    if is_plural(_head(item, reading)) or not reading.superlatives or reading.disjunctions:
        return False
    if any(number.value != 1 for number in reading.numbers) or reading.cues("each"):
        return False
    return not any(
        is_plural(token.lower)
        for cue in reading.superlatives
        for token in reading.tokens[max(0, cue.token - 4) : cue.token]
    )


def _wants_several(item: Asked, reading: QuestionReading) -> bool:
    plural = bool(item.words) and is_plural(_head(item, reading))
    picks = reading.superlatives or reading.numbers or reading.disjunctions
    return plural and not picks


def _finding(clause: ClauseSpan, reason: str, message: str, result: QueryResult) -> Finding:
    shown = [cell for cell in result.rows[0][:3] if isinstance(cell, int | float | str)]
    return Finding(
        clause=clause,
        reason=reason,
        message=message,
        evidence={"rows": len(result.rows), "first_row": shown},
    )
