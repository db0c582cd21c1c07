"""The weights of the network as the package stores them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.columns_inputs import COLUMN_FACTS, TABLE_FACTS
from clausewise.expectation.columns_statics import COLUMN_STATICS, TABLE_STATICS
from experiments.expectation.train_columns_network import EMBEDDED, HEADS, HIDDEN, ColumnNetwork

Arrays = dict[str, NDArray[Any]]


def arrays_of(network: ColumnNetwork, known: Sequence[str], scales: NDArray[np.float64]) -> Arrays:
    """Return the network's weights, inputs first, in half precision; biases in single."""
    state = {name: value.detach().numpy() for name, value in network.state_dict().items()}

    def layer(name: str) -> NDArray[Any]:
        turned: NDArray[Any] = state[f"{name}.weight"].T
        return turned

    found: dict[str, NDArray[Any]] = {"words": state["words.weight"]}
    found |= {name: layer(name) for name in ("first", "second", "key", "query", "roles")}
    ends = np.cumsum([EMBEDDED, COLUMN_FACTS, COLUMN_STATICS])
    parts = np.split(layer("column"), ends)
    names = ("column.words", "column.facts", "column.statics", "column.question")
    found |= dict(zip(names, parts, strict=True))
    third = layer("third")
    found["third"], found["third.whole"] = third[:-HIDDEN], third[-HIDDEN:]
    steps = ("fourth", "fourth.table", "fourth.best")
    found |= dict(zip(steps, np.split(layer("fourth"), 3), strict=True))
    width = layer("roles").shape[0]
    ends = np.cumsum([width, TABLE_FACTS, TABLE_STATICS])
    names_of_table = ("table.state", "table.facts", "table.statics", "table.words")
    found |= dict(zip(names_of_table, np.split(layer("table"), ends), strict=True))
    second = layer("table_second")
    found["table_second"], found["table_second.best"] = second[:64], second[64:]
    found["table_out"] = layer("table_out")[:, 0]
    stored: Arrays = {name: values.astype(np.float16) for name, values in found.items()}
    for name, values in state.items():
        if name.endswith(".bias"):
            stored[name] = values.astype(np.float32)
    stored["table_out.bias"] = stored["table_out.bias"][0]
    stored["by_channel"] = state["by_channel"].astype(np.float32)
    stored["nothing"] = state["nothing"].reshape(HEADS).astype(np.float32)
    stored["vocabulary"] = np.array("\n".join(known))
    stored["scales"] = np.round(scales, 4).astype(np.float32)
    return stored


def write(path: Path, arrays: Arrays) -> None:
    """Write the arrays to a file of the same bytes each time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, allow_pickle=False, **dict(sorted(arrays.items())))
