"""The network of columns in torch: the same as the package computes with numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from clausewise.expectation.columns_inputs import (
    CHANNELS,
    COLUMN_FACTS,
    PADDING,
    QUESTION_FACTS,
    TABLE_FACTS,
    TOKEN_FACTS,
    UNKNOWN,
)
from clausewise.expectation.columns_model import NAME_WORDS, name_numbers
from clausewise.expectation.columns_statics import COLUMN_STATICS, TABLE_STATICS
from clausewise.expectation.columns_used import ROLES
from experiments.expectation.train_columns_data import Example

EMBEDDED, HIDDEN, HEADS = 32, 32, 2
WIDE, NARROW, SECOND = 7, 5, 48
LEAST = -1e9


class ColumnNetwork(nn.Module):
    """Reads `Batch`; gives logits of every role for each column and of use for each table."""

    def __init__(self, known: int) -> None:
        super().__init__()
        self.words = nn.Embedding(known, EMBEDDED, padding_idx=PADDING)
        nn.init.normal_(self.words.weight, std=0.1)
        self.first = nn.Linear(WIDE * (EMBEDDED + TOKEN_FACTS), HIDDEN)
        self.second = nn.Linear(NARROW * HIDDEN, HIDDEN)
        facts = EMBEDDED + COLUMN_FACTS + COLUMN_STATICS + QUESTION_FACTS
        self.column = nn.Linear(facts, SECOND)
        self.key = nn.Linear(HIDDEN, HEADS * 16)
        self.query = nn.Linear(SECOND, HEADS * 16)
        self.by_channel = nn.Parameter(torch.full((HEADS, CHANNELS), 0.5))
        self.nothing = nn.Parameter(torch.zeros(HEADS))
        self.third = nn.Linear(SECOND + (HEADS + 2) * HIDDEN, 64)
        self.fourth = nn.Linear(3 * 64, SECOND)
        self.roles = nn.Linear(SECOND, len(ROLES))
        self.table = nn.Linear(SECOND + TABLE_FACTS + TABLE_STATICS + EMBEDDED, 32)
        self.table_second = nn.Linear(3 * 32, 24)
        self.table_out = nn.Linear(24, 1)
        # Few columns are used: without it the first steps learn nothing else.
        nn.init.constant_(self.roles.bias, -3.0)

    def forward(self, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        there = batch["ids"] != PADDING
        tokens = torch.cat([self.words(batch["ids"]), batch["token_facts"]], dim=-1)
        tokens = tokens * there[..., None]
        hidden = torch.relu(self.first(_shifted(tokens, WIDE))) * there[..., None]
        hidden = torch.relu(self.second(_shifted(hidden, NARROW)) + hidden) * there[..., None]
        embedded = _mean(self.words(batch["name_ids"]), batch["name_ids"] != PADDING)
        n = embedded.shape[1]
        asked = batch["question_facts"][:, None].expand(-1, n, -1)
        column = torch.relu(self.column(torch.cat([embedded, batch["column_facts"], asked], -1)))
        context = self._attended(hidden, column, batch["channels"], there)
        said = batch["channels"][:, 0]
        share = said / said.sum(dim=1, keepdim=True).clamp(min=1.0)
        spoken = torch.einsum("btn,bth->bnh", share, hidden)
        whole = hidden.amax(dim=1)[:, None].expand(-1, n, -1)
        state = torch.relu(self.third(torch.cat([column, *context, spoken, whole], -1)))
        state = state * batch["columns"][..., None]
        m = batch["table_facts"].shape[1]
        by_table = _largest(state, batch["table_of"], m)
        of_table = torch.gather(by_table, 1, batch["table_of"][..., None].expand(-1, -1, 64))
        best = state.amax(dim=1)[:, None].expand(-1, n, -1)
        state = torch.relu(self.fourth(torch.cat([state, of_table, best], -1)))
        state = state * batch["columns"][..., None]
        return self.roles(state), self._tables(state, batch, m)

    def _attended(
        self, hidden: Tensor, column: Tensor, channels: Tensor, there: Tensor
    ) -> list[Tensor]:
        keys, queries = self.key(hidden), self.query(column)
        found = []
        for head in range(HEADS):
            part = slice(head * 16, head * 16 + 16)
            fit = torch.einsum("bth,bnh->btn", keys[..., part], queries[..., part]) / 4.0
            fit = fit + torch.einsum("j,bjtn->btn", self.by_channel[head], channels)
            fit = fit.masked_fill(~there[..., None], LEAST)
            nothing = self.nothing[head].expand(fit.shape[0], 1, fit.shape[2])
            share = torch.softmax(torch.cat([fit, nothing], dim=1), dim=1)[:, :-1]
            found.append(torch.einsum("btn,bth->bnh", share, hidden))
        return found

    def _tables(self, state: Tensor, batch: Mapping[str, Tensor], m: int) -> Tensor:
        by_table = _largest(state, batch["table_of"], m)
        embedded = _mean(self.words(batch["table_ids"]), batch["table_ids"] != PADDING)
        joined = torch.cat([by_table, batch["table_facts"], embedded], -1)
        table = torch.relu(self.table(joined)) * batch["tables"][..., None]
        near = batch["near"] @ table
        best = table.amax(dim=1)[:, None].expand(-1, m, -1)
        last = torch.relu(self.table_second(torch.cat([table, near, best], -1)))
        out: Tensor = self.table_out(last)
        return out[..., 0]


def _shifted(values: Tensor, width: int) -> Tensor:
    half = width // 2
    padded = functional.pad(values, (0, 0, half, half))
    size = values.shape[1]
    return torch.cat([padded[:, at : at + size] for at in range(width)], dim=-1)


def _mean(values: Tensor, there: Tensor) -> Tensor:
    count = there.sum(dim=-1, keepdim=True).clamp(min=1)
    return (values * there[..., None]).sum(dim=-2) / count


def _largest(values: Tensor, table_of: Tensor, m: int) -> Tensor:
    """Return the largest value of each table's columns; none is negative."""
    empty = values.new_zeros(values.shape[0], m, values.shape[2])
    index = table_of[..., None].expand(-1, -1, values.shape[2])
    return empty.scatter_reduce(1, index, values, "amax")


def batch_of(
    examples: Sequence[Example], known: Mapping[str, int], drop: np.random.Generator | None
) -> dict[str, Tensor]:
    """Return examples as padded tensors; with `drop`, some known words become unknown."""
    b = len(examples)
    t = max(len(item.inputs.ids) for item in examples)
    n = max(len(item.labels) for item in examples)
    m = max(len(item.tables) for item in examples)
    made: dict[str, NDArray[Any]] = {
        "ids": np.full((b, t), PADDING, dtype=np.int64),
        "token_facts": np.zeros((b, t, TOKEN_FACTS), dtype=np.float32),
        "channels": np.zeros((b, CHANNELS, t, n), dtype=np.float32),
        "column_facts": np.zeros((b, n, COLUMN_FACTS + COLUMN_STATICS), dtype=np.float32),
        "name_ids": np.full((b, n, NAME_WORDS), PADDING, dtype=np.int64),
        "table_of": np.zeros((b, n), dtype=np.int64),
        "columns": np.zeros((b, n), dtype=np.float32),
        "labels": np.full((b, n, len(ROLES)), -1, dtype=np.float32),
        "table_facts": np.zeros((b, m, TABLE_FACTS + TABLE_STATICS), dtype=np.float32),
        "table_ids": np.full((b, m, NAME_WORDS), PADDING, dtype=np.int64),
        "near": np.zeros((b, m, m), dtype=np.float32),
        "tables": np.zeros((b, m), dtype=np.float32),
        "table_labels": np.full((b, m), -1, dtype=np.float32),
        "question_facts": np.zeros((b, QUESTION_FACTS), dtype=np.float32),
        "weight": np.array([item.weight for item in examples], dtype=np.float32),
    }
    for at, item in enumerate(examples):
        inputs, words, rows = item.inputs, item.words, item.rows
        size, c, k = len(inputs.ids), len(rows), len(item.tables)
        made["ids"][at, :size] = inputs.ids
        made["token_facts"][at, :size] = inputs.token_facts
        made["channels"][at, :, :size, :c] = inputs.channels
        made["column_facts"][at, :c, :COLUMN_FACTS] = inputs.column_facts
        made["column_facts"][at, :c, COLUMN_FACTS:] = words.statics[rows]
        made["name_ids"][at, :c] = name_numbers([words.words[row] for row in rows], known)
        made["table_of"][at, :c] = words.table_of[rows]
        made["columns"][at, :c] = 1.0
        made["labels"][at, :c] = item.labels
        made["table_facts"][at, :k, :TABLE_FACTS] = inputs.table_facts
        made["table_facts"][at, :k, TABLE_FACTS:] = words.table_statics
        made["table_ids"][at, :k] = name_numbers(words.table_words, known)
        made["near"][at, :k, :k] = words.near
        made["tables"][at, :k] = 1.0
        made["table_labels"][at, :k] = item.tables
        made["question_facts"][at] = inputs.question_facts
    if drop is not None:
        for name, share in (("ids", 0.1), ("name_ids", 0.25), ("table_ids", 0.25)):
            lost = (drop.random(made[name].shape) < share) & (made[name] > UNKNOWN)
            if name == "ids":
                # What names a column is known by that, and less by its own letters.
                named = made["token_facts"][..., 3] > 0
                lost |= (drop.random(lost.shape) < 0.5) & named & (made[name] > UNKNOWN)
            made[name][lost] = UNKNOWN
    return {name: torch.from_numpy(values) for name, values in made.items()}


def loss_of(roles: Tensor, tables: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Return the mean log loss of a batch: sums over columns, means over weighted questions."""
    weight = batch["weight"]
    known = (batch["labels"] >= 0).float()
    column = functional.binary_cross_entropy_with_logits(
        roles, batch["labels"].clamp(min=0), reduction="none"
    )
    known_tables = (batch["table_labels"] >= 0).float()
    table = functional.binary_cross_entropy_with_logits(
        tables, batch["table_labels"].clamp(min=0), reduction="none"
    )
    total = (column * known).sum(dim=(1, 2)) + 0.5 * (table * known_tables).sum(dim=1)
    return (total * weight).sum() / weight.sum()
