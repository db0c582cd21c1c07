"""Which columns a case's question leads one to expect, beside those that its query uses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clausewise.databases.model import Schema
from clausewise.errors import NotApplicable
from clausewise.expectation.columns import ExpectedColumns, expected_columns
from clausewise.expectation.columns_gaps import ColumnsInQuery, column_gaps, columns_in_query
from clausewise.expectation.columns_statics import PRIMARY_KEY
from clausewise.expectation.columns_used import ROLES, UsedAs, columns_used
from clausewise.question.bounds import LONG
from clausewise.question.language import unreadable_language
from clausewise.question.reading import read_question
from clausewise.question.tokens import word_set
from clausewise.question.words import question_words
from clausewise.signals.context import Context

VERBS = {
    "selected": "select",
    "filtered": "filter by",
    "grouped": "group by",
    "ordered": "order by",
}
"""What queries do with a column in each role."""
MOST_QUESTIONS = 128
"""Questions of which a schema keeps what they expect: 140 bytes a column and question."""
UNLIKELY = 0.1
"""Probability in [0, 1] up to which nothing speaks for the use of a column."""


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """What is expected of a case's columns, and what its query uses."""

    expected: ExpectedColumns
    found: ColumnsInQuery

    def name(self, row: int) -> str:
        """Return `table.column`."""
        return ".".join(self.expected.words.columns[row])

    def share(self, row: int, role: str) -> float:
        """Return in [0, 1] how probable the use of a column is, or of one tied to it."""
        tied = self.found.tied == self.found.tied[row]
        odds = float(self.expected.log_odds[tied, ROLES.index(role)].max())
        return 1.0 / (1.0 + math.exp(-odds))

    def has_stand_in(self, row: int, role: str, used: NDArray[np.bool_]) -> bool:
        """Whether one of the used columns, `[n]`, may stand for a column that is expected.

        One whose name says all its words; in conditions and groups also a key of its table: it
        stands for what describes a row, and the reverse.
        """
        by_key = role in ("filtered", "grouped")
        words = self.expected.words
        wanted = set(words.words[row])
        return any(
            wanted <= set(words.words[other])
            or (by_key and self._is_key_of(other, int(words.table_of[row])))
            or (by_key and self._is_key_of(row, int(words.table_of[other])))
            for other in np.flatnonzero(used).tolist()
        )

    def _is_key_of(self, row: int, table: int) -> bool:
        """Whether a column is the key of a table, or tied to it."""
        words = self.expected.words
        keys = (words.statics[:, PRIMARY_KEY] > 0) & (words.table_of == table)
        return bool((self.found.tied[keys] == self.found.tied[row]).any())


def column_reading(context: Context) -> ColumnReading:
    """Return the reading of a case's columns, made once.

    Raises NotApplicable where the question says no word of the schema.
    """
    read = context.once(_column_reading)
    if read is None:
        raise NotApplicable("no word of the question is one of the schema")
    return read


def _column_reading(context: Context) -> ColumnReading | None:
    expected = expected_of(context)
    if expected is None or not expected.said:
        return None
    return ColumnReading(expected, columns_in_query(expected, context.query))


def expected_of(context: Context) -> ExpectedColumns | None:
    """Return what a case's question leads one to expect; other queries for it get it again."""
    reading = read_question(context.case)
    if len(reading.question) + len(reading.evidence) > LONG:
        return expected_columns(reading, context.schema)
    known = context.schema.once(_expected_before)
    key = (reading.question, reading.evidence)
    if key not in known:
        if len(known) >= MOST_QUESTIONS:
            known.clear()
        known[key] = expected_columns(reading, context.schema)
    return known[key]


def _expected_before(_schema: Schema) -> dict[tuple[str, str], ExpectedColumns | None]:
    return {}


def expected_column_gaps(context: Context) -> dict[str, float]:
    """Return the gaps between the columns expected and used, by name; empty where none is read.

    Each is 0 or more, high = more likely wrong.
    """
    if unreadable_language(context.case.question) is not None:
        return {}
    read = context.once(_column_reading)
    if read is None:
        return {}
    return column_gaps(read.expected, read.found, _grounded(read, context))


def _grounded(read: ColumnReading, context: Context) -> frozenset[int]:
    """Return the places of columns that hold a text of the question that they are compared with.

    None where there is no data in which a text could stand.
    """
    question = f"{context.case.question} {context.case.evidence or ''}".casefold()
    return frozenset(
        read.expected.words.at[item.key]
        for item in columns_used(context.query)
        if item.role == "filtered"
        and item.key in read.expected.words.at
        and context.database.has_data
        and _holds_its_constant(context, item, question)
    )


def clearly_wanted(read: ColumnReading, context: Context, row: int) -> bool:
    """Whether no other reading of the question's words explains why a column seems wanted.

    They may be an aggregate's (`older than average`), or the evidence may say that they mean
    another column.
    """
    said = {word for text in words_of(read, context, row) for word in question_words(text)}
    if not said:
        return True
    if said <= _aggregate_words():
        return False
    name = read.expected.words.columns[row][1].casefold()
    explained: set[str] = set()
    for statement in read_question(context.case).statements:
        if name in statement.meaning.casefold():
            return True
        explained.update(question_words(statement.phrase))
    return not said <= explained


@lru_cache(maxsize=1)
def _aggregate_words() -> frozenset[str]:
    keys = ("average", "sum", "maximum", "minimum")
    return frozenset(word for key in keys for word in word_set("cues", key))


def least_expected(
    read: ColumnReading, context: Context, role: str, most: float
) -> tuple[UsedAs, int] | None:
    """Return the use of a column that is least expected in a role, with the column's place.

    None where every use has a probability above `most`. Columns that are only counted, and those
    that hold the text that they are compared with, are not looked at.
    """
    found: list[tuple[float, int, int, UsedAs]] = []
    for item in columns_used(context.query):
        row = read.expected.words.at.get(item.key)
        if item.role != role or row is None or _is_counted(context, item):
            continue
        share = read.share(row, role)
        if share <= most and not _holds_its_constant(context, item):
            found.append((share, item.use.piece.start, row, item))
    if not found:
        return None
    _, _, row, item = min(found, key=lambda entry: entry[:2])
    return item, row


def _is_counted(context: Context, item: UsedAs) -> bool:
    return item.role != "selected" and any(
        aggregate.function == "count" and item.use in aggregate.columns
        for select in context.query.selects
        for aggregate in select.aggregates
    )


def _holds_its_constant(context: Context, item: UsedAs, question: str | None = None) -> bool:
    """Whether a text that the column is compared with stands in it: then it is no wrong column.

    Where the folded question is given, it says the text too.
    """
    return any(
        (place.table.casefold(), place.column.casefold()) == item.key
        for select in context.query.selects
        for comparison in select.comparisons
        if comparison.column.piece.start == item.use.piece.start
        for literal in comparison.literals
        if isinstance(literal.value, str)
        and (question is None or literal.value.strip("% ").casefold() in question)
        for place in context.database.find_value(literal.value.strip("%"))
    )


def words_of(read: ColumnReading, context: Context, row: int) -> tuple[str, ...]:
    """Return the words of the question that speak for a column's name, in order, each once."""
    words = read.expected.words
    n = len(words.columns)
    named = set(np.flatnonzero(words.shares[:, 4 * n + row]).tolist())
    return tuple(
        dict.fromkeys(
            token.text
            for token in read_question(context.case).tokens
            if token.is_word and not token.quoted
            for place, _ in words.matches(token.word)
            if place in named
        )
    )
