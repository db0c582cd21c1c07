"""Signals that read the question's English do not apply to a question in another language."""

from pathlib import Path

import pytest

from clausewise.databases import create_database, open_database
from clausewise.signals import inspect_case, select_signals
from clausewise.types import Case, Group, OutcomeStatus

SCRIPT = """
CREATE TABLE kunden (id INTEGER PRIMARY KEY, name TEXT, stadt TEXT);
INSERT INTO kunden VALUES (1, 'Ada', 'Ulm'), (2, 'Bob', 'Bonn'), (3, 'Cem', 'Ulm');
"""


@pytest.mark.parametrize(
    "question",
    ["Wie viele Kunden gibt es in jeder Stadt?", "每个城市有多少客户?", "¿Cuántos clientes hay?"],
)
def test_question_signals_do_not_apply(tmp_path: Path, question: str) -> None:
    database = open_database(create_database(tmp_path / "t.sqlite", SCRIPT))
    sql = "SELECT name FROM kunden WHERE stadt = 'Essen'"
    case = Case(question_id=1, db_id="t", question=question, predicted_sql=sql)
    signals = select_signals("all")
    outcomes = inspect_case(case, database, signals).outcomes
    for spec in signals:
        if spec.group is Group.QUESTION:
            assert outcomes[spec.name].status is OutcomeStatus.NOT_APPLICABLE
        if spec.reads_english and spec.name != "evidence_unused":
            assert "only English is read" in (outcomes[spec.name].reason or "")
    assert outcomes["empty_predicate"].status is OutcomeStatus.FIRED
