"""clausewise: is a SQL query that was generated from a question right, and if not, where?

The public names are loaded on first use, so that `import clausewise` stays cheap:

- `check(question, sql, database)`: score one query;
- `Detector`: learn from unlabeled cases, score, save, load;
- `Case`, `Finding`, `ScoredCase`, `ScoredCases`: what goes in and what comes out;
- `Database`, `Databases`: read-only access under limits;
- `read_cases`: cases from JSONL, CSV, Parquet, Spider's and BIRD's files;
- `signal`: write a signal of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clausewise._version import __version__

if TYPE_CHECKING:
    from clausewise.api import check as check
    from clausewise.databases import Database as Database
    from clausewise.databases import Databases as Databases
    from clausewise.databases import open_database as open_database
    from clausewise.datasets import read_cases as read_cases
    from clausewise.errors import ClausewiseError as ClausewiseError
    from clausewise.evaluation import evaluate as evaluate
    from clausewise.models import Detector as Detector
    from clausewise.scored_cases import ScoredCases as ScoredCases
    from clausewise.signals import signal as signal
    from clausewise.types import Case as Case
    from clausewise.types import Clause as Clause
    from clausewise.types import Finding as Finding
    from clausewise.types import ScoredCase as ScoredCase

_HOMES = {
    "Case": "clausewise.types",
    "Clause": "clausewise.types",
    "ClausewiseError": "clausewise.errors",
    "Database": "clausewise.databases",
    "Databases": "clausewise.databases",
    "Detector": "clausewise.models",
    "Finding": "clausewise.types",
    "ScoredCase": "clausewise.types",
    "ScoredCases": "clausewise.scored_cases",
    "check": "clausewise.api",
    "evaluate": "clausewise.evaluation",
    "open_database": "clausewise.databases",
    "read_cases": "clausewise.datasets",
    "signal": "clausewise.signals",
}

__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - all of them are strings


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'clausewise' has no attribute '{name}'")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
