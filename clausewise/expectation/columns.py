"""Which columns and tables a question asks for, with probabilities learned from gold pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clausewise.databases.model import Schema
from clausewise.expectation.columns_inputs import column_inputs
from clausewise.expectation.columns_model import ColumnModel, packaged_model
from clausewise.expectation.columns_schema import SchemaWords, schema_words
from clausewise.expectation.columns_statics import Floats
from clausewise.expectation.columns_used import ROLES
from clausewise.question.reading import QuestionReading


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedColumns:
    """How probable each use of a column or a table is, after the question alone."""

    words: SchemaWords
    log_odds: Floats
    """Of each column and role, in the order of `ROLES`, `[n, 4]`."""
    table_log_odds: Floats
    """Of each table, `[m]`."""
    column_facts: Floats
    """What the words say of each column, `[n, COLUMN_FACTS]`."""
    table_facts: Floats
    """The same of each table, `[m, TABLE_FACTS]`."""
    said: int
    """Tokens of the question that are, or may mean, a word of the schema or its evidence."""

    def probability(self, table: str, column: str, role: str) -> float | None:
        """Return in [0, 1] how probable it is that a right query uses a column so.

        None where the schema has no such column. Raises ValueError for an unknown role.
        """
        row = self.words.at.get((table.casefold(), column.casefold()))
        return None if row is None else _sigmoid(float(self.log_odds[row, ROLES.index(role)]))

    def table_probability(self, table: str) -> float | None:
        """Return in [0, 1] how probable it is that a right query reads a table, None if unknown."""
        row = self.words.table_at.get(table.casefold())
        return None if row is None else _sigmoid(float(self.table_log_odds[row]))


def expected_columns(
    reading: QuestionReading, schema: Schema, model: ColumnModel | None = None
) -> ExpectedColumns | None:
    """Return what a question leads one to expect of the columns; None without any column."""
    words = schema_words(schema)
    if not words.columns or not reading.tokens:
        return None
    model = model or packaged_model()
    inputs = column_inputs(reading, words, model.vocabulary)
    said = (inputs.channels > 0).any(axis=(0, 2)).sum()
    return ExpectedColumns(
        words,
        *model.logits(inputs, schema, words),
        inputs.column_facts,
        inputs.table_facts,
        int(said),
    )


def _sigmoid(value: float) -> float:
    return float(1.0 / (1.0 + np.exp(-value)))
