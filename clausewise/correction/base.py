"""What a strategy is given, what it returns, and the registry in which it is found by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeAlias

from clausewise.corrected_case import CorrectionStep
from clausewise.errors import RegistryError
from clausewise.registry import Registry
from clausewise.types import Case, ScoredCase

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.llm import CaseLLM

ENTRY_POINT_GROUP = "clausewise.strategies"
"""Packages name a module under this entry-point group; importing it registers their strategies."""
_BUILT_IN = ("sqldriller",)


@dataclass(slots=True)
class CorrectionTask:
    """One case to be corrected, and what may be used for it."""

    scored: ScoredCase
    """The case with its probability and findings."""
    case: Case
    """The same as an input case: question, evidence, query and candidates."""
    database: DatabaseProtocol
    llm: CaseLLM | None = None
    """The client of a language model, metered for this case; None where none was given."""
    seed: int = 0
    steps: list[CorrectionStep] = field(default_factory=list)

    def record(self, step: CorrectionStep) -> None:
        """Keep a step; it is written also where the strategy fails later."""
        self.steps.append(step)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a strategy wants in place of the predicted query, None for nothing; and why."""

    sql: str | None
    reason: str


StrategyFunction: TypeAlias = Callable[[CorrectionTask], Proposal]


@dataclass(frozen=True, slots=True)
class StrategySpec:
    """A strategy's function and what the loop must know of it.

    `margin` is how much higher than the original's the detector's probability of a proposal must
    be; None: the strategy itself decides, and the proposal only has to run. `sends_rows` is true
    where its prompts hold rows of tables.
    """

    name: str
    description: str
    function: StrategyFunction
    margin: float | None = 0.0
    sends_rows: bool = False


STRATEGIES: Registry[StrategySpec] = Registry("strategy")
"""Every strategy known in this process; filled by `load_strategies`."""


def strategy(
    *,
    name: str,
    description: str,
    margin: float | None = 0.0,
    sends_rows: bool = False,
    registry: Registry[StrategySpec] = STRATEGIES,
) -> Callable[[StrategyFunction], StrategyFunction]:
    """Register the decorated function as a strategy and return it unchanged.

    The parameters are the fields of `StrategySpec`. Raises RegistryError where the name is taken.
    """

    def register(function: StrategyFunction) -> StrategyFunction:
        registry.add(name, StrategySpec(name, description, function, margin, sends_rows))
        return function

    return register


def load_strategies() -> None:
    """Import the built-in strategies and those of plug-ins.

    Raises RegistryError naming the plug-in where one cannot be imported.
    """
    for name in _BUILT_IN:
        importlib.import_module(f"clausewise.correction.{name}")
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name):
        try:
            point.load()
        except Exception as error:
            raise RegistryError(
                f"the strategy plug-in '{point.name}' ({point.value}) cannot be loaded: {error}"
            ) from error
