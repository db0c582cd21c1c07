"""How well probabilities are calibrated, and decisions made of them, with few labels or none.

    python -m experiments.calibration.run DATA --out experiments/calibration/results

For each system a detector starts from one trained on the other benchmark and is fitted on the
system's own predictions (additive classifier); k labels, drawn at random, serve calibration and the
threshold only, and all figures are taken on the other cases, those that run.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from clausewise.evaluation import ReliabilityBin, evaluate
from clausewise.evaluation.measuring import Sample, measure
from clausewise.evaluation.reliability import reliability
from clausewise.models import Costs, Detector, within_risk
from clausewise.types import ScoredCase, Verdict
from experiments.common.data import System, question_of
from experiments.common.parallel import without_label_warnings
from experiments.common.plots import COLORS, save
from experiments.common.results import Cell, grouped, number, read_csv, write_csv, write_report
from experiments.common.starts import starts
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser

LABELS = (0, 25, 100, 400)
METRICS = ("ece", "brier", "f1", "auc")
SHOWN = {
    "ece": "ECE", "ece_by_chance": "ECE by chance", "brier": "Brier", "f1": "F1", "auc": "AUC",
}  # fmt: skip
RISKS = (0.05, 0.1, 0.2)
MISSES = (1.0, 3.0, 10.0)
"""Costs of a miss, that of a false alarm being 1."""
THRESHOLDS = ("stated", "half", "best")
TRUTHS = 50
"""Truths drawn from the probabilities, for the ECE by chance."""
FEWEST_JUDGED = 100
"""A system with fewer cases left to judge is left out of that row."""


@dataclass(frozen=True)
class Drawn:
    """The scored cases of one system whose labels were not drawn, and the truth of each."""

    scored: list[ScoredCase]
    incorrect: list[bool]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """`[n]` probabilities of being incorrect."""
        return np.array([1.0 - (case.p_correct or 0.0) for case in self.scored])

    def metrics(self) -> dict[str, float]:
        """Return the figures of `METRICS`."""
        labels = {
            question_of(case): not wrong
            for case, wrong in zip(self.scored, self.incorrect, strict=True)
        }
        found: Any = evaluate(self.scored, labels, bootstrap=2).to_dict()
        return {
            **{name: float(found[name]) for name in METRICS},
            "ece_by_chance": self.ece_by_chance(),
        }

    def ece_by_chance(self) -> float:
        """Return the mean ECE on truths drawn from the probabilities: what bins cannot go below."""
        generator = np.random.default_rng(0)
        predicted = self.probabilities
        draws = [
            Sample(generator.random(len(predicted)) < predicted, predicted, probability=True)
            for _ in range(TRUTHS)
        ]
        return statistics.mean(measure(of, bootstrap=0)["ece"].value or 0.0 for of in draws)

    def at_risk(self, risk: float) -> tuple[float, float]:
        """Return which share is answered under this expected risk, and how much of it wrongly."""
        marked = within_risk(self.scored, risk)
        wrong = [
            (case.verdict is Verdict.INCORRECT) != truth
            for case, truth in zip(marked, self.incorrect, strict=True)
            if not case.abstained
        ]
        return len(wrong) / len(marked), statistics.mean(wrong) if wrong else 0.0

    def cost(self, miss: float) -> tuple[float, float, float]:
        """Return the mean cost at the threshold that the costs settle, at 0.5, and at the best."""
        predicted, truth = self.probabilities, np.array(self.incorrect)

        def at(threshold: float) -> float:
            called = predicted >= threshold
            return float((miss * (truth & ~called) + (~truth & called)).mean())

        best = min(at(value) for value in (*np.unique(predicted).tolist(), 2.0))
        return at(Costs(miss).threshold), at(0.5), best


def draw(system: System, start: str, labels: int, seed: int) -> Drawn | None:
    """Score one system with a detector that was given some labels; None where few are left."""
    items = system.labeled()
    if len(items) - labels < FEWEST_JUDGED:
        return None
    drawn = set(np.random.default_rng(seed).permutation(len(items))[:labels].tolist())
    used = {items[i].case.question_id: system.labels[items[i].case.question_id] for i in drawn}
    detector = Detector(label_model="weighted", classifier="additive", start=start)
    scored = detector.fit_inspections(items, used or None).score_inspections(items)
    kept = [case for i, case in enumerate(scored) if i not in drawn]
    return Drawn(kept, [not system.labels[question_of(case)] for case in kept])


def means(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of each column."""
    return [statistics.mean(column) for column in zip(*rows, strict=True)]


def curve(found: Sequence[Drawn]) -> tuple[ReliabilityBin, ...]:
    """Return the reliability bins over the cases of all systems and draws."""
    predicted = np.concatenate([of.probabilities for of in found])
    incorrect = np.concatenate([np.array(of.incorrect, dtype=bool) for of in found])
    return reliability(Sample(incorrect, predicted, probability=True))


def measured(found: Sequence[Drawn]) -> dict[str, Cell]:
    """Return the figures of one benchmark and number of labels, means over systems and draws."""
    metrics = [of.metrics() for of in found]
    columns: dict[str, Cell] = {"runs": len(found)}
    columns |= {name: statistics.mean(row[name] for row in metrics) for name in metrics[0]}
    for risk in RISKS:
        coverage, wrong = means([of.at_risk(risk) for of in found])
        columns |= {f"coverage_at_risk_{risk:g}": coverage, f"wrong_at_risk_{risk:g}": wrong}
    for miss in MISSES:
        costs = means([of.cost(miss) for of in found])
        names = [f"cost_of_miss_{miss:g}_{threshold}" for threshold in THRESHOLDS]
        columns |= dict(zip(names, costs, strict=True))
    return columns


def bins_of(found: Sequence[Drawn]) -> list[dict[str, Cell]]:
    """Return the reliability curve as rows."""
    return [
        {"bin": place, "n": of.n, "predicted": of.predicted, "incorrect": of.incorrect}
        for place, of in enumerate(curve(found), start=1)
    ]


def report(folder: Path) -> str:
    """Return the three tables as Markdown."""
    rows = [([row["benchmark"], row["labels"]], row) for row in read_csv(folder / "results.csv")]
    calibration = [[*key, *(f"{number(row, name):.3f}" for name in SHOWN)] for key, row in rows]
    risk = [
        [*key, *(f"{number(row, f'coverage_at_risk_{risk:g}'):.2f}: "
                 f"{number(row, f'wrong_at_risk_{risk:g}'):.3f}" for risk in RISKS)]
        for key, row in rows
    ]  # fmt: skip
    cost = [
        [*key, *(" / ".join(f"{number(row, f'cost_of_miss_{miss:g}_{threshold}'):.3f}"
                            for threshold in THRESHOLDS) for miss in MISSES)]
        for key, row in rows
    ]  # fmt: skip
    head = ["benchmark", "labels"]
    return "\n".join(
        [
            "# Results\n",
            markdown_table([*head, *SHOWN.values()], calibration),
            "## Answered under a tolerated risk\n\nShare of the cases answered: share of wrong "
            "verdicts among them.\n",
            markdown_table([*head, *(f"risk {risk:g}" for risk in RISKS)], risk),
            "## Mean cost of a case\n\nAt the threshold that the costs settle / at 0.5 / at the "
            "best threshold, chosen with the labels of these cases.\n",
            markdown_table([*head, *(f"miss {miss:g}" for miss in MISSES)], cost),
        ]
    )


def plot(folder: Path) -> None:
    """Draw a panel for each benchmark, a curve for each number of labels."""
    panels = grouped(read_csv(folder / "reliability.csv"), "benchmark")
    figure, axes = plt.subplots(
        1, len(panels), figsize=(1 + 3.6 * len(panels), 3.8), squeeze=False, layout="constrained"
    )
    for area, ((name,), rows) in zip(axes[0], panels.items(), strict=True):
        area.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle="--")
        for color, ((labels,), bins) in zip(COLORS, grouped(rows, "labels").items(), strict=False):
            area.plot(
                [number(row, "predicted") for row in bins],
                [number(row, "incorrect") for row in bins],
                marker="o",
                markersize=3.5,
                linewidth=1.2,
                color=color,
                label=f"{labels} labels",
            )
        area.set(title=name, xlabel="predicted probability of an error", xlim=(0, 1), ylim=(0, 1))
        area.set_ylabel("share incorrect")
        area.legend(frameon=False)
    save(figure, folder / "reliability.png")


def main() -> None:
    """Run the experiment and write its results."""
    arguments = parser(__doc__)
    arguments.add_argument("--draws", type=int, default=3)
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    without_label_warnings()
    rows: list[dict[str, Cell]] = []
    curves: list[dict[str, Cell]] = []
    with starts(workspace) as made:
        for name in workspace.benchmarks:
            for labels in LABELS:
                found = [
                    of
                    for system in workspace.systems(name)
                    for seed in range(parsed.draws if labels else 1)
                    if (of := draw(system, made[name], labels, seed)) is not None
                ]
                if found:
                    key: dict[str, Cell] = {"benchmark": name, "labels": labels}
                    rows.append(key | measured(found))
                    curves += [key | of for of in bins_of(found)]
                    print(rows[-1], flush=True)
    write_csv(workspace.out / "results.csv", rows)
    write_csv(workspace.out / "reliability.csv", curves)
    write_report(workspace.out, report)
    plot(workspace.out)


if __name__ == "__main__":
    main()
