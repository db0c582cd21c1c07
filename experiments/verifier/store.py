"""The weights of the verifier as the package stores them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.verifier.network import Verifier

Arrays = dict[str, NDArray[Any]]
_AS_THEY_MULTIPLY = (
    *("token_facts", "unit_facts", "token_near", "unit_near", "qkv", "wide", "narrow"),
    *("hidden", "out"),
)
"""Layers whose matrices are turned."""


def arrays_of(
    network: Verifier,
    vocabulary: Mapping[str, int],
    keywords: Mapping[str, int],
    scale: tuple[float, float],
) -> Arrays:
    """Return the network's weights in half precision, small ones in single, with its words."""
    stored: Arrays = {}
    for name, values in network.state_dict().items():
        array = values.detach().numpy()
        layer, _, kind = name.rpartition(".")
        if kind == "weight" and layer.rpartition(".")[2] in _AS_THEY_MULTIPLY:
            array = array.T
        stored[name] = array.astype(
            np.float16 if array.ndim == 2 and array.size > 100 else np.float32
        )
    stored["vocabulary"] = np.array("\n".join(vocabulary))
    stored["known_keywords"] = np.array("\n".join(keywords))
    stored["scale"] = np.round(np.array(scale), 4)
    return stored
