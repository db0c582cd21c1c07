"""Whether two queries always give the same result, and a small instance that shows where not.

`compare` takes two queries, `suite` any number of candidates. What they report as different was
shown by running the queries; what they report as equivalent was proved.
"""

from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence.comparing import compare
from clausewise.equivalence.model import (
    Attempt,
    Conventions,
    Counterexample,
    DifferenceKind,
    EquivalenceResult,
    EquivalenceVerdict,
    OrderRule,
    Stage,
)
from clausewise.equivalence.selection import SelectedCandidate, select
from clausewise.equivalence.suites import Suite, suite

__all__ = [
    "Attempt",
    "Conventions",
    "Counterexample",
    "DifferenceKind",
    "EquivalenceResult",
    "EquivalenceVerdict",
    "Instance",
    "InstanceTable",
    "OrderRule",
    "SelectedCandidate",
    "Stage",
    "Suite",
    "compare",
    "select",
    "suite",
]
