"""Recipes: whole ways of fitting that have a name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from clausewise.errors import InputError

SQLENS = "sqlens"
RECIPES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        SQLENS: MappingProxyType(
            {
                "signals": "sqlens",
                "label_model": "snorkel",
                "classifier": "autogluon",
                "calibration": "balance",
                "start": "alone",
                "conventions": "strict",
            }
        )
    }
)
"""`sqlens`: the paper's own pipeline (SQLens, section 3.2). Its signals become labeling functions,
Snorkel's label model aggregates their votes, AutoGluon learns from its probabilities, and nothing
stands beside it. What is added is the shift of the probabilities to the class balance, which moves
no ranking."""


def recipe(name: str, *, models: bool = False) -> dict[str, Any]:
    """Return the parameters of `Detector` that a recipe sets.

    `models` says whether a language model is given: then its signals are part of `sqlens`.

    Raises InputError for an unknown name.
    """
    if name not in RECIPES:
        raise InputError(f"no recipe '{name}'; known: {', '.join(RECIPES)}", field="recipe")
    found = dict(RECIPES[name])
    if models:
        found["signals"] = "sqlens,sqlens-llm"
    return found
