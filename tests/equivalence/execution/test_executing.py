"""A question executed by a scripted model: samples, majority, costs, faults."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import QueryResult, Schema, create_database, open_database
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence.execution import execute_question
from clausewise.errors import LLMBudgetExceeded, LLMOffline, LLMReplyError, LLMUnavailable
from clausewise.llm import LLM, Budget, CaseLLM
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import RecordedReplies, scripted_model

QUESTION = "How many cities are there?"
INSTANCE = Instance.of(
    [
        InstanceTable("city", ("id", "name"), ((1, "O'Brien"), (2, None))),
        InstanceTable("pub", ("id", "city"), ()),
    ]
)
ONE, TWO, THREE, FOUR = (
    {"steps": [], "columns": ["n"], "rows": [[number]]} for number in (1, 2, 3, 4)
)


@pytest.fixture
def schema(tmp_path: Path) -> Schema:
    statements = (
        "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);"
        "CREATE TABLE pub (id INTEGER, city INTEGER REFERENCES city(id));"
    )
    return open_database(create_database(tmp_path / "city.sqlite", statements)).schema


def found(rows: QueryResult | None) -> object:
    return None if rows is None else rows.rows


@pytest.mark.parametrize(
    ("replies", "answer", "agreed", "asked"),
    [
        ([TWO, TWO, TWO], ((2,),), 3, 3),
        ([TWO, ONE, TWO, ONE, TWO], ((2,),), 3, 5),
        ([ONE, ONE, TWO, ONE], ((1,),), 3, 4),
        ([ONE, TWO, THREE, FOUR], None, 1, 4),
        ([ONE, TWO, ONE, TWO, THREE], None, 2, 5),
    ],
)
def test_more_than_half_of_all_samples_make_the_answer(
    schema: Schema, tmp_path: Path, replies: Any, answer: Any, agreed: int, asked: int
) -> None:
    script = RecordedReplies(replies)
    with scripted_model(script, tmp_path) as llm:
        case = llm.for_case("1")
        execution = execute_question(QUESTION, INSTANCE, schema, case)
        assert case.usage.calls == asked
        assert not llm.failures
    assert found(execution.result) == answer
    assert (execution.agreed, execution.asked, execution.samples) == (agreed, asked, 5)
    assert bool(execution.reason) == (answer is None)
    assert script.left == len(replies) - asked


class _Seeds:
    """Answers with the request's seed, and keeps what it was asked."""

    def __init__(self, answer: Callable[[int], int]) -> None:
        self.requests: list[Mapping[str, Any]] = []
        self._answer = answer

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        self.requests.append(request)
        number = self._answer(request["seed"])
        return Reply(json.dumps({"steps": [], "columns": ["n"], "rows": [[number]]}))


def test_each_sample_is_a_request_of_its_own_and_is_kept(schema: Schema, tmp_path: Path) -> None:
    model = _Seeds(lambda seed: seed % 2)
    with scripted_model(model, tmp_path) as llm:
        first = execute_question(QUESTION, INSTANCE, schema, llm.for_case("1"))
        again = execute_question(QUESTION, INSTANCE, schema, llm.for_case("2"))
    assert [request["seed"] for request in model.requests] == [0, 1, 2, 3, 4]
    assert {request["temperature"] for request in model.requests} == {0.7}
    assert first == again
    with LLM(replace(llm.settings, offline=True)) as offline:
        case = offline.for_case("3")
        assert execute_question(QUESTION, INSTANCE, schema, case) == first
        assert (case.usage.calls, offline.spent.calls) == (5, 0)
        other = Instance.of([InstanceTable("city", ("id", "name"), ())])
        with pytest.raises(LLMOffline):
            execute_question(QUESTION, other, schema, case)


def test_one_sample_is_asked_for_without_chance(schema: Schema, tmp_path: Path) -> None:
    model = _Seeds(lambda seed: 7)
    with scripted_model(model, tmp_path, samples=1) as llm:
        execution = execute_question(QUESTION, INSTANCE, schema, llm.for_case("1"))
    assert found(execution.result) == ((7,),)
    assert [request["temperature"] for request in model.requests] == [0]


def test_a_malformed_sample_is_asked_again_and_then_left_out(
    schema: Schema, tmp_path: Path
) -> None:
    script = RecordedReplies(["no", TWO, "no", "no", TWO, ONE, TWO])
    with scripted_model(script, tmp_path) as llm:
        execution = execute_question(QUESTION, INSTANCE, schema, llm.for_case("1"))
        assert not llm.failures
    assert found(execution.result) == ((2,),)
    assert (execution.agreed, execution.asked, execution.malformed) == (3, 5, 1)
    assert script.left == 0


def test_nothing_that_can_be_read_is_an_error_of_the_case(schema: Schema, tmp_path: Path) -> None:
    script = RecordedReplies(["no"] * 6)
    with scripted_model(script, tmp_path) as llm:
        with pytest.raises(LLMReplyError, match="malformed reply, also when asked again"):
            execute_question(QUESTION, INSTANCE, schema, llm.for_case("1"))
        assert "1 of 1 cases lack an answer" in str(llm.failures)
    assert script.left == 0


def _ask(llm: LLM, schema: Schema) -> CaseLLM:
    case = llm.for_case("1")
    execute_question(QUESTION, INSTANCE, schema, case)
    return case


def test_faults_and_the_budget_end_the_execution(schema: Schema, tmp_path: Path) -> None:
    calls: list[object] = []

    def ends(request: Mapping[str, Any]) -> Reply:
        calls.append(request)
        return Reply('{"rows": [[1]]}') if len(calls) < 3 else Reply(status=500)

    with scripted_model(ends, tmp_path) as llm, pytest.raises(LLMUnavailable):
        _ask(llm, schema)
    budget = Budget(calls=2)
    with (
        scripted_model(lambda _: Reply('{"rows": [[1]]}'), tmp_path / "b", budget=budget) as llm,
        pytest.raises(LLMBudgetExceeded),
    ):
        _ask(llm, schema)


def test_the_prompt_shows_every_row_key_and_description(schema: Schema, tmp_path: Path) -> None:
    model = _Seeds(lambda seed: 1)
    with scripted_model(model, tmp_path) as llm:
        execute_question(QUESTION, INSTANCE, schema, llm.for_case("1"), evidence="a city is a town")
    text = model.requests[0]["messages"][1]["content"]
    assert "  row 1: id = 1, name = 'O''Brien'\n  row 2: id = 2, name = NULL" in text
    assert "TABLE pub, 0 rows" in text
    assert "column id INTEGER primary key" in text
    assert "pub.city = city.id" in text
    assert "a city is a town" in text
    assert QUESTION in text


def test_an_instance_that_is_too_large_is_not_sent(schema: Schema, tmp_path: Path) -> None:
    large = Instance.of([InstanceTable("city", ("id", "name"), ((1, "x" * 50_000),))])
    model = _Seeds(lambda seed: 1)
    with scripted_model(model, tmp_path) as llm:
        execution = execute_question(QUESTION, large, schema, llm.for_case("1"))
    assert execution.result is None
    assert execution.reason == "the instance is too large to show"
    assert not model.requests
