"""Whether two queries always give the same result, and a small instance that shows where not.

`compare` takes two queries, `suite` any number of candidates. What they report as different was
shown by running the queries; what they report as equivalent was proved. Names are loaded on first
use: most checks of a query need none of the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.lazy_names import lazy_names

if TYPE_CHECKING:
    from clausewise.databases.instances import Instance as Instance
    from clausewise.databases.instances import InstanceTable as InstanceTable
    from clausewise.equivalence.comparing import compare as compare
    from clausewise.equivalence.model import Attempt as Attempt
    from clausewise.equivalence.model import Conventions as Conventions
    from clausewise.equivalence.model import Counterexample as Counterexample
    from clausewise.equivalence.model import DifferenceKind as DifferenceKind
    from clausewise.equivalence.model import EquivalenceResult as EquivalenceResult
    from clausewise.equivalence.model import EquivalenceVerdict as EquivalenceVerdict
    from clausewise.equivalence.model import OrderRule as OrderRule
    from clausewise.equivalence.model import Stage as Stage
    from clausewise.equivalence.selection import SelectedCandidate as SelectedCandidate
    from clausewise.equivalence.selection import select as select
    from clausewise.equivalence.suites import Suite as Suite
    from clausewise.equivalence.suites import suite as suite

_HOMES = {
    "Attempt": "clausewise.equivalence.model",
    "Conventions": "clausewise.equivalence.model",
    "Counterexample": "clausewise.equivalence.model",
    "DifferenceKind": "clausewise.equivalence.model",
    "EquivalenceResult": "clausewise.equivalence.model",
    "EquivalenceVerdict": "clausewise.equivalence.model",
    "Instance": "clausewise.databases.instances",
    "InstanceTable": "clausewise.databases.instances",
    "OrderRule": "clausewise.equivalence.model",
    "SelectedCandidate": "clausewise.equivalence.selection",
    "Stage": "clausewise.equivalence.model",
    "Suite": "clausewise.equivalence.suites",
    "compare": "clausewise.equivalence.comparing",
    "select": "clausewise.equivalence.selection",
    "suite": "clausewise.equivalence.suites",
}
"""Public name to the module that it is imported from."""

__all__ = sorted(_HOMES)  # noqa: PLE0605 - all of them are strings
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
