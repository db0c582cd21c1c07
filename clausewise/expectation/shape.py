"""The model of a query's shape: class probabilities of each attribute from a question's words.

One linear layer over binary features, with a softmax for each attribute: multinomial logistic
regression. A feature's weights are rows of small integers; a question sums the rows that it has.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import DetectorError
from clausewise.expectation.attributes import ATTRIBUTES
from clausewise.expectation.observed import observed
from clausewise.expectation.wording import features, known_share, read_evidence, read_words
from clausewise.sql.model import Query

LARGEST_GAP = 6.0
"""Gaps are cut off here: beyond it a probability says more about the model than the query."""
FEWEST_WORDS = 2
LEAST_KNOWN = 0.3
"""Share of a question's words that must be known for it to be read."""
FORMAT = 1
SIZES = tuple(len(attribute.classes) for attribute in ATTRIBUTES.values())
STARTS = np.concatenate([[0], np.cumsum(SIZES)[:-1]])
N_CLASSES = sum(SIZES)
_ATTRIBUTE_OF = np.repeat(np.arange(len(SIZES)), SIZES)
_PLACES: Mapping[str, Mapping[str, int]] = {
    name: {label: int(start) + at for at, label in enumerate(attribute.classes)}
    for (name, attribute), start in zip(ATTRIBUTES.items(), STARTS, strict=True)
}
_LAYOUT = "\n".join(f"{name} {' '.join(of.classes)}" for name, of in ATTRIBUTES.items())


@dataclass(frozen=True, eq=False)
class ShapeExpectation:
    """What a question's words lead one to expect: `values` are probabilities, `[n_classes]`."""

    values: NDArray[np.float32]

    @cached_property
    def probabilities(self) -> Mapping[str, Mapping[str, float]]:
        """Each attribute's classes to their probabilities in [0, 1], which sum to 1."""
        return {
            name: {label: float(self.values[place]) for label, place in places.items()}
            for name, places in _PLACES.items()
        }

    @cached_property
    def _highest(self) -> list[float]:
        highest: list[float] = np.maximum.reduceat(self.values, STARTS).tolist()
        return highest

    def gaps(self, query: Query) -> dict[str, float]:
        """Return how far each of a query's classes is from the expected one, high = surprising.

        The figure is log max p - log p(class of the query), in [0, `LARGEST_GAP`]; 0 where the
        query has the most probable class. Empty for a query without SELECT.
        """
        return self.gaps_of(observed(query))

    def gaps_of(self, classes: Mapping[str, str]) -> dict[str, float]:
        """Return the gaps of classes that are known already; see `gaps`."""
        if not classes:
            return {}
        seen = [_PLACES[name][classes[name]] for name in _PLACES]
        ratios = np.maximum(self.values[seen], 1e-30) / np.array(self._highest, np.float32)
        gaps = np.minimum(-np.log(ratios), LARGEST_GAP)
        return dict(zip(_PLACES, np.round(np.abs(gaps).astype(float), 6).tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class ShapeModel:
    """The weights; see `ShapeModel.expect`.

    Attributes
    ----------
    known
        Words that are not masked.
    vocabulary
        Feature to row.
    weights : array of int8, [n_features, n_classes]
    scales : array of float32, [n_classes]
        What one unit of a weight is worth.
    bias : array of float32, [n_classes]
    temperatures : array of float32, [n_attributes]
        What the words add to the bias is divided by them, see `calibrated`.
    length
        Euclidean length of a question's row of features.
    """

    known: frozenset[str]
    vocabulary: Mapping[str, int]
    weights: NDArray[np.int8]
    scales: NDArray[np.float32]
    bias: NDArray[np.float32]
    temperatures: NDArray[np.float32]
    length: float

    def expect(self, question: str, evidence: str | None) -> ShapeExpectation | None:
        """Return the probabilities of each attribute's classes.

        None where the question cannot be read: it has fewer than `FEWEST_WORDS` words, or less
        than `LEAST_KNOWN` of them are known, as in another language.
        """
        words = read_words(question)
        share, number = known_share(words, self.known)
        if number < FEWEST_WORDS or share < LEAST_KNOWN:
            return None
        rows = self.rows(words, read_evidence(evidence or ""))
        return ShapeExpectation(
            softmax(calibrated(self.logits(rows), self.bias, self.temperatures))
        )

    def rows(self, words: Sequence[tuple[str, bool]], evidence: Sequence[str]) -> list[int]:
        """Return the rows of a question's features, each once, in ascending order."""
        at = self.vocabulary
        return sorted([at[name] for name in features(words, evidence, self.known) if name in at])

    def logits(self, rows: Sequence[int]) -> NDArray[np.float32]:
        """Return the logits of a question with these features, `[n_classes]`."""
        total = self.weights[list(rows)].sum(axis=0, dtype=np.int64).astype(np.float32)
        scale = np.float32(self.length / max(len(rows), 1) ** 0.5)
        logits: NDArray[np.float32] = total * self.scales * scale + self.bias
        return logits

    def save(self, path: Path) -> None:
        """Write the model as arrays; the same model gives the same bytes."""
        ordered = sorted(self.vocabulary, key=self.vocabulary.__getitem__)
        arrays: dict[str, Any] = {
            "format": np.array([FORMAT], np.int32),
            "layout": _text_array(_LAYOUT),
            "known": _text_array("\n".join(sorted(self.known))),
            "vocabulary": _text_array("\n".join(ordered)),
            "weights": self.weights,
            "scales": self.scales,
            "bias": self.bias,
            "temperatures": self.temperatures,
            "length": np.array([self.length], np.float32),
        }
        held = io.BytesIO()
        np.savez_compressed(held, allow_pickle=False, **arrays)
        path.write_bytes(held.getvalue())

    @classmethod
    def load(cls, path: Path) -> ShapeModel:
        """Read a model.

        Raises DetectorError where the file is none, or one of other attributes than these.
        """
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
                held = {name: arrays[name] for name in arrays.files}
            if int(held["format"][0]) != FORMAT or _text(held["layout"]) != _LAYOUT:
                raise DetectorError(f"{path.name}: an expectation of another version")
            vocabulary = _text(held["vocabulary"]).split("\n")
            return cls(
                known=frozenset(_text(held["known"]).split("\n")),
                vocabulary={name: at for at, name in enumerate(vocabulary)},
                weights=held["weights"].reshape(len(vocabulary), N_CLASSES).astype(np.int8),
                scales=held["scales"].reshape(N_CLASSES).astype(np.float32),
                bias=held["bias"].reshape(N_CLASSES).astype(np.float32),
                temperatures=held["temperatures"].reshape(len(SIZES)).astype(np.float32),
                length=float(held["length"][0]),
            )
        except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
            raise DetectorError(f"{path.name}: not an expectation: {error}") from None


def calibrated(
    logits: NDArray[np.float32], bias: NDArray[np.float32], temperatures: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return logits `[..., n_classes]` in which words count as much as they should.

    What they add to the bias is divided by the attribute's temperature, so that a high one leaves
    how common the classes are. `bias` is `[..., n_classes]`, `temperatures` `[n_attributes]`.
    """
    return (logits - bias) / temperatures[_ATTRIBUTE_OF] + bias


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return probabilities by attribute, `[..., n_classes]`, from logits of the same shape."""
    highest = np.maximum.reduceat(logits, STARTS, axis=-1)[..., _ATTRIBUTE_OF]
    powers: NDArray[np.float32] = np.exp(logits - highest)
    sums = np.add.reduceat(powers, STARTS, axis=-1)[..., _ATTRIBUTE_OF]
    return np.asarray(powers / sums, np.float32)


def quantized(
    weights: NDArray[np.floating],
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return weights `[n_features, n_classes]` as int8 and what one unit of a class is worth."""
    largest = np.maximum(np.abs(weights).max(axis=0, initial=0.0), 1e-6)
    scales = (largest / 127).astype(np.float32)
    return np.clip(np.rint(weights / scales), -127, 127).astype(np.int8), scales


def _text_array(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), np.uint8)


def _text(array: NDArray[np.uint8]) -> str:
    return array.astype(np.uint8).tobytes().decode("utf-8")
