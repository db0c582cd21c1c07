"""The finding on candidates that differ on made-up instances: what it carries, what it moves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clausewise import check
from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.databases.instances import Instance, InstanceTable, MemoryInstances
from clausewise.models import packaged_detector
from clausewise.signals import inspect_case, select_signals
from clausewise.types import Case

NAME = "counterexample_disagreement"
OWN = "SELECT COUNT(singer_id) FROM concert"
RIVALS = (
    "SELECT COUNT(DISTINCT singer_id) FROM concert",
    "SELECT COUNT(*) FROM singer WHERE id IN (SELECT singer_id FROM concert)",
    "SELECT COUNT(DISTINCT s.id) FROM concert AS c JOIN singer AS s ON c.singer_id = s.id",
)
QUESTION = "How many singers gave a concert?"
CASE = Case(question_id=1, db_id="stage", question=QUESTION, predicted_sql=OWN, candidates=RIVALS)


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    path = tmp_path / "stage.sqlite"
    create_database(
        path,
        """
        CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id));
        INSERT INTO singer VALUES (1, 'Ida'), (2, 'Joe');
        INSERT INTO concert VALUES (1, 1), (2, 2);
        """,
    )
    return open_database(path)


def test_the_evidence_holds_an_instance_on_which_both_results_come_out(
    database: BaseDatabase,
) -> None:
    outcome = inspect_case(CASE, database, select_signals(NAME)).outcomes[NAME]
    (finding,) = outcome.findings
    evidence = json.loads(json.dumps(finding.evidence))
    shown = evidence["counterexample"]
    tables = [
        InstanceTable(name, tuple(table["columns"]), tuple(map(tuple, table["rows"])))
        for name, table in shown["tables"].items()
    ]
    assert max(len(table.rows) for table in tables) <= 2
    with MemoryInstances(database.schema.tables) as memory:
        memory.fill(Instance.of(tables))
        assert [list(row) for row in memory.run(OWN).rows] == shown["result_a"]["rows"]
        theirs = memory.run(evidence["rival_sql"]).rows
        assert [list(row) for row in theirs] == shown["result_b"]["rows"]
    assert shown["result_a"]["rows"] != shown["result_b"]["rows"]
    assert evidence["independent_rival"] > evidence["independent_with"] > 0


def test_it_is_run_where_it_is_named_and_moves_no_probability(database: BaseDatabase) -> None:
    assert NAME not in {spec.name for spec in select_signals("all")}
    detector = packaged_detector()
    specs = detector.specs()
    (without,) = detector.score_inspections([inspect_case(CASE, database, specs)])
    named = (*specs, *select_signals(NAME))
    (beside,) = detector.score_inspections([inspect_case(CASE, database, named)])
    assert beside.p_correct == without.p_correct
    (finding,) = (finding for finding in beside.findings if finding.signal == NAME)
    assert not finding.contribution
    assert beside.explanation == without.explanation


def test_a_check_names_it_beside_all_others(database: BaseDatabase) -> None:
    detector = packaged_detector()
    detector.only = f"all,{NAME}"
    result = check(QUESTION, OWN, database, candidates=RIVALS, detector=detector)
    assert NAME in {finding.signal for finding in result.findings}
