"""The figures of corrections, and their form as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clausewise.evaluation.results import Figure
from clausewise.types import SCHEMA_VERSION, Json

_DIGITS = 6
_RATIOS = (
    "execution_accuracy_before",
    "execution_accuracy_after",
    "gain",
    "fixed_share",
    "broken_share",
)


@dataclass(frozen=True, slots=True)
class CorrectionCost:
    """What a correction cost, answers from the cache included; `usd` None without a price."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens

    def to_dict(self, net: int) -> dict[str, Json]:
        """Return the sums, and what one net fix cost: null where nothing was gained."""
        per_net_fix: Json = None
        if net > 0:
            per_net_fix = {
                "calls": _rounded(self.calls / net),
                "tokens": _rounded(self.tokens / net),
                "usd": None if self.usd is None else _rounded(self.usd / net),
            }
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "usd": None if self.usd is None else _rounded(self.usd),
            "per_net_fix": per_net_fix,
        }


@dataclass(frozen=True, slots=True)
class CorrectionFigures:
    """What became of a set of cases.

    Attributes
    ----------
    n, changed, failed
        Cases; those whose query was changed; those that could not be processed.
    correct_before, correct_after
        Cases whose query is right.
    fixed, broken
        Wrong queries that became right, right ones that became wrong.
    execution_accuracy_before, execution_accuracy_after
        Shares in [0, 1] of right queries, with Wilson 95 % intervals.
    gain
        Their difference in [-1, 1], with the bootstrap 95 % interval over cases.
    fixed_share, broken_share
        Fixed ones among the wrong queries, broken ones among the right queries, in [0, 1], with
        Wilson 95 % intervals; undefined where there is none.
    cost
        None where no language model was asked.
    """

    n: int
    changed: int
    failed: int
    correct_before: int
    correct_after: int
    fixed: int
    broken: int
    execution_accuracy_before: Figure
    execution_accuracy_after: Figure
    gain: Figure
    fixed_share: Figure
    broken_share: Figure
    cost: CorrectionCost | None

    @property
    def net(self) -> int:
        """Fixed queries less broken ones."""
        return self.fixed - self.broken

    def to_dict(self) -> dict[str, Json]:
        """Return the figures and their `intervals` of [low, high]."""
        ratios: dict[str, Figure] = {name: getattr(self, name) for name in _RATIOS}
        counts = ("n", "changed", "failed", "correct_before", "correct_after", "fixed", "broken")
        return {
            **{name: getattr(self, name) for name in counts},
            "net": self.net,
            **{name: _rounded(figure.value) for name, figure in ratios.items()},
            "intervals": {
                name: None
                if figure.low is None or figure.high is None
                else [_rounded(figure.low), _rounded(figure.high)]
                for name, figure in ratios.items()
            },
            "cost": None if self.cost is None else self.cost.to_dict(self.net),
        }


@dataclass(frozen=True, slots=True)
class StrategyFigures:
    """The figures of one strategy: over all cases, by database, and by signal.

    `signals` has the cases on which each signal fired before the correction, a case once for each
    of its signals; None where the signals are not known.
    """

    overall: CorrectionFigures
    databases: Mapping[str, CorrectionFigures]
    signals: Mapping[str, CorrectionFigures] | None

    def to_dict(self) -> dict[str, Json]:
        """Return the figures over all cases at the top, the same keys below each group."""
        signals: Json = None
        if self.signals is not None:
            signals = {name: figures.to_dict() for name, figures in self.signals.items()}
        return {
            **self.overall.to_dict(),
            "databases": {name: figures.to_dict() for name, figures in self.databases.items()},
            "signals": signals,
        }


@dataclass(frozen=True, slots=True)
class CorrectionEvaluation:
    """Corrections against labels. Built by `clausewise.evaluation.evaluate_corrections`.

    `strategies` is by name, in the order of first appearance; `unlabeled` counts the corrections
    of which it is not known whether the query is right before or after.
    """

    strategies: Mapping[str, StrategyFigures]
    unlabeled: int
    bootstrap: int
    seed: int

    def to_dict(self) -> dict[str, Json]:
        """Return the object that `clausewise evaluate --json` prints for corrections."""
        return {
            "strategies": {name: figures.to_dict() for name, figures in self.strategies.items()},
            "excluded": {"unlabeled": self.unlabeled},
            "bootstrap": {"resamples": self.bootstrap, "seed": self.seed},
            "schema_version": SCHEMA_VERSION,
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
