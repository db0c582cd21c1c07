"""The verifier: a small network that reads a question beside a query.

The tokens of the question and the units of the query look at one another in two layers of
attention; how well a token fits a unit draws their looks. The weights are learned by
`experiments/verifier/train.py`, which builds the same network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from clausewise.expectation.columns_inputs import FIRST_WORD, PADDING
from clausewise.expectation.columns_statics import Floats
from clausewise.expectation.network import Stored, numbered, packaged_arrays, shifted, weights_of
from clausewise.expectation.verifier_inputs import VerifierInputs
from clausewise.types import Clause

HEADS = 4
NEAR = 5
"""Neighbors, with itself, that a token or a unit sees before the layers."""
CLAUSES = (
    Clause.SELECT,
    Clause.FROM,
    Clause.JOIN,
    Clause.WHERE,
    Clause.GROUP_BY,
    Clause.HAVING,
    Clause.ORDER_BY,
    Clause.LIMIT,
)
"""Clauses in which an error may lie, in the order of the outputs."""
_PACKAGED = "verifier.npz"
_TINY = np.float32(1e-5)


@dataclass(frozen=True, slots=True)
class Verified:
    """What the verifier makes of a query beside its question."""

    log_odds: float
    """Calibrated log-odds of the query being incorrect."""
    clauses: tuple[float, ...]
    """Share in [0, 1] of each of `CLAUSES` that the error lies there, if there is one."""


@dataclass(slots=True, eq=False)
class VerifierModel:
    """Learned weights; see `experiments/verifier/network.py` for their shapes."""

    vocabulary: Mapping[str, int]
    keywords: Mapping[str, int]
    weights: Mapping[str, Floats]
    layers: int
    scale: tuple[float, float]
    """(slope, offset) that calibrate the log-odds."""

    def verify(self, inputs: VerifierInputs) -> Verified:
        """Return what the network makes of a question beside a query."""
        w = self.weights
        t = len(inputs.tokens)
        tokens = w["words.weight"][inputs.tokens] + self._linear("token_facts", inputs.token_facts)
        count = np.maximum((inputs.words != PADDING).sum(axis=1, keepdims=True), 1)
        units: Floats = w["words.weight"][inputs.words].sum(axis=1) / count.astype(np.float32)
        units += w["keywords.weight"][inputs.keywords]
        units += self._linear("unit_facts", inputs.unit_facts)
        tokens = tokens + np.maximum(self._linear("token_near", shifted(tokens, NEAR)), 0)
        units = units + np.maximum(self._linear("unit_near", shifted(units, NEAR)), 0)
        x: Floats = np.concatenate([w["start"][None], tokens, units])
        fits = inputs.fits.reshape(len(inputs.fits), -1)
        for number in range(self.layers):
            x = self._layer(f"layers.{number}.", x, fits, t)
        x = self._normed("last", x)
        asked, done = x[1 : 1 + t].max(axis=0), x[1 + t :].max(axis=0)
        pooled: Floats = np.concatenate([x[0], asked, done])
        out = self._linear("out", np.maximum(self._linear("hidden", pooled), 0))
        clauses = np.exp(out[1:] - out[1:].max())
        return Verified(
            float(out[0]) * self.scale[0] + self.scale[1],
            tuple((clauses / clauses.sum()).tolist()),
        )

    def _linear(self, name: str, values: Floats) -> Floats:
        made: Floats = values @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return made

    def _normed(self, name: str, values: Floats) -> Floats:
        away = values - values.mean(axis=1, keepdims=True)
        away /= np.sqrt((away * away).mean(axis=1, keepdims=True) + _TINY)
        made: Floats = away * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return made

    def _layer(self, name: str, x: Floats, fits: Floats, t: int) -> Floats:
        n, d = x.shape
        width = d // HEADS
        looks = self._linear(name + "qkv", self._normed(name + "first", x))
        q, k, v = looks.reshape(n, 3, HEADS, width).transpose(1, 2, 0, 3)
        score = q @ k.transpose(0, 2, 1)
        score *= np.float32(width**-0.5)
        u = n - 1 - t
        drawn = (self.weights[name + "to_units"] @ fits).reshape(HEADS, t, u)
        score[:, 1 : 1 + t, 1 + t :] += drawn
        drawn = (self.weights[name + "to_tokens"] @ fits).reshape(HEADS, t, u)
        score[:, 1 + t :, 1 : 1 + t] += drawn.transpose(0, 2, 1)
        score -= score.max(axis=2, keepdims=True)
        np.exp(score, out=score)
        score /= score.sum(axis=2, keepdims=True)
        heads = np.ascontiguousarray((score @ v).transpose(1, 0, 2), dtype=np.float32)
        mixed: Floats = heads.reshape(n, d)
        x = x + self._linear(name + "out", mixed)
        wide = np.maximum(self._linear(name + "wide", self._normed(name + "second", x)), 0)
        made: Floats = x + self._linear(name + "narrow", wide)
        return made


@lru_cache(maxsize=1)
def packaged_verifier() -> VerifierModel:
    """Return the verifier that comes with the package."""
    return verifier_of(packaged_arrays(_PACKAGED))


def verifier_of(saved: Stored) -> VerifierModel:
    """Return the verifier whose arrays were stored; matrices stand as they multiply."""
    weights = weights_of(saved, "vocabulary", "known_keywords", "scale")
    slope, offset = saved["scale"].astype(float).tolist()
    return VerifierModel(
        numbered(saved, "vocabulary", FIRST_WORD),
        numbered(saved, "known_keywords", 1),
        weights,
        len({name.split(".")[1] for name in weights if name.startswith("layers.")}),
        (slope, offset),
    )
