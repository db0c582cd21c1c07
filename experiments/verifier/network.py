"""The verifier in torch: the same as the package computes with numpy."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from clausewise.expectation.verifier_inputs import FITS, TOKEN_FACTS, UNIT_FACTS
from experiments.verifier.examples import CLAUSES


class Layer(nn.Module):
    def __init__(self, d: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.wide, self.narrow = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.to_units = nn.Parameter(torch.zeros(heads, FITS))
        self.to_tokens = nn.Parameter(torch.zeros(heads, FITS))
        nn.init.normal_(self.to_units, std=1.0)
        nn.init.normal_(self.to_tokens, std=1.0)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, fits: Tensor, there: Tensor, t: int) -> Tensor:
        b, n, d = x.shape
        h = self.heads
        q, k, v = self.qkv(self.first(x)).reshape(b, n, 3, h, d // h).permute(2, 0, 3, 1, 4)
        score = q @ k.transpose(-1, -2) / (d // h) ** 0.5
        # tokens look at units and units at tokens that fit them
        to_units = torch.einsum("hc,bctu->bhtu", self.to_units, fits)
        to_tokens = torch.einsum("hc,bctu->bhut", self.to_tokens, fits)
        bias = torch.zeros_like(score)
        bias[:, :, 1 : 1 + t, 1 + t :] = to_units
        bias[:, :, 1 + t :, 1 : 1 + t] = to_tokens
        score = (score + bias).masked_fill(~there[:, None, None, :], -1e9)
        mixed = (torch.softmax(score, -1) @ v).transpose(1, 2).reshape(b, n, d)
        x = x + self.dropout(self.out(mixed))
        made: Tensor = x + self.dropout(self.narrow(torch.relu(self.wide(self.second(x)))))
        return made


class Verifier(nn.Module):
    """Reads a batch; gives the log-odds of being wrong and scores of clauses."""

    def __init__(
        self,
        words: int,
        keywords: int,
        d: int = 64,
        heads: int = 4,
        layers: int = 2,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(words, d, padding_idx=0)
        self.keywords = nn.Embedding(keywords, d, padding_idx=0)
        nn.init.normal_(self.words.weight, std=0.1)
        nn.init.normal_(self.keywords.weight, std=0.3)
        self.token_facts, self.unit_facts = nn.Linear(TOKEN_FACTS, d), nn.Linear(UNIT_FACTS, d)
        self.token_near, self.unit_near = nn.Linear(5 * d, d), nn.Linear(5 * d, d)
        self.start = nn.Parameter(torch.zeros(d))
        self.layers = nn.ModuleList([Layer(d, heads, dropout) for _ in range(layers)])
        self.last = nn.LayerNorm(d)
        self.hidden = nn.Linear(3 * d, d)
        self.out = nn.Linear(d, 1 + len(CLAUSES))
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Mapping[str, Tensor]) -> Tensor:
        t = batch["tokens"].shape[1]
        has_token, has_unit = batch["has_token"], batch["has_unit"]
        tokens = self.words(batch["tokens"]) + self.token_facts(batch["token_facts"])
        named = self.words(batch["words"])
        count = (batch["words"] > 0).sum(-1, keepdim=True).clamp(min=1)
        units = (
            named.sum(2) / count
            + self.keywords(batch["keywords"])
            + self.unit_facts(batch["unit_facts"])
        )
        tokens = tokens * has_token[..., None]
        units = units * has_unit[..., None]
        tokens = tokens + torch.relu(self.token_near(_near(tokens)))
        units = units + torch.relu(self.unit_near(_near(units)))
        b = tokens.shape[0]
        x = torch.cat([self.start.expand(b, 1, -1), tokens, units], 1)
        x = self.dropout(x)
        there = torch.cat([torch.ones(b, 1, dtype=torch.bool), has_token, has_unit], 1)
        for layer in self.layers:
            x = layer(x, batch["fits"], there, t)
        x = self.last(x)
        asked = x[:, 1 : 1 + t].masked_fill(~has_token[..., None], -1e4).amax(1)
        done = x[:, 1 + t :].masked_fill(~has_unit[..., None], -1e4).amax(1)
        pooled = torch.relu(self.hidden(torch.cat([x[:, 0], asked, done], -1)))
        made: Tensor = self.out(self.dropout(pooled))
        return made


def _near(values: Tensor) -> Tensor:
    padded = nn.functional.pad(values, (0, 0, 2, 2))
    size = values.shape[1]
    return torch.cat([padded[:, at : at + size] for at in range(5)], -1)
