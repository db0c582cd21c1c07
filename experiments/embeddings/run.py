"""Do static word embeddings help where the signals compare words by their letters?

    pip install wordllama
    python -m experiments.embeddings.run DATA --out experiments/embeddings/results

Each way of `variants.py` is put in place by itself. Measured are the signals whose findings
change, on labelled predictions and on gold queries, and the AUC of a plain sum: twice each score
and half the logarithm of the query's length. Nothing is learned and no label is used but to count.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from clausewise.models.probability import sigmoid
from clausewise.question.tokens import word_table
from clausewise.signals import SignalSpec, inspect_cases, select_signals
from clausewise.types import Group, Inspection, ScoredCase, UncheckedCase, Verdict
from experiments.best_signal.run import judged
from experiments.cache import add_arguments, alone, inspected
from experiments.data import Benchmark, System
from experiments.embeddings.variants import Similarity, replaced, variants, wordllama_similarity
from experiments.gold_firing_rates.run import SOURCES, gold_cases
from experiments.means import Judged, cell, judge
from experiments.tables import markdown

AS_IS = "letters only"
OTHERS = ("value_ambiguity", "table_similarity")
RESAMPLES = 200
QUANTILES = (0.1, 0.5, 0.9, 0.99)

Inspected = Sequence[Inspection | UncheckedCase]


def plain_sum(item: Inspection) -> float:
    """Return twice each signal's score and half the logarithm of the query's length."""
    scores = sum(outcome.score for outcome in item.outcomes.values())
    return float(2 * scores + 0.5 * np.log(max(len(item.case.predicted_sql), 1)))


def scored(items: Inspected) -> list[ScoredCase]:
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
    """Return the system with the outcomes of those signals that were looked at again."""
    merged: list[Inspection | UncheckedCase] = []
    for item, new in zip(system.inspections, found.inspections, strict=True):
        if isinstance(item, Inspection) and isinstance(new, Inspection):
            outcomes = {**item.outcomes, **new.outcomes}
            merged.append(dataclasses.replace(item, outcomes=outcomes))
        else:
            merged.append(item)
    return dataclasses.replace(system, inspections=merged)


def firings(systems: Sequence[System], signal: str) -> set[tuple[str, int]]:
    """Return (system, position) of the executable, labelled queries on which a signal fired."""
    return {
        (system.name, position)
        for system in systems
        for position, item in enumerate(judged(system))
        if item.outcomes[signal].findings
    }


def counted(systems: Sequence[System], places: set[tuple[str, int]]) -> dict[str, Any]:
    """Return how many queries these are and which share of them is incorrect."""
    items = {system.name: (judged(system), system.labels) for system in systems}
    wrong = sum(not items[s][1][items[s][0][n].case.question_id] for s, n in places)
    share = round(wrong / len(places), 4) if places else None
    return {"fired": len(places), "precision": share}


def changes(before: Sequence[System], after: Sequence[System], signal: str) -> dict[str, Any]:
    """Return a signal's firings before and after, and those it gained and lost."""
    old, new = firings(before, signal), firings(after, signal)
    return {
        "before": counted(before, old),
        "after": counted(after, new),
        "gained": counted(after, new - old),
        "lost": counted(before, old - new),
    }


def gold_rate(items: Inspected, signal: str) -> dict[str, Any]:
    """Return how often a signal fired on the gold queries that it could look at."""
    outcomes = [item.outcomes[signal] for item in items if isinstance(item, Inspection)]
    fired = sum(bool(outcome.findings) for outcome in outcomes)
    answered = sum(outcome.answered for outcome in outcomes)
    return {"fired": fired, "answered": answered}


def measured(benchmark: Benchmark, specs: Sequence[SignalSpec]) -> list[System]:
    """Inspect the predictions by some signals only."""
    return benchmark.systems(specs)


def golds(data: Path, specs: Sequence[SignalSpec]) -> dict[str, Inspected]:
    """Inspect the gold queries of every source by some signals only."""
    found = {}
    for source in SOURCES:
        benchmark = Benchmark(data / source)
        found[source] = inspect_cases(gold_cases(benchmark), benchmark.databases, specs)
    return found


def of_wordlist(similarity: Similarity) -> dict[str, Any]:
    """Return quantiles of the cosines of the package's own synonyms, and of its other pairs."""
    groups = word_table("synonyms")["groups"]
    words = [(word, number) for number, group in enumerate(groups) for word in group]
    cosines: dict[bool, list[float]] = {True: [], False: []}
    for (first, group), (second, other) in combinations(words, 2):
        cosines[group == other].append(similarity(first, second))
    return {
        kind: {
            "pairs": len(cosines[same]),
            "quantiles": {
                str(q): round(float(np.quantile(cosines[same], q)), 3) for q in QUANTILES
            },
        }
        for kind, same in (("synonyms", True), ("other pairs", False))
    }


def changed_signals(record: Mapping[str, Any]) -> list[str]:
    """Return the signals that fire on other queries than before, on any benchmark or gold."""
    return sorted(
        signal
        for signal, of in record["signals"].items()
        if any(b["gained"]["fired"] or b["lost"]["fired"] for b in of["predictions"].values())
        or any(g["before"] != g["after"] for g in of["gold"].values())
    )


def main() -> None:
    """Run the experiment and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    arguments = parser.parse_args()
    similarity = wordllama_similarity()
    specs = select_signals()
    some = [spec for spec in specs if spec.group is Group.QUESTION or spec.name in OTHERS]
    benchmarks = [Benchmark(arguments.data / name) for name in arguments.benchmarks.split(",")]
    before: dict[str, list[System]] = {}
    auc_before: dict[str, Judged] = {}
    for benchmark in benchmarks:
        whole = inspected(benchmark, specs, arguments.cache, arguments.jobs)
        before[benchmark.name] = [alone(system, specs) for system in whole]
        auc_before[benchmark.name] = _auc(benchmark, before[benchmark.name])
    gold_before = golds(arguments.data, some)
    record: dict[str, Any] = {
        "wheel": f"wordllama {version('wordllama')}",
        "cosines": of_wordlist(similarity),
        AS_IS: {name: auc.mean("auc") for name, auc in auc_before.items()},
        "ways": {},
    }
    for way, places in variants(similarity).items():
        of: dict[str, Any] = {"auc": {}, "gain": {}}
        of["signals"] = {spec.name: {"predictions": {}, "gold": {}} for spec in some}
        with replaced(*places):
            for benchmark in benchmarks:
                old = before[benchmark.name]
                found = measured(benchmark, some)
                new = [with_outcomes(*pair) for pair in zip(old, found, strict=True)]
                auc = _auc(benchmark, new)
                of["auc"][benchmark.name] = auc.mean("auc")
                of["gain"][benchmark.name] = auc.gain(auc_before[benchmark.name], "auc")
                for spec in some:
                    of["signals"][spec.name]["predictions"][benchmark.name] = changes(
                        old, new, spec.name
                    )
            for source, items in golds(arguments.data, some).items():
                for spec in some:
                    of["signals"][spec.name]["gold"][source] = {
                        "before": gold_rate(gold_before[source], spec.name),
                        "after": gold_rate(items, spec.name),
                    }
        kept = changed_signals(of)
        of["signals"] = {name: of["signals"][name] for name in kept}
        record["ways"][way] = of
        print(way, of["gain"], kept, flush=True)
    write(record, arguments.out)


def _auc(benchmark: Benchmark, systems: Sequence[System]) -> Judged:
    found = {system.name: scored(system.inspections) for system in systems}
    return judge(systems, found, benchmark.gold(), RESAMPLES)


def write(record: Mapping[str, Any], out: Path) -> None:
    """Write everything as JSON, and the AUC and the changed signals as tables."""
    names = list(record[AS_IS])
    rows = [[AS_IS, *(text for name in names for text in (cell(record[AS_IS][name]), ""))]]
    for way, of in record["ways"].items():
        cells = [(cell(of["auc"][n]), cell(of["gain"][n], signed=True)) for n in names]
        rows.append([way, *(text for pair in cells for text in pair)])
    header = ["", *(text for name in names for text in (f"AUC, {name}", "gain"))]
    parts = [f"# Results\n\n{record['wheel']}\n", markdown(header, rows)]
    details = []
    for way, of in record["ways"].items():
        for signal, found in of["signals"].items():
            for name, figures in found["predictions"].items():
                cells = [_count(figures[k]) for k in ("before", "after", "gained", "lost")]
                details.append([way, signal, name, *cells])
    header = ["", "signal", "predictions of", "before", "after", "gained", "lost"]
    parts += ["Queries on which the signal fires (share incorrect):\n", markdown(header, details)]
    details = []
    for way, of in record["ways"].items():
        for signal, found in of["signals"].items():
            rates = [_rate(found["gold"][s][k]) for s in SOURCES for k in ("before", "after")]
            details.append([way, signal, *rates])
    of_words = [
        [kind, str(of["pairs"]), *(f"{of['quantiles'][str(q)]:.2f}" for q in QUANTILES)]
        for kind, of in record["cosines"].items()
    ]
    header = ["", "signal", *(f"{s}, {k}" for s in SOURCES for k in ("before", "after"))]
    parts += ["Firing rates on gold queries:\n", markdown(header, details)]
    header = ["word list `synonyms`", "pairs", *(f"quantile {q}" for q in QUANTILES)]
    parts += ["Cosines of words:\n", markdown(header, of_words)]
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (out / "results.md").write_text("\n".join(parts), encoding="utf-8")


def _count(figures: Mapping[str, Any]) -> str:
    if figures["precision"] is None:
        return "0"
    return f"{figures['fired']} ({figures['precision']:.2f})"


def _rate(figures: Mapping[str, Any]) -> str:
    rate = figures["fired"] / figures["answered"] if figures["answered"] else 0.0
    return f"{figures['fired']} ({rate:.4f})"


if __name__ == "__main__":
    main()
