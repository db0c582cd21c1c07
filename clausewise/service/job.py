"""What a worker process of the service does: inspect, score and write a few cases at a time."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from clausewise.api import load_detector
from clausewise.databases import DatabaseProtocol, Databases, open_database
from clausewise.databases.sqlite.copies import remove_abandoned, remove_copies
from clausewise.datasets import dump_line
from clausewise.errors import ClausewiseError, DatabaseError
from clausewise.models.calibration.decision import DecisionRule
from clausewise.service.redaction import redacted
from clausewise.signals.runner.case import inspect_or_explain
from clausewise.types import Case, InspectionResult, Outcome, OutcomeStatus, ScoredCase
from clausewise.workers.heartbeat import preparation

if TYPE_CHECKING:
    from clausewise.models import Detector

BATCH_SECONDS = 0.05
"""A batch that has taken longer is given back after the case at work: others do the rest."""


@dataclass(frozen=True, slots=True)
class CheckedCase:
    """What is answered for one case.

    Attributes
    ----------
    line
        The scored case as one line of JSON in UTF-8, without a line break.
    verdict, status
        As in the line.
    faults
        Signals that failed.
    timed_out
        Whether the case was ended at its limit of time.
    """

    line: bytes
    verdict: str
    status: str
    faults: tuple[str, ...] = ()
    timed_out: bool = False


Found: TypeAlias = "tuple[list[InspectionResult], dict[str, Outcome]]"
"""The inspections that have ended in a batch, and the outcomes so far of the case at work."""


class CheckingJob:
    """Scores batches of cases; made once, it opens databases and detector in each worker.

    Parameters
    ----------
    targets
        Name of each database to its path or URL.
    descriptions
        Name of a database to a folder of column descriptions, where it is not beside the file.
    detector
        The detector's folder, None for the packaged one.
    trust
        Load pickled models made elsewhere.
    secrets
        Texts that no answer may hold.
    conventions, alarms
        See `load_detector` and `DecisionRule`.
    """

    def __init__(
        self,
        targets: Mapping[str, str],
        descriptions: Mapping[str, Path] | None = None,
        detector: Path | None = None,
        trust: bool = False,
        secrets: Sequence[str] = (),
        *,
        conventions: str | None = None,
        alarms: float | None = None,
    ) -> None:
        self._targets = dict(targets)
        self._descriptions = dict(descriptions or {})
        self._folder = detector
        self._trust = trust
        self._conventions = conventions
        self._rule = None if alarms is None else DecisionRule(alarms=alarms)
        self._secrets = tuple(secrets)
        self._done: list[InspectionResult] = []
        self._found: dict[str, Outcome] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what is needed to open the same in another process."""
        state = self.__dict__.copy()
        for name in ("databases", "detector", "specs"):
            state.pop(name, None)
        return state

    @cached_property
    def databases(self) -> Databases:
        """The databases that are served."""
        opened: dict[str, str | DatabaseProtocol] = dict(self._targets)
        for name, folder in self._descriptions.items():
            with suppress(DatabaseError):  # it is said where the database is asked for
                opened[name] = open_database(self._targets[name], descriptions=folder)
        return Databases(opened)

    @cached_property
    def detector(self) -> Detector:
        """What scores."""
        return load_detector(self._folder, self._trust, conventions=self._conventions)

    @cached_property
    def specs(self) -> tuple[Any, ...]:
        """The signals that are run."""
        return self.detector.specs()

    def load(self) -> None:
        """Load what copies of this process share.

        Raises DetectorError where the detector cannot be loaded, InputError where it was fitted
        for other conventions or does not know the share of false alarms.
        """
        _ = self.specs
        self.detector.threshold_for(self._rule)

    def __call__(self, task: list[bytes] | str) -> list[CheckedCase] | str | None:
        """Return what is answered for the first cases of a batch, one at least.

        The name of a database in place of a batch prepares it; None, or why it cannot be.
        """
        if isinstance(task, str):
            return self._prepare(task)
        self._done = []
        begun = monotonic()
        for packed in task:
            self._found = {}
            case: Case = pickle.loads(packed)
            self._done.append(inspect_or_explain(case, self.databases, self.specs, self._found))
            if monotonic() - begun > BATCH_SECONDS:
                break
        return self.checked(self._done)

    def checked(self, inspections: Sequence[InspectionResult]) -> list[CheckedCase]:
        """Return what is answered for inspected cases."""
        scored = self.detector.score_inspections(inspections, rule=self._rule)
        return [self._answer(case) for case in scored]

    def found(self) -> Found:
        """Return what has been found in the batch at work."""
        return list(self._done), dict(self._found)

    def clean_up(self) -> None:
        """Remove the copies that had to be made of databases in this worker."""
        remove_copies()

    def clean_up_after_others(self) -> None:
        """Remove the copies of workers that were killed."""
        remove_abandoned()

    def _prepare(self, name: str) -> str | None:
        """Load all that the first case on a database needs, on the clock of preparations."""
        with preparation():
            return self._prepared(name)

    def _prepared(self, name: str) -> str | None:
        try:
            database = self.databases.get(name)
            tables = [database.quote_name(table.name) for table in database.schema.tables]
        except ClausewiseError as error:
            return str(error)
        sql = "SELECT COUNT(*) FROM " + (tables[0] if tables else "(SELECT 1) AS one")
        case = Case(question_id=0, db_id=name, question="How many are there?", predicted_sql=sql)
        self.checked([inspect_or_explain(case, self.databases, self.specs)])
        return None

    def _answer(self, scored: ScoredCase) -> CheckedCase:
        record = scored.to_dict()
        line = dump_line(record)
        if any(secret in line for secret in self._secrets):
            line = dump_line(redacted(record, scored.carried, self._secrets))
        faults = tuple(
            name for name, status in scored.signals.items() if status is OutcomeStatus.FAULT
        )
        return CheckedCase(line.encode(), scored.verdict.value, scored.status.value, faults)
