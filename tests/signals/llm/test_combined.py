"""The combined call: asked once for a case, read by six signals, failing for all of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import BaseDatabase, Databases, create_database, open_database
from clausewise.signals import inspect_case, inspect_cases, select_signals
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import AnyReply, scripted_model
from clausewise.types import Case, Inspection, OutcomeStatus

TOGETHER = (
    "self_check_bool,self_check_probability,evidence_violation,insufficient_evidence,"
    "question_clause_linking,llm_column_ambiguity"
)
SQL = "SELECT name FROM author"
CASE = Case(
    question_id=1, db_id="library", question="Who wrote it?", evidence="it refers to a book",
    predicted_sql=SQL,
)  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    schema = "CREATE TABLE author (id INTEGER, name TEXT); INSERT INTO author VALUES (1, 'Ada')"
    return open_database(create_database(tmp_path / "library.sqlite", schema))


class _Counter:
    """Counts requests by the name of the schema that they ask for."""

    def __init__(self, reply: Any) -> None:
        self.asked: list[str] = []
        self._reply = reply

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        schema = request.get("response_format", {}).get("json_schema", {})
        if schema:
            self.asked.append(schema["name"])
        return self._reply(request)


def _inspection(
    database: BaseDatabase, counter: _Counter, folder: Path, signals: str, **settings: Any
) -> Inspection:
    with scripted_model(counter, folder, **settings) as llm:
        return inspect_case(CASE, database, select_signals(signals), llm.for_case("1"))


def test_one_call_answers_six_signals(database: BaseDatabase, tmp_path: Path) -> None:
    counter = _Counter(AnyReply(False))
    inspection = _inspection(database, counter, tmp_path, TOGETHER, combined=True)
    assert counter.asked == ["Combined"]
    assert inspection.cost is not None
    assert inspection.cost["calls"] == 1
    statuses = {name: outcome.status for name, outcome in inspection.outcomes.items()}
    assert OutcomeStatus.FAULT not in statuses.values()
    assert statuses["self_check_bool"] is OutcomeStatus.FIRED
    assert statuses["insufficient_evidence"] is OutcomeStatus.FIRED
    assert statuses["evidence_violation"] is OutcomeStatus.SILENT


def test_the_same_signals_ask_one_by_one_without_it(database: BaseDatabase, tmp_path: Path) -> None:
    counter = _Counter(AnyReply(False))
    inspection = _inspection(database, counter, tmp_path, TOGETHER)
    assert sorted(counter.asked) == [
        "Alternatives", "EvidenceViolation", "InsufficientEvidence", "Links", "SelfCheck",
    ]  # fmt: skip
    assert inspection.cost is not None
    assert inspection.cost["calls"] == 6


def test_a_call_that_fails_fails_once_and_for_all(database: BaseDatabase, tmp_path: Path) -> None:
    counter = _Counter(lambda request: Reply("I would rather not say."))
    inspection = _inspection(database, counter, tmp_path, TOGETHER, combined=True)
    assert counter.asked == ["Combined", "Combined"]
    for outcome in inspection.outcomes.values():
        assert outcome.status is OutcomeStatus.FAULT
        assert "LLMReplyError" in str(outcome.reason)


def test_a_preparation_that_fails_fails_once_and_for_all(
    database: BaseDatabase, tmp_path: Path
) -> None:
    counter = _Counter(lambda request: Reply("no"))
    inspection = _inspection(database, counter, tmp_path, TOGETHER, prepare=["rewriting"])
    assert counter.asked == ["Rewriting", "Rewriting"]
    statuses = {outcome.status for outcome in inspection.outcomes.values()}
    assert statuses == {OutcomeStatus.FAULT}


def test_threads_change_no_outcome_and_no_cost(tmp_path: Path) -> None:
    folder = tmp_path / "databases" / "library"
    folder.mkdir(parents=True)
    schema = "CREATE TABLE author (id INTEGER, name TEXT); INSERT INTO author VALUES (1, 'Ada')"
    create_database(folder / "library.sqlite", schema)
    cases = [
        CASE.model_copy(update={"question_id": number, "question": f"Who wrote {number}?"})
        for number in range(12)
    ]
    specs = select_signals("sqlens-llm")

    def inspections(concurrency: int) -> list[object]:
        settings = {"concurrency": concurrency, "prepare": ["documentation", "rewriting"]}
        databases = Databases(folder.parent)
        with scripted_model(AnyReply(False), tmp_path / str(concurrency), **settings) as llm:
            found = inspect_cases(cases, databases, specs, llm=llm)
        return [(item.outcomes, item.cost) for item in found if isinstance(item, Inspection)]

    alone = inspections(1)
    assert len(alone) == len(cases)
    assert inspections(6) == alone
