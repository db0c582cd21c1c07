"""The strategy `select`: votes of probabilities, ties, what does not run, and its steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausewise.correction import CorrectionStatus, correct
from clausewise.correction.select import voted
from clausewise.databases import Databases
from clausewise.reporting import load_schema
from tests.correction.models import ALL, BROKEN, DAYS, PEOPLE

Line = Callable[..., dict[str, Any]]
ALIASED = "SELECT COUNT(DISTINCT v.person) FROM visits v"
SPACED = "SELECT  COUNT(DISTINCT person)  FROM visits;"


def together(members: Sequence[int]) -> list[Sequence[int]]:
    return [members]


def apart(members: Sequence[int]) -> list[Sequence[int]]:
    return [[member] for member in members]


@pytest.mark.parametrize(
    ("probabilities", "groups", "chosen"),
    [
        ([0.6, 0.5, 0.5], [0, 1, 1], 1),
        ([0.9, 0.2, 0.3], [0, 1, 1], 0),
        ([0.5, 0.2, 0.9], [0, 0, 0], 0),
        ([0.5, 0.5], [0, 1], 0),
        ([0.1, 0.5, 0.5], [0, 1, 2], 1),
        ([0.1, 0.2, 0.6], [0, 1, 1], 2),
        ([0.9, 0.1], [None, 0], 1),
        ([None, 0.1], [0, 1], 1),
        ([0.0, 0.0], [0, 1], 0),
        ([0.0, 0.0], [None, 0], 1),
    ],
)
def test_the_result_with_the_highest_sum_leads_and_the_original_wins_ties(
    probabilities: list[float | None], groups: list[int | None], chosen: int
) -> None:
    assert voted(probabilities, groups, together).chosen == chosen


def test_behavior_decides_among_those_with_one_result_only() -> None:
    found = voted([0.4, 0.7, 0.9], [0, 0, 1], apart)
    assert (found.chosen, found.by_result) == (1, (1.1, 1.1, 0.9))
    assert found.by_behavior == (0.4, 0.7, 0.0)


def test_the_original_may_stand_anywhere() -> None:
    assert voted([0.5, 0.5], [0, 1], together, original=1).chosen == 1


def test_the_result_that_most_probability_speaks_for_is_taken(
    databases: Databases, scored: Line
) -> None:
    (found,) = correct([scored(DAYS, [PEOPLE, ALIASED, SPACED])], databases, strategy="select")
    assert found.changed
    assert found.corrected_sql in (PEOPLE, ALIASED)
    assert found.p_after is not None
    assert found.p_before is not None
    assert found.p_after > found.p_before
    assert found.reason.startswith("p(correct) of the candidates with its result adds up to")
    Draft202012Validator(load_schema("corrections")).validate(found.to_dict())


def test_the_steps_have_the_scores_of_every_candidate(databases: Databases, scored: Line) -> None:
    candidates = [
        {"sql": PEOPLE, "system": "a"},
        {"sql": SPACED, "system": "b"},
        {"sql": BROKEN, "system": "c"},
    ]
    (found,) = correct([scored(DAYS, candidates)], databases, strategy="select")
    record: Any = found.to_dict()
    selected, judged = record["steps"]
    assert (selected["action"], judged["action"]) == ("select", "judge")
    shown = selected["evidence"]["candidates"]
    assert [one["sql"] for one in shown] == [DAYS, PEOPLE, SPACED, BROKEN]
    assert [one["system"] for one in shown] == [None, "a", "b", "c"]
    assert [one["result"] for one in shown] == [0, 1, 1, None]
    assert shown[1]["p_correct"] == shown[2]["p_correct"] > shown[3]["p_correct"] == 0.0
    assert shown[1]["votes_by_result"] == pytest.approx(2 * shown[1]["p_correct"], abs=1e-5)
    assert shown[3]["votes_by_result"] == shown[0]["votes_by_behavior"] == 0.0
    assert selected["evidence"]["chosen"] == 1
    assert [change["kind"] for change in selected["changes"]] == ["select"]


def test_a_query_that_nothing_tells_from_the_best_stays(databases: Databases, scored: Line) -> None:
    (found,) = correct([scored(ALIASED, [PEOPLE, SPACED, DAYS])], databases, strategy="select")
    assert (found.changed, found.status) == (False, CorrectionStatus.KEPT)
    assert found.reason.startswith("no other result, nor behavior, has more votes")


def test_instances_tell_apart_what_the_database_does_not(
    databases: Databases, scored: Line
) -> None:
    lucky = "SELECT COUNT(*) - 1 FROM visits"  # as many as people, by chance
    line = scored(lucky, [PEOPLE, ALIASED])
    (found,) = correct([line], databases, strategy="select", margin=None)
    assert found.corrected_sql in (PEOPLE, ALIASED)
    assert "not on made-up instances" in found.reason
    told: Any = found.steps[0].evidence["counterexample"]
    assert told["result_a"]["rows"] != told["result_b"]["rows"]
    (kept,) = correct([line], databases, strategy="select", options={"instances": False})
    assert not kept.changed


def test_a_query_that_does_not_run_is_replaced(databases: Databases, scored: Line) -> None:
    line = scored(BROKEN, [PEOPLE], p_correct=0.0, status="not_executable", reason="no such table")
    (found,) = correct([line], databases, strategy="select")
    assert (found.corrected_sql, found.p_before) == (PEOPLE, 0.0)
    assert found.p_after is not None
    assert found.p_after > 0.0


@pytest.mark.parametrize(
    ("candidates", "reason"),
    [
        ([], "the case has no other candidate"),
        ([BROKEN, BROKEN + " ;"], "the case has no other candidate"),
        ([BROKEN + " LIMIT 1"], "no candidate runs"),
    ],
)
def test_without_a_choice_the_query_stays(
    databases: Databases, scored: Line, candidates: list[str], reason: str
) -> None:
    (found,) = correct([scored(BROKEN, candidates)], databases, strategy="select")
    assert (found.status, found.reason) == (CorrectionStatus.KEPT, reason)


def test_the_auditor_has_the_last_word(databases: Databases, scored: Line) -> None:
    line = scored(DAYS, [PEOPLE, ALIASED, SPACED])
    (found,) = correct([line], databases, strategy="select", margin=1.0)
    assert not found.changed
    assert "the detector does not prefer" in found.reason


def test_the_same_case_gives_the_same_steps(databases: Databases, scored: Line) -> None:
    line = scored(DAYS, [PEOPLE, ALIASED, ALL])
    first, again = (correct([line], databases, strategy="select")[0] for _ in range(2))
    assert first.to_dict() == again.to_dict()
