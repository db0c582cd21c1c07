"""Signals: functions that look at one clause each and say what is suspicious about it.

See Also
--------
clausewise.testing : run a signal's YAML fixtures and the contract checks, also for plug-ins.
"""

from clausewise.signals.base import HEADINGS, SIGNALS, SignalRegistry, SignalSpec, signal
from clausewise.signals.case_inspection import inspect_case
from clausewise.signals.context import Context
from clausewise.signals.inspection import inspect_cases, iter_inspections
from clausewise.signals.loading import load_signals, select_signals, signals_named

__all__ = [
    "HEADINGS",
    "SIGNALS",
    "Context",
    "SignalRegistry",
    "SignalSpec",
    "inspect_case",
    "inspect_cases",
    "iter_inspections",
    "load_signals",
    "select_signals",
    "signal",
    "signals_named",
]
