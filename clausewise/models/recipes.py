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
                "by": "signal",
                "start": "alone",
                "shape_functions": False,
                "conventions": "strict",
            }
        )
    }
)
"""`sqlens`: the paper's own pipeline (SQLens, section 3.2). Each signal of the paper is a labeling
function, and so is the silence of all of them and of each group. Snorkel's label model aggregates
their votes. AutoGluon sees these votes alone and learns the label model's probabilities, or labels
where there are some for most cases. Nothing stands beside it: no packaged weight, no expectation,
no shape of the query. What is added to the paper is calibration, a straight line in the log-odds
to the class balance, which moves no ranking, and the threshold that follows from it."""
_WITH_MODEL = MappingProxyType({SQLENS: "sqlens,sqlens-llm"})
"""The signals of a recipe where a language model is given."""


def recipe(
    name: str, stated: Mapping[str, Any] | None = None, *, models: bool = False
) -> dict[str, Any]:
    """Return the parameters of `Detector` that a recipe sets, with those stated beside it.

    Parameters
    ----------
    name
        One of `RECIPES`.
    stated
        Further parameters. One that the recipe sets must have the recipe's value.
    models
        Whether a language model is given: then the signals that ask it are part of the recipe.

    Raises
    ------
    InputError
        For an unknown name, or where a stated parameter contradicts the recipe.
    """
    if name not in RECIPES:
        raise InputError(f"no recipe '{name}'; known: {', '.join(RECIPES)}", field="recipe")
    found = dict(RECIPES[name])
    if models:
        found["signals"] = _WITH_MODEL[name]
    given = {} if stated is None else dict(stated)
    for key, value in given.items():
        if key in found and value != found[key]:
            what = key.replace("_", " ")
            raise InputError(
                f"the recipe '{name}' sets {what} to {found[key]}, not {value}: "
                "leave one of them out",
                field=key,
            )
    return {**given, **found}


def recipe_of(selector: str | None, settings: Mapping[str, Any]) -> str | None:
    """Return the name of the recipe that a detector was fitted by, None for none.

    `selector` chose its signals, `settings` are those of its manifest.
    """
    for name, params in RECIPES.items():
        signals = (params["signals"], _WITH_MODEL[name])
        rest = {key: value for key, value in params.items() if key != "signals"}
        if selector in signals and all(settings.get(key) == rest[key] for key in rest):
            return name
    return None
