"""Directions: which end a superlative or a stated order wants, and which end a query takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausewise.naming.expansion import expanded, read_name
from clausewise.question.reading import Cue, QuestionReading
from clausewise.question.tokens import word_set, word_table
from clausewise.signals.context import Context
from clausewise.sql.model import Aggregate, ColumnUse, OrderItem, Select
from clausewise.types import Clause, ClauseSpan

HIGHEST = "highest"
LOWEST = "lowest"


@dataclass(frozen=True, slots=True)
class Taken:
    """One end that the query takes: by ORDER BY with LIMIT, or by MAX or MIN.

    `end` is `highest` or `lowest`; `words` are those of the column, empty for a count.
    """

    end: str
    words: frozenset[str]
    clause: ClauseSpan
    counted: bool
    limit: int | None


def ends_taken(context: Context) -> Iterator[Taken]:
    """Yield every end that the query takes, ORDER BY with LIMIT first."""
    for select in context.query.selects:
        if select.order_by and select.clause(Clause.LIMIT) is not None:
            yield _by_order(context, select, select.order_by[0])
        for aggregate in select.aggregates:
            if aggregate.function in ("max", "min"):
                yield _by_aggregate(context, aggregate)


def _by_order(context: Context, select: Select, item: OrderItem) -> Taken:
    span = context.span(Clause.ORDER_BY, item.piece.start, item.piece.end)
    words = _words(context, item.column) if item.column else read_name(item.expression.text).said
    end = HIGHEST if item.descending else LOWEST
    return Taken(end, words, span, item.has_aggregate, select.limit)


def _by_aggregate(context: Context, aggregate: Aggregate) -> Taken:
    enclosing = context.enclosing_clause(aggregate.piece.start, aggregate.piece.end)
    span = context.span(enclosing.kind, aggregate.piece.start, aggregate.piece.end)
    words = frozenset(word for use in aggregate.columns for word in _words(context, use))
    end = HIGHEST if aggregate.function == "max" else LOWEST
    return Taken(end, words, span, counted=False, limit=None)


def _words(context: Context, use: ColumnUse) -> frozenset[str]:
    return expanded(context.schema).column(use.table, use.column or use.name).said


def end_wanted(cue: Cue, words: frozenset[str]) -> str | None:
    """Return the end that a superlative wants of a column with these words, None if unclear.

    `oldest` wants the highest age and the lowest date of birth; the `longest` of dates is unclear.
    """
    table = word_table("superlatives")
    if cue.name in (HIGHEST, LOWEST):
        unclear = table["unclear_of"].get(cue.text, ())
        return None if any(words & _kind_words(kind) for kind in unclear) else cue.name
    meanings: dict[str, str] = table["by_meaning"].get(cue.name, {})
    ends = {wanted for kind, wanted in meanings.items() if words & _kind_words(kind)}
    return ends.pop() if len(ends) == 1 else None


def _kind_words(kind: str) -> frozenset[str]:
    """Return the words of columns of a kind: `age`, `date`, `duration`, ..."""
    return word_set("superlatives", f"{kind}_columns")


def order_wanted(reading: QuestionReading) -> bool | None:
    """Return whether a stated order descends, None where none is stated or it is unclear."""
    lowers = frozenset(reading.lowers)
    rises = bool(lowers & word_set("superlatives", "ascending"))
    falls = bool(lowers & word_set("superlatives", "descending"))
    if not rises and not falls:
        rises = reading.says(*word_set("superlatives", "ascending_phrases"))
        falls = reading.says(*word_set("superlatives", "descending_phrases"))
    if rises and falls:
        # "descending alphabetical order": the alphabet alone says nothing against it
        alphabetical = word_set("superlatives", "alphabetical")
        only = (lowers & word_set("superlatives", "ascending")) <= alphabetical
        return True if only else None
    if rises or falls:
        turned = bool(lowers & word_set("superlatives", "reversing"))
        return falls != turned
    return _from_to(reading)


def _from_to(reading: QuestionReading) -> bool | None:
    """Read `from the highest to the lowest`."""
    low, high = word_set("superlatives", "low_words"), word_set("superlatives", "high_words")
    plain = low & high
    for at, lower in enumerate(reading.lowers):
        if lower != "from":
            continue
        rest = reading.lowers[at + 1 : at + 7]
        if "to" not in rest:
            continue
        middle = rest.index("to")
        before, after = set(rest[:middle]) - plain, set(rest[middle:]) - plain
        if before & low and after & high:
            return False
        if before & high and after & low:
            return True
    return None
