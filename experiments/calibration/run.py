"""How well probabilities are calibrated, and decisions made of them, with few labels or none.

    python -m experiments.calibration.run DATA --out experiments/calibration/results

For each system a detector starts from one trained on the other benchmark and is fitted on the
system's own predictions (additive classifier); k labels, drawn at random, serve calibration and the
threshold only, and all figures are taken on the other cases, those that run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from clausewise.evaluation import ReliabilityBin, evaluate
from clausewise.evaluation.measuring import Sample, measure
from clausewise.evaluation.reliability import reliability
from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Costs, Detector, within_risk
from clausewise.signals import select_signals
from clausewise.types import CaseStatus, Inspection, ScoredCase, Verdict
from experiments.cache import add_arguments, alone, inspected
from experiments.data import Benchmark, System
from experiments.plots import COLOURS, save
from experiments.starts import starts
from experiments.tables import markdown

LABELS = (0, 25, 100, 400)
METRICS = ("ece", "brier", "f1", "auc")
SHOWN = ("ece", "ece_by_chance", "brier", "f1", "auc")
RISKS = (0.05, 0.1, 0.2)
MISSES = (1.0, 3.0, 10.0)
"""Costs of a miss, that of a false alarm being 1."""
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
    def probabilities(self) -> np.ndarray:
        """`[n]` probabilities of being incorrect."""
        return np.array([1.0 - (case.p_correct or 0.0) for case in self.scored])

    def metrics(self) -> dict[str, float]:
        """Return the figures of `METRICS`."""
        labels = {
            case.question_id: not wrong
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
    items = [
        item
        for item in system.inspections
        if isinstance(item, Inspection)
        and item.case.question_id in system.labels
        and item.status is CaseStatus.OK
    ]
    if len(items) - labels < FEWEST_JUDGED:
        return None
    drawn = set(np.random.default_rng(seed).permutation(len(items))[:labels].tolist())
    used = {items[i].case.question_id: system.labels[items[i].case.question_id] for i in drawn}
    detector = Detector(label_model="weighted", classifier="additive", start=start)
    scored = detector.fit_inspections(items, used or None).score_inspections(items)
    kept = [case for i, case in enumerate(scored) if i not in drawn]
    return Drawn(kept, [not system.labels[case.question_id] for case in kept])


def means(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of each column."""
    return [statistics.mean(column) for column in zip(*rows, strict=True)]


def curve(found: Sequence[Drawn]) -> tuple[ReliabilityBin, ...]:
    """Return the reliability bins over the cases of all systems and draws."""
    predicted = np.concatenate([of.probabilities for of in found])
    incorrect = np.concatenate([np.array(of.incorrect, dtype=bool) for of in found])
    return reliability(Sample(incorrect, predicted, probability=True))


def plot(curves: dict[str, dict[int, tuple[ReliabilityBin, ...]]], path: Path) -> None:
    """Draw a panel for each benchmark, a curve for each number of labels."""
    figure, axes = plt.subplots(
        1, len(curves), figsize=(1 + 3.6 * len(curves), 3.8), squeeze=False, layout="constrained"
    )
    for area, (name, of) in zip(axes[0], curves.items(), strict=True):
        area.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle="--")
        for colour, (labels, bins) in zip(COLOURS, of.items(), strict=False):
            area.plot(
                [part.predicted for part in bins],
                [part.incorrect for part in bins],
                marker="o",
                markersize=3.5,
                linewidth=1.2,
                color=colour,
                label=f"{labels} labels",
            )
        area.set(title=name, xlabel="predicted probability of an error", xlim=(0, 1), ylim=(0, 1))
        area.set_ylabel("share incorrect")
        area.legend(frameon=False)
    save(figure, path)


def measured(found: Sequence[Drawn]) -> dict[str, Any]:
    """Return the figures of one benchmark and number of labels, means over systems and draws."""
    metrics = [of.metrics() for of in found]
    return {
        "n_runs": len(found),
        **{name: statistics.mean(row[name] for row in metrics) for name in metrics[0]},
        "at_risk": {
            str(risk): dict(
                zip(("coverage", "wrong"), means([of.at_risk(risk) for of in found]), strict=True)
            )
            for risk in RISKS
        },
        "cost": {
            str(miss): dict(
                zip(("stated", "half", "best"), means([of.cost(miss) for of in found]), strict=True)
            )
            for miss in MISSES
        },
        "reliability": [part.to_dict() for part in curve(found)],
    }


def tables(results: dict[str, dict[int, dict[str, Any]]]) -> str:
    """Return the three tables as Markdown."""
    rows: list[tuple[list[str], dict[str, Any]]] = [
        ([name, str(labels)], found) for name, of in results.items() for labels, found in of.items()
    ]
    calibration = [[*key, *(f"{found[name]:.3f}" for name in SHOWN)] for key, found in rows]
    risk = [
        [*key, *(f"{of['coverage']:.2f}: {of['wrong']:.3f}" for of in found["at_risk"].values())]
        for key, found in rows
    ]
    cost = [
        [*key, *(f"{of['stated']:.3f} / {of['half']:.3f} / {of['best']:.3f}"
                 for of in found["cost"].values())]
        for key, found in rows
    ]  # fmt: skip
    head = ["benchmark", "labels"]
    return "\n".join(
        [
            "# Results\n",
            markdown([*head, "ECE", "ECE by chance", "Brier", "F1", "AUC"], calibration),
            "## Answered under a tolerated risk\n\nShare of the cases answered: share of wrong "
            "verdicts among them.\n",
            markdown([*head, *(f"risk {risk:g}" for risk in RISKS)], risk),
            "## Mean cost of a case\n\nAt the threshold that the costs settle / at 0.5 / at the "
            "best threshold, chosen with the labels of these cases.\n",
            markdown([*head, *(f"miss {miss:g}" for miss in MISSES)], cost),
        ]
    )


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--draws", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", LabelMatrixWarning)
    names = arguments.benchmarks.split(",")
    specs = select_signals()
    results: dict[str, dict[int, dict[str, Any]]] = {}
    curves: dict[str, dict[int, tuple[ReliabilityBin, ...]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        made = starts(arguments.data, names, arguments.cache, Path(folder), arguments.jobs)
        for name in names:
            benchmark = Benchmark(arguments.data / name)
            systems = inspected(benchmark, specs, arguments.cache, arguments.jobs)
            single = [alone(system, specs) for system in systems]
            results[name], curves[name] = {}, {}
            for labels in LABELS:
                found = [
                    of
                    for system in single
                    for seed in range(arguments.draws if labels else 1)
                    if (of := draw(system, made[name], labels, seed)) is not None
                ]
                if found:
                    results[name][labels] = measured(found)
                    curves[name][labels] = curve(found)
                    print(name, labels, {m: round(results[name][labels][m], 3) for m in METRICS})
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (arguments.out / "results.md").write_text(tables(results))
    plot(curves, arguments.out / "reliability.png")


if __name__ == "__main__":
    main()
