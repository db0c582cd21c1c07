"""Selection among the systems' queries without a language model, each system the original.

    python -m experiments.selection.run DATA --out experiments/selection/results

Every way is fixed beforehand; nothing is fitted. The original stays unless another query scores
strictly higher. Intervals: 95 %, resampled questions (those with one gold query together).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from experiments.common.results import (
    Cell,
    grouped,
    interval,
    interval_columns,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.selection.answers import LENIENT, Answers, cached_answers

RESAMPLES = 500
LABELS = {"one database": "", "one database and instances": LENIENT}
"""What counts as correct: the label, or the label and no instance that tells it from the gold."""
Scores = list[float]


def by_result(of: Answers, weights: Sequence[float]) -> Scores:
    """Return the weight of the queries with each query's result on the database."""
    count = range(len(of.systems))
    return [
        sum(weights[j] for j in count if of.results[j] == of.results[i])
        if of.results[i] is not None
        else 0.0
        for i in count
    ]


def by_behavior(of: Answers, weights: Sequence[float]) -> Scores:
    """Return the weight of those with its result that no instance tells apart from it either."""
    count = range(len(of.systems))
    return [
        sum(
            weights[j]
            for j in count
            if of.results[j] == of.results[i] and (i == j or not of.told_apart(LENIENT, i, j))
        )
        if of.results[i] is not None
        else 0.0
        for i in count
    ]


def _equal(of: Answers) -> list[float]:
    return [1.0] * len(of.systems)


def _both(of: Answers) -> Scores:
    pairs = zip(by_result(of, of.weights), by_behavior(of, of.weights), strict=True)
    return [(result + behavior) / 2 for result, behavior in pairs]


def _first_result(of: Answers) -> Scores:
    pairs = zip(by_result(of, of.weights), by_behavior(of, of.weights), strict=True)
    return [result + behavior / 1_000 for result, behavior in pairs]


WAYS: dict[str, Callable[[Answers], Scores]] = {
    "original": lambda of: [0.0] * len(of.systems),
    "majority by result": lambda of: by_result(of, _equal(of)),
    "independent voices by result": lambda of: by_result(of, of.weights),
    "independent voices by behavior": lambda of: by_behavior(of, of.weights),
    "mean of both (`select`)": _both,
    "by result, then by behavior": _first_result,
}


def chosen(scores: Scores, original: int) -> int:
    """Return the original unless another one scores strictly higher; then the first best."""
    best = max(scores)
    return original if scores[original] >= best - 1e-9 else scores.index(best)


def right(found: Sequence[Answers], way: str, convention: str) -> list[dict[str, bool]]:
    """Return for each question and system whether what is chosen for it is correct."""
    rows = []
    for of in found:
        scores = [round(score, 6) for score in WAYS[way](of)]
        rows.append(
            {
                name: of.is_right(chosen(scores, place), convention)
                for place, name in enumerate(of.systems)
            }
        )
    return rows


def measured(workspace: Workspace, name: str) -> Iterator[dict[str, Cell]]:
    """Yield a row for every kind of label, way, and system, and their mean."""
    benchmark = workspace.benchmark(name)
    found = cached_answers(benchmark, workspace.cache, workspace.jobs)
    clusters = {of.texts[-1]: None for of in found}
    place = {text: number for number, text in enumerate(clusters)}
    drawn = np.random.default_rng(0).multinomial(
        len(place), [1 / len(place)] * len(place), RESAMPLES
    )
    weights = np.vstack([np.ones(len(place), np.int64), drawn])[
        :, [place[of.texts[-1]] for of in found]
    ]
    for label, convention in LABELS.items():
        for way in WAYS:
            rows = right(found, way, convention)
            values = {}
            for system in benchmark.system_names():
                asked = np.array([system in row for row in rows])
                is_right = np.array([row.get(system, False) for row in rows])
                values[system] = (weights * is_right).sum(1) / (weights * asked).sum(1)
            values["mean"] = np.mean(list(values.values()), axis=0)
            if way == "original":
                alone = values
                values["best"] = alone[max(list(alone)[:-1], key=lambda s: alone[s][0])]
            for system, of_all in values.items():
                gain = of_all - alone[system]
                figures = {"accuracy": of_all, "gain": gain}
                row: dict[str, Cell] = {"benchmark": name, "labels": label, "way": way}
                row["system"] = system
                for column, numbers in figures.items():
                    low, high = np.percentile(numbers[1:], [2.5, 97.5])
                    shown = [round(float(v), 4) for v in (numbers[0], low, high)]
                    row |= interval_columns(column, shown)
                yield row


def report(folder: Path) -> str:
    """Return the means over systems as a table, with the least and greatest gain of a system."""
    lines = []
    for (benchmark, label, way), rows in grouped(
        read_csv(folder / "results.csv"), "benchmark", "labels", "way"
    ).items():
        mean = next(row for row in rows if row["system"] == "mean")
        gains = [interval(r, "gain")[0] for r in rows if r["system"] not in ("mean", "best")]
        lines.append(
            [
                benchmark,
                label,
                way,
                interval_text(interval(mean, "accuracy")),
                interval_text(interval(mean, "gain"), signed=True),
                f"{min(gains):+.3f} to {max(gains):+.3f}",
            ]
        )
        best = [row for row in rows if row["system"] == "best"]
        if best:
            accuracy = interval_text(interval(best[0], "accuracy"))
            lines.append([benchmark, label, "best single system", accuracy, "", ""])
    header = ["benchmark", "correct by", "chosen by", "accuracy", "less original", "by system"]
    text = "# Results\n\nMeans over systems, each in turn the original, with 95 % intervals.\n\n"
    return text + markdown_table(header, lines)


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    rows = [row for name in workspace.benchmarks for row in measured(workspace, name)]
    write_csv(workspace.out / "results.csv", rows)
    print(write_report(workspace.out, report))


if __name__ == "__main__":
    main()
