"""Train the model of the columns and tables that a question asks for.

    python -m experiments.expectation.train_columns DATA --out RESULTS [--weights FILE] [--all]

Learns from gold pairs of databases on which nothing is evaluated, measures on every fifth of them,
which is left out, writes a learning curve and the weights. The packaged weights are those whose
figures the results show; with `--all` they are learned once more, from all databases.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from experiments.expectation.pairs import Pair, fold_of
from experiments.expectation.train_columns_data import (
    Example,
    chosen,
    examples,
    known_words,
    vocabulary_of,
)
from experiments.expectation.train_columns_measures import (
    ALL,
    USUAL,
    measures,
    predicted,
    scales_of,
)
from experiments.expectation.train_columns_network import ColumnNetwork, batch_of, loss_of
from experiments.expectation.train_columns_store import Arrays, arrays_of, write
from experiments.world.corpus.pairs import all_pairs

FOLDS = 5
SHARES = (0.1, 0.3)
"""Of the databases, for the learning curve."""
BATCH = 48
EPOCHS = 8
RATE = 3e-3


def fitted(
    data: Sequence[Example], known: Mapping[str, int], epochs: int = EPOCHS, seed: int = 0
) -> ColumnNetwork:
    """Return the network learned from examples, the same for the same examples and seed."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    drop = np.random.default_rng(seed)
    network = ColumnNetwork(len(known) + min(known.values()))
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-2)
    steps = epochs * ((len(data) + BATCH - 1) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=RATE, total_steps=steps + 1, pct_start=0.15
    )
    for epoch in range(epochs):
        start, total = time.time(), 0.0
        network.train()
        for part in _batches(data, drop):
            batch = batch_of([data[at] for at in part], known, drop)
            roles, tables = network(batch)
            loss = loss_of(roles, tables, batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(part)
        print(f"epoch {epoch}: {total / len(data):.4f} in {time.time() - start:.0f} s", flush=True)
    return network.eval()


def _batches(data: Sequence[Example], drop: np.random.Generator) -> list[list[int]]:
    """Return shuffled batches of examples with about as many columns each."""
    noise = drop.random(len(data)) * 12
    order = np.argsort([len(item.labels) for item in data] + noise, kind="stable")
    parts = [list(order[at : at + BATCH]) for at in range(0, len(order), BATCH)]
    drop.shuffle(parts)
    return parts


def main() -> None:
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("data", type=Path, help="folder of the benchmarks")
    made.add_argument("--out", type=Path, required=True, help="folder of the results")
    made.add_argument("--weights", type=Path, help="file of the packaged weights")
    made.add_argument("--all", action="store_true", help="weights learned from all databases")
    arguments = made.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    pairs = chosen(all_pairs(arguments.data))
    arrays = _held_out(pairs, arguments.out)
    if arguments.all:
        words = known_words(pairs)
        known = vocabulary_of(words)
        network = fitted(examples(pairs, known, perturbed=True), known)
        arrays = arrays_of(network, words, arrays["scales"])
    if arguments.weights is not None:
        write(arguments.weights, arrays)


def _held_out(pairs: Sequence[Pair], out: Path) -> Arrays:
    """Learn without every fifth database, measure on those, write the results."""
    inside = [pair for pair in pairs if fold_of(pair.group, FOLDS)]
    left_out = [pair for pair in pairs if not fold_of(pair.group, FOLDS)]
    words = known_words(inside)
    known = vocabulary_of(words)
    shown = examples(left_out, known, perturbed=False)
    renamed = examples(left_out, known, perturbed=True, seed=1)
    learned = examples(inside, known, perturbed=True)
    curve = []
    for share in (*SHARES, 1.0):
        part = [item for item in learned if fold_of("share " + item.group, 100) < share * 100]
        network = fitted(part, known, epochs=EPOCHS)
        found = predicted(network, shown, known)
        scales = scales_of(found)
        databases = len({item.group for item in part})
        rows = [row for row in measures(found, scales) if row["source"] in (ALL, USUAL)]
        curve += [{"databases": databases, "pairs": len(part), **row} for row in rows]
    _write(out / "columns_learning_curve.csv", curve)
    _write(out / "columns_held_out.csv", measures(found, scales))
    _write(out / "columns_renamed.csv", measures(predicted(network, renamed, known), scales))
    return arrays_of(network, words, scales)


def _write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
