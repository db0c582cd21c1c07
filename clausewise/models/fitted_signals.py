"""The signals that a detector runs: those it was fitted with, and those added since."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from clausewise.errors import DetectorError, InputError, NotApplicable
from clausewise.models.features import SignalRecord
from clausewise.models.learned import SCHEMA, Learned
from clausewise.types import Case, Cost, Group

if TYPE_CHECKING:
    from clausewise.signals import Context, SignalSpec


MODEL_SIGNALS = "sqlens-llm"
"""What is asked of a language model where the detector does not say."""


class DetectorWarning(UserWarning):
    """A detector can be used, but something has changed since it was fitted."""


def installed_signals(records: Sequence[SignalRecord]) -> tuple[SignalSpec, ...]:
    """Return the specifications of fitted signals, in the same order.

    Raises
    ------
    DetectorError
        Where one is not installed.

    Warns
    -----
    DetectorWarning
        Where one is installed in another version.
    """
    from clausewise.signals import SIGNALS, load_signals

    load_signals()
    missing = [record.name for record in records if record.name not in SIGNALS]
    if missing:
        raise DetectorError(
            "the detector was fitted with signals that are not installed: "
            f"{', '.join(missing)} (is a plug-in missing?)"
        )
    changed = [record.name for record in records if SIGNALS[record.name].version != record.version]
    if changed:
        warnings.warn(
            f"these signals have changed since the detector was fitted: {', '.join(changed)}; "
            "its probabilities may be off: fit it again",
            DetectorWarning,
            stacklevel=4,
        )
    return tuple(SIGNALS[record.name] for record in records)


def selected_signals(
    selector: str | Sequence[SignalSpec], *, models: bool
) -> tuple[SignalSpec, ...]:
    """Return the signals that a selector names, or the specifications given.

    `models` says whether those that ask a language model are part of `all`.

    Raises RegistryError where the selector names nothing.
    """
    if not isinstance(selector, str):
        return tuple(selector)
    from clausewise.signals import select_signals

    return select_signals(selector, models=models)


def added_signals(
    selector: str, only: str | None, weighed: Sequence[SignalSpec], models: bool
) -> tuple[SignalSpec, ...]:
    """Return the signals beside the weighed ones that a fitted detector's selector names now.

    To them come those that are never part of `all`, where `only` names them; those that ask a
    language model only where `models` is true.
    """
    known = {spec.name for spec in weighed}
    added = selected_signals(selector, models=False)
    named = () if only is None else selected_signals(only, models=False)
    more = (
        spec
        for spec in named
        if spec.only_named and spec not in added and (models or spec.cost is not Cost.MODEL)
    )
    return tuple(spec for spec in (*added, *more) if spec.name not in known)


def voting_records(specs: Iterable[SignalSpec]) -> list[SignalRecord]:
    """Return the records of the signals that move the probability; others are only shown."""
    return [SignalRecord.of(spec) for spec in specs if getattr(spec, "votes", True)]


def unfitted_judges(fitted: Sequence[SignalRecord]) -> tuple[SignalSpec, ...]:
    """Return the signals that a language model answers where none of the fitted ones does."""
    if any(signal.group is Group.LLM for signal in fitted):
        return ()
    return selected_signals(MODEL_SIGNALS, models=True)


def restricted(specs: Sequence[SignalSpec], selector: str) -> tuple[SignalSpec, ...]:
    """Return the signals, those that the selector does not name never applicable.

    A detector needs an outcome of every signal that it was fitted with.

    Raises
    ------
    RegistryError
        Where a term of the selector names nothing.
    InputError
        Where it names no signal that the detector runs.
    """
    chosen = {spec.name for spec in selected_signals(selector, models=True)}
    if not any(spec.name in chosen for spec in specs):
        raise InputError(f"'{selector}' names no signal that this detector runs", field="--signals")
    return tuple(
        spec
        if spec.name in chosen
        else replace(spec, function=_not_selected, needs=frozenset(), cost=Cost.PARSE)
        for spec in specs
    )


def _not_selected(_case: Case, _context: Context) -> NoReturn:
    raise NotApplicable("not selected")


def warn_of_view(learned: Learned, databases: object) -> None:
    """Warn (`DetectorWarning`) where a detector was fitted with data and there is none, or not so.

    Its probabilities are then calibrated for what signals say of another kind of case.
    """
    given = databases.values() if isinstance(databases, Mapping) else (databases,)
    has_data = all(getattr(one, "has_data", True) for one in given)
    if has_data is (learned.view == SCHEMA):
        fitted = "without data" if has_data else "with data, and only the schema is given"
        warnings.warn(
            f"this detector was fitted {fitted}: the probability is not calibrated for this view",
            DetectorWarning,
            stacklevel=3,
        )
