"""Fitting the model of a query's shape: penalized likelihood, all attributes at once.

`scipy` is imported where it is used: what only reads a model does not need it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.attributes import ATTRIBUTES
from clausewise.expectation.shape import N_CLASSES, SIZES, STARTS, softmax

_TINY = 1e-9
_STEPS = 60


def feature_matrix(rows: Sequence[Sequence[int]], n_features: int, length: float) -> Any:
    """Return a sparse matrix `[n, n_features]`; each row has the Euclidean length `length`."""
    from scipy.sparse import csr_matrix

    sizes = [len(row) for row in rows]
    values = np.repeat([length / max(size, 1) ** 0.5 for size in sizes], sizes).astype(np.float32)
    columns = np.array([at for row in rows for at in row], np.int32)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return csr_matrix((values, columns, ends), shape=(len(rows), n_features))


def target_matrix(classes: Iterable[Mapping[str, str]]) -> NDArray[np.float32]:
    """Return which class of each attribute holds, `[n, n_classes]`, one 1 for each attribute."""
    places = {
        (name, label): int(start) + at
        for (name, attribute), start in zip(ATTRIBUTES.items(), STARTS, strict=True)
        for at, label in enumerate(attribute.classes)
    }
    found = [[places[name, of[name]] for name in ATTRIBUTES] for of in classes]
    targets = np.zeros((len(found), N_CLASSES), np.float32)
    for row, columns in enumerate(found):
        targets[row, columns] = 1.0
    return targets


def fitted(
    matrix: Any,
    targets: NDArray[np.float32],
    case_weights: NDArray[np.float32],
    penalty: float,
    start: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
    bias_penalty: float = 0.0,
    steps: int = _STEPS,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return weights `[n_features, n_classes]` and bias `[n_classes]`.

    Minimizes the weighted mean log loss, summed over attributes, and half the penalty times the
    squared distance of the weights to `start`; without one, to zero, and the bias is free.

    Parameters
    ----------
    matrix
        Features, `[n, n_features]`.
    targets : array, [n, n_classes]
    case_weights : array, [n]
        Not negative.
    penalty, bias_penalty
        Not negative; of the weights, and of the bias to that of `start`.
    steps
        Most iterations of L-BFGS.
    """
    from scipy.optimize import minimize

    n_features = matrix.shape[1]
    total = float(case_weights.sum())
    if start is None:
        shares = (case_weights @ targets + 1.0) / (total + np.repeat(SIZES, SIZES))
        start = (np.zeros((n_features, N_CLASSES), np.float32), np.log(shares).astype(np.float32))
    center, center_bias = start
    transposed = matrix.T.tocsr()
    split = n_features * N_CLASSES

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = point[:split].reshape(n_features, N_CLASSES).astype(np.float32)
        bias = point[split:].astype(np.float32)
        expected = softmax(matrix @ weights + bias)
        away, bias_away = weights - center, bias - center_bias
        told = np.log(np.maximum((expected * targets), _TINY), where=targets > 0,
                      out=np.zeros_like(expected))  # fmt: skip
        value = -float((told.sum(axis=1) @ case_weights) / total)
        value += penalty / 2 * float((away * away).sum())
        value += bias_penalty / 2 * float((bias_away * bias_away).sum())
        residual = (expected - targets) * (case_weights[:, None] / total)
        slope = np.concatenate(
            [
                (transposed @ residual + penalty * away).ravel(),
                residual.sum(axis=0) + bias_penalty * bias_away,
            ]
        )
        return value, slope.astype(np.float64)

    first = np.concatenate([center.ravel(), center_bias]).astype(np.float64)
    found = minimize(
        loss, first, jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxcor": 6}
    )
    point = found.x.astype(np.float32)
    return point[:split].reshape(n_features, N_CLASSES), point[split:]


def temperatures_of(
    logits: NDArray[np.float32],
    bias: NDArray[np.float32],
    targets: NDArray[np.float32],
    case_weights: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the temperature of each attribute with which log loss is lowest; see `calibrated`.

    Parameters
    ----------
    logits, bias, targets : array, [n, n_classes]
        Of cases that the weights were not fitted on, with the bias of the model that gave them.
    case_weights : array, [n]
    """
    from scipy.optimize import minimize_scalar

    found = []
    for start, size in zip(STARTS, SIZES, strict=True):
        part = slice(int(start), int(start) + size)
        usual, truth = bias[:, part], targets[:, part]
        added = logits[:, part] - usual

        def loss(
            log_temperature: float,
            added: NDArray[np.float32] = added,
            usual: NDArray[np.float32] = usual,
            truth: NDArray[np.float32] = truth,
        ) -> float:
            scaled = added / np.exp(log_temperature) + usual
            scaled = scaled - scaled.max(axis=1, keepdims=True)
            spread = np.log(np.exp(scaled).sum(axis=1))
            return float(((spread - (scaled * truth).sum(axis=1)) * case_weights).sum())

        found.append(np.exp(minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded").x))
    return np.array(found, np.float32).round(3)


def vocabulary_of(
    groups: Sequence[str], cases: Sequence[Iterable[str]], least_groups: int, most: int
) -> dict[str, int]:
    """Return the features that at least so many groups have, the commonest ones, to their rows."""
    having = groups_having(groups, cases)
    kept = [name for name, of in having.items() if len(of) >= least_groups]
    kept.sort(key=lambda name: (-len(having[name]), name))
    return {name: at for at, name in enumerate(sorted(kept[:most]))}


def groups_having(groups: Sequence[str], cases: Sequence[Iterable[str]]) -> Mapping[str, set[str]]:
    """Return for each word or feature the groups that have it."""
    having: dict[str, set[str]] = defaultdict(set)
    for group, names in zip(groups, cases, strict=True):
        for name in names:
            having[name].add(group)
    return having
