"""The loop of all strategies: what it keeps, what it refuses, and what it survives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import (
    STRATEGIES,
    CorrectionStatus,
    CorrectionTask,
    Proposal,
    correct,
    load_strategies,
    strategy,
)
from clausewise.databases import Databases
from clausewise.errors import CaseError, InputError, RegistryError
from clausewise.registry import Registry
from clausewise.testing.replies import scripted_model
from tests.correction.models import ALL, BROKEN, PEOPLE

Line = Callable[..., dict[str, Any]]


@pytest.fixture
def proposing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Register a strategy that proposes one query, for one test."""
    load_strategies()
    items = dict(STRATEGIES)
    monkeypatch.setattr(STRATEGIES, "_items", items)

    def registered(sql: str | None, margin: float | None = None, fails: bool = False) -> str:
        @strategy(name="own", description="Proposes one query.", margin=margin)
        def own(task: CorrectionTask) -> Proposal:
            task.record("look", "looked")
            if fails:
                raise ZeroDivisionError("a mistake")
            return Proposal(sql, "because")

        return "own"

    return registered


def test_a_strategy_is_a_function_found_by_its_name(
    databases: Databases, scored: Line, proposing: Any
) -> None:
    (found,) = correct([scored()], databases, strategy=proposing(PEOPLE))
    assert (found.corrected_sql, found.strategy, found.reason) == (PEOPLE, "own", "because")
    assert [step.action for step in found.steps] == ["look", "judge"]


@pytest.mark.parametrize("sql", [None, ALL])
def test_nothing_proposed_is_kept_as_scored(
    databases: Databases, scored: Line, proposing: Any, sql: str | None
) -> None:
    (found,) = correct([scored(p_correct=0.25)], databases, strategy=proposing(sql))
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, ALL)
    assert found.p_before == found.p_after == 0.25


@pytest.mark.parametrize("sql", [BROKEN, "SELEC 1", "DELETE FROM visits"])
def test_what_does_not_run_is_never_taken(
    databases: Databases, scored: Line, proposing: Any, sql: str
) -> None:
    (found,) = correct([scored()], databases, strategy=proposing(sql))
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, ALL)
    assert found.reason.startswith("the proposed query does not run: ")


def test_the_margin_of_the_strategy_and_of_the_caller(
    databases: Databases, scored: Line, proposing: Any
) -> None:
    name = proposing(PEOPLE, margin=1.0)
    (kept,) = correct([scored()], databases, strategy=name)
    assert "margin 1" in kept.reason
    (free,) = correct([scored(ALL, [PEOPLE] * 3)], databases, strategy=name, margin=0.0)
    assert free.changed
    assert free.p_after is not None
    assert free.p_before is not None
    assert free.p_after > free.p_before


def test_one_case_that_fails_leaves_the_others(
    databases: Databases, scored: Line, proposing: Any
) -> None:
    lines = [
        scored(question_id=1),
        scored(question_id=2, db_id="nowhere"),
        scored(question_id=3, db_id=None, status="unchecked", p_correct=None, verdict="unchecked"),
    ]
    found = correct(lines, databases, strategy=proposing(PEOPLE, fails=True))
    assert [case.question_id for case in found] == [1, 2, 3]
    assert {case.status for case in found} == {CorrectionStatus.FAILED}
    first, second, third = found
    assert first.reason == "a defect in the strategy: ZeroDivisionError: a mistake"
    assert [step.action for step in first.steps] == ["look", "fail"]
    assert "there is no database 'nowhere'" in second.reason
    assert third.reason == "the line is no case: field 'db_id': Input should be a valid string"
    assert third.p_before is None


def test_a_line_that_was_no_case_keeps_its_reason(
    databases: Databases, scored: Line, proposing: Any
) -> None:
    reason = "cases.jsonl:7: not JSON"
    line = scored(
        question_id=None, status="unchecked", p_correct=None, verdict="unchecked", reason=reason
    )
    (found,) = correct([line], databases, strategy=proposing(PEOPLE))
    assert found.reason == f"the line is no case: {reason}"


def test_what_cannot_work_is_refused_before_the_work(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    with pytest.raises(RegistryError, match="unknown strategy 'sqldiller'; did you mean"):
        correct([scored()], databases, strategy="sqldiller")
    with pytest.raises(InputError, match=r"margin must lie in \[0, 1\]"):
        correct([scored()], databases, margin=2.0)
    with (
        scripted_model(lambda _: pytest.fail("asked"), tmp_path, send_values=False) as llm,
        pytest.raises(InputError, match="hold rows, and no cell may be sent"),
    ):
        correct([scored()], databases, llm=llm)
    with pytest.raises(CaseError, match="missing"):
        correct([{"question_id": 1}], databases)


def test_databases_may_be_a_folder(folder: Path, scored: Line) -> None:
    (found,) = correct([scored(ALL, [ALL])], folder)
    assert found.status is CorrectionStatus.KEPT


def test_a_name_can_be_used_once() -> None:
    load_strategies()
    own: Registry[Any] = Registry("strategy")
    own.add("sqldriller", replace(STRATEGIES["sqldriller"]))
    with pytest.raises(RegistryError, match="registered twice"):
        strategy(name="sqldriller", description="", registry=own)(lambda task: Proposal(None, ""))
