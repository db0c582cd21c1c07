"""Rounds, options, steps: what the loop does beyond one proposal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import (
    STRATEGIES,
    CorrectionStatus,
    CorrectionTask,
    Proposal,
    StrategyOptions,
    correct,
    load_strategies,
    strategy,
)
from clausewise.databases import Databases
from clausewise.errors import InputError
from clausewise.types import Clause
from tests.correction.models import ALL, BROKEN, DAYS, PEOPLE

Line = Callable[..., dict[str, Any]]
Strategy = Callable[[CorrectionTask], Proposal]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Register a strategy `own` for one test."""
    load_strategies()
    monkeypatch.setattr(STRATEGIES, "_items", dict(STRATEGIES))

    def registered(function: Strategy, **more: Any) -> None:
        strategy(name="own", description="For a test.", **more)(function)

    return registered


class Script:
    """Proposes one query a round, raises what is an exception, and keeps the tasks' state."""

    def __init__(self, *proposed: str | Exception | None) -> None:
        self.proposed = proposed
        self.seen: list[tuple[int, str, int]] = []

    def __call__(self, task: CorrectionTask) -> Proposal:
        self.seen.append((task.round, task.case.predicted_sql, len(task.earlier)))
        sql = self.proposed[task.round]
        if isinstance(sql, Exception):
            raise sql
        return Proposal(sql, f"round {task.round}")


def test_a_round_begins_with_what_was_taken_before(
    databases: Databases, scored: Line, register: Any
) -> None:
    script = Script(PEOPLE, BROKEN, DAYS, None, ALL)
    register(script, margin=None, rounds=5)
    (found,) = correct([scored()], databases, strategy="own")
    assert script.seen == [(0, ALL, 0), (1, PEOPLE, 1), (2, PEOPLE, 2), (3, DAYS, 3)]
    assert (found.corrected_sql, found.reason) == (DAYS, "round 0; round 2")
    assert [step.round for step in found.steps] == [0, 1, 2]


def test_why_a_proposal_was_refused_outlasts_that_there_is_no_other(
    databases: Databases, scored: Line, register: Any
) -> None:
    register(Script(BROKEN, None), rounds=2)
    (found,) = correct([scored()], databases, strategy="own")
    assert found.reason.startswith("the proposed query does not run: ")


def test_rounds_can_be_fewer(databases: Databases, scored: Line, register: Any) -> None:
    script = Script(PEOPLE, DAYS)
    register(script, margin=None, rounds=2)
    (found,) = correct([scored()], databases, strategy="own", rounds=1)
    assert found.corrected_sql == PEOPLE
    with pytest.raises(InputError, match="there must be a round at least, not 0"):
        correct([scored()], databases, strategy="own", rounds=0)


def test_a_round_that_fails_takes_nothing_away(
    databases: Databases, scored: Line, register: Any
) -> None:
    register(Script(PEOPLE, ZeroDivisionError("a mistake")), margin=None, rounds=2)
    (found,) = correct([scored()], databases, strategy="own")
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, PEOPLE)
    assert found.steps[-1].action == "fail"
    assert "a mistake" in found.steps[-1].message


def test_a_step_says_which_clauses_change(
    databases: Databases, scored: Line, register: Any
) -> None:
    new = "SELECT COUNT(DISTINCT person) FROM visits WHERE day IS NOT NULL"
    register(Script(new), margin=None)
    (found,) = correct([scored()], databases, strategy="own")
    changes = {change.kind: (change.before, change.after) for change in found.steps[-1].changes}
    assert changes == {
        Clause.SELECT: ("SELECT COUNT(*)", "SELECT COUNT(DISTINCT person)"),
        Clause.WHERE: (None, "WHERE day IS NOT NULL"),
    }


def test_sql_in_a_fence_is_taken_out_of_it(
    databases: Databases, scored: Line, register: Any
) -> None:
    register(Script(f"```sql\n{PEOPLE}\n```"), margin=None)
    (found,) = correct([scored()], databases, strategy="own")
    assert found.corrected_sql == PEOPLE


def test_without_an_audit_whatever_runs_is_taken(
    databases: Databases, scored: Line, register: Any
) -> None:
    register(Script(DAYS), margin=1.0)
    assert not correct([scored()], databases, strategy="own")[0].changed
    assert correct([scored()], databases, strategy="own", margin=None)[0].changed


def test_queries_run_and_are_scored_for_the_strategy(
    databases: Databases, scored: Line, register: Any, folder: Path
) -> None:
    found: dict[str, Any] = {}

    def own(task: CorrectionTask) -> Proposal:
        found["rows"] = task.run(PEOPLE).result
        found["error"] = task.run("DELETE FROM visits").error
        found["scores"] = task.scores([ALL, PEOPLE, ALL])
        return Proposal(None, "looked")

    before = (folder / "clinic" / "clinic.sqlite").read_bytes()
    register(own)
    (kept,) = correct([scored()], databases, strategy="own")
    assert kept.reason == "looked"
    assert found["rows"].rows == ((2,),)
    assert found["error"]
    assert [case.predicted_sql for case in found["scores"]] == [ALL, PEOPLE, ALL]
    assert (folder / "clinic" / "clinic.sqlite").read_bytes() == before


class Options(StrategyOptions):
    """Options of a test."""

    mode: str = "each"
    most: int = 3


def test_options_are_checked(databases: Databases, scored: Line, register: Any) -> None:
    seen = []

    def own(task: CorrectionTask) -> Proposal:
        seen.append(task.options)
        return Proposal(None, "")

    register(own, options=Options, needs_model=False)
    correct([scored()], databases, strategy="own", options={"most": "5"})
    assert seen == [Options(most=5)]
    with pytest.raises(InputError, match="'own' has no option 'made'; it has: mode, most"):
        correct([scored()], databases, strategy="own", options={"made": 1})
    with pytest.raises(InputError, match="option 'most' of 'own': Input should be a valid integer"):
        correct([scored()], databases, strategy="own", options={"most": "many"})


def test_what_needs_a_model_is_refused_without_one(
    databases: Databases, scored: Line, register: Any
) -> None:
    register(Script(PEOPLE), needs_model=True)
    with pytest.raises(InputError, match="'own' needs a language model"):
        correct([scored()], databases, strategy="own")
