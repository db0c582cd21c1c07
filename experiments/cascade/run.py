"""What is lost when a (simulated) judge is asked only about the doubtful queries.

    python -m experiments.cascade.run DATA --out RESULTS

The detector is fitted without labels on a system's other databases, with the judge's votes on all
of them; on the database left out the judge votes only on a share of the queries: those nearest to
the verdict's threshold without it, or, as a control, queries chosen at random.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clausewise.labeling import LabelMatrixWarning
from clausewise.models import Detector
from clausewise.models.cascade import doubtful_cases
from clausewise.types import CaseStatus, ScoredCase
from experiments import plots
from experiments.cache import add_arguments
from experiments.data import Benchmark, System
from experiments.folds import Inspected, Scored, database, part, values
from experiments.means import Judged, cell, judge
from experiments.replayed_judge.judges import Judge
from experiments.replayed_judge.run import DETECTORS, systems_of, votes_on
from experiments.tables import markdown

DETECTOR = "from nothing, additive"
JUDGES = (Judge(0.70), Judge(0.78))
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Fold:
    """A fitted detector, the cases left out, and their scores without the judge."""

    detector: Detector
    system: System
    inside: list[Inspected]
    without: list[ScoredCase]

    def asked(self, share: float, doubtful: bool) -> list[Inspected]:
        """Return the cases that the judge is asked about."""
        runs = [n for n, case in enumerate(self.without) if case.status is CaseStatus.OK]
        count = round(share * len(runs))
        if doubtful:
            threshold = self.detector.threshold_
            chosen = set(doubtful_cases(self.without, threshold, count).positions)
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
        for name in values([system], database):
            outside = part(system, database, name, inside=False).inspections
            inside = part(system, database, name, inside=True).inspections
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
) -> Judged:
    """Return what the detector is worth where the judge votes on a share of the cases."""
    found: Scored = {system.name: [] for system in systems}
    for fold in folds:
        found[fold.system.name].extend(fold.scored(of, share, doubtful))
    return judge(systems, found, gold)


HEADER = (
    "judge asked about",
    "AUC, the doubtful",
    "F1, the doubtful",
    "AUC, drawn at random",
    "F1, drawn at random",
)


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", LabelMatrixWarning)
    parts = [
        "# Results\n\n**Simulation**: the judge is true labels made wrong at random. Means over "
        "systems with 95 % intervals (resampled questions), executable queries only, one query a "
        "case, no labels, leave-one-database-out.\n"
    ]
    record: dict[str, object] = {}
    panels: dict[str, dict[str, dict[str, list[float]]]] = {}
    for name in arguments.benchmarks.split(","):
        gold = Benchmark(arguments.data / name).gold()
        systems = systems_of(arguments.data / name, arguments.cache)
        for of in JUDGES:
            folds = folds_of(of, systems)
            rows = []
            for share in SHARES:
                near = measured(folds, systems, gold, of, share, doubtful=True)
                drawn = measured(folds, systems, gold, of, share, doubtful=False)
                rows.append(
                    [f"{share:.0%}"]
                    + [cell(way.mean(m)) for way in (near, drawn) for m in ("auc", "f1")]
                )
                record[f"{name}, {of.name}, {share:.0%}"] = {
                    "doubtful": near.to_json(),
                    "random": drawn.to_json(),
                }
                title = f"{name}, {of.name.removeprefix('simulated, ')}"
                panels.setdefault(title, {})[f"{share:.0%} asked"] = {
                    "the doubtful": near.mean("auc"),
                    "drawn at random": drawn.mean("auc"),
                }
            parts.append(f"## {name}, {of.name}\n\n{markdown(HEADER, rows)}")
            print(parts[-1], flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "results.json").write_text(json.dumps(record, indent=1) + "\n")
    (arguments.out / "results.md").write_text("\n".join([*parts, "![AUC by share](auc.png)\n"]))
    plots.intervals(arguments.out / "auc.png", panels, "AUC, mean over systems")


if __name__ == "__main__":
    main()
