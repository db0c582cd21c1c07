"""What a strategy is given, what it returns, and the registry in which it is found by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict

from clausewise.corrected_case import ClauseChange, CorrectionStep
from clausewise.correction.changes import clause_changes
from clausewise.databases.model import Limits, QueryResult
from clausewise.errors import (
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
    RegistryError,
)
from clausewise.registry import Registry
from clausewise.types import Case, Json, ScoredCase

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.llm import CaseLLM, Usage

ENTRY_POINT_GROUP = "clausewise.strategies"
"""Packages name a module under this entry-point group; importing it registers their strategies."""
_BUILT_IN = ("dart", "gbv", "given", "redsql", "rules", "select", "sqldriller", "sqlens")

DEFAULT_MARGIN = 0.38
"""How much higher the probability of a proposal must be where a strategy says nothing of it.

Measured in `experiments/auditor`: the smallest by which at most 2 % of harmful proposals pass."""


class StrategyOptions(BaseModel):
    """What can be set of a strategy; one subclass for each that has options, all with defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ScoresQueries(Protocol):
    """What a task asks for probabilities: the detector's judgment of queries for one case."""

    def scores(self, queries: Sequence[str], *, alone: bool = False) -> list[ScoredCase]:
        """Return each query for the case's question with its probability and findings.

        With `alone` no other candidate is in view.
        """


@dataclass(frozen=True, slots=True)
class QueryExecution:
    """What running a query under the limits gave: rows, or what the database says against it."""

    result: QueryResult | None
    error: str = ""
    """Empty where the query ran."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a strategy wants in place of the current query, None for nothing; and why."""

    sql: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class EarlierRound:
    """What came of a round before: the proposal, and why it was refused, empty where it was not."""

    proposal: Proposal
    refused: str = ""


@dataclass(slots=True)
class CorrectionTask:
    """One round of one case: what is to be corrected, and what may be used for it.

    Attributes
    ----------
    scored
        The current query with its probability and findings: in round 0 the line of the scores
        file, afterward what was taken last, as the detector judges it.
    case
        The same as an input case: question, evidence, query and candidates.
    original
        The case as it came in; the same as `case` until a proposal is taken.
    llm
        The client of a language model, metered for this case; None where none was given.
    options
        The strategy's options, an instance of its `StrategySpec.options`.
    round
        Number of the round, from 0.
    earlier
        The rounds before, oldest first.
    steps
        Everything that was recorded of the case, over all rounds.
    """

    scored: ScoredCase
    case: Case
    original: Case
    database: DatabaseProtocol
    detector: ScoresQueries
    llm: CaseLLM | None = None
    seed: int = 0
    options: StrategyOptions = field(default_factory=StrategyOptions)
    round: int = 0
    earlier: tuple[EarlierRound, ...] = ()
    steps: list[CorrectionStep] = field(default_factory=list)
    _counted: Usage | None = None
    """The cost of all steps so far."""

    def run(self, sql: str, limits: Limits | None = None) -> QueryExecution:
        """Run a query read-only and under limits; what the database refuses is no exception.

        Raises DatabaseError where the database itself cannot be read.
        """
        try:
            return QueryExecution(self.database.run(sql, limits))
        except (QueryDenied, QueryTimeout, QueryTooLarge, QueryFailed) as error:
            return QueryExecution(None, str(error) or type(error).__name__)

    def scores(self, queries: Sequence[str], *, alone: bool = False) -> list[ScoredCase]:
        """Return each query with the detector's probability and findings, none of a model.

        They are judged alike: with the same other candidates in view, where the case has any, or
        each by itself with `alone`.
        """
        return self.detector.scores(queries, alone=alone)

    def record(
        self,
        action: str,
        message: str,
        *,
        sql: str | None = None,
        evidence: dict[str, Json] | None = None,
    ) -> None:
        """Keep a step; it is written also where the strategy fails later.

        With `sql`, a query that is proposed, come the clauses in which it differs from the
        current one. What the model's answers cost since the last step is the cost of this one.
        """
        self.steps.append(
            CorrectionStep(
                action=action,
                message=message,
                sql=sql,
                changes=() if sql is None else self.changes(sql),
                evidence=evidence or {},
                round=self.round,
                cost=self._cost_since(),
            )
        )

    def changes(self, sql: str) -> tuple[ClauseChange, ...]:
        """Return the clauses in which a query differs from the current one."""
        names = self.database.schema.names()
        return clause_changes(self.case.predicted_sql, sql, names, self.database.dialect)

    def _cost_since(self) -> dict[str, Json] | None:
        """Return what the model's answers cost since the last step, None without a model."""
        if self.llm is None:
            return None
        total = self.llm.usage
        cost = total if self._counted is None else total - self._counted
        self._counted = total
        return cost.to_json()


StrategyFunction: TypeAlias = Callable[[CorrectionTask], Proposal]


@dataclass(frozen=True, slots=True)
class StrategySpec:
    """A strategy's function and what the loop must know of it.

    Attributes
    ----------
    margin
        How much higher than the current query's the detector's probability of a proposal must
        be, in [0, 1], as `judging.least_probability` counts it; None: the strategy itself
        decides, and the proposal only has to run.
    rounds
        How many times at most the strategy is called for a case, 1 or more. It ends earlier
        where it proposes nothing.
    needs_model
        Whether it can do nothing without a language model.
    sends_rows
        Whether its prompts hold rows of tables.
    options
        What can be set of it.
    """

    name: str
    description: str
    function: StrategyFunction
    margin: float | None = DEFAULT_MARGIN
    rounds: int = 1
    needs_model: bool = False
    sends_rows: bool = False
    options: type[StrategyOptions] = StrategyOptions


STRATEGIES: Registry[StrategySpec] = Registry("strategy")
"""Every strategy known in this process; filled by `load_strategies`."""


def strategy(
    *,
    name: str,
    description: str,
    margin: float | None = DEFAULT_MARGIN,
    rounds: int = 1,
    needs_model: bool = False,
    sends_rows: bool = False,
    options: type[StrategyOptions] = StrategyOptions,
    registry: Registry[StrategySpec] = STRATEGIES,
) -> Callable[[StrategyFunction], StrategyFunction]:
    """Register the decorated function as a strategy and return it unchanged.

    The parameters are the fields of `StrategySpec`. Raises RegistryError where the name is taken.
    """

    def register(function: StrategyFunction) -> StrategyFunction:
        spec = StrategySpec(
            name, description, function, margin, rounds, needs_model, sends_rows, options
        )
        registry.add(name, spec)
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
