"""Expectations that never saw the database whose gold queries are audited.

    python -m experiments.audit.held_out DATA --weights FOLDER

The packaged expectation is learned from gold pairs, those of `spider_train` among them: it has seen
the very queries that an audit doubts. Here the databases are dealt out to `PARTS` parts, and for
each part shape and columns are learned from the pairs of all the others. Calibration is that of the
packaged weights.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

from clausewise.expectation import Expectation, packaged_expectation
from clausewise.expectation.columns_model import model_of, packaged_model
from clausewise.expectation.shape import ShapeModel
from experiments.expectation.common import sampled
from experiments.expectation.pairs import Pair, fold_of, read_pairs

PARTS = 3


def part_of(group: str) -> int:
    """Return the part in [0, PARTS) in which a database is audited."""
    return fold_of("audit " + group.casefold(), PARTS)


def shape_file(folder: Path, part: int) -> Path:
    """Return where the shape learned without a part is stored."""
    return folder / f"shape-{part}.npz"


def columns_file(folder: Path, part: int) -> Path:
    """Return where the columns learned without a part are stored."""
    return folder / f"columns-{part}.npz"


@contextmanager
def expecting(folder: Path, part: int) -> Iterator[Expectation]:
    """Let the columns learned without a part be in force; yield what is expected of shapes.

    Only in this process: what is scored must be scored in it. Without a file of columns the
    packaged ones stay in force.
    """
    columns = packaged_model()
    if columns_file(folder, part).exists():
        with np.load(columns_file(folder, part), allow_pickle=False) as saved:
            columns = model_of(dict(saved))
    with patch("clausewise.expectation.columns.packaged_model", lambda: columns):
        yield Expectation(ShapeModel.load(shape_file(folder, part)))


def learn(pairs: list[Pair], folder: Path, part: int) -> None:
    """Learn shape and columns without the pairs of a part, and store them."""
    from experiments.expectation.shape_training import examples_of, trained

    others = [pair for pair in pairs if part_of(pair.group) != part]
    model = trained(examples_of(sampled(others)))
    temperatures = packaged_expectation().shape_model.temperatures
    dataclasses.replace(model, temperatures=temperatures).save(shape_file(folder, part))
    print(f"part {part}: shape of {len(others)} pairs", flush=True)
    _learn_columns(others, columns_file(folder, part))


def _learn_columns(others: list[Pair], path: Path) -> None:
    from experiments.expectation.train_columns import fitted
    from experiments.expectation.train_columns_data import (
        chosen,
        examples,
        known_words,
        vocabulary_of,
    )
    from experiments.expectation.train_columns_store import arrays_of, write

    learned = chosen(others)
    words = known_words(learned)
    known = vocabulary_of(words)
    network = fitted(examples(learned, known, perturbed=True), known)
    write(path, arrays_of(network, words, packaged_model().scales.astype(np.float64)))
    print(f"columns of {len(learned)} pairs", flush=True)


def main() -> None:
    """Learn what is expected, part by part."""
    import torch

    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("data", type=Path, help="folder of the benchmarks")
    made.add_argument("--weights", type=Path, required=True, help="folder to write to")
    arguments = made.parse_args()
    torch.set_num_threads(1)
    arguments.weights.mkdir(parents=True, exist_ok=True)
    pairs = read_pairs(arguments.data)
    for part in range(PARTS):
        if not columns_file(arguments.weights, part).exists():
            learn(pairs, arguments.weights, part)


if __name__ == "__main__":
    main()
