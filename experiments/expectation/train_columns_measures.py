"""What the model of columns is worth on databases that it has not seen, and its calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import average_precision_score, roc_auc_score

from clausewise.expectation.columns_used import ROLES
from experiments.expectation.train_columns_data import Example
from experiments.expectation.train_columns_network import ColumnNetwork, batch_of

Values = NDArray[np.float64]
OUTPUTS = (*ROLES, "table")
NOT_CALIBRATED_ON = frozenset({"beaver", "ehrsql", "fiben", "statbot_swiss_en"})
"""Sources whose names or questions are unlike those of other databases."""
ALL, USUAL = "all", "all but beaver, ehrsql, fiben, statbot"
_BATCH = 32
_FEWEST = 5


@dataclass(frozen=True)
class Predicted:
    """Log-odds and labels of one output on held-out databases, one entry for each column."""

    log_odds: Values
    labels: Values
    weights: Values
    sources: NDArray[np.str_]
    questions: NDArray[np.int64]


def predicted(
    network: ColumnNetwork, data: Sequence[Example], known: Mapping[str, int]
) -> dict[str, Predicted]:
    """Return what the network says of examples, by output; entries that are not known left out."""
    order = sorted(range(len(data)), key=lambda at: len(data[at].labels))
    found: dict[str, list[tuple[Values, Values, float, str, int]]] = {name: [] for name in OUTPUTS}
    with torch.no_grad():
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            roles, tables = network(batch_of([data[at] for at in part], known, None))
            for row, at in enumerate(part):
                item = data[at]
                place = (item.weight, item.source, at)
                for number, name in enumerate(ROLES):
                    there = item.labels[:, number] >= 0
                    values = roles[row, : len(item.labels), number].numpy()[there]
                    found[name].append((values, item.labels[there, number].astype(float), *place))
                values = tables[row, : len(item.tables)].numpy()
                found["table"].append((values, item.tables.astype(float), *place))
    return {name: _joined(parts) for name, parts in found.items()}


def _joined(parts: Sequence[tuple[Values, Values, float, str, int]]) -> Predicted:
    sizes = [len(part[0]) for part in parts]
    return Predicted(
        np.concatenate([part[0] for part in parts]).astype(np.float64),
        np.concatenate([part[1] for part in parts]).astype(np.float64),
        np.repeat([part[2] for part in parts], sizes),
        np.repeat([part[3] for part in parts], sizes),
        np.repeat([part[4] for part in parts], sizes),
    )


def scales_of(found: Mapping[str, Predicted]) -> Values:
    """Return the slope and offset of each output that fit held-out databases best, `[5, 2]`."""
    made = []
    for name in OUTPUTS:
        item = found[name]
        kept = ~np.isin(item.sources, sorted(NOT_CALIBRATED_ON))
        made.append(_scale(item.log_odds[kept], item.labels[kept], item.weights[kept]))
    return np.array(made)


def _scale(values: Values, labels: Values, weights: Values) -> Values:
    def loss(parameters: Values) -> float:
        logits = parameters[0] * values + parameters[1]
        return float((weights * (np.logaddexp(0, logits) - labels * logits)).sum() / weights.sum())

    fitted: Values = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return fitted


def measures(found: Mapping[str, Predicted], scales: Values) -> list[dict[str, object]]:
    """Return a row of figures for each output and source, and for all sources together."""
    rows: list[dict[str, object]] = []
    for number, name in enumerate(OUTPUTS):
        item = found[name]
        for source in (ALL, USUAL, *sorted(set(item.sources.tolist()))):
            kept = item.sources == source
            if source in (ALL, USUAL):
                kept = ~np.isin(item.sources, sorted(NOT_CALIBRATED_ON if source == USUAL else ()))
            labels = item.labels[kept]
            if labels.sum() < _FEWEST or labels.all():
                continue
            values = item.log_odds[kept]
            calibrated = values * scales[number, 0] + scales[number, 1]
            questions = len(set(item.questions[kept].tolist()))
            rows.append(
                {
                    "use": name,
                    "source": source,
                    "questions": questions,
                    "used": int(labels.sum()),
                    "auc": round(float(roc_auc_score(labels, values)), 4),
                    "average_precision": round(float(average_precision_score(labels, values)), 4),
                    "log_loss": round(_log_loss(values, labels) / questions, 4),
                    "log_loss_calibrated": round(_log_loss(calibrated, labels) / questions, 4),
                }
            )
    return rows


def _log_loss(logits: Values, labels: Values) -> float:
    """Return the log loss in nats, summed over all entries."""
    return float((np.logaddexp(0, logits) - labels * logits).sum())
