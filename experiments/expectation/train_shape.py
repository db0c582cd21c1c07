"""Learn the expected shape from gold pairs, and measure it on databases that are left out.

    python -m experiments.expectation.train_shape DATA --out clausewise/expectation/packaged

Reads `spider_train` and `gold_pairs`; never a database that has labeled predictions. Writes the
model's weights to the folder `--out`, and the held-out figures to `--results`.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.fitting import target_matrix, temperatures_of
from clausewise.expectation.packaged_weights import SHAPE_FILE
from clausewise.expectation.shape import N_CLASSES, ShapeModel, calibrated, softmax
from experiments.common.results import Cell, write_report
from experiments.expectation.common import case_weights, folds_of, maker_of, sampled
from experiments.expectation.pairs import fold_of
from experiments.expectation.report import report
from experiments.expectation.shape_measures import (
    SUMMARY_SOURCES,
    attribute_rows,
    told,
    write_figures,
)
from experiments.expectation.shape_training import Example, examples_of, logits_of, trained
from experiments.world.corpus.pairs import all_pairs

RESULTS = Path("experiments/expectation/results")
CURVE = (0.1, 0.25, 0.5, 1.0)
"""Shares of the databases of the other folds that the learning curve is made with."""


@dataclass(frozen=True)
class HeldOut:
    """What models say of examples that they have not seen: `[n, n_classes]` each."""

    logits: NDArray[np.float32]
    bias: NDArray[np.float32]

    def expected(self, temperatures: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities, `[n, n_classes]`."""
        return softmax(calibrated(self.logits, self.bias, temperatures))


def held_out(examples: Sequence[Example], parts: Sequence[object]) -> HeldOut:
    """Return what is said of each example by a model that saw nothing of its part."""
    logits = np.zeros((len(examples), N_CLASSES), np.float32)
    bias = np.zeros_like(logits)
    for part in sorted(set(parts), key=str):
        learned = [of for of, own in zip(examples, parts, strict=True) if own != part]
        if not learned:
            continue
        model = trained(learned)
        left_out = [at for at, own in enumerate(parts) if own == part]
        logits[left_out] = logits_of(model, [examples[at] for at in left_out])
        bias[left_out] = model.bias
        print(f"without {part}: {len(left_out)} pairs", flush=True)
    return HeldOut(logits, bias)


def figures(
    examples: Sequence[Example], expected: NDArray[np.float32], targets: NDArray[np.float32]
) -> list[dict[str, Cell]]:
    """Return the rows of the held-out figures, over all pairs and for the larger sources."""
    base = shares_of([example.group for example in examples], targets)
    sources = np.array([example.pair.source for example in examples])
    rows = attribute_rows("all", expected, targets, base)
    for source in SUMMARY_SOURCES:
        chosen = sources == source
        if chosen.any():
            rows += attribute_rows(source, expected[chosen], targets[chosen], base[chosen])
    return rows


def is_from(example: Example, source: str) -> bool:
    """Whether an example is one of a source's pairs."""
    return example.pair.source == source


def any_told(
    examples: Sequence[Example], expected: NDArray[np.float32], targets: NDArray[np.float32]
) -> dict[str, Cell]:
    """Return which share of the gold queries has any finding, over all and by larger sources."""
    found: list[bool] = [any(row) for row in told(expected, targets).tolist()]
    shares: dict[str, Cell] = {"gold queries with any finding": float(np.mean(found))}
    for source in SUMMARY_SOURCES:
        own = [of for of, example in zip(found, examples, strict=True) if is_from(example, source)]
        if own:
            shares[f"the same, {source}"] = float(np.mean(own))
    return shares


def shares_of(groups: Sequence[str], targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how common the classes are, the same for each example, `[n, n_classes]`."""
    weights = case_weights(groups)
    shares = (weights @ targets / weights.sum()).astype(np.float32)
    return np.broadcast_to(shares, targets.shape)


def curve(examples: Sequence[Example]) -> list[dict[str, Cell]]:
    """Return held-out figures of fold 0 by the number of databases of the other folds."""
    folds = folds_of([example.group for example in examples])
    tested = [of for of, fold in zip(examples, folds, strict=True) if fold == 0]
    targets = target_matrix(of.classes for of in tested)
    rows: list[dict[str, Cell]] = []
    for share in CURVE:
        learned = [
            of
            for of, fold in zip(examples, folds, strict=True)
            if fold != 0 and fold_of(f"curve {of.group}", 1000) < 1000 * share
        ]
        if not learned or not tested:
            continue
        expected = softmax(logits_of(trained(learned), tested))
        row: dict[str, Cell] = {"databases": len({of.group for of in learned})}
        for source in SUMMARY_SOURCES:
            chosen = np.array([of.pair.source == source for of in tested])
            if chosen.any():
                found = attribute_rows("", expected[chosen], targets[chosen], expected[chosen])
                for figure in ("log_loss", "accuracy"):
                    row[f"{figure}_{source}"] = _mean([r[figure] for r in found])
        rows.append(row)
        print(f"curve {share}: {row}", flush=True)
    return rows


def _mean(values: Sequence[Cell]) -> float:
    return float(np.mean([float(value) for value in values if value is not None]))


def milliseconds(model: ShapeModel, examples: Sequence[Example]) -> float:
    """Return how long one question takes, the best of three rounds."""
    rounds = []
    for _ in range(3):
        start = time.perf_counter()
        for of in examples:
            model.expect(of.pair.question, of.pair.evidence)
        rounds.append(time.perf_counter() - start)
    return min(rounds) / max(len(examples), 1) * 1e3


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder of the weights")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--no-curve", action="store_true", help="leave the learning curve out")
    parser.add_argument("--no-corpus", action="store_true", help="learn from DATA alone")
    chosen = parser.parse_args(arguments)
    pairs = all_pairs(chosen.data, corpus=not chosen.no_corpus)
    examples = examples_of(sampled(pairs))
    groups = [example.group for example in examples]
    print(
        f"{len(pairs)} pairs, {len(examples)} learned from, {len(set(groups))} groups", flush=True
    )
    targets = target_matrix(of.classes for of in examples)
    by_database = held_out(examples, folds_of(groups).tolist())
    by_maker = held_out(examples, [maker_of(example.pair) for example in examples])
    # Half of what is to come is worded like the pairs, half by people who never saw them.
    temperatures = temperatures_of(
        np.concatenate([by_database.logits, by_maker.logits]),
        np.concatenate([by_database.bias, by_maker.bias]),
        np.concatenate([targets, targets]),
        np.tile(case_weights(groups), 2),
    )
    model = dataclasses.replace(trained(examples), temperatures=temperatures)
    chosen.out.mkdir(parents=True, exist_ok=True)
    model.save(chosen.out / SHAPE_FILE)
    facts: dict[str, Cell] = {
        "pairs": len(pairs),
        "pairs learned from": len(examples),
        "databases or domains": len(set(groups)),
        "words": len(model.known),
        "features": len(model.vocabulary),
        "bytes": (chosen.out / SHAPE_FILE).stat().st_size,
    }
    rows = figures(examples, by_database.expected(temperatures), targets)
    others = by_maker.expected(temperatures)
    rows += attribute_rows(
        "left out with all of their makers", others, targets, shares_of(groups, targets)
    )
    for row in rows:
        print({key: round(of, 3) if isinstance(of, float) else of for key, of in row.items()})
    facts |= any_told(examples, by_database.expected(temperatures), targets)
    print(f"{milliseconds(model, examples[::20]):.3f} ms a question")
    write_figures(chosen.results, rows, [] if chosen.no_curve else curve(examples), facts)
    write_report(chosen.results, report)


if __name__ == "__main__":
    main()
