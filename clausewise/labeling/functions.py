"""Labeling functions: what a case's outcomes say about it, as one vote each.

A function for a signal (or for a family of signals) can only say INCORRECT; the functions that
say CORRECT look at several signals together and vote where all of them stayed silent (SQLens,
section 3.2). A fault is never a vote, and a signal that could not look at a case says nothing
about it, so neither of them ever makes a case look clean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeAlias

from clausewise.errors import InputError
from clausewise.types import Group, Inspection, OutcomeStatus, Vote

VotingUnit: TypeAlias = Literal["signal", "family"]

SILENCE_FAMILY = "silence"
"""Family of the functions that vote CORRECT."""

AGREEMENT_LEVELS = (0.35, 0.5, 0.65, 0.8)
"""Disagreement with the other candidates, in [0, 1], from which a case is called INCORRECT."""
AGREEMENT_CEILINGS = (0.3, 0.2, 0.12, 0.06)
"""Disagreement up to which it is called CORRECT; one thresholded vote would throw most away."""

_GROUPS_WITH_SILENCE = (Group.DATABASE, Group.QUESTION, Group.LLM)
"""Consistency signals compare candidates: their silence is graded evidence, not a clean bill."""


class SignalInfo(Protocol):
    """What labeling needs to know of a signal; `clausewise.signals.SignalSpec` has it."""

    @property
    def name(self) -> str:
        """Name under which its outcome stands in an inspection."""

    @property
    def group(self) -> Group:
        """Where it takes its evidence from."""

    @property
    def family(self) -> str:
        """Signals of one family overlap in what they look at."""


@dataclass(frozen=True, slots=True)
class LabelingFunction:
    """A named pure function from an inspection to one vote.

    `signals` are the names of the outcomes it reads. One signal may have several
    functions, for instance at rising thresholds of its score.
    """

    name: str
    signals: tuple[str, ...]
    family: str
    decide: Callable[[Inspection], Vote]

    @property
    def says_correct(self) -> bool:
        """Whether it votes for signals that stayed silent, instead of for one that fired."""
        return self.family == SILENCE_FAMILY

    def __call__(self, inspection: Inspection) -> Vote:
        """Return the function's vote on one inspected case."""
        return self.decide(inspection)


def fired_function(
    signals: Sequence[str], *, family: str, name: str | None = None, threshold: float = 0.0
) -> LabelingFunction:
    """Return a function that votes INCORRECT where any of `signals` fired, else abstains.

    Parameters
    ----------
    signals
        Names of the signals it reads.
    family
        Family under which the votes are counted.
    name
        Defaults to the only signal's name, with the threshold where there is one.
    threshold
        Smallest score in [0, 1] (high = more likely wrong) of a finding that counts.

    Raises
    ------
    InputError
        Where there is no signal, or several of them and no name.
    """
    if not signals or (name is None and len(signals) > 1):
        raise InputError("a labeling function needs one signal, or several and a name")
    if name is None:
        name = signals[0] if threshold <= 0.0 else f"{signals[0]}>={threshold:g}"
    names = tuple(signals)
    decide = partial(_incorrect_where_fired, signals=names, threshold=threshold)
    return LabelingFunction(name=name, signals=names, family=family, decide=decide)


def silence_function(name: str, signals: Sequence[str]) -> LabelingFunction:
    """Return a function that votes CORRECT where none of `signals` fired, else abstains.

    It abstains also where one of them ended in a FAULT, and where none of them applied:
    nothing looked at the case then.
    """
    names = tuple(signals)
    decide = partial(_correct_where_silent, signals=names)
    return LabelingFunction(name=name, signals=names, family=SILENCE_FAMILY, decide=decide)


def agreement_function(signal: str, *, ceiling: float) -> LabelingFunction:
    """Return a function that votes CORRECT where a consistency signal's score is low.

    It votes where the signal could compare candidates and its score (0 where it is silent, high
    = more disagreement) is at most `ceiling`, and abstains elsewhere.
    """
    decide = partial(_correct_where_agreed, signal=signal, ceiling=ceiling)
    name = f"{signal}<={ceiling:g}"
    return LabelingFunction(name, (signal,), SILENCE_FAMILY, decide)


def build_labeling_functions(
    signals: Sequence[SignalInfo],
    *,
    by: VotingUnit = "signal",
    thresholds: Mapping[str, Sequence[float]] | None = None,
) -> tuple[LabelingFunction, ...]:
    """Return the functions for a selection of signals, the ones that say INCORRECT first.

    Parameters
    ----------
    signals
        The selected signals, in the registry's order.
    by
        `signal`: one function a signal. `family`: one function a family, so that signals that
        overlap count once.
    thresholds
        Signal name to the scores in [0, 1] at which it votes, one function each; a signal that
        is not named votes once, at any score. Only with `by="signal"`.

    Notes
    -----
    The functions that say CORRECT are `no_signal`, `no_database_signal`, `no_question_signal`
    and `no_llm_signal`, the last three for the groups that are selected. With signals of one
    group only, that group's function would repeat `no_signal` vote for vote, and a label model
    that takes its inputs for independent would count the same silence twice: it is left out.

    Raises
    ------
    InputError
        Where no signal is given, `by` is unknown, or `thresholds` name an unknown signal.
    """
    if not signals:
        raise InputError("no signal is selected, so nothing can vote")
    if by == "signal":
        negative = _one_per_signal(signals, thresholds or {})
    elif by == "family":
        if thresholds:
            raise InputError("thresholds are per signal; with by='family' they have no meaning")
        negative = _one_per_family(signals)
    else:
        raise InputError(f"by must be 'signal' or 'family', not {by!r}")
    agreement = [
        agreement_function(signal.name, ceiling=ceiling)
        for signal in signals
        if signal.group is Group.CONSISTENCY and by == "signal"
        for ceiling in AGREEMENT_CEILINGS
    ]
    # disagreement is graded by its own functions; as one of many it would end every silence
    others = [signal for signal in signals if signal.group is not Group.CONSISTENCY]
    return (*negative, *agreement, *_silence_functions(others or signals))


def _one_per_signal(
    signals: Sequence[SignalInfo], thresholds: Mapping[str, Sequence[float]]
) -> list[LabelingFunction]:
    unknown = sorted(set(thresholds) - {signal.name for signal in signals})
    if unknown:
        raise InputError(f"thresholds name signals that are not selected: {', '.join(unknown)}")
    graded = {
        signal.name: AGREEMENT_LEVELS for signal in signals if signal.group is Group.CONSISTENCY
    } | dict(thresholds)
    return [
        fired_function((signal.name,), family=signal.family, threshold=threshold)
        for signal in signals
        for threshold in graded.get(signal.name, (0.0,))
    ]


def _one_per_family(signals: Sequence[SignalInfo]) -> list[LabelingFunction]:
    members: dict[str, list[str]] = {}
    for signal in signals:
        members.setdefault(signal.family, []).append(signal.name)
    return [
        fired_function(names, family=family, name=f"family:{family}")
        for family, names in members.items()
    ]


def _silence_functions(signals: Sequence[SignalInfo]) -> list[LabelingFunction]:
    functions = [silence_function("no_signal", [signal.name for signal in signals])]
    groups = {signal.group for signal in signals}
    if len(groups) > 1:
        for group in _GROUPS_WITH_SILENCE:
            names = [signal.name for signal in signals if signal.group is group]
            if names:
                functions.append(silence_function(f"no_{group.value}_signal", names))
    return functions


def _correct_where_agreed(inspection: Inspection, *, signal: str, ceiling: float) -> Vote:
    outcome = inspection.outcomes[signal]
    agreed = outcome.answered and outcome.score <= ceiling
    return Vote.CORRECT if agreed else Vote.ABSTAIN


def _incorrect_where_fired(
    inspection: Inspection, *, signals: tuple[str, ...], threshold: float
) -> Vote:
    for name in signals:
        outcome = inspection.outcomes[name]
        if outcome.status is OutcomeStatus.FIRED and (
            threshold <= 0.0 or outcome.score >= threshold
        ):
            return Vote.INCORRECT
    return Vote.ABSTAIN


def _correct_where_silent(inspection: Inspection, *, signals: tuple[str, ...]) -> Vote:
    anything_answered = False
    for name in signals:
        status = inspection.outcomes[name].status
        if status is OutcomeStatus.FIRED or status is OutcomeStatus.FAULT:
            return Vote.ABSTAIN
        anything_answered = anything_answered or status is OutcomeStatus.SILENT
    return Vote.CORRECT if anything_answered else Vote.ABSTAIN
