"""What a prompt of `redsql` shows: violations, execution, expansion, documentation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import CorrectionStatus, correct
from clausewise.correction.redsql import CONSTRAINTS, ViolationSource
from clausewise.correction.redsql.violations import (
    MOST_SHOWN,
    has_bugs,
    violations,
    violations_text,
)
from clausewise.databases import Databases, create_database
from clausewise.models import packaged_detector
from clausewise.signals import select_signals
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import scripted_model
from clausewise.types import Clause, ClauseSpan, Finding, Level

pytest.importorskip("openai")

SCHEMA = """
CREATE TABLE drivers (driverId INTEGER PRIMARY KEY, driverRef TEXT, surname TEXT, number INTEGER);
CREATE TABLE results (resultId INTEGER PRIMARY KEY, driverId INTEGER REFERENCES drivers(driverId),
                      points REAL);
INSERT INTO drivers VALUES (1, 'dir', 'di Resta', 40), (2, 'ham', 'Hamilton', NULL),
  (3, 'ros', 'Rosberg', 6), (4, 'alo', 'Alonso', 14), (5, 'vet', 'Vettel', 5), (6, 'a', 'Zorn', 1);
INSERT INTO results VALUES (1, 1, 7.5), (2, 2, 25);
"""
QUESTION = "What is the number of the driver di Resta?"
SQL = "SELECT number FROM drivers WHERE driverRef = 'di Resta'"
RIGHT = "SELECT number FROM drivers WHERE surname = 'di Resta'"


class Model:
    """Documents columns, and keeps or corrects the query; the prompts are kept by kind."""

    def __init__(self, sql: str | None = None, documentation: Reply | None = None) -> None:
        self.refined: list[str] = []
        self.documented: list[str] = []
        self._sql, self._documentation = sql, documentation

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        text = request["messages"][1]["content"]
        if "Task: for each of these columns" in text:
            self.documented.append(text)
            notes = {"columns": [{"name": "driverRef", "description": "A short name in use."}]}
            return self._documentation or Reply(json.dumps(notes))
        self.refined.append(text)
        return Reply(json.dumps({"reason": "so", "sql": self._sql}))


@pytest.fixture
def races(tmp_path: Path) -> Databases:
    (tmp_path / "races" / "formula").mkdir(parents=True)
    create_database(tmp_path / "races" / "formula" / "formula.sqlite", SCHEMA)
    return Databases(tmp_path / "races")


@pytest.fixture
def run(races: Databases, tmp_path: Path) -> Callable[..., Any]:
    """Correct `SQL` in view of a model: `run(model, options, **settings)`."""

    def ran(
        model: Model, options: Mapping[str, Any] | None = None, sql: str = SQL, **settings: Any
    ) -> Any:
        case = {"question_id": 1, "db_id": "formula", "question": QUESTION, "predicted_sql": sql}
        lines = packaged_detector().score([case], races)
        given = {"documentation": False} | dict(options or {})
        with scripted_model(model, tmp_path, **settings) as llm:
            return correct(lines, races, strategy="redsql", llm=llm, options=given)[0]

    return ran


def test_the_prompt_holds_all_parts(run: Any) -> None:
    model = Model()
    run(model)
    (prompt,) = model.refined
    for part in (
        "  surname TEXT -- said in the question: 'di Resta'; from 'Alonso' to 'di Resta'; no NULL",
        "  number INTEGER -- from 1 to 40; some NULL",
        "TABLE results\n",
        "  results.driverId = drivers.driverId\n",
        QUESTION,
        f"\n{SQL}\n",
        "What the query returned, 0 rows of 1 column:",
        "in WHERE, driverRef = 'di Resta': ",
        "perhaps: 'di Resta' stands in drivers.surname",
    ):
        assert part in prompt
    assert "turned down" not in prompt


@pytest.mark.parametrize(
    ("options", "absent"),
    [
        ({"execution": False}, "What the query returned"),
        ({"violations": "none"}, "checks"),
        ({"expansion": False}, "TABLE results"),
        ({"expansion": False}, "said in the question"),
        ({"tables": 1}, "TABLE results"),
        ({"columns": 2}, "points REAL"),
    ],
)
def test_parts_can_be_left_out(run: Any, options: dict[str, Any], absent: str) -> None:
    model = Model()
    run(model, options)
    (prompt,) = model.refined
    details = prompt[prompt.index("THE PART AROUND") :]
    assert absent not in details
    assert "driverRef TEXT" in details


def test_no_cell_is_sent_where_none_may_be(run: Any) -> None:
    model = Model(RIGHT)
    found = run(model, {"documentation": True, "order": "AA"}, send_values=False)
    assert found.status is CorrectionStatus.CHANGED
    for prompt in model.refined + model.documented:
        for cell in ("Zorn", "'Alonso'", "7.5", "'dir'", "NULL"):
            assert cell not in prompt.split("Task:")[0]
    assert "The query ran and returned 0 rows; they are not shown." in model.refined[0]
    assert "in WHERE, driverRef = 'di Resta': " in model.refined[0]
    assert "stands in drivers.surname" not in model.refined[0]


def test_columns_are_documented_once_a_database(run: Any) -> None:
    model = Model(RIGHT)
    found = run(model, {"documentation": True, "order": "AA"})
    assert len(model.documented) == 2
    assert found.cost["calls"] == 2
    assert all("driverRef TEXT -- A short name in use.; " in prompt for prompt in model.refined)


def test_documentation_that_fails_is_done_without(run: Any) -> None:
    model = Model(RIGHT, documentation=Reply("It is about races."))
    found = run(model, {"documentation": True, "order": "A"})
    assert found.corrected_sql == RIGHT
    assert [step.action for step in found.steps] == ["document", "refine", "judge"]
    assert "the columns are not documented: " in found.steps[0].message


def test_a_query_that_cannot_be_parsed_is_shown_beside_its_message(run: Any) -> None:
    model = Model(RIGHT)
    found = run(model, sql="SELEC number FROM drivers", options={"order": "B"})
    assert found.corrected_sql == RIGHT
    assert 'near "SELEC": syntax error' in model.refined[0]
    assert "TABLE drivers" in model.refined[0]


def test_the_bugs_of_a_round_are_those_of_the_constraints_asked_for(run: Any) -> None:
    grouped = "SELECT surname, number FROM drivers WHERE surname = 'di Resta' GROUP BY surname"
    for options, asked in (
        ({"violations": "paper", "bugs": "error"}, 1),
        ({"violations": "none"}, 0),
    ):
        model = Model()
        run(model, {"order": "B", **options}, sql=grouped)
        assert len(model.refined) == asked


def test_the_papers_constraints_are_the_signals_of_its_set() -> None:
    specs = {spec.name: spec for spec in select_signals("redsql")}
    assert set(CONSTRAINTS) == set(specs)
    for name, constraint in CONSTRAINTS.items():
        assert constraint.reasons <= set(specs[name].reasons)


def _finding(signal: str, level: Level, **more: Any) -> Finding:
    return Finding(
        ClauseSpan(Clause.WHERE, "a = 1", 20, 25),
        signal=signal, level=level, message="a holds\n'Cell'", **more,
    )  # fmt: skip


def test_violations_most_severe_first_at_the_level_asked_for() -> None:
    findings = [
        _finding("empty_predicate", Level.WARNING, score=0.9),
        _finding("idle_group_by", Level.INFO, score=0.1),
        _finding("unexpected_shape", Level.ERROR, score=0.2),
        _finding("idle_predicate", Level.ERROR, score=0.5, reason="precaution"),
        _finding("not_executable", Level.ERROR),
    ]
    of_all = violations(findings, ViolationSource.ALL)
    assert [(one.name, one.level.value) for one in of_all] == [
        ("idle_predicate", "error"), ("unexpected_shape", "error"),
        ("empty_predicate", "warning"), ("idle_group_by", "info"),
    ]  # fmt: skip
    of_paper = violations(findings, ViolationSource.PAPER)
    assert [(one.name, one.level.value) for one in of_paper] == [
        ("idle GROUP BY", "error"), ("predicate unsatisfiable", "info"),
    ]  # fmt: skip
    assert has_bugs(of_paper, Level.ERROR)
    assert not has_bugs(of_paper[1:], Level.WARNING)
    assert not violations(findings, ViolationSource.NONE)


def test_violations_in_words_with_and_without_cells() -> None:
    found = violations(
        [_finding("near_miss_value", Level.ERROR, suggestion="write 'Cell'", reason="few_edits"),
         _finding("a_vote", Level.INFO), _finding("bare_column", Level.INFO)],
        ViolationSource.ALL,
    )  # fmt: skip
    told = violations_text(found, send_values=True).splitlines()
    assert told[0] == (
        "ERROR in WHERE, a = 1: a holds 'Cell' (near miss value); perhaps: write 'Cell'"
    )
    silent = violations_text(found, send_values=False)
    assert "Cell" not in silent
    assert "holds a value that differs by a few letters" in silent
    assert "INFO in WHERE, a = 1: a vote from outside (a vote)" in silent
    many = violations_text(found[:1] * (MOST_SHOWN + 3), send_values=True).splitlines()
    assert len(many) == MOST_SHOWN + 1
    assert many[-1] == "and 3 more"
    assert violations_text([], send_values=True) == ""
