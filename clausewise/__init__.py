"""clausewise: is a SQL query that was generated from a question right, and if not, where?

Everything that a script or a component of one's own needs is here, `import clausewise as cw`; the
names are loaded on first use, so that the import stays cheap:

- `check(question, sql, database)`: score one query;
- `Detector`: learn from unlabeled cases, score, save, load; `packaged_detector()`;
- `read_cases`, `read_labels`, `read_votes`, `read_feedback`: files; `as_cases`: dicts, DataFrames;
- `ScoredCases`, `ScoredCase`, `Finding`: what comes out; `evaluate`, `render`: what to make of it;
- `compare(sql_a, sql_b, database)`: do two queries always give the same result?
- `correct(cases, databases, strategy=...)`: the better query among candidates;
- `guard(generate, database)`: a function that writes SQL, asked again where its query looks wrong;
- `Costs`, `Band`, `DecisionRule`, `within_risk`: from a probability to a verdict;
- `signal`, `Context`, `Clause`, `Need`, `Cost`, `Group`, `Level`, `NotApplicable`, ...: write a
  signal of your own;
- `Database`, `Databases`, `DatabaseProtocol`, `Limits`: read-only access under limits;
- `Isolation`, `IN_PROCESS`: the processes in which cases are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise._version import __version__
from clausewise.lazy_names import lazy_names

if TYPE_CHECKING:
    from clausewise.api import check as check
    from clausewise.corrected_case import CorrectedCase as CorrectedCase
    from clausewise.correction import correct as correct
    from clausewise.correction.guarded import GuardAttempt as GuardAttempt
    from clausewise.correction.guarded import GuardedQuery as GuardedQuery
    from clausewise.correction.guarded import GuardFeedback as GuardFeedback
    from clausewise.correction.guarding import guard as guard
    from clausewise.databases import Database as Database
    from clausewise.databases import DatabaseProtocol as DatabaseProtocol
    from clausewise.databases import Databases as Databases
    from clausewise.databases import Limits as Limits
    from clausewise.databases import open_database as open_database
    from clausewise.datasets import as_cases as as_cases
    from clausewise.datasets import read_cases as read_cases
    from clausewise.datasets import read_feedback as read_feedback
    from clausewise.datasets import read_gold as read_gold
    from clausewise.datasets import read_labels as read_labels
    from clausewise.datasets import read_scores as read_scores
    from clausewise.datasets import read_votes as read_votes
    from clausewise.datasets import sample_dir as sample_dir
    from clausewise.equivalence import Conventions as Conventions
    from clausewise.equivalence import EquivalenceResult as EquivalenceResult
    from clausewise.equivalence import OrderRule as OrderRule
    from clausewise.equivalence import compare as compare
    from clausewise.errors import ClausewiseError as ClausewiseError
    from clausewise.errors import DatabaseError as DatabaseError
    from clausewise.errors import DetectorError as DetectorError
    from clausewise.errors import InputError as InputError
    from clausewise.errors import NotApplicable as NotApplicable
    from clausewise.errors import NotFittedError as NotFittedError
    from clausewise.evaluation import evaluate as evaluate
    from clausewise.models import Band as Band
    from clausewise.models import Costs as Costs
    from clausewise.models import DecisionRule as DecisionRule
    from clausewise.models import Detector as Detector
    from clausewise.models import DoubtfulOnly as DoubtfulOnly
    from clausewise.models import packaged_detector as packaged_detector
    from clausewise.models import within_risk as within_risk
    from clausewise.reporting import render as render
    from clausewise.scored_cases import ScoredCases as ScoredCases
    from clausewise.signals import Context as Context
    from clausewise.signals import Reason as Reason
    from clausewise.signals import SignalSpec as SignalSpec
    from clausewise.signals import comparisons as comparisons
    from clausewise.signals import for_each as for_each
    from clausewise.signals import required as required
    from clausewise.signals import select_signals as select_signals
    from clausewise.signals import selects as selects
    from clausewise.signals import signal as signal
    from clausewise.signals import skip_unless as skip_unless
    from clausewise.types import Case as Case
    from clausewise.types import CaseStatus as CaseStatus
    from clausewise.types import Clause as Clause
    from clausewise.types import ClauseSpan as ClauseSpan
    from clausewise.types import Cost as Cost
    from clausewise.types import Finding as Finding
    from clausewise.types import Group as Group
    from clausewise.types import Level as Level
    from clausewise.types import Need as Need
    from clausewise.types import Outcome as Outcome
    from clausewise.types import OutcomeStatus as OutcomeStatus
    from clausewise.types import OutsideVote as OutsideVote
    from clausewise.types import ScoredCase as ScoredCase
    from clausewise.types import UncheckedCase as UncheckedCase
    from clausewise.types import Verdict as Verdict
    from clausewise.types import Vote as Vote
    from clausewise.workers import IN_PROCESS as IN_PROCESS
    from clausewise.workers import Isolation as Isolation

_HOMES = {
    "Band": "clausewise.models",
    "Case": "clausewise.types",
    "CaseStatus": "clausewise.types",
    "Clause": "clausewise.types",
    "ClauseSpan": "clausewise.types",
    "ClausewiseError": "clausewise.errors",
    "Context": "clausewise.signals",
    "CorrectedCase": "clausewise.corrected_case",
    "Conventions": "clausewise.equivalence",
    "Cost": "clausewise.types",
    "Costs": "clausewise.models",
    "Database": "clausewise.databases",
    "DatabaseError": "clausewise.errors",
    "DatabaseProtocol": "clausewise.databases",
    "Databases": "clausewise.databases",
    "DecisionRule": "clausewise.models",
    "Detector": "clausewise.models",
    "DetectorError": "clausewise.errors",
    "DoubtfulOnly": "clausewise.models",
    "EquivalenceResult": "clausewise.equivalence",
    "Finding": "clausewise.types",
    "Group": "clausewise.types",
    "GuardAttempt": "clausewise.correction.guarded",
    "GuardFeedback": "clausewise.correction.guarded",
    "GuardedQuery": "clausewise.correction.guarded",
    "IN_PROCESS": "clausewise.workers",
    "InputError": "clausewise.errors",
    "Isolation": "clausewise.workers",
    "Level": "clausewise.types",
    "Limits": "clausewise.databases",
    "Need": "clausewise.types",
    "NotApplicable": "clausewise.errors",
    "NotFittedError": "clausewise.errors",
    "OrderRule": "clausewise.equivalence",
    "Outcome": "clausewise.types",
    "OutcomeStatus": "clausewise.types",
    "OutsideVote": "clausewise.types",
    "Reason": "clausewise.signals",
    "ScoredCase": "clausewise.types",
    "ScoredCases": "clausewise.scored_cases",
    "SignalSpec": "clausewise.signals",
    "UncheckedCase": "clausewise.types",
    "Verdict": "clausewise.types",
    "Vote": "clausewise.types",
    "as_cases": "clausewise.datasets",
    "check": "clausewise.api",
    "compare": "clausewise.equivalence",
    "comparisons": "clausewise.signals",
    "correct": "clausewise.correction",
    "evaluate": "clausewise.evaluation",
    "for_each": "clausewise.signals",
    "guard": "clausewise.correction.guarding",
    "open_database": "clausewise.databases",
    "packaged_detector": "clausewise.models",
    "read_cases": "clausewise.datasets",
    "read_gold": "clausewise.datasets",
    "read_labels": "clausewise.datasets",
    "read_scores": "clausewise.datasets",
    "read_feedback": "clausewise.datasets",
    "read_votes": "clausewise.datasets",
    "render": "clausewise.reporting",
    "required": "clausewise.signals",
    "sample_dir": "clausewise.datasets",
    "select_signals": "clausewise.signals",
    "selects": "clausewise.signals",
    "signal": "clausewise.signals",
    "skip_unless": "clausewise.signals",
    "within_risk": "clausewise.models",
}
"""Public name to the module that it is imported from."""

__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - all of them are strings
__getattr__, __dir__ = lazy_names(__name__, _HOMES, "__version__")
