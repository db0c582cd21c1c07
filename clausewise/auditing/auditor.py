"""The audit of annotated queries: scored cases in, audited cases out, one for each and in order."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from clausewise.audited_case import AuditedCase, AuditedCategory, AuditStatus
from clausewise.auditing.data_side import DatabaseFaults
from clausewise.auditing.findings_side import suspects_of_findings, unanswered
from clausewise.auditing.question_side import suspects_of_question
from clausewise.auditing.ranking import FLAGGED_FROM, suspicion_of
from clausewise.auditing.suggestions import suggestion_for
from clausewise.auditing.suspects import Suspect, merged
from clausewise.datasets.scores import iter_scored_cases
from clausewise.errors import ClausewiseError
from clausewise.sql import parse
from clausewise.types import CaseStatus, Json, ScoredCase

if TYPE_CHECKING:
    from clausewise.correction.rules import SuggestedRepair
    from clausewise.databases import Databases
    from clausewise.models.streaming import DatabaseSource
    from clausewise.workers import Isolation

logger = logging.getLogger(__name__)

OPEN_DATABASES = 8
"""Databases of which faults are remembered; cases mostly come database by database."""


def audit(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    databases: DatabaseSource,
    *,
    isolation: Isolation | None = None,
) -> list[AuditedCase]:
    """Return `iter_audits` as a list, one audited case for every scored one, in input order."""
    return list(iter_audits(scored, databases, isolation=isolation))


def iter_audits(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    databases: DatabaseSource,
    *,
    isolation: Isolation | None = None,
) -> Iterator[AuditedCase]:
    """Yield the audit of each scored case, in input order, as they become ready.

    Parameters
    ----------
    scored
        Annotated queries that a detector scored as if they had been predicted, or dictionaries
        like a line of a scores file.
    databases
        Where their databases are: a folder, one for all cases, a mapping, or `Databases`.
    isolation
        Hard limits for what is read of the databases; by default those of a detector.

    Raises
    ------
    CaseError
        Where one of `scored` is no scored case.
    DatabaseError
        Where `databases` can not be opened at all.
    """
    from clausewise.databases import Databases
    from clausewise.signals.runner.cases import remote_databases

    if not isinstance(databases, Databases):
        with closing(Databases(databases)) as opened:
            yield from iter_audits(scored, opened, isolation=isolation)
        return
    with remote_databases(databases, isolation) as asked:
        known = _Known(asked)
        for case in iter_scored_cases(scored):
            try:
                made = audited(case, known.get)
            except Exception as error:  # a defect in one case must not cost the others
                logger.exception("case %r cannot be audited", case.question_id)
                made = _failed(case, f"a defect in the audit: {type(error).__name__}: {error}")
            yield made


class _Known:
    """The faults of the databases that cases asked for last."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._kept: OrderedDict[str, DatabaseFaults] = OrderedDict()

    def get(self, db_id: str) -> DatabaseFaults:
        if db_id not in self._kept:
            self._kept[db_id] = DatabaseFaults(self._databases.get(db_id))
            if len(self._kept) > OPEN_DATABASES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(db_id)
        return self._kept[db_id]


FaultsOf = Callable[[str], DatabaseFaults]
"""Returns what is wrong with the data of a database, by its `db_id`."""


def audited(scored: ScoredCase, faults_of: FaultsOf) -> AuditedCase:
    """Return the audit of one scored case; whatever cannot be checked is said in it.

    Never raises for what is in the case or in its database.
    """
    question, evidence = _text(scored, "question"), _text(scored, "evidence")
    unchecked = unanswered(scored)
    suspects = list(suspects_of_findings(scored, question or ""))
    if scored.status is not CaseStatus.UNCHECKED:
        suspects += _beside_findings(scored, question or "", evidence or "", faults_of, unchecked)
    ranked = merged(suspects)
    categories = tuple(category for _, category in ranked)
    repair = None
    if scored.status is not CaseStatus.UNCHECKED:
        repair = _repair(scored, categories, faults_of, unchecked)
    suspicion = None
    if scored.status is not CaseStatus.UNCHECKED:
        expectation = 0.0 if scored.explanation is None else scored.explanation.expectation
        suspicion = suspicion_of([amount for amount, _ in ranked], expectation)
    return AuditedCase(
        question_id=scored.question_id,
        db_id=scored.db_id,
        question=question,
        evidence=evidence,
        gold_sql=scored.predicted_sql,
        p_correct=scored.p_correct,
        suspicion=suspicion,
        status=_status(suspicion, bool(ranked)),
        reason=scored.reason,
        categories=categories,
        unchecked=unchecked,
        suggested_sql=None if repair is None else repair.sql,
        suggested_because=None if repair is None else repair.message,
    )


def _failed(scored: ScoredCase, reason: str) -> AuditedCase:
    """Return the audit of a case of which nothing is known but why it could not be checked."""
    return AuditedCase(
        question_id=scored.question_id,
        db_id=scored.db_id,
        question=_text(scored, "question"),
        evidence=_text(scored, "evidence"),
        gold_sql=scored.predicted_sql,
        p_correct=None,
        suspicion=None,
        status=AuditStatus.UNCHECKED,
        reason=reason,
    )


def _repair(
    scored: ScoredCase,
    categories: tuple[AuditedCategory, ...],
    faults_of: FaultsOf,
    unchecked: dict[str, str],
) -> SuggestedRepair | None:
    try:
        return suggestion_for(scored, categories, faults_of(scored.db_id or "").database)
    except ClausewiseError as error:
        unchecked.setdefault("suggestion", str(error))
        return None


def _beside_findings(
    scored: ScoredCase,
    question: str,
    evidence: str,
    faults_of: FaultsOf,
    unchecked: dict[str, str],
) -> list[Suspect]:
    """Return what the question and the data themselves say; what fails is left unchecked."""
    try:
        faults = faults_of(scored.db_id or "")
        schema = faults.database.schema
    except ClausewiseError as error:
        unchecked["database"] = str(error)
        return []
    query = None
    if scored.status is CaseStatus.OK:
        try:
            query = parse(scored.predicted_sql or "", faults.database.dialect, schema.names())
        except ClausewiseError as error:
            unchecked["query"] = str(error)
    else:
        unchecked["data"] = "the query does not run"
    found = list(suspects_of_question(question, evidence, query, schema))
    if query is not None:
        found += faults.suspects(query, unchecked)
    return found


def _status(suspicion: float | None, found: bool) -> AuditStatus:
    if suspicion is None:
        return AuditStatus.UNCHECKED
    if suspicion >= FLAGGED_FROM:
        return AuditStatus.FLAGGED
    return AuditStatus.NOTED if found else AuditStatus.CLEAN


def _text(scored: ScoredCase, name: str) -> str | None:
    value = scored.carried.get(name)
    return value if isinstance(value, str) else None
