"""Asking a language model about inspected cases: many calls in flight, results in input order."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from clausewise.errors import InputError
from clausewise.signals.base import SignalSpec
from clausewise.signals.runner.case import inspect_case
from clausewise.types import CaseStatus, Cost, Inspection, Outcome, OutcomeStatus, UncheckedCase

if TYPE_CHECKING:
    from clausewise.databases import Databases
    from clausewise.llm import LLM, CallGroup


def with_model_signals(
    inspections: Iterable[Inspection | UncheckedCase],
    databases: Databases,
    signals: Sequence[SignalSpec],
    llm: LLM,
    chosen: Container[int] | None = None,
) -> Iterator[Inspection | UncheckedCase]:
    """Yield every case in input order, with the outcomes of the signals that ask a model.

    Many cases are asked about at once (`LLMSettings.concurrency`); a case's own calls follow one
    another. Cases whose queries do not run pass through, and so do those whose position
    is not among the `chosen`. Where the iteration is broken off, calls in flight are given up.
    """
    from clausewise.llm.in_order import in_order

    model_signals = tuple(spec for spec in signals if spec.cost is Cost.MODEL)

    def asked(
        placed: tuple[int, Inspection | UncheckedCase], calls: CallGroup
    ) -> Inspection | UncheckedCase:
        position, item = placed
        signals_now = model_signals if chosen is None or position in chosen else ()
        return _asked(item, databases, signals_now, llm, calls)

    yield from in_order(enumerate(inspections), asked, llm.settings.concurrency)


def _asked(
    item: Inspection | UncheckedCase,
    databases: Databases,
    model_signals: Sequence[SignalSpec],
    llm: LLM,
    calls: CallGroup,
) -> Inspection | UncheckedCase:
    if not model_signals or isinstance(item, UncheckedCase) or item.status is not CaseStatus.OK:
        return item
    case_llm = llm.for_case(str(item.case.question_id), calls)
    try:
        answered = inspect_case(item.case, databases.get(item.case.db_id), model_signals, case_llm)
    except Exception as error:  # what the other signals found must not be lost with it
        reason = f"{type(error).__name__}: {error}"
        faults = {
            spec.name: Outcome(spec.name, OutcomeStatus.FAULT, (), reason) for spec in model_signals
        }
        return with_outcomes(item, faults)
    return dataclasses.replace(with_outcomes(item, answered.outcomes), cost=answered.cost)


def calls_per_case(signals: Iterable[SignalSpec], combined: bool) -> int:
    """Return how many calls to a model one case costs at most, repeated requests left out."""
    model_signals = [spec for spec in signals if spec.cost is Cost.MODEL]
    separate = [spec for spec in model_signals if not (combined and spec.combinable)]
    return sum(max(1, spec.calls) for spec in separate) + (len(separate) < len(model_signals))


def require_model(signals: Iterable[SignalSpec], llm: LLM | None) -> None:
    """Raise InputError where a signal asks a language model and there is none to ask."""
    model_signals = [spec.name for spec in signals if spec.cost is Cost.MODEL]
    if model_signals and llm is None:
        raise InputError(f"{', '.join(model_signals)} ask a language model: name one with --llm")


def with_outcomes(inspection: Inspection, outcomes: Mapping[str, Outcome]) -> Inspection:
    """Return the inspection with some of its outcomes replaced, in the same order."""
    merged = {name: outcomes.get(name, old) for name, old in inspection.outcomes.items()}
    return dataclasses.replace(inspection, outcomes=merged)
