"""Repairs that a finding determines, without a language model: the strategy `rules`.

`REPAIRS` is the table of repairs, `suggest` makes them without judging, the strategy judges them.
A repair is a function from a finding and the parsed query to edits of its text.
"""

from clausewise.correction.rules import (
    calculations,
    choices,
    comparisons,
    joins,
    names,
    nulls,
    projections,
    rankings,
    repeats,
    strategy,
    subqueries,
    values,
)
from clausewise.correction.rules.base import REPAIRS, RepairContext, RepairSpec, repair
from clausewise.correction.rules.strategy import RulesOptions
from clausewise.correction.rules.suggesting import SuggestedRepair, suggest

__all__ = [
    "REPAIRS",
    "RepairContext",
    "RepairSpec",
    "RulesOptions",
    "SuggestedRepair",
    "repair",
    "suggest",
]
_MODULES = (
    names,
    values,
    nulls,
    subqueries,
    calculations,
    joins,
    projections,
    rankings,
    comparisons,
    repeats,
    choices,
    strategy,
)
