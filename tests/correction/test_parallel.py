"""Corrections in several processes: the same bytes, and nothing lost where one dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from clausewise.correction import (
    STRATEGIES,
    CorrectionStatus,
    CorrectionTask,
    Proposal,
    correct,
    iter_corrections,
    load_strategies,
    strategy,
)
from clausewise.databases import Databases
from clausewise.datasets import dump_line
from clausewise.errors import CaseError, InputError
from tests.correction.models import ALL, DAYS, PEOPLE

Line = Callable[..., dict[str, Any]]
DYING = "Which of them dies?"


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> str:
    """A strategy that does what the question says."""
    load_strategies()
    monkeypatch.setattr(STRATEGIES, "_items", dict(STRATEGIES))

    @strategy(name="own", description="For a test.", margin=None)
    def own(task: CorrectionTask) -> Proposal:
        if task.case.question == DYING:
            os.kill(os.getpid(), signal.SIGKILL)
        found = task.run(PEOPLE)
        assert found.result is not None
        task.record("look", f"{found.result.rows} with {task.seed}", sql=DAYS)
        return Proposal(PEOPLE, f"in {task.round}")

    return "own"


def texts(cases: Any) -> list[str]:
    return [dump_line(case.to_dict()) for case in cases]


def lines(scored: Line) -> list[dict[str, Any]]:
    more = [scored(question_id=number, question=f"How many, {number}?") for number in range(5)]
    return [
        *more,
        scored(question_id="gone", db_id="nowhere"),
        scored(question_id="none", db_id=None, status="unchecked", p_correct=None),
        scored(PEOPLE, [ALL], question_id="last"),
    ]


@pytest.mark.parametrize("name", ["own", "sqldriller"])
def test_the_number_of_processes_changes_nothing(
    databases: Databases, scored: Line, own: str, name: str
) -> None:
    given = lines(scored)
    one, two = (
        texts(correct(given, databases, strategy=name, seed=3, jobs=jobs)) for jobs in (1, 2)
    )
    assert one == two
    assert len(one) == len(given)


def test_a_case_whose_process_dies_fails_and_the_others_do_not(
    databases: Databases, scored: Line, own: str
) -> None:
    given = [scored(question_id=1), scored(question_id=2, question=DYING), scored(question_id=3)]
    first, dead, last = correct(given, databases, strategy=own, jobs=2)
    assert first.corrected_sql == last.corrected_sql == PEOPLE
    assert (dead.question_id, dead.status) == (2, CorrectionStatus.FAILED)
    assert dead.corrected_sql == ALL
    assert dead.p_before == dead.p_after == 0.5
    assert "died (signal SIGKILL)" in dead.reason
    assert [(step.action, step.message) for step in dead.steps] == [("fail", dead.reason)]


def test_a_resumed_run_goes_on_where_the_other_ended(
    databases: Databases, scored: Line, own: str
) -> None:
    given, seen = lines(scored), []
    whole = texts(iter_corrections(given, databases, strategy=own))
    rest = iter_corrections(
        given, databases, strategy=own, start=5, jobs=2, total=8,
        progress=lambda done, of: seen.append((done, of)),
    )  # fmt: skip
    assert texts(rest) == whole[5:]
    assert seen == [(5, 8), (6, 8), (7, 8), (8, 8)]


def test_what_is_no_case_or_no_number_of_processes_is_refused(
    databases: Databases, scored: Line
) -> None:
    with pytest.raises(CaseError, match="missing"):
        correct([scored(), {"question_id": 1}], databases, jobs=2)
    with pytest.raises(InputError, match="there must be a process at least, not 0"):
        correct([scored()], databases, jobs=0)
