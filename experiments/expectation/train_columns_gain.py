"""What the gaps of columns add to the scores of the signals and the shape of the query.

    python -m experiments.expectation.train_columns_gain DATA --out RESULTS [--weights FILE]

A regularized logistic regression is fitted on all databases with labeled predictions but one, and
scores that one, with and without the gaps. Labels that say nothing (`vacuous`) are left out. The
model of columns has seen none of these databases.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from clausewise.databases import BaseDatabase
from clausewise.expectation.columns_gaps import GAPS
from clausewise.expectation.columns_model import model_of, packaged_model
from clausewise.signals.context import Context
from clausewise.signals.linking.expected_columns import expected_column_gaps
from clausewise.sql import parse
from clausewise.types import Inspection
from experiments.common.workspace import Workspace, parser

Values = NDArray[np.float64]
RIDGE = 0.01
"""Inverse strength of the regularization, as in the measurements without the gaps."""


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--weights", type=Path, help="weights to measure; default: the packaged ones")
    arguments = made.parse_args()
    workspace = Workspace.of(arguments)
    model = packaged_model()
    if arguments.weights is not None:
        with np.load(arguments.weights, allow_pickle=False) as saved:
            model = model_of(dict(saved))
    with patch("clausewise.expectation.columns.packaged_model", lambda: model):
        table = _Table(workspace)
    rows = []
    for name, columns in table.choices().items():
        rows += [{"features": name, **row} for row in table.scored(columns)]
    rows += table.alone()
    with (arguments.out / "columns_gain.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print(row)


class _Table:
    """Every labeled prediction: what describes it, its label and where it is from."""

    def __init__(self, workspace: Workspace) -> None:
        self.rows: list[tuple[str, str, str, bool]] = []
        values: list[list[float]] = []
        gaps: list[list[float]] = []
        for benchmark in workspace.benchmarks:
            folder = workspace.benchmark(benchmark)
            databases = folder.databases
            known: dict[tuple[str, str], list[float]] = {}
            for system in workspace.systems(benchmark):
                for item in system.labeled():
                    place = (benchmark, system.name, item.case.db_id, system.is_incorrect(item))
                    self.rows.append(place)
                    values.append(_described(item))
                    key = (str(item.case.question_id), item.case.predicted_sql)
                    if key not in known:
                        known[key] = _gaps_of(item, databases.get(item.case.db_id))
                    gaps.append(known[key])
        self.base = np.array(values)
        self.gaps = np.array(gaps)
        self.wrong = np.array([row[3] for row in self.rows])

    def choices(self) -> Mapping[str, Values]:
        """Return what is compared: without the gaps, with all, and with all but one kind."""
        found = {
            "scores and shape": self.base,
            "and gaps of columns": np.hstack([self.base, self.gaps]),
            "gaps of columns": self.gaps,
        }
        for at in range(0, len(GAPS), 2):
            name = GAPS[at].removesuffix("_missing")
            rest = np.delete(self.gaps, [at, at + 1], axis=1)
            found[f"all without {name}"] = np.hstack([self.base, rest])
        return found

    def scored(self, columns: Values) -> list[dict[str, object]]:
        """Return the mean AUC over systems where each database is scored without its labels."""
        names = np.array([row[2] for row in self.rows])
        odds = np.zeros(len(self.rows))
        for name in sorted(set(names.tolist())):
            inside = names != name
            made = make_pipeline(StandardScaler(), LogisticRegression(C=RIDGE, max_iter=2_000))
            made.fit(columns[inside], self.wrong[inside])
            odds[~inside] = made.decision_function(columns[~inside])
        return self._means(odds)

    def alone(self) -> list[dict[str, object]]:
        """Return the AUC of each gap by itself."""
        return [
            {"features": name, **row}
            for at, name in enumerate(GAPS)
            for row in self._means(self.gaps[:, at])
        ]

    def _means(self, odds: Values) -> list[dict[str, object]]:
        found = []
        for benchmark in sorted({row[0] for row in self.rows}):
            aucs = []
            for system in sorted({row[1] for row in self.rows if row[0] == benchmark}):
                kept = np.array([row[:2] == (benchmark, system) for row in self.rows])
                aucs.append(roc_auc_score(self.wrong[kept], odds[kept]))
            mean = round(float(np.mean(aucs)), 4)
            found.append({"benchmark": benchmark, "systems": len(aucs), "auc": mean})
        return found


def _gaps_of(item: Inspection, database: BaseDatabase) -> list[float]:
    """Return the gaps of a prediction, in the order of `GAPS`."""
    case = item.case
    query = parse(case.predicted_sql, tables=database.schema.names())
    found = expected_column_gaps(Context(case, query, database, None))
    return [found.get(name, 0.0) for name in GAPS]


def _described(item: Inspection) -> list[float]:
    """Return the largest score of each signal and the shape on a logarithmic scale."""
    scores: Sequence[float] = [
        max((finding.score or 0.0 for finding in outcome.findings), default=0.0)
        for _, outcome in sorted(item.outcomes.items())
    ]
    shape = [float(np.log1p(value)) for _, value in sorted(item.shape.items())]
    return [*scores, *shape]


if __name__ == "__main__":
    main()
