"""Training the model of a query's shape on gold pairs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import ClausewiseError
from clausewise.expectation.fitting import (
    feature_matrix,
    fitted,
    groups_having,
    target_matrix,
    vocabulary_of,
)
from clausewise.expectation.observed import observed
from clausewise.expectation.shape import SIZES, ShapeModel, quantized
from clausewise.expectation.wording import features, read_evidence, read_words
from clausewise.sql import parse
from experiments.expectation.common import case_weights, group_of
from experiments.expectation.pairs import Pair
from experiments.expectation.rewording import reworded

LEAST_GROUPS_OF_A_WORD = 12
LEAST_GROUPS_OF_A_FEATURE = 3
MOST_FEATURES = 12_000
LENGTH = 5.0
PENALTY = 0.0005


@dataclass(frozen=True)
class Example:
    """One pair that could be parsed: its words, its classes, and what it is left out with."""

    pair: Pair
    group: str
    words: tuple[tuple[str, bool], ...]
    evidence: tuple[str, ...]
    classes: dict[str, str]


def examples_of(pairs: Sequence[Pair]) -> list[Example]:
    """Return what can be learned from: pairs whose query parses, in input order."""
    found = []
    for pair in pairs:
        try:
            query = parse(pair.sql, pair.dialect, pair.schema.names())
        except ClausewiseError:
            continue
        classes = observed(query)
        if classes:
            words, evidence = read_words(pair.question), read_evidence(pair.evidence)
            found.append(Example(pair, group_of(pair), tuple(words), tuple(evidence), classes))
    return found


def with_rewordings(examples: Sequence[Example]) -> list[Example]:
    """Return the examples, and behind them other wordings of some of their questions."""
    others = [
        dataclasses.replace(of, words=tuple(read_words(text)))
        for of in examples
        if (text := reworded(of.pair.question)) is not None
    ]
    return [*examples, *others]


def trained(examples: Sequence[Example], penalty: float = PENALTY) -> ShapeModel:
    """Return the model of these examples and of their rewordings, without temperatures."""
    examples = with_rewordings(examples)
    groups = [example.group for example in examples]
    spoken = [{word for word, _ in of.words} | set(of.evidence) for of in examples]
    having = groups_having(groups, spoken)
    known = frozenset(
        word
        for word, of in having.items()
        if word[0].isalpha() and len(of) >= LEAST_GROUPS_OF_A_WORD
    )
    named = [features(of.words, of.evidence, known) for of in examples]
    vocabulary = vocabulary_of(groups, named, LEAST_GROUPS_OF_A_FEATURE, MOST_FEATURES)
    rows = [sorted(vocabulary[name] for name in of if name in vocabulary) for of in named]
    weights, bias = fitted(
        feature_matrix(rows, len(vocabulary), LENGTH),
        target_matrix(of.classes for of in examples),
        case_weights(groups),
        penalty,
    )
    small, scales = quantized(weights)
    return ShapeModel(
        known=known,
        vocabulary=vocabulary,
        weights=small,
        scales=scales,
        bias=bias.astype(np.float16).astype(np.float32),
        temperatures=np.ones(len(SIZES), np.float32),
        length=LENGTH,
    )


def logits_of(model: ShapeModel, examples: Sequence[Example]) -> NDArray[np.float32]:
    """Return a model's logits of examples, `[n, n_classes]`, before temperatures."""
    found = [model.logits(model.rows(of.words, of.evidence)) for of in examples]
    return np.array(found, np.float32).reshape(len(examples), -1)
