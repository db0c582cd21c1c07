"""A column that could not be profiled is one that signals cannot check, and no fault of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausewise.databases import create_database, open_database
from clausewise.signals import inspect_case, select_signals
from clausewise.types import Case, CaseStatus, OutcomeStatus

SCRIPT = """
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, big AS (hex(zeroblob(600000)) || name));
CREATE TABLE u (t_id INTEGER, big TEXT);
CREATE VIEW v AS SELECT id, big FROM t;
INSERT INTO t (name) VALUES ('a'), ('b'), ('c');
INSERT INTO u VALUES (1, 'a'), (2, 'a'), (2, 'b');
"""
REASON = "no profile of '{}.big': it holds values of over 1,000,000 bytes"


@pytest.mark.parametrize(
    ("sql", "silenced"),
    [
        ("SELECT name FROM t WHERE big = 5", "t"),
        ("SELECT name FROM t WHERE big IS NULL OR big != 'a'", "t"),
        ("SELECT name FROM t WHERE big NOT IN (SELECT big FROM u)", None),
        ("SELECT t.name FROM t JOIN u ON t.big = u.big", None),
        ("SELECT v.id FROM v JOIN u ON v.big = u.big ORDER BY v.big LIMIT 1", "v"),
        ("SELECT big, count(*) FROM t GROUP BY big", None),
        ("SELECT max(big) FROM v WHERE id > 7", None),
        ("SELECT name FROM t ORDER BY big DESC LIMIT 2", "t"),
    ],
)
def test_no_signal_crashes(tmp_path: Path, sql: str, silenced: str | None) -> None:
    path = create_database(tmp_path / "t.sqlite", SCRIPT)
    database = open_database(path, cache_dir=tmp_path / "cache")
    case = Case(question_id=1, db_id="t", question="Which names have big 5?", predicted_sql=sql)
    inspection = inspect_case(case, database, select_signals("all"))
    assert inspection.status is CaseStatus.OK
    outcomes = inspection.outcomes.values()
    assert [item for item in outcomes if item.status is OutcomeStatus.FAULT] == []
    reasons = " ".join(item.reason or "" for item in outcomes)
    assert silenced is None or REASON.format(silenced) in reasons
