"""Whether the signals that a detector was fitted with are still there, and still the same."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clausewise.errors import DetectorError
from clausewise.models.features import SignalRecord

if TYPE_CHECKING:
    from clausewise.signals import SignalSpec


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
