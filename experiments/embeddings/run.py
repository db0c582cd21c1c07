"""Do static word embeddings help where a signal compares words by their letters?

    pip install wordllama
    python -m experiments.embeddings.run DATA --out experiments/embeddings/results

Each way of `variants.py` takes the place of the signal `distant_column`. Measured are the queries
on which it fires, labeled predictions and gold queries, and the AUC of a plain sum: twice each
score and half the logarithm of the query's length. Nothing is learned and no label is used but to
count.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import numpy as np

from clausewise.models.probability import sigmoid
from clausewise.question.tokens import word_table
from clausewise.signals import SignalSpec, inspect_cases
from clausewise.types import Inspection, ScoredCase, Verdict
from experiments.common.data import Benchmark, Item, System
from experiments.common.means import SystemFigures, system_figures
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    interval_columns,
    number,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.embeddings.variants import (
    SIGNAL,
    Similarity,
    packaged,
    variants,
    wordllama_similarity,
)
from experiments.gold_firing_rates.run import SOURCES

AS_IS = "letters only"
RESAMPLES = 200
QUANTILES = (0.1, 0.5, 0.9, 0.99)
KINDS = ("before", "after", "gained", "lost")

Items = Sequence[Item]
Found = dict[str, Items]
"""Inspections of the gold queries, by source."""


def plain_sum(item: Inspection) -> float:
    """Return twice each signal's score and half the logarithm of the query's length."""
    scores = sum(outcome.score for outcome in item.outcomes.values())
    return float(2 * scores + 0.5 * np.log(max(len(item.case.predicted_sql), 1)))


def scored(items: Items) -> list[ScoredCase]:
    """Return the cases as the plain sum ranks them."""
    return [
        ScoredCase(
            question_id=item.case.question_id,
            db_id=item.case.db_id,
            predicted_sql=item.case.predicted_sql,
            p_correct=float(sigmoid(-np.array(plain_sum(item)))),
            verdict=Verdict.CORRECT,
            status=item.status,
            reason=None,
            findings=(),
            signals={},
            carried={},
        )
        for item in items
        if isinstance(item, Inspection)
    ]


def with_outcomes(system: System, found: System) -> System:
    """Return the system with the outcomes of those signals that looked again."""
    merged: list[Item] = []
    for item, new in zip(system.inspections, found.inspections, strict=True):
        if isinstance(item, Inspection) and isinstance(new, Inspection):
            outcomes = {**item.outcomes, **new.outcomes}
            merged.append(dataclasses.replace(item, outcomes=outcomes))
        else:
            merged.append(item)
    return dataclasses.replace(system, inspections=merged)


def firings(systems: Sequence[System], signal: str) -> set[tuple[str, int]]:
    """Return (system, position) of the executable, labeled queries on which a signal fired."""
    return {
        (system.name, position)
        for system in systems
        for position, item in enumerate(system.labeled())
        if item.outcomes[signal].findings
    }


def counted(systems: Sequence[System], places: set[tuple[str, int]]) -> tuple[int, float]:
    """Return how many queries these are and which share of them is incorrect, NaN of none."""
    items = {system.name: [system.is_incorrect(item) for item in system.labeled()]
             for system in systems}  # fmt: skip
    wrong = sum(items[name][place] for name, place in places)
    return len(places), round(wrong / len(places), 4) if places else float("nan")


def changes(before: Sequence[System], after: Sequence[System], signal: str) -> dict[str, Cell]:
    """Return a signal's firings before and after, and those it gained and lost, with precision."""
    old, new = firings(before, signal), firings(after, signal)
    counts = {
        "before": counted(before, old),
        "after": counted(after, new),
        "gained": counted(after, new - old),
        "lost": counted(before, old - new),
    }
    columns: dict[str, Cell] = {}
    for name, (fired, precision) in counts.items():
        columns |= {name: fired, f"precision_{name}": precision}
    return columns


def gold_rate(items: Items, signal: str) -> tuple[int, int]:
    """Return on how many gold queries a signal fired, and how many it could look at."""
    outcomes = [item.outcomes[signal] for item in items if isinstance(item, Inspection)]
    return sum(bool(o.findings) for o in outcomes), sum(o.answered for o in outcomes)


def golds(data: Path, spec: SignalSpec) -> Found:
    """Inspect the gold queries of every source by one signal only."""
    found: Found = {}
    for source in SOURCES:
        benchmark = Benchmark(data / source)
        found[source] = inspect_cases(benchmark.gold_cases(), benchmark.databases, [spec])
    return found


def of_wordlist(similarity: Similarity) -> list[dict[str, Cell]]:
    """Return quantiles of the cosines of the package's own synonyms, and of its other pairs."""
    groups = word_table("synonyms")["groups"]
    words = [(word, place) for place, group in enumerate(groups) for word in group]
    cosines: dict[bool, list[float]] = {True: [], False: []}
    for (first, group), (second, other) in combinations(words, 2):
        cosines[group == other].append(similarity(first, second))
    wheel = f"wordllama {version('wordllama')}"
    return [
        {
            "wheel": wheel,
            "words": kind,
            "pairs": len(cosines[same]),
            **{f"q{q}": round(float(np.quantile(cosines[same], q)), 3) for q in QUANTILES},
        }
        for kind, same in (("synonyms", True), ("other pairs", False))
    ]


@dataclasses.dataclass
class Tables:
    """The rows of the results."""

    cosines: list[dict[str, Cell]]
    auc: list[dict[str, Cell]]
    predictions: list[dict[str, Cell]]
    gold: list[dict[str, Cell]]

    def add(
        self,
        way: str,
        predictions: Mapping[str, dict[str, Cell]],
        gold: Mapping[str, dict[str, Cell]],
    ) -> None:
        """Add a way's rows where the signal fires on other queries than before."""
        changed = any(of["gained"] or of["lost"] for of in predictions.values()) or any(
            of["fired_before"] != of["fired_after"] or of["answered_before"] != of["answered_after"]
            for of in gold.values()
        )
        if changed:
            key: dict[str, Cell] = {"way": way, "signal": SIGNAL}
            self.predictions += [
                {**key, "benchmark": name, **of} for name, of in predictions.items()
            ]
            self.gold += [{**key, "source": source, **of} for source, of in gold.items()]

    def write(self, out: Path) -> None:
        """Write one CSV file for each table, and the Markdown."""
        for name, rows in vars(self).items():
            write_csv(out / f"{name}.csv", rows)
        write_report(out, report)


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    similarity = wordllama_similarity()
    benchmarks = [workspace.benchmark(name) for name in workspace.benchmarks]
    before = {name: workspace.systems(name) for name in workspace.benchmarks}
    figures = {of.name: _figures(of, before[of.name]) for of in benchmarks}
    gold_before = golds(workspace.data, packaged())
    tables = Tables(of_wordlist(similarity), [], [], [])
    for name, of in figures.items():
        tables.auc.append(_auc_row(AS_IS, name, of.mean("auc"), [float("nan")] * 3))
    for way, spec in variants(similarity).items():
        after = {
            of.name: [
                with_outcomes(*pair)
                for pair in zip(before[of.name], of.systems([spec]), strict=True)
            ]
            for of in benchmarks
        }
        for benchmark in benchmarks:
            name = benchmark.name
            found = _figures(benchmark, after[name])
            gain = found.gain(figures[name], "auc")
            tables.auc.append(_auc_row(way, name, found.mean("auc"), gain))
            print(tables.auc[-1], flush=True)
        gold_after = golds(workspace.data, spec)
        tables.add(
            way,
            {name: changes(before[name], after[name], SIGNAL) for name in before},
            {s: _gold_row(gold_before[s], gold_after[s], SIGNAL) for s in SOURCES},
        )
    tables.write(workspace.out)


def _figures(benchmark: Benchmark, systems: Sequence[System]) -> SystemFigures:
    found = {system.name: scored(system.inspections) for system in systems}
    return system_figures(systems, found, benchmark.gold(), RESAMPLES)


def _auc_row(way: str, name: str, auc: Sequence[float], gain: Sequence[float]) -> dict[str, Cell]:
    columns = {**interval_columns("auc", auc), **interval_columns("gain", gain)}
    return {"way": way, "benchmark": name, **columns}


def _gold_row(before: Items, after: Items, signal: str) -> dict[str, Cell]:
    row: dict[str, Cell] = {}
    for name, items in (("before", before), ("after", after)):
        row[f"fired_{name}"], row[f"answered_{name}"] = gold_rate(items, signal)
    return row


def report(folder: Path) -> str:
    """Return the AUC and the changed signals as tables."""
    auc = read_csv(folder / "auc.csv")
    names = [name for (name,) in grouped(auc, "benchmark")]
    lines = []
    for (way,), rows in grouped(auc, "way").items():
        cells = [(interval_text(interval(row, "auc")), _gain(row)) for row in rows]
        lines.append([way, *(text for pair in cells for text in pair)])
    header = ["", *(text for name in names for text in (f"AUC, {name}", "gain"))]
    cosines = read_csv(folder / "cosines.csv")
    parts = [f"# Results\n\n{cosines[0]['wheel']}\n", markdown_table(header, lines)]
    lines = [
        [row["way"], row["signal"], row["benchmark"], *(_count(row, name) for name in KINDS)]
        for row in read_csv(folder / "predictions.csv")
    ]
    header = ["", "signal", "predictions of", *KINDS]
    table = markdown_table(header, lines)
    parts += ["Queries on which the signal fires (share incorrect):\n", table]
    gold = grouped(read_csv(folder / "gold.csv"), "way", "signal")
    lines = [
        [*key, *(_rate(row, when) for row in rows for when in KINDS[:2])]
        for key, rows in gold.items()
    ]
    header = ["", "signal", *(f"{s}, {when}" for s in SOURCES for when in KINDS[:2])]
    parts += ["Firing rates on gold queries:\n", markdown_table(header, lines)]
    lines = [
        [row["words"], row["pairs"], *(f"{number(row, f'q{q}'):.2f}" for q in QUANTILES)]
        for row in cosines
    ]
    header = ["word list `synonyms`", "pairs", *(f"quantile {q}" for q in QUANTILES)]
    parts += ["Cosines of words:\n", markdown_table(header, lines)]
    return "\n".join(parts)


def _gain(row: Row) -> str:
    return interval_text(interval(row, "gain"), signed=True) if row["gain"] else ""


def _count(row: Row, kind: str) -> str:
    precision = row[f"precision_{kind}"]
    return f"{row[kind]} ({float(precision):.2f})" if precision else "0"


def _rate(row: Row, when: str) -> str:
    fired, answered = row[f"fired_{when}"], int(row[f"answered_{when}"])
    return f"{fired} ({int(fired) / answered if answered else 0.0:.4f})"


if __name__ == "__main__":
    main()
