"""QST06: the question asks to count, average or sum, and the query does not; or the reverse."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.affinity import affinity
from clausewise.errors import NoData, NotAllChecked, NotApplicable
from clausewise.question.asked import Asked, AskedKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import is_key
from clausewise.signals.linking.columns import (
    Shown,
    asked_function,
    column_words,
    is_quantity,
    match_score,
    shown_of,
    table_words,
)
from clausewise.signals.linking.constants import QueryFacts, facts_of
from clausewise.signals.probes.rows import input_rows, stands_alone, statement
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

_ON_KEYS = {"sum": "key_summed", "avg": "key_summed", "min": "key_ranked", "max": "key_ranked"}
_OF_KEYS = frozenset({"id", "number", "code", "first", "last", "latest", "earliest", "recent"})


@signal(
    code="QST06",
    name="aggregate_mismatch",
    group=Group.QUESTION,
    family="question_aggregate",
    clauses={Clause.SELECT, Clause.HAVING, Clause.ORDER_BY, Clause.QUERY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.QUERY,
    version=5,
    reasons={
        "count_missing": "A count is asked for, and nothing is counted.",
        "count_stored": ("A count is asked for, and a column of numbers is shown.", "slight"),
        "average_missing": "An average is asked for, and none is taken.",
        "sum_missing": "A sum is asked for, and nothing is summed.",
        "extreme_missing": "The largest or smallest value is asked for, and none is taken.",
        "extreme_for_average": (
            "The largest or smallest value is taken where the question says `on average`.",
            "decisive",
        ),
        "gaps_counted": (
            "A column with gaps is counted where the question counts the rows.",
            "strong",
        ),
        "other_extreme": "The opposite extreme is taken: MIN for the largest.",
        "count_unasked": "Nobody asked for a count.",
        "average_unasked": "Nobody asked for an average.",
        "sum_unasked": "Nobody asked for a sum.",
        "sum_for_count": "A column of numbers is summed where things are counted.",
        "key_summed": "A key is summed or averaged as if it were a quantity.",
        "key_ranked": "The largest or smallest key is taken; it may stand for the last row.",
    },
)
def aggregate_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """The aggregate that the question names is not in the query, or one is there that it does not.

    What it measures
    ----------------
    Words for counting, averaging, adding up and for the largest or smallest, in what the question
    asks for and in the evidence, against the aggregate functions of the query. A column that
    holds the figure already (`average_score`) does as well, and so does ordering with LIMIT. A key
    that is summed, averaged or ranked by is no quantity.

    Why it points to an error
    -------------------------
    A list is shown where its length is wanted, or a sum where an average is.

    Fires on
    --------
    What is the average age of the singers? SELECT SUM(age) FROM singer

    Stays silent on
    ---------------
    What is the average age of the singers? SELECT AVG(age) FROM singer

    Does not apply when
    -------------------
    Neither question nor query aggregates.

    How to repair
    -------------
    Use the aggregate function that the question's word stands for.

    Cost
    ----
    One statement for a count of a column.

    References
    ----------
    Taxonomies of NL2SQL errors (aggregation).
    """
    reading = read_question(case)
    root = context.query.root
    keys = list(_calculated_keys(reading, context))
    yield from keys
    shown = shown_of(context, root)
    asked = [item for item in reading.asked if item.required and item.sure]
    if keys:
        return
    if not shown or not (
        any(item.function for item in shown)
        or any(item.kind is AskedKind.COUNT or asked_function(item) for item in asked)
    ):
        raise NotApplicable("neither the question nor the query aggregates")
    clause = root.clause(Clause.SELECT) or context.query.span
    extreme = _extreme_for_average(shown, reading, context)
    if extreme is not None:
        yield extreme
        return
    unread = None
    try:
        yield from _gaps_counted(asked, root, context)
    except NoData as error:
        unread = str(error)
    yield from _missing(asked, shown, reading, context, clause)
    yield from _unasked(shown, reading, context)
    if unread is not None:
        raise NotAllChecked(f"whether the column that is counted has gaps is not known: {unread}")


def _calculated_keys(reading: QuestionReading, context: Context) -> Iterator[Finding]:
    """Yield keys that are summed, averaged or ranked as if they were quantities."""
    for select in context.query.selects:
        for aggregate in select.aggregates:
            reason = _ON_KEYS.get(aggregate.function)
            column = aggregate.argument
            if reason is None or column is None or aggregate.distinct:
                continue
            if column.table is None or column.column is None:
                continue
            if not column.column.casefold().endswith("id"):
                continue
            if not is_key(context.schema, column.table, column.column):
                continue
            if reason == "key_ranked" and reading.words & _OF_KEYS:
                continue
            piece = aggregate.piece
            clause = context.enclosing_clause(piece.start, piece.end)
            clause = context.span(clause.kind, piece.start, piece.end)
            message = f"{aggregate.piece.text} takes a key for a quantity"
            yield Finding(clause=clause, reason=reason, message=message)


def _extreme_for_average(
    shown: tuple[Shown, ...], reading: QuestionReading, context: Context
) -> Finding | None:
    """Return a finding where MAX or MIN is all that is shown and the question says `average`."""
    extremes = word_set("cues", "maximum") | word_set("cues", "minimum")
    picks = reading.superlatives or extremes & set(reading.lowers)
    functions = {item.function for item in shown}
    if picks or not reading.cues("average") or not functions or not functions <= {"max", "min"}:
        return None
    evidence = reading.evidence.lower()
    if "max" in evidence or "min" in evidence or facts_of(context).calls("avg"):
        return None
    piece = shown[0].projection.piece
    return Finding(
        clause=context.span(Clause.SELECT, piece.start, piece.end),
        reason="extreme_for_average",
        message=f"the question says '{reading.cues('average')[0].text}', "
        f"the query takes {functions.pop().upper()}",
        suggestion="use AVG",
    )


def _gaps_counted(asked: list[Asked], root: Select, context: Context) -> Iterator[Finding]:
    """Yield where COUNT(column) leaves out rows with NULL, and the rows are what is counted."""
    counted = [item for item in asked if item.kind is AskedKind.COUNT]
    if len(counted) != 1 or len(root.projections) != 1 or root.set_operator or root.group_by:
        return
    aggregate = root.projections[0].aggregate
    if aggregate is None or aggregate.function != "count" or aggregate.argument is None:
        return
    column = aggregate.argument
    if aggregate.distinct or column.table is None or column.column is None:
        return
    if column.source is None or column.source.select is not None or not stands_alone(root):
        return
    named = column_words(context.schema, column.table, column.column)
    rows = table_words(context.schema, column.table)
    words = frozenset(counted[0].words)
    if any(match_score(word, named - rows) for word in words) or not words & rows:
        return
    selected = f"COUNT(*), COUNT({column.piece.text})"
    everything, filled = context.run(
        statement(context, f"SELECT {selected}\n{input_rows(context, root)}"), rows=1
    ).rows[0]
    rows_counted, values_counted = int(everything or 0), int(filled or 0)
    if rows_counted != values_counted:
        span = context.span(Clause.SELECT, aggregate.piece.start, aggregate.piece.end)
        yield Finding(
            clause=span,
            reason="gaps_counted",
            message=f"{aggregate.piece.text} counts {values_counted} of {rows_counted} rows: "
            f"{column.name} has gaps",
            evidence={"rows": rows_counted, "counted": values_counted},
            suggestion="write COUNT(*)",
        )


def _missing(
    asked: list[Asked],
    shown: tuple[Shown, ...],
    reading: QuestionReading,
    context: Context,
    clause: ClauseSpan,
) -> Iterator[Finding]:
    facts = facts_of(context)
    for item in asked:
        if item.kind is AskedKind.COUNT and not asked_function(item):
            if not _counts(item, shown, facts):
                stored = any(_holds_numbers(part, context) for part in shown)
                reason = "count_stored" if stored else "count_missing"
                yield Finding(clause=clause, reason=reason, message="a count is asked for")
            continue
        function = asked_function(item)
        if function and not _has(function, item, shown, facts):
            reason = {"avg": "average_missing", "sum": "sum_missing"}.get(
                function, "extreme_missing"
            )
            opposite = {"max": "min", "min": "max"}.get(function)
            if opposite and [part.function for part in shown] == [opposite]:
                reason = "other_extreme"
            message = f"'{reading.question[item.start : item.end]}' is asked for"
            yield Finding(clause=clause, reason=reason, message=message)


def _holds_numbers(part: Shown, context: Context) -> bool:
    """Whether a bare column is shown that holds numbers and is no key: it may hold the count."""
    column = part.projection.column
    if column is None or column.table is None or column.column is None or part.is_key:
        return False
    if is_key(context.schema, column.table, column.column):
        return False
    if not context.database.has_data:
        table = context.schema.table(column.table)
        declared = None if table is None else table.column(column.column)
        return declared is not None and affinity(declared.declared_type) in _NUMERIC
    types = set(context.database.profile(column.table, column.column).stored_types)
    return bool(types) and types <= {"integer", "real"}


def _counts(item: Asked, shown: tuple[Shown, ...], facts: QueryFacts) -> bool:
    if is_quantity(item) or _averages_a_condition(shown, facts):
        return True
    counting = word_set("asking", "count_heads") | {"num", "total", "no", *item.words}
    return facts.calls("count", "sum", "total") or any(part.words & counting for part in shown)


def _averages_a_condition(shown: tuple[Shown, ...], facts: QueryFacts) -> bool:
    """Whether a share is shown: `AVG(age > 30)` or one count divided by another."""
    return any(
        item.function in ("avg", "sum", "total") and _holds_a_condition(item, facts)
        for item in shown
    ) or facts.calculates("/")


def _holds_a_condition(item: Shown, facts: QueryFacts) -> bool:
    """Whether what is aggregated is true or false, and no quantity: `SUM(age > 30)`."""
    return facts.query.has_keyword_in(item.projection.expression, *_CONDITIONS)


def _has(function: str, item: Asked, shown: tuple[Shown, ...], facts: QueryFacts) -> bool:
    if facts.calls(function) or any(part.words & set(item.words) & _NAMES for part in shown):
        return True
    if function == "avg":
        return facts.calculates("/")
    if function == "sum":
        return facts.calls("count", "total") or facts.calculates("+")
    return any(select.order_by for select in facts.query.selects)


_NUMERIC = frozenset({"integer", "real", "numeric"})
_CONDITIONS = ("CASE", "IIF", "FILTER", "=", "<>", "<", "<=", ">", ">=", "IN", "LIKE", "IS")
_NAMES = frozenset({"average", "avg", "mean", "total", "sum", "overall", "max", "maximum", "min",
                    "minimum", "combined"})  # fmt: skip
"""Words that stand in the names of columns which hold a figure already."""


def _unasked(
    shown: tuple[Shown, ...], reading: QuestionReading, context: Context
) -> Iterator[Finding]:
    """Yield aggregates shown alone that no word of question or evidence calls for."""
    evidence = reading.evidence.lower()
    if len(shown) != 1 or not shown[0].function:
        return
    function = shown[0].function
    piece = shown[0].projection.piece
    reason, what = "", ""
    if function == "count" and not _speaks_of_number(reading) and "count" not in evidence:
        reason, what = "count_unasked", "a count"
    elif function == "avg" and not (
        reading.cues("average") or reading.cues("ratio") or "av" in evidence or "divide" in evidence
    ):
        reason, what = "average_unasked", "an average"
    elif function == "sum" and not (
        (_holds_a_condition(shown[0], facts_of(context)) and _speaks_of_number(reading))
        or facts_of(context).calculates("/", "-", within=piece)
        or _speaks_of_sum(reading)
        or "sum" in evidence
    ):
        reason = "sum_for_count" if _speaks_of_number(reading) else "sum_unasked"
        what = "a sum"
    if reason:
        span = context.span(Clause.SELECT, piece.start, piece.end)
        yield Finding(clause=span, reason=reason, message=f"nobody asked for {what}")


def _speaks_of_number(reading: QuestionReading) -> bool:
    kinds = {item.kind for item in reading.asked}
    if kinds & {AskedKind.COUNT, AskedKind.YES_NO}:
        return True
    return bool(reading.words & word_set("cues", "counting")) or bool(reading.cues("ratio"))


def _speaks_of_sum(reading: QuestionReading) -> bool:
    return bool(reading.cues("sum")) or bool(
        reading.words & {"together", "all", "much", "accumulated", "cumulative", "number", "amount"}
    )
