"""What the strict detector's weights are worth on benchmark databases that were left out.

    python -m experiments.packaged_detector.strict DATA --out experiments/packaged_detector/results

Each database is scored by weights and a calibration that were learned without it; means over
systems, executable queries whose label says something, one query at a time, and with the other
systems' queries as candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from clausewise.labeling import OutsideVotes
from clausewise.models import packaged_detector
from clausewise.models.agreement import DISAGREEMENT, VOICES, added
from clausewise.models.calibration.alarms import DEFAULT_ALARMS
from clausewise.models.prior import estimate_share, share_shift
from clausewise.models.probability import sigmoid
from clausewise.models.table import FeatureTable
from clausewise.signals.reasons import BASE_SHARE
from clausewise.types import Inspection, Strictness
from experiments.common.data import BENCHMARKS
from experiments.common.results import Cell, write_csv
from experiments.common.workspace import Workspace, parser
from experiments.packaged_detector.learning import (
    Floats,
    fitted_line,
    learned_weights,
    sample_of,
    thresholds,
)
from experiments.world.measures import area, ece, recall_at

STRICT = Strictness.STRICT


def rows(workspace: Workspace) -> Iterator[dict[str, Cell]]:
    """Yield the means over systems for each benchmark."""
    space = packaged_detector(conventions=STRICT).learned_.space
    none = OutsideVotes(())

    def table_of(items: Sequence[Inspection]) -> FeatureTable:
        return space.table(items, space.label_matrix(items, none), none)

    systems = [one for name in BENCHMARKS for one in workspace.systems(name)]
    sample = sample_of(systems, table_of)
    names = np.array([one.name for one in systems for _ in one.labeled()])
    p = np.zeros(len(names))
    called = np.zeros(len(names), dtype=bool)
    for database in np.unique(sample.databases).tolist():
        here = sample.databases == database
        rest = sample.rows(~here)
        classifier = learned_weights(rest, STRICT)
        own = classifier.log_odds(rest.table)
        line = fitted_line(own, rest.incorrect, rest.weights())
        points = thresholds(rest, sigmoid(line.slope * own + line.shift))
        (point,) = (one for one in points if one.alarms == DEFAULT_ALARMS)
        p[here] = line.slope * classifier.log_odds(sample.table.rows(here)) + line.shift
        called[here] = sigmoid(p[here]) >= point.threshold
    full = [one for name in BENCHMARKS for one in workspace.systems(name, candidates=True)]
    with_candidates = p + added(p, *_agreement([item for one in full for item in one.labeled()]))
    for benchmark in BENCHMARKS:
        found = []
        for name in np.unique(names[sample.populations == benchmark]).tolist():
            chosen = (sample.populations == benchmark) & (names == name)
            wrong, log_odds = sample.incorrect[chosen] > 0.5, p[chosen]
            share = share_shift(BASE_SHARE, float(wrong.mean()))
            databases = len(set(sample.databases[chosen].tolist()))
            told = estimate_share(sigmoid(log_odds), BASE_SHARE, databases).share
            told_shift = share_shift(BASE_SHARE, told)
            found.append(
                (
                    area(wrong, log_odds),
                    recall_at(wrong, log_odds, 0.05),
                    float(called[chosen][~wrong].mean()),
                    float(called[chosen][wrong].mean()),
                    ece(wrong, sigmoid(log_odds)),
                    ece(wrong, sigmoid(log_odds + share)),
                    ece(wrong, sigmoid(log_odds + told_shift)),
                    float(wrong.mean()),
                    told,
                    area(wrong, with_candidates[chosen]),
                )
            )
        columns = (
            "auc",
            "recall_at_5",
            "right_called",
            "wrong_called",
            "ece",
            "ece_at_own_share",
            "ece_at_estimated_share",
            "share",
            "share_estimated",
            "auc_with_candidates",
        )
        means = np.mean(found, axis=0).tolist()
        yield {
            "benchmark": benchmark,
            "systems": len(found),
            **dict(zip(columns, means, strict=True)),
        }


def _agreement(items: Sequence[Inspection]) -> tuple[Floats, Floats]:
    """Return `[n]` disagreement of the candidates and `[n]` independent voices."""
    return (
        np.array([item.agreement.get(DISAGREEMENT, 0.0) for item in items]),
        np.array([item.agreement.get(VOICES, 0.0) for item in items]),
    )


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    found = list(rows(workspace))
    write_csv(workspace.out / "strict.csv", found)
    for row in found:
        print(row)


if __name__ == "__main__":
    main()
