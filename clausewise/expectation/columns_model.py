"""The model of columns: a small network over a question's tokens and a schema's columns.

Two convolutions read the tokens; each column attends to those that fit its name, description and
evidence; what the other columns of its table and of the schema offer is seen in a second step. The
weights are learned by `experiments/expectation/train_columns.py`, which builds the same network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clausewise.databases.model import Schema, kept_by_schema
from clausewise.expectation.columns_inputs import (
    FIRST_WORD,
    PADDING,
    UNKNOWN,
    ColumnInputs,
)
from clausewise.expectation.columns_schema import SchemaWords, schema_words
from clausewise.expectation.columns_statics import Floats
from clausewise.expectation.columns_words import stem
from clausewise.expectation.network import Stored, numbered, packaged_arrays, shifted, weights_of

NAME_WORDS = 6
"""Words of a name that the network reads."""
_HEADS, _HEAD_WIDTH = 2, 16
_PACKAGED = "columns.npz"


@dataclass(slots=True, eq=False)
class ColumnModel:
    """Learned weights; see `experiments/expectation/train_columns_network.py` for their shapes."""

    vocabulary: Mapping[str, int]
    weights: Mapping[str, Floats]
    scales: Floats
    """(slope, offset) that calibrate the logits of each role and of tables, `[5, 2]`."""

    def logits(
        self, inputs: ColumnInputs, schema: Schema, words: SchemaWords
    ) -> tuple[Floats, Floats]:
        """Return the calibrated log-odds of each column's roles `[n, 4]` and of tables `[m]`."""
        w = self.weights
        known = _known(schema, self)
        tokens = np.concatenate([w["words"][inputs.ids], inputs.token_facts], axis=1)
        hidden = np.maximum(shifted(tokens, 7) @ w["first"] + w["first.bias"], 0)
        hidden = np.maximum(shifted(hidden, 5) @ w["second"] + w["second.bias"] + hidden, 0)
        column = known.column + inputs.column_facts @ w["column.facts"]
        column = np.maximum(column + inputs.question_facts @ w["column.question"], 0)
        context = self._attended(hidden, column, inputs.channels)
        said = inputs.channels[0]
        spoken = (said / np.maximum(said.sum(axis=0), 1.0)).T @ hidden
        state = np.concatenate([column, *context, spoken], axis=1) @ w["third"]
        whole = hidden.max(axis=0, initial=0.0) @ w["third.whole"] + w["third.bias"]
        state = np.maximum(state + whole, 0)
        by_table = np.maximum.reduceat(state, words.starts) @ w["fourth.table"]
        best = state.max(axis=0) @ w["fourth.best"] + w["fourth.bias"]
        state = np.maximum(state @ w["fourth"] + by_table[words.table_of] + best, 0)
        roles = state @ w["roles"] + w["roles.bias"]
        tables = self._tables(np.maximum.reduceat(state, words.starts), inputs, known)
        return (
            roles * self.scales[:-1, 0] + self.scales[:-1, 1],
            tables * self.scales[-1, 0] + self.scales[-1, 1],
        )

    def _attended(self, hidden: Floats, column: Floats, channels: Floats) -> list[Floats]:
        w = self.weights
        size, t, n = channels.shape
        biases = w["by_channel"] @ channels.reshape(size, t * n)
        keys = hidden @ w["key"] + w["key.bias"]
        queries = column @ w["query"] + w["query.bias"]
        found = []
        for head in range(_HEADS):
            part = slice(head * _HEAD_WIDTH, (head + 1) * _HEAD_WIDTH)
            fit = keys[:, part] @ queries[:, part].T / np.float32(4.0)
            fit += biases[head].reshape(t, n)
            nothing = w["nothing"][head]
            largest = np.maximum(fit.max(axis=0, initial=-np.inf), nothing)
            share = np.exp(fit - largest)
            share /= share.sum(axis=0) + np.exp(nothing - largest)
            found.append(share.T @ hidden)
        return found

    def _tables(self, by_table: Floats, inputs: ColumnInputs, known: _KnownSchema) -> Floats:
        w = self.weights
        table = by_table @ w["table.state"] + inputs.table_facts @ w["table.facts"] + known.table
        table = np.maximum(table, 0)
        near = known.near @ table
        last = np.concatenate([table, near], axis=1) @ w["table_second"]
        best = table.max(axis=0) @ w["table_second.best"] + w["table_second.bias"]
        made: Floats = np.maximum(last + best, 0) @ w["table_out"] + w["table_out.bias"]
        return made


@dataclass(slots=True, eq=False)
class _KnownSchema:
    """What the first layers make of a schema without a question."""

    column: Floats
    table: Floats
    near: Floats


@kept_by_schema
def _known(schema: Schema, model: ColumnModel) -> _KnownSchema:
    words, w = schema_words(schema), model.weights
    column = _embedded(words.words, model) @ w["column.words"]
    column += words.statics @ w["column.statics"] + w["column.bias"]
    table = _embedded(words.table_words, model) @ w["table.words"]
    table += words.table_statics @ w["table.statics"] + w["table.bias"]
    return _KnownSchema(column, table, words.near.astype(np.float32))


def _embedded(names: Sequence[Sequence[str]], model: ColumnModel) -> Floats:
    """Return the mean of the vectors of each name's words."""
    ids = name_numbers(names, model.vocabulary)
    there = ids != PADDING
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    summed = (model.weights["words"][ids] * there[..., None]).sum(axis=1)
    made: Floats = (summed / count).astype(np.float32)
    return made


def name_numbers(
    names: Sequence[Sequence[str]], vocabulary: Mapping[str, int]
) -> NDArray[np.int64]:
    """Return the numbers of the first words of each name, `[n, NAME_WORDS]`."""
    ids = np.full((len(names), NAME_WORDS), PADDING, dtype=np.int64)
    for row, part in enumerate(names):
        for at, word in enumerate(part[:NAME_WORDS]):
            ids[row, at] = vocabulary.get(stem(word), UNKNOWN)
    return ids


@lru_cache(maxsize=1)
def packaged_model() -> ColumnModel:
    """Return the model that comes with the package."""
    return model_of(packaged_arrays(_PACKAGED))


def model_of(saved: Stored) -> ColumnModel:
    """Return the model whose arrays were stored; `vocabulary` holds the known stems in order."""
    vocabulary = numbered(saved, "vocabulary", FIRST_WORD)
    weights = weights_of(saved, "vocabulary", "scales")
    return ColumnModel(vocabulary, weights, saved["scales"].astype(np.float32))
