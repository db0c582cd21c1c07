"""Columns that are shown beside what is asked for: what they are, and what a question says of them.

A query that ranks, filters or groups by a column often shows it too; whether that was asked for is
said in many ways, so each kind is told apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from clausewise.question.reading import QuestionReading
from clausewise.question.tokens import word_set
from clausewise.signals.linking.columns import Shown, match_score
from clausewise.signals.linking.constants import QueryFacts, fold
from clausewise.sql.model import ColumnUse, Select
from clausewise.types import Clause

_JOINERS = frozenset({"and", "with", "plus", "+", "including", "also", ",", "&", ":"})
_REACH = 4
"""Tokens after a joining word in which a thing to show is named."""
_COUNTS_LATER = ("that number", "this number", "that count", "how many", "the number", "how often",
                 "the count", "and counts", "their counts", "that total")  # fmt: skip


def free_columns(
    shown: Sequence[Shown], select: Select, reading: QuestionReading, facts: QueryFacts
) -> tuple[Shown, ...]:
    """Return those of the shown columns that a question may have asked for without a noun.

    Labels whose texts it says (`low`, `high`), groups that it names, what stands after `with`, and
    figures of several values, one column each (`how many are active and dead`).
    """
    labels = [item for item in shown if _is_label(item, reading, facts)]
    groups = [item for item in shown if not labels and _is_named_group(item, select, reading)]
    beside = [item for item in shown if _is_said_beside(item, reading)]
    pivots = [item for item in shown if _is_conditional(item, facts)]
    more = groups if len(groups) >= len(beside) else beside
    return (*labels, *more, *pivots)


def counts_are_asked(reading: QuestionReading) -> bool:
    """Whether a number is asked for outside of the things listed: `and that number`."""
    words = {"breakdown", "frequency", "distribution", "tally", "histogram", "occurrences"}
    return bool(words & reading.words) or reading.says(*_COUNTS_LATER)


def kind_of_extra(item: Shown, select: Select) -> str:
    """Return why a column that nobody asked for is there: `ranking`, `filter`, `key`, or empty."""
    piece = item.projection.expression
    if select.clause(Clause.LIMIT) is not None:
        for order in select.order_by:
            column = item.projection.column
            if order.selected is item.projection or order.expression.text == piece.text:
                return "ranking"
            if column is not None and _is_same(order.column, column):
                return "ranking"
    if fixed_by_where(item, select):
        return "filter"
    return "key" if item.is_key else ""


def _is_same(one: ColumnUse | None, other: ColumnUse) -> bool:
    return one is not None and (one.source, one.column) == (other.source, other.column)


def fixed_by_where(item: Shown, select: Select) -> bool:
    """Whether WHERE lets one value only through for a shown column."""
    column = item.projection.column
    if column is None or column.column is None:
        return False
    return any(
        comparison.operator == "="
        and not comparison.negated
        and not comparison.wrapped
        and len(comparison.literals) == 1
        and select.is_conjunct(comparison)
        and comparison.clause.kind is Clause.WHERE
        and _is_same(comparison.column, column)
        for comparison in select.comparisons
    )


def _is_label(item: Shown, reading: QuestionReading, facts: QueryFacts) -> bool:
    """Whether an expression shows texts that the question or the evidence says."""
    piece = item.projection.expression
    if item.function or not facts.query.has_keyword_in(piece, "CASE"):
        return False
    texts = [
        constant.folded
        for constant in facts.texts
        if piece.start <= constant.literal.piece.start < piece.end and not constant.literal.operator
    ]
    said = fold(f"{reading.question} {reading.evidence}")
    return bool(texts) and any(text and text in said for text in texts)


def _is_conditional(item: Shown, facts: QueryFacts) -> bool:
    return item.function in ("count", "sum", "avg") and facts.query.has_keyword_in(
        item.projection.expression, "CASE", "FILTER", "IIF", "="
    )


def _is_named_group(item: Shown, select: Select, reading: QuestionReading) -> bool:
    """Whether a grouping column is shown beside a figure, and the question says its words."""
    if item.projection.has_aggregate or not any(p.has_aggregate for p in select.projections):
        return False
    if select.clause(Clause.LIMIT) is not None or item.projection not in select.grouped_projections:
        return False
    names = item.words - {"name", "id", "code"} or item.words
    says = sum(match_score(word, reading.words) > 0 for word in names)
    return says > 0 or bool(item.table_words & reading.words)


def _is_said_beside(item: Shown, reading: QuestionReading) -> bool:
    """Whether a column's words stand right after `and`, `with` or a comma, without a condition."""
    picking = word_set("superlatives", "highest") | word_set("superlatives", "lowest")
    picking |= word_set("cues", "comparing") | {"than", "over", "under", "above", "below"}
    wanted = item.words - {"name", "id"} or item.words
    tokens = reading.tokens
    for at, lower in enumerate(reading.lowers):
        if lower not in _JOINERS:
            continue
        after = tokens[at + 1 : at + 1 + _REACH]
        if any(token.quoted or token.text[0].isdigit() for token in after):
            continue
        if picking & {token.lower for token in after} or any(t.capitalized for t in after):
            continue
        words = frozenset(token.word for token in after)
        if wanted and all(match_score(word, words) for word in wanted):
            return True
    return False
