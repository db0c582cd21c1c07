"""What counterexamples among candidates add to the agreement of their results, and label noise.

    python -m experiments.counterexample_signal.run DATA --out RESULTS

A candidate with the query's result that an instance tells apart from it counts against the query
with a share of its weight: 0 is agreement by results, 1 by behavior, `both` the share that is best
on the other benchmark. Systems' queries are candidates of one another. AUC of the agreement alone,
mean over systems, 95 % intervals over resampled questions; vacuous labels are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from clausewise.models.agreement import evidence
from experiments.common.results import (
    Cell,
    interval,
    interval_columns,
    number,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.selection.answers import CONVENTIONS, LENIENT, Answers, cached_answers
from experiments.selection.run import LABELS

RESAMPLES = 60
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
Floats = NDArray[np.float64]


class Table:
    """`[n]` columns of the labeled queries that run: against, apart, agreeing voices, system."""

    def __init__(self, found: Sequence[Answers]) -> None:
        rows = [
            (question, place, *_voices(of, place))
            for question, of in enumerate(found)
            if not of.vacuous
            for place in range(len(of.systems))
            if of.correct[place] is not None and of.results[place] is not None
        ]
        self.question = np.array([row[0] for row in rows])
        self.against, self.apart, self.agreeing, self.outweighed = (
            np.array([row[column] for row in rows], float) for column in (2, 3, 4, 5)
        )
        self.system = np.array([found[row[0]].systems[row[1]] for row in rows])
        self.wrong = {
            label: np.array([not found[row[0]].is_right(row[1], convention) for row in rows])
            for label, convention in LABELS.items()
        }

    def score(self, share: float) -> Floats:
        """Return `[n]` the log-odds of the agreement."""
        voices = self.against + self.apart + self.agreeing
        opposed = self.against + share * self.apart
        disagreement = np.divide(opposed, voices, out=np.zeros_like(voices), where=voices > 0)
        return evidence(disagreement, voices)

    def auc(self, score: Floats, label: str, drawn: NDArray[np.int64]) -> float:
        """Return the mean over systems, each question counted as often as it was drawn."""
        weight = drawn[self.question]
        wrong = self.wrong[label]
        values = []
        for name in np.unique(self.system):
            here = (self.system == name) & (weight > 0)
            if 0 < wrong[here].sum() < here.sum():
                values.append(roc_auc_score(wrong[here], score[here], sample_weight=weight[here]))
        return float(np.mean(values))


def _voices(of: Answers, place: int) -> tuple[float, float, float, float]:
    weights = of.weights
    others = [j for j in range(len(weights)) if j != place and of.results[j] is not None]
    same = [j for j in others if of.results[j] == of.results[place]]
    apart = [j for j in same if of.told_apart(LENIENT, place, j)]
    alike = sum(weights[j] for j in same) - sum(weights[j] for j in apart)
    rival = max(
        (
            sum(weights[k] for k in apart if k == j or not of.told_apart(LENIENT, j, k))
            for j in apart
        ),
        default=0.0,
    )
    against = sum(weights[j] for j in others) - sum(weights[j] for j in same)
    outweighed = rival > alike + weights[place]
    return against, sum(weights[j] for j in apart), alike, float(outweighed)


def measured(workspace: Workspace) -> Iterator[dict[str, Cell]]:
    """Yield the AUC of every way, and how often the finding's queries are wrong."""
    tables, counts = {}, {}
    for name in workspace.benchmarks:
        found = cached_answers(workspace.benchmark(name), workspace.cache, workspace.jobs)
        tables[name], counts[name] = Table(found), len(found)
    for name, table in tables.items():
        count = counts[name]
        drawn = np.random.default_rng(0).multinomial(count, [1 / count] * count, RESAMPLES)
        samples = np.vstack([np.ones(count, np.int64), drawn])
        for label in LABELS:
            elsewhere = [other for other in tables if other != name] or [name]
            best = max(
                SHARES,
                key=lambda share: sum(
                    tables[o].auc(tables[o].score(share), label, np.ones(counts[o], np.int64))
                    for o in elsewhere
                ),
            )
            ways = {"results": 0.0, "behavior": 1.0, "both": best}
            base = np.array([table.auc(table.score(0.0), label, s) for s in samples])
            fired = table.outweighed > 0
            for way, share in ways.items():
                score = table.score(share)
                auc = np.array([table.auc(score, label, s) for s in samples])
                row: dict[str, Cell] = {"benchmark": name, "labels": label, "way": way}
                row |= {"share": share, "cases": len(fired), "fired": int(fired.sum())}
                row["wrong"] = round(float(table.wrong[label].mean()), 4)
                row["wrong_of_fired"] = round(float(table.wrong[label][fired].mean()), 4)
                for column, numbers in {"auc": auc, "gain": auc - base}.items():
                    low, high = np.percentile(numbers[1:], [2.5, 97.5])
                    shown = [round(float(v), 4) for v in (numbers[0], low, high)]
                    row |= interval_columns(column, shown)
                yield row


def noise(workspace: Workspace) -> Iterator[dict[str, Cell]]:
    """Yield for each system how many of its correct queries differ from the gold on an instance."""
    for name in workspace.benchmarks:
        found = cached_answers(workspace.benchmark(name), workspace.cache, workspace.jobs)
        for system in workspace.benchmark(name).system_names():
            correct = [
                (of, of.systems.index(system))
                for of in found
                if system in of.systems and not of.vacuous
            ]
            correct = [
                (of, place)
                for of, place in correct
                if of.is_right(place) and not {place, len(of.systems)} & set(of.left_out)
            ]
            row: dict[str, Cell] = {"benchmark": name, "system": system, "correct": len(correct)}
            for convention in CONVENTIONS:
                told = sum(of.told_apart(convention, p, len(of.systems)) for of, p in correct)
                row[f"differ, {convention}"] = told
            yield row


def report(folder: Path) -> str:
    """Return both tables."""
    lines = [
        [
            row["benchmark"],
            row["labels"],
            row["way"],
            row["share"],
            interval_text(interval(row, "auc")),
            interval_text(interval(row, "gain"), signed=True),
            f"{row['fired']} of {row['cases']}",
            f"{number(row, 'wrong_of_fired'):.3f} ({number(row, 'wrong'):.3f})",
        ]
        for row in read_csv(folder / "results.csv")
    ]
    header = ["benchmark", "correct by", "agreement by", "share", "AUC", "less results"]
    header += ["outweighed", "wrong of these (of all)"]
    rows = read_csv(folder / "noise.csv")
    kinds = [column for column in rows[0] if column.startswith("differ")]
    lines_of_noise = [
        [
            row["benchmark"],
            row["system"],
            row["correct"],
            *(f"{number(row, kind) / number(row, 'correct'):.1%}" for kind in kinds),
        ]
        for row in rows
    ]
    return (
        "# Results\n\n"
        + markdown_table(header, lines)
        + "\n## Queries that execution calls correct and an instance tells from the gold\n\n"
        + markdown_table(["benchmark", "system", "correct", *kinds], lines_of_noise)
    )


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    write_csv(workspace.out / "results.csv", list(measured(workspace)))
    write_csv(workspace.out / "noise.csv", list(noise(workspace)))
    print(write_report(workspace.out, report))


if __name__ == "__main__":
    main()
