"""What is lost when a (simulated) judge is asked only about the doubtful queries.

    python -m experiments.cascade.run DATA --out RESULTS

The detector is fitted without labels on a system's other databases, with the judge's votes on all
of them; on the database left out the judge votes only on a share of the queries: those nearest to
the verdict's threshold without it, or, as a control, queries chosen at random.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clausewise.models import Detector
from clausewise.models.streaming import doubtful_cases
from clausewise.types import CaseStatus, ScoredCase
from experiments.common import plots
from experiments.common.data import Item, System, database
from experiments.common.folds import Scored, splits
from experiments.common.means import SystemFigures, metric_text, system_figures
from experiments.common.parallel import without_label_warnings
from experiments.common.results import Cell, grouped, interval, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.replayed_judge.judges import Judge
from experiments.replayed_judge.run import DETECTORS, votes_on

DETECTOR = "from nothing, additive"
JUDGES = (Judge(0.70), Judge(0.78))
DOUBTFUL, RANDOM = "doubtful", "random"
"""Which cases the judge is asked about."""
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Fold:
    """A fitted detector, the cases left out, and their scores without the judge."""

    detector: Detector
    system: System
    inside: list[Item]
    without: list[ScoredCase]

    def asked(self, share: float, doubtful: bool) -> list[Item]:
        """Return the cases that the judge is asked about."""
        runs = [n for n, case in enumerate(self.without) if case.status is CaseStatus.OK]
        count = round(share * len(runs))
        if doubtful:
            prior = self.detector.class_balance_
            chosen = set(doubtful_cases(self.without, prior, count).positions)
        else:
            chosen = set(sorted(runs, key=self._drawn)[:count])
        return [item for n, item in enumerate(self.inside) if n in chosen]

    def _drawn(self, position: int) -> bytes:
        text = f"{self.system.name}/{self.without[position].question_id}"
        return hashlib.blake2b(text.encode(), digest_size=8).digest()

    def scored(self, of: Judge, share: float, doubtful: bool) -> list[ScoredCase]:
        """Return the cases as they are scored with the judge's votes on a share of them."""
        votes = votes_on(of, self.asked(share, doubtful), self.system, 0)
        return self.detector.score_inspections(self.inside, votes)


def folds_of(of: Judge, systems: Sequence[System]) -> list[Fold]:
    """Fit a detector with the judge's votes for every system and database left out."""
    options = {"start": "none", **DETECTORS[DETECTOR]}
    folds = []
    for system in systems:
        for outside, inside in splits(system, database):
            votes = votes_on(of, outside, system, 0)
            detector = Detector(**options).fit_inspections(outside, votes=votes)
            without = detector.score_inspections(inside)
            folds.append(Fold(detector, system, inside, without))
    return folds


def measured(
    folds: Sequence[Fold],
    systems: Sequence[System],
    gold: Mapping[str | int, str],
    of: Judge,
    share: float,
    doubtful: bool,
) -> SystemFigures:
    """Return what the detector is worth where the judge votes on a share of the cases."""
    found: Scored = {system.name: [] for system in systems}
    for fold in folds:
        found[fold.system.name].extend(fold.scored(of, share, doubtful))
    return system_figures(systems, found, gold)


HEADER = (
    "judge asked about",
    "AUC, the doubtful",
    "F1, the doubtful",
    "AUC, drawn at random",
    "F1, drawn at random",
)


def report(folder: Path) -> str:
    """Return the table of every benchmark and judge."""
    parts = [
        "# Results\n\n**Simulation**: the judge is true labels made wrong at random. Means over "
        "systems with 95 % intervals (resampled questions), executable queries only, one query a "
        "case, no labels, leave-one-database-out.\n"
    ]
    rows = read_csv(folder / "results.csv")
    for (name, judge), of in grouped(rows, "benchmark", "judge").items():
        lines = [
            [f"{float(share):.0%}", *(metric_text(row, m) for row in two for m in ("auc", "f1"))]
            for (share,), two in grouped(of, "share").items()
        ]
        parts.append(f"## {name}, {judge}\n\n{markdown_table(HEADER, lines)}")
    return "\n".join([*parts, "![AUC by share](auc.png)\n"])


def plot(folder: Path) -> None:
    """Draw the AUC by the share that the judge is asked about."""
    panels: dict[str, dict[str, dict[str, plots.Interval]]] = {}
    names = {DOUBTFUL: "the doubtful", RANDOM: "drawn at random"}
    for row in read_csv(folder / "results.csv"):
        title = f"{row['benchmark']}, {row['judge'].removeprefix('simulated, ')}"
        shown = panels.setdefault(title, {}).setdefault(f"{float(row['share']):.0%} asked", {})
        shown[names[row["asked"]]] = interval(row, "auc")
    plots.intervals(folder / "auc.png", panels, "AUC, mean over systems")


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    without_label_warnings()
    rows: list[dict[str, Cell]] = []
    of_system: list[dict[str, Cell]] = []
    for name in workspace.benchmarks:
        gold = workspace.benchmark(name).gold()
        systems = workspace.systems(name)
        for of in JUDGES:
            folds = folds_of(of, systems)
            for share in SHARES:
                for asked in (DOUBTFUL, RANDOM):
                    found = measured(folds, systems, gold, of, share, asked == DOUBTFUL)
                    key: dict[str, Cell] = {"benchmark": name, "judge": of.name}
                    key |= {"share": share, "asked": asked}
                    rows.append({**key, **found.row()})
                    of_system += [{**key, **row} for row in found.auc_rows()]
                    print(key, found.mean("auc"), flush=True)
    write_csv(workspace.out / "results.csv", rows)
    write_csv(workspace.out / "systems.csv", of_system)
    write_report(workspace.out, report)
    plot(workspace.out)


if __name__ == "__main__":
    main()
