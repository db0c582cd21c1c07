"""The options by which a verdict is made, and the marks that need every score to be there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from clausewise.cli.common import notify
from clausewise.errors import InputError
from clausewise.types import Strictness

if TYPE_CHECKING:
    from clausewise.models import Costs, DecisionRule

Threshold: TypeAlias = Annotated[
    float | None,
    typer.Option(help="Incorrect from this probability of being incorrect on.", min=0, max=1),
]
CostOfMiss: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--cost-miss",
        help="What calling an incorrect query correct costs (1 where only the other is given); "
        "the costs settle the threshold.",
    ),
]
CostOfFalseAlarm: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--cost-false-alarm", help="What calling a correct query incorrect costs, in the same unit."
    ),
]
Abstain: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="LOW:HIGH", help="Mark cases with p_correct in LOW to HIGH as abstained."),
]
MaxRisk: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Mark as abstained the fewest cases that leave at most this share of wrong verdicts "
        "to be expected among the others.",
        min=0,
        max=1,
    ),
]

Alarms: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Share of the right queries that may be called incorrect (0.05); settles the "
        "threshold. Not together with a threshold or costs.",
    ),
]
ClassBalance: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Share of incorrect queries, where known, or `estimate`: from all cases of the file. "
        "Probabilities are moved to it.",
    ),
]
ConventionsOption: TypeAlias = Annotated[
    Strictness | None,
    typer.Option(
        "--conventions",
        help="relaxed: a column more than asked, rounding, an order are reported and move nothing; "
        "strict: they count as in the benchmarks. As the detector was fitted, else relaxed.",
    ),
]
ESTIMATE = "estimate"


def stated_costs(
    threshold: float | None, miss: float | None, false_alarm: float | None
) -> Costs | None:
    """Return the costs that the options state, None where neither is given.

    Raises InputError where a threshold is given beside them.
    """
    from clausewise.models import Costs

    if miss is None and false_alarm is None:
        return None
    if threshold is not None:
        raise InputError(
            "give a threshold or costs, not both: the costs settle the threshold",
            field="--threshold",
        )
    return Costs(1.0 if miss is None else miss, 1.0 if false_alarm is None else false_alarm)


@dataclass(frozen=True, slots=True)
class Decision:
    """How the scored cases of a run become verdicts."""

    rule: DecisionRule
    max_risk: float | None
    estimates_share: bool = False
    """Whether probabilities are moved to the share of incorrect queries that all cases lead to."""

    @property
    def text(self) -> str:
        """The same for the same decision; part of what must not change when a run is resumed."""
        return f"{self.rule!r} max_risk={self.max_risk} own_share={self.estimates_share}"

    def notify_unmeasured(self, detector: Path | None) -> None:
        """Say that a risk is expected only, where the packaged detector saw none of the labels."""
        if self.max_risk is not None and detector is None:
            notify(
                "--max-risk: no label of these databases was seen, so the risk is what databases "
                "elsewhere lead one to expect"
            )

    def rewriter(self) -> Callable[[Iterable[str]], Iterable[str]] | None:
        """Return what marks the lines of a whole scores file, None where nothing needs it whole."""
        from clausewise.runs import settled

        if self.max_risk is None and not self.estimates_share:
            return None
        return partial(
            settled, own_share=self.estimates_share, max_risk=self.max_risk, notify=notify
        )


def decision(
    threshold: float | None,
    cost_of_miss: float | None,
    cost_of_false_alarm: float | None,
    abstain: str | None,
    max_risk: float | None,
    alarms: float | None = None,
    class_balance: str | None = None,
) -> Decision:
    """Return what the options of `score` and `check` say.

    Raises InputError where two of them exclude each other, or one has no meaning.
    """
    from clausewise.models import Band, DecisionRule

    if abstain is not None and max_risk is not None:
        raise InputError("give a band or a risk, not both: the risk settles the band")
    costs = stated_costs(threshold, cost_of_miss, cost_of_false_alarm)
    if alarms is not None and (threshold is not None or costs is not None):
        raise InputError(
            "give a share of false alarms, a threshold or costs, not several of them",
            field="--alarms",
        )
    return Decision(
        DecisionRule(
            threshold if costs is None else costs.threshold,
            None if abstain is None else Band.parse(abstain),
            alarms,
            None if class_balance in (None, ESTIMATE) else _share(str(class_balance)),
        ),
        max_risk,
        class_balance == ESTIMATE,
    )


def _share(text: str) -> float:
    from clausewise.models.probability import checked_balance

    try:
        return checked_balance(float(text))
    except ValueError:
        message = f"is a share between 0 and 1, or '{ESTIMATE}', not {text!r}"
        raise InputError(message, field="--class-balance") from None
