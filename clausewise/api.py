"""The one-call interface: check one query and get its score and findings."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clausewise.models.detector import load_detector as load_detector  # noqa: PLC0414
from clausewise.types import Case, ScoredCase

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.models import DecisionRule, Detector
    from clausewise.workers import Isolation


def check(
    question: str,
    sql: str,
    database: str | Path | DatabaseProtocol,
    *,
    evidence: str | None = None,
    candidates: Sequence[str | Mapping[str, str | None]] = (),
    detector: str | Path | Detector | None = None,
    question_id: str | int = "check",
    rule: DecisionRule | None = None,
    conventions: str | None = None,
    isolation: Isolation | None = None,
) -> ScoredCase:
    """Score one query and return its probability and findings.

    Parameters
    ----------
    question : str
        The question that the query should answer.
    sql : str
        The predicted query; it is run read-only, under limits.
    database : path, URL or Database
        A file, or a SQLAlchemy URL; pass an open `Database` to check many queries, or
        another object with the methods of `DatabaseProtocol`. With a schema of
        `read_schema_file` the query is checked without being run.
    evidence : str, optional
        What is known besides the question, such as BIRD's evidence.
    candidates : sequence of str, or of mappings
        Other queries predicted for the same question: SQL, or `{"sql": ..., "system": ...}` where
        they come from several systems; those of one system count together as about one.
    detector : path or Detector, optional
        The packaged detector where none is given.
    rule : DecisionRule, optional
        Another threshold than the detector's, and where to abstain.
    conventions : {"relaxed", "strict"}, optional
        Whether what people let pass, such as a column more than asked, counts as an error; by
        default as the detector was fitted, which is relaxed for the packaged one.
    isolation : Isolation, optional
        Hard limits on time and memory; by default the detector's. The query is checked in a
        process of its own, which an open `Database` keeps for the next one; `IN_PROCESS` checks
        it in this process, faster and without these limits.

    Returns
    -------
    ScoredCase
        `p_correct` in [0, 1], high = likely correct; None where `status` is unchecked.

    Raises
    ------
    DatabaseError
        Where the database cannot be opened.
    DetectorError
        Where the detector cannot be loaded.

    Examples
    --------
    >>> from clausewise import check
    >>> from clausewise.datasets import sample_dir
    >>> database = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"
    >>> check("How many books are there?", "SELECT COUNT(*) FROM books", database).status.value
    'ok'
    """
    from clausewise.databases import Databases, open_database
    from clausewise.databases.deadline import CHECK_SECONDS, profile_seconds

    opened = open_database(database)
    if opened is not database:
        opened.profile_seconds = profile_seconds(CHECK_SECONDS)
    case = Case.model_validate(
        {
            "question_id": question_id,
            "db_id": opened.name,
            "question": question,
            "predicted_sql": sql,
            "evidence": evidence,
            "candidates": candidates,
        }
    )
    used = load_detector(detector, has_data=opened.has_data, conventions=conventions)
    if isolation is not None:
        used = copy.copy(used)
        used.isolation = isolation
    try:
        return used.score([case], Databases(opened), rule=rule)[0]
    finally:
        if opened is not database:
            opened.close()
