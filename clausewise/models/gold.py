"""What a detector expects of queries where it is given gold pairs of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausewise.errors import ClausewiseError

if TYPE_CHECKING:
    from clausewise.databases import Databases
    from clausewise.datasets.gold_pairs import GoldPair, GoldPairs
    from clausewise.expectation import Expectation
    from clausewise.signals import SignalSpec

SHAPE = "expected_shape.npz"


def expectation_from(gold: GoldPairs, databases: Any) -> tuple[Expectation, int]:
    """Return what is expected after these gold pairs, and how many of them were learned from.

    Columns are resolved by the schemas of the databases, which are what a detector takes, where a
    pair names one that is there.

    Raises InputError where the pairs cannot be read, or none can be learned from.
    """
    from clausewise.databases import Databases
    from clausewise.datasets import as_gold_pairs
    from clausewise.expectation import packaged_expectation
    from clausewise.expectation.gold import adapted

    pairs = as_gold_pairs(gold)
    start = packaged_expectation()
    if isinstance(databases, Databases):
        model, number = adapted(start.shape_model, pairs, _tables(pairs, databases))
    else:
        with closing(Databases(databases)) as opened:
            model, number = adapted(start.shape_model, pairs, _tables(pairs, opened))
    return dataclasses.replace(start, shape_model=model), number


def _tables(
    pairs: Sequence[GoldPair], databases: Databases
) -> dict[str, Mapping[str, Sequence[str]]]:
    """Return the tables of the databases that the pairs name; one that cannot be read has none."""
    found: dict[str, Mapping[str, Sequence[str]]] = {}
    for name in sorted({pair.db_id for pair in pairs if pair.db_id}):
        try:
            found[name] = databases.get(name).schema.names()
        except ClausewiseError:
            continue
    return found


def with_expectation(
    specs: Sequence[SignalSpec], expectation: Expectation | None
) -> tuple[SignalSpec, ...]:
    """Return the signals as they run in a detector that expects this of queries."""
    if expectation is None:
        return tuple(specs)
    return tuple(dataclasses.replace(spec, expectation=expectation) for spec in specs)


def save_expectation(expectation: Expectation, folder: Path) -> None:
    """Write what a detector expects into its folder."""
    expectation.shape_model.save(folder / SHAPE)


def load_expectation(folder: Path) -> Expectation:
    """Read what `save_expectation` wrote.

    Raises DetectorError where the file is missing or damaged.
    """
    from clausewise.expectation import ShapeModel, packaged_expectation

    model = ShapeModel.load(folder / SHAPE)
    return dataclasses.replace(packaged_expectation(), shape_model=model)
