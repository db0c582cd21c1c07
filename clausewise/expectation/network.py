"""What the packaged networks share: how they are stored, and a row beside its neighbors."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.columns_statics import Floats

Stored = Mapping[str, NDArray[Any]]


def packaged_arrays(name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a packaged file, read anew."""
    file = resources.files("clausewise.expectation") / "packaged" / name
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as saved:
        return dict(saved)


def weights_of(saved: Stored, *others: str) -> dict[str, Floats]:
    """Return the arrays in single precision, but for those that are no weights."""
    return {
        name: np.ascontiguousarray(values, dtype=np.float32)
        for name, values in saved.items()
        if name not in others
    }


def numbered(saved: Stored, name: str, first: int) -> dict[str, int]:
    """Return the words that are stored under a name, numbered in order."""
    words = str(saved[name]).split("\n")
    return {word: first + place for place, word in enumerate(words)}


def shifted(values: Floats, width: int) -> Floats:
    """Return each row with its neighbors, `[t, width * d]`; zeros stand outside."""
    half = width // 2
    size, d = values.shape
    padded = np.zeros((size + width - 1, d), dtype=np.float32)
    padded[half : half + size] = values
    return np.concatenate([padded[at : at + size] for at in range(width)], axis=1)
