"""Graded labeling functions on the shape of a query: long and nested queries err more often.

The share of errors grows with the tokens of query and question (SQLDriller, figure 12). That says
nothing about one query in particular, so the shape is never a finding; its votes are weak, and
their levels are quantiles of the cases that the detector is fitted on: what is long for one
domain is short for another.

A label model takes its inputs for independent. Tokens, depth, joins and conditions rise together,
and so do levels of one measure: with many such functions what they agree on is the length, and
the signals are read by it (`experiments/aggregation`). So one measure votes, once a side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from clausewise.labeling.functions import LabelingFunction
from clausewise.types import Inspection, Vote

SHAPE_FAMILY = "shape"
MEASURES = ("tokens",)
"""The measures of `Inspection.shape` that vote by default."""
ALL_MEASURES = (*MEASURES, "depth", "joins", "conditions", "subqueries", "tokens_per_question_word")
"""Those that SQLDriller relates to errors, and the ratio to the question's length."""
LOWER_SHARES = (0.1,)
"""Quantiles below which a query is called CORRECT."""
UPPER_SHARES = (0.9,)
"""Quantiles above which it is called INCORRECT."""

_Side: TypeAlias = Literal["higher", "lower"]
ShapeLevels: TypeAlias = Mapping[str, float]
"""Name of a function, such as `shape.tokens>q0.9`, to the value beyond which it votes."""

LevelsOf: TypeAlias = Callable[[Sequence[Inspection]], ShapeLevels]
"""Sets the levels from `n` unlabeled cases: `shape_levels`, with arguments of one's own."""


def shape_levels(
    inspections: Sequence[Inspection],
    measures: Sequence[str] = MEASURES,
    *,
    lower: Sequence[float] = LOWER_SHARES,
    upper: Sequence[float] = UPPER_SHARES,
) -> dict[str, float]:
    """Return the levels at which the measures vote, from `n` unlabeled cases.

    `lower` and `upper` are quantiles in (0, 1), one function each.

    Levels that coincide, and such that no case lies beyond, are left out; so is a measure that an
    inspection lacks.
    """
    levels: dict[str, float] = {}
    for measure in measures:
        values = np.array([item.shape.get(measure, np.nan) for item in inspections], dtype=float)
        if not len(values) or np.isnan(values).any():
            continue
        sides: tuple[tuple[str, Sequence[float], _Side, float], ...] = (
            ("<", lower, "higher", values.min()),
            (">", upper, "lower", values.max()),
        )
        for sign, shares, observed, end in sides:
            taken = {float(end)}
            for share in shares:
                # a value that a case has: counts would split between values into equal functions
                level = float(np.quantile(values, share, method=observed))
                if level not in taken:
                    taken.add(level)
                    levels[f"shape.{measure}{sign}q{share:g}"] = level
    return levels


def shape_functions(levels: ShapeLevels) -> tuple[LabelingFunction, ...]:
    """Return the functions with these levels: above an upper one INCORRECT, below a lower CORRECT.

    A case right at a level, or one without the measure, is abstained on.
    """
    functions = []
    for name, level in levels.items():
        sign: Literal["<", ">"] = "<" if "<" in name else ">"
        measure = name.removeprefix("shape.").partition(sign)[0]
        decide = partial(_beyond, measure=measure, sign=sign, level=level)
        functions.append(LabelingFunction(name, (), SHAPE_FAMILY, decide))
    return tuple(functions)


def _beyond(inspection: Inspection, *, measure: str, sign: Literal["<", ">"], level: float) -> Vote:
    value = inspection.shape.get(measure)
    if value is None:
        return Vote.ABSTAIN
    if sign == ">":
        return Vote.INCORRECT if value > level else Vote.ABSTAIN
    return Vote.CORRECT if value < level else Vote.ABSTAIN
