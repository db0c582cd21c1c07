"""The strategy `gbv`: words beside the question, a selector, the form, and checks of the result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import CorrectedCase, CorrectionStatus, correct
from clausewise.correction.gbv import suspicion
from clausewise.databases import Databases, QueryResult
from clausewise.errors import InputError
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import scripted_model
from tests.correction.models import ALL, BROKEN, PEOPLE

pytest.importorskip("openai")

Line = Callable[..., dict[str, Any]]

NONE = "SELECT day FROM visits WHERE person = 'ann' AND day IS NOT NULL"
ANN = "SELECT day FROM visits WHERE person = 'Ann' AND day IS NOT NULL"
BOTH = "SELECT id, COUNT(DISTINCT person) FROM visits"
SAYS = {"steps": [{"fragment": "COUNT(*)", "meaning": "counts visits"}], "summary": "How many?"}
MALFORMED = "that is not what you want"
REFUSES = Reply(status=400, error="not today")

PARTS = {
    "Description": "describe",
    "StatementComparison": "compare",
    "QueryChoice": "select",
}
MARKS = {
    "second reader": "correct",
    "the form of what": "format",
    "comes from a mistake": "check",
    "make the query run": "repair",
}


class GbvModel:
    """Answers each part with its replies in order, the last one again; else it finds no fault."""

    def __init__(self, **replies: Any) -> None:
        self._replies = {
            part: list(given) if isinstance(given, tuple) else [given]
            for part, given in replies.items()
        }
        self.asked: list[str] = []
        self.prompts: dict[str, str] = {}

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        text = request["messages"][1]["content"]
        name = request["response_format"]["json_schema"]["name"]
        part = PARTS.get(name) or next(part for mark, part in MARKS.items() if mark in text)
        self.asked.append(part)
        self.prompts[part] = text
        given = self._replies.get(part, [self._usual(part)])
        reply = given.pop(0) if len(given) > 1 else given[0]
        return reply if isinstance(reply, Reply) else Reply(self._written(part, reply))

    def _usual(self, part: str) -> Any:
        return {"describe": SAYS, "compare": True, "select": "b"}.get(part, "")

    def _written(self, part: str, reply: Any) -> str:
        if reply == MALFORMED or isinstance(reply, dict):
            return reply if isinstance(reply, str) else json.dumps(reply)
        if part == "compare":
            return json.dumps({"reason": "r", "same": reply, "confidence": 0.9, "step": 1})
        field = "choice" if part == "select" else "sql"
        return json.dumps({"reason": f"{part} it", field: reply})


@pytest.fixture
def run(databases: Databases, scored: Line, tmp_path: Path) -> Callable[..., CorrectedCase]:
    """Correct one query against a model, by default without the auditor."""

    def corrected(
        model: GbvModel, sql: str = ALL, margin: float | None = None, **options: Any
    ) -> CorrectedCase:
        with scripted_model(model, tmp_path) as llm:
            (found,) = correct(
                [scored(sql, candidates=())],
                databases,
                strategy="gbv",
                llm=llm,
                margin=margin,
                options=options,
            )
        return found

    return corrected


def test_a_query_that_is_the_question_stays(run: Any) -> None:
    model = GbvModel()
    found = run(model)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, ALL)
    assert model.asked == ["describe", "compare", "format"]
    assert found.cost["calls"] == 3
    assert [step.action for step in found.steps] == ["compare", "format"]
    assert found.steps[0].evidence["description"] == "How many?"


def test_a_difference_is_corrected_and_selected(run: Any) -> None:
    model = GbvModel(compare=False, correct=PEOPLE, select="Query B.")
    found = run(model)
    assert (found.corrected_sql, found.changed) == (PEOPLE, True)
    assert model.asked == ["describe", "compare", "correct", "select", "format"]
    assert "How many people came?" not in model.prompts["describe"]
    assert ALL not in model.prompts["compare"]
    assert "1. counts visits" in model.prompts["correct"]
    assert "Step 1: counts visits" in model.prompts["correct"]
    assert PEOPLE in model.prompts["select"]
    assert "It returns 1 row of 1 column:" in model.prompts["select"]
    assert found.reason == "in words, the query was not the question: r"


def test_the_selector_may_keep_the_first_query(run: Any) -> None:
    model = GbvModel(compare=False, correct=PEOPLE, select="a")
    found = run(model)
    assert not found.changed
    assert found.steps[-2].message == "the model selects the first query: select it"


def test_a_corrected_query_is_repaired_before_it_is_compared(run: Any) -> None:
    model = GbvModel(compare=False, correct=BROKEN, repair=PEOPLE)
    found = run(model)
    assert found.corrected_sql == PEOPLE
    assert model.asked == ["describe", "compare", "correct", "repair", "select", "format"]
    model = GbvModel(compare=False, correct=BROKEN)
    assert not run(model).changed
    assert "select" not in model.asked


def test_nobody_selects_where_the_first_query_does_not_run(run: Any) -> None:
    model = GbvModel(compare=False, correct=PEOPLE)
    assert run(model, sql=BROKEN).corrected_sql == PEOPLE
    assert "select" not in model.asked


def test_the_form_is_reduced(run: Any) -> None:
    model = GbvModel(format=PEOPLE)
    found = run(model, sql=BOTH)
    assert (found.corrected_sql, model.asked[-1]) == (PEOPLE, "format")
    assert "form" in found.reason


def test_a_form_that_does_not_run_is_left(run: Any) -> None:
    found = run(GbvModel(compare=False, correct=PEOPLE, format=BROKEN))
    assert found.corrected_sql == PEOPLE
    assert any("in another form does not run" in step.message for step in found.steps)


def test_an_empty_result_is_checked_with_stored_values(run: Any) -> None:
    model = GbvModel(check=ANN)
    found = run(model, sql=NONE)
    assert found.corrected_sql == ANN
    assert model.asked == ["describe", "compare", "format", "check"]
    assert "The query returns no rows. Its result, 0 rows of 1 column:" in model.prompts["check"]
    assert "visits.person: 'Ann', 'Bob'" in model.prompts["check"]
    assert "returns no rows" in found.reason


def test_the_database_s_message_is_shown(run: Any) -> None:
    model = GbvModel(check=(BROKEN.replace("nowhere", "else_"), PEOPLE))
    found = run(model, sql=BROKEN)
    assert found.corrected_sql == PEOPLE
    assert model.asked.count("check") == 2
    assert "no such table: else_" in model.prompts["check"]


def test_what_no_check_changes_may_be_right(run: Any) -> None:
    others = tuple(NONE.replace("'ann'", f"'ann {number}'") for number in range(9))
    model = GbvModel(check=others)
    found = run(model, sql=NONE)
    assert not found.changed
    assert model.asked.count("check") == 3
    assert "the query before them stays" in found.steps[-1].message
    model = GbvModel(check=others)
    run(model, sql=NONE, checks=5)
    assert model.asked.count("check") == 5


def test_the_model_may_hold_an_empty_result_for_right(run: Any) -> None:
    model = GbvModel(check="")
    assert not run(model, sql=NONE).changed
    assert model.asked.count("check") == 1


def test_an_empty_result_is_better_than_an_error(run: Any) -> None:
    found = run(GbvModel(check=NONE), sql=BROKEN)
    assert found.corrected_sql == NONE


@pytest.mark.parametrize(
    ("off", "asked"),
    [
        ("validator", ["format", "check"]),
        ("selector", ["describe", "compare", "correct", "format", "check"]),
        ("format", ["describe", "compare", "correct", "select", "check"]),
        ("checker", ["describe", "compare", "correct", "select", "format"]),
    ],
)
def test_each_part_can_be_left_out(run: Any, off: str, asked: list[str]) -> None:
    model = GbvModel(compare=False, correct=NONE.replace("'ann'", "'bob'"), check="")
    run(model, sql=NONE, **{off: "false"})
    assert model.asked == asked


def test_without_selector_the_corrected_query_is_taken(run: Any) -> None:
    found = run(GbvModel(compare=False, correct=PEOPLE), selector=False, format=False)
    assert found.corrected_sql == PEOPLE


@pytest.mark.parametrize("trouble", [MALFORMED, REFUSES])
@pytest.mark.parametrize("part", ["describe", "compare", "correct", "select", "format", "check"])
def test_a_part_that_fails_loses_nothing(run: Any, part: str, trouble: Any) -> None:
    replies = {"compare": False, "correct": NONE, "check": ANN}
    found = run(GbvModel(**{**replies, part: trouble}))
    failed = part in ("describe", "compare", "correct")
    assert found.status is (CorrectionStatus.FAILED if failed else CorrectionStatus.CHANGED)
    assert found.corrected_sql == (ALL if failed else {"check": NONE}.get(part, ANN))
    assert any(step.action == "fail" for step in found.steps)


def test_a_failing_check_keeps_what_the_one_before_reached(run: Any) -> None:
    found = run(GbvModel(check=(NONE, REFUSES)), sql=BROKEN)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, NONE)


def test_the_auditor_keeps_harmful_queries_out(run: Any) -> None:
    harmful = "SELECT COUNT(*) FROM visits WHERE person = 'nobody'"
    model = GbvModel(compare=False, correct=harmful, format=harmful, check=harmful)
    found = run(model, sql=PEOPLE, margin=0.0)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, PEOPLE)
    assert found.p_before > 0.5


def test_rows_are_not_sent_where_none_may(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    with (
        scripted_model(GbvModel(), tmp_path, send_values=False) as llm,
        pytest.raises(InputError, match="no cell may be sent"),
    ):
        correct([scored()], databases, strategy="gbv", llm=llm)


@pytest.mark.parametrize("option", [{"checks": -1}, {"values": 0}, {"selecter": True}])
def test_options_are_checked(
    databases: Databases, scored: Line, tmp_path: Path, option: dict[str, Any]
) -> None:
    with scripted_model(GbvModel(), tmp_path) as llm, pytest.raises(InputError):
        correct([scored()], databases, strategy="gbv", llm=llm, options=option)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "The query returns no rows"),
        ([(0,)], "The query returns zero"),
        ([(0.0,)], "The query returns zero"),
        ([(0, 1)], ""),
        ([(0,), (1,)], ""),
        ([("a", None)], "The query returns NULL"),
        ([(1,)], ""),
    ],
)
def test_what_is_suspicious(rows: list[tuple[Any, ...]], said: str) -> None:
    from clausewise.correction import QueryExecution

    result = QueryResult(tuple("ab"[: len(rows[0])] if rows else "a"), tuple(rows), False)
    assert suspicion(QueryExecution(result)) == said
