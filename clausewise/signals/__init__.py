"""Signals: functions that look at one clause each and say what is suspicious about it.

A module with a signal needs one import from here: the decorator, the context, and the nouns of
`clausewise.types` that its metadata and findings are made of.

See Also
--------
clausewise.testing : run a signal's YAML fixtures and the contract checks, also for plug-ins.
"""

from clausewise.errors import NotApplicable
from clausewise.signals.base import HEADINGS, SIGNALS, SignalRegistry, SignalSpec, signal
from clausewise.signals.context import Context
from clausewise.signals.loading import load_signals, select_signals, signals_named
from clausewise.signals.reasons import Reason
from clausewise.signals.runner.case import inspect_case
from clausewise.signals.runner.cases import inspect_cases, iter_inspections
from clausewise.signals.units import comparisons, for_each, required, selects, skip_unless
from clausewise.sql.model import Comparison, Select
from clausewise.types import (
    Case,
    Clause,
    ClauseSpan,
    Cost,
    Finding,
    Group,
    Level,
    Need,
    Outcome,
    OutcomeStatus,
)

__all__ = [
    "HEADINGS",
    "SIGNALS",
    "Case",
    "Clause",
    "ClauseSpan",
    "Comparison",
    "Context",
    "Cost",
    "Finding",
    "Group",
    "Level",
    "Need",
    "NotApplicable",
    "Outcome",
    "OutcomeStatus",
    "Reason",
    "Select",
    "SignalRegistry",
    "SignalSpec",
    "comparisons",
    "for_each",
    "inspect_case",
    "inspect_cases",
    "iter_inspections",
    "load_signals",
    "required",
    "select_signals",
    "selects",
    "signal",
    "signals_named",
    "skip_unless",
]
