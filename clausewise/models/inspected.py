"""Cases that signals have looked at, as a detector gets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from clausewise.types import CaseStatus, Inspection, UncheckedCase

Inspected: TypeAlias = Inspection | UncheckedCase


def running(inspections: Sequence[Inspected]) -> list[Inspection]:
    """Return the cases whose queries run: the only ones that are learned from and weighed."""
    return [
        item
        for item in inspections
        if isinstance(item, Inspection) and item.status is CaseStatus.OK
    ]
