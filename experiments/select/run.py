"""The strategy `select` among the systems' queries, and among samples of one model.

    python -m experiments.select.run DATA --out experiments/select/results

Nothing is fitted on what is scored: the detector was trained on the other benchmark, and neither
the votes nor the margin were tuned. Intervals: 95 %, resampled questions (those with one gold
query together).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.common.results import (
    Cell,
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
from experiments.select.material import QuestionMaterial, cached_material
from experiments.select.samples import SampleChoice, sample_choices
from experiments.select.ways import MAJORITY, SELECT, WAYS, corrected, kept_by_majority, leaders

RESAMPLES = 1_000
ALL, TELLING = "all", "labels that say something"
DATABASE, INSTANCES = "one database", "one database and instances"
BEST, ANY = "best single system", "any candidate right"
AUDITED, UNAUDITED = "select", "select, without the auditor"
MARGIN = 0.0
Floats = NDArray[np.float64]
Questions = Sequence[QuestionMaterial]


def resampled(golds: Sequence[str]) -> Floats:
    """Return `[1 + RESAMPLES, n]`: how often each question counts, first once each."""
    place = {text: n for n, text in enumerate(dict.fromkeys(golds))}
    drawn = np.random.default_rng(0).multinomial(
        len(place), [1 / len(place)] * len(place), RESAMPLES
    )
    counts = np.vstack([np.ones(len(place)), drawn])
    return np.asarray(counts[:, [place[text] for text in golds]], dtype=float)


def mean_of(weights: Floats, values: Floats) -> list[float]:
    """Return the mean of the values that are no NaN, and the ends of its interval."""
    known = ~np.isnan(values)
    total = np.maximum(weights[:, known].sum(1), 1)
    of_all = (weights[:, known] * values[known]).sum(1) / total
    return [float(of_all[0]), *map(float, np.percentile(of_all[1:], [2.5, 97.5]))]


def right_of(of: QuestionMaterial, labels: str) -> tuple[bool, ...]:
    """Return what is right of each query."""
    return of.correct if labels == DATABASE else of.as_gold


def best_system(questions: Questions, labels: str) -> str:
    """Return the system with the largest share of right queries among those it has."""
    known: dict[str, list[bool]] = {}
    for of in questions:
        for name, right in zip(of.systems, right_of(of, labels), strict=True):
            known.setdefault(name, []).append(right)
    return max(known, key=lambda name: statistics.fmean(known[name]))


def without_original(questions: Questions, labels: str, best: str) -> dict[str, Floats]:
    """Return `[n]` in [0, 1] for each way: the share of its leaders that is right.

    For the best single system NaN where it has no query.
    """
    found = {}
    rights = [right_of(of, labels) for of in questions]
    for way, score in WAYS.items():
        chosen = [leaders(score(of)) for of in questions]
        shares = [
            statistics.fmean(right[place] for place in places)
            for right, places in zip(rights, chosen, strict=True)
        ]
        found[way] = np.array(shares)
    found[ANY] = np.array([float(any(right)) for right in rights])
    found[BEST] = np.array(
        [
            float(right[of.systems.index(best)]) if best in of.systems else np.nan
            for of, right in zip(questions, rights, strict=True)
        ]
    )
    return found


def parts(questions: Questions) -> Iterator[tuple[str, str, Questions]]:
    """Yield the questions of a benchmark, all of them, those with telling labels, by database."""
    yield ALL, ALL, questions
    if any(of.vacuous for of in questions):
        yield TELLING, ALL, [of for of in questions if not of.vacuous]
    for name in sorted({of.db_id for of in questions}):
        yield ALL, name, [of for of in questions if of.db_id == name]


def chosen_rows(name: str, questions: Questions) -> Iterator[dict[str, Cell]]:
    """Yield a line for each part, kind of label and way, with no original given."""
    best = {labels: best_system(questions, labels) for labels in (DATABASE, INSTANCES)}
    for kind, database, part in parts(questions):
        weights = resampled([of.gold for of in part])
        for labels, system in best.items():
            right = without_original(part, labels, system)
            for way, values in right.items():
                yield {
                    "benchmark": name,
                    "questions": kind,
                    "database": database,
                    "labels": labels,
                    "way": way,
                    "n": len(part),
                    **interval_columns("ex", mean_of(weights, values)),
                    **interval_columns("over_best", mean_of(weights, values - right[BEST])),
                    **interval_columns("over_majority", mean_of(weights, values - right[MAJORITY])),
                }


Chooser = Callable[[QuestionMaterial, int], int]
CHOOSERS: dict[str, Chooser] = {
    MAJORITY: kept_by_majority,
    AUDITED: lambda of, place: corrected(of, place, MARGIN),
    UNAUDITED: lambda of, place: corrected(of, place, None),
}


def corrected_rows(name: str, questions: Questions) -> Iterator[dict[str, Cell]]:
    """Yield a line for each way and system in turn as the original, and the mean of systems."""
    systems = sorted({system for of in questions for system in of.systems})
    for way, chooser in CHOOSERS.items():
        for labels in (DATABASE, INSTANCES):
            rows = [
                (of, place, chooser(of, place))
                for of in questions
                for place in range(len(of.systems))
            ]
            for system in [ALL, *systems]:
                own = [row for row in rows if system in (ALL, row[0].systems[row[1]])]
                key = {"benchmark": name, "labels": labels, "way": way, "system": system}
                yield {**key, **correction_figures(own, labels)}


def correction_figures(
    rows: Sequence[tuple[QuestionMaterial, int, int]], labels: str
) -> dict[str, Cell]:
    """Return fixed, broken, net, and accuracy before and after, of questions, originals, choices.

    Changed counts queries that were exchanged for another text.
    """
    before = np.array([right_of(of, labels)[place] for of, place, _ in rows], dtype=float)
    after = np.array([right_of(of, labels)[chosen] for of, _, chosen in rows], dtype=float)
    weights = resampled([of.gold for of, _, _ in rows])
    return {
        "cases": len(rows),
        "changed": sum(of.texts[place] != of.texts[chosen] for of, place, chosen in rows),
        "fixed": int(((after == 1) & (before == 0)).sum()),
        "broken": int(((after == 0) & (before == 1)).sum()),
        "net": int(after.sum() - before.sum()),
        **interval_columns("ex_before", mean_of(weights, before)),
        **interval_columns("ex_after", mean_of(weights, after)),
        **interval_columns("gain", mean_of(weights, after - before)),
    }


def error_rows(name: str, questions: Questions) -> Iterator[dict[str, Cell]]:
    """Yield how often what `select` chooses is wrong, by what could have been chosen."""
    kinds: dict[str, int] = {}
    for of in questions:
        chosen = leaders(WAYS[SELECT](of))[0]
        if of.correct[chosen]:
            continue
        if not any(of.correct):
            kind = "no candidate is right"
        elif of.vacuous:
            kind = "the gold query returns nothing"
        else:
            sizes = [sum(own == group for own in of.groups) for group in of.groups]
            most = max(size for size, right in zip(sizes, of.correct, strict=True) if right)
            kind = "more candidates have the wrong result"
            if most >= sizes[chosen]:
                kind = "as many or more have a right result"
        kinds[kind] = kinds.get(kind, 0) + 1
    for kind in sorted(kinds):
        yield {"benchmark": name, "kind": kind, "questions": kinds[kind], "of": len(questions)}


def sample_rows(found: Sequence[SampleChoice]) -> Iterator[dict[str, Cell]]:
    """Yield a line for each model and way, among other samples of the same model."""
    for model in [ALL, *sorted({of.model for of in found})]:
        own = [of for of in found if model in (ALL, of.model)]
        weights = resampled([of.gold for of in own])
        right = {way: np.array([float(of.right[way]) for of in own]) for way in own[0].right}
        before = right["original"]
        for way, values in right.items():
            yield {
                "model": model,
                "way": way,
                "cases": len(own),
                "candidates": statistics.fmean(of.candidates for of in own),
                "changed": sum(of.changed for of in own) if way == SELECT else None,
                "fixed": int(((values == 1) & (before == 0)).sum()),
                "broken": int(((values == 0) & (before == 1)).sum()),
                **interval_columns("ex", mean_of(weights, values)),
                **interval_columns("gain", mean_of(weights, values - before)),
            }


def report(folder: Path) -> str:
    """Return the tables."""
    rows = read_csv(folder / "results.csv")
    text = ["# Results\n\n95 % intervals over resampled questions.\n"]
    header = ["benchmark", "questions", "n", "correct by", "chosen by", "EX"]
    header += ["over the best system", "over the majority"]
    whole = [row for row in rows if row["database"] == ALL]
    lines = [
        [
            *(row[key] for key in ("benchmark", "questions", "n", "labels", "way")),
            *_intervals(row),
        ]
        for row in whole
    ]
    text.append(f"## No original: one query of all systems\n\n{markdown_table(header, lines)}")
    lines = [
        [row["benchmark"], row["database"], row["n"], row["way"], *_intervals(row)]
        for row in rows
        if row["database"] != ALL
        and row["labels"] == DATABASE
        and row["way"] in (BEST, MAJORITY, SELECT)
    ]
    header = ["benchmark", "database", "n", "chosen by", "EX", *header[-2:]]
    text.append(f"## By database\n\n{markdown_table(header, lines)}")
    text.append(_corrections(folder))
    lines = [list(row.values()) for row in read_csv(folder / "errors.csv")]
    header = ["benchmark", "what is chosen is wrong, and", "questions", "of"]
    text.append(f"## What stays wrong\n\n{markdown_table(header, lines)}")
    text.append(_samples(folder))
    return "\n".join(text)


def _intervals(row: dict[str, str]) -> list[str]:
    gains = [interval_text(interval(row, f"over_{of}"), signed=True) for of in ("best", "majority")]
    return [interval_text(interval(row, "ex")), *gains]


def _corrections(folder: Path) -> str:
    parts = ["## Each system the original\n"]
    counts = ("cases", "changed", "fixed", "broken", "net")
    header = ["system", "way", *counts, "EX before", "EX after", "gain"]
    for (benchmark, labels), of in grouped(
        read_csv(folder / "systems.csv"), "benchmark", "labels"
    ).items():
        shown = [row for row in of if labels == DATABASE or row["system"] == ALL]
        lines = [
            [
                row["system"],
                row["way"],
                *(row[name] for name in counts),
                *(interval_text(interval(row, name)) for name in ("ex_before", "ex_after")),
                interval_text(interval(row, "gain"), signed=True),
            ]
            for row in shown
        ]
        parts.append(f"{benchmark}, correct by {labels}:\n\n{markdown_table(header, lines)}")
    return "\n".join(parts)


def _samples(folder: Path) -> str:
    rows = read_csv(folder / "samples.csv")
    if not rows:
        return ""
    counts = ("cases", "changed", "fixed", "broken")
    lines = [
        [
            row["model"],
            row["way"],
            *(row[name] for name in counts),
            interval_text(interval(row, "ex")),
            interval_text(interval(row, "gain"), signed=True),
        ]
        for row in rows
    ]
    header = ["model", "chosen by", *counts, "EX", "less original"]
    first = rows[0]
    return (
        f"## Samples of one model\n\nBIRD, {number(first, 'candidates'):.1f} other samples of the "
        f"same model for each query.\n\n{markdown_table(header, lines)}"
    )


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    found: dict[str, list[dict[str, Any]]] = {"results": [], "systems": [], "errors": []}
    for name in workspace.benchmarks:
        questions = cached_material(workspace, name)
        found["results"] += chosen_rows(name, questions)
        found["systems"] += corrected_rows(name, questions)
        found["errors"] += error_rows(name, questions)
        print(name, len(questions), "questions", flush=True)
    if "bird" in workspace.benchmarks:
        found["samples"] = list(sample_rows(sample_choices(workspace)))
    for part, rows in found.items():
        write_csv(workspace.out / f"{part}.csv", rows)
    print(write_report(workspace.out, report))


if __name__ == "__main__":
    main()
