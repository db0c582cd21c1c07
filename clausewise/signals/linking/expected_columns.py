"""Which columns a case's question leads one to expect, beside those that its query uses."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clausewise.errors import NotApplicable
from clausewise.expectation.columns import ExpectedColumns, expected_columns
from clausewise.expectation.columns_gaps import ColumnsInQuery, column_gaps, columns_in_query
from clausewise.expectation.columns_used import ROLES
from clausewise.question.language import unreadable_language
from clausewise.question.reading import read_question
from clausewise.signals.context import Context

VERBS = {
    "selected": "selects",
    "filtered": "filters by",
    "grouped": "groups by",
    "ordered": "orders by",
}
"""What a query does with a column in each role."""


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


def column_reading(context: Context) -> ColumnReading:
    """Return the reading of a case's columns, made once.

    Raises NotApplicable where the question says no word of the schema.
    """
    read = context.once(_column_reading)
    if read is None:
        raise NotApplicable("no word of the question is one of the schema")
    return read


def _column_reading(context: Context) -> ColumnReading | None:
    reading = read_question(context.case)
    expected = expected_columns(reading, context.schema)
    if expected is None or not expected.said:
        return None
    return ColumnReading(expected, columns_in_query(expected, context.query))


def expected_column_gaps(context: Context) -> dict[str, float]:
    """Return the gaps between the columns expected and used, by name; empty where none is read.

    Each is 0 or more, high = more likely wrong.
    """
    if unreadable_language(context.case.question) is not None:
        return {}
    read = context.once(_column_reading)
    return {} if read is None else column_gaps(read.expected, read.found)


def percent(share: float) -> str:
    """Return a probability as people say it: `3 in 100`, `fewer than 1 in 100`."""
    whole = round(100 * share)
    if whole == 0:
        return "fewer than 1 in 100"
    return "more than 99 in 100" if whole == 100 else f"{whole} in 100"


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
