"""The strategy `redsql`: orders of rounds, what is chained, and what survives bad replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import CorrectionStatus, correct
from clausewise.databases import Databases
from clausewise.errors import InputError
from clausewise.llm import Budget
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import scripted_model
from tests.correction.models import Kept
from tests.correction.visits import BROKEN, HARMFUL, QUESTION, RIGHT, WRONG

pytest.importorskip("openai")

AGAIN = "SELECT COUNT(id) FROM visits WHERE person = 'Ann'"
PLAIN = {"documentation": False, "repairs": 0}


def reply(sql: str | None, reason: str = "Ann is written so") -> dict[str, Any]:
    return {"reason": reason, "sql": sql}


@pytest.fixture
def run(
    databases: Databases, line: Callable[..., dict[str, Any]], tmp_path: Path
) -> Callable[..., Any]:
    """Correct one query with recorded replies: `run(model, sql, options, **settings)`."""

    def ran(
        model: Callable[..., Reply],
        sql: str = WRONG,
        options: Mapping[str, Any] | None = None,
        *,
        margin: Any = 0.0,
        **settings: Any,
    ) -> Any:
        with scripted_model(model, tmp_path, **settings) as llm:
            given = {"options": PLAIN | dict(options or {}), "margin": margin}
            return correct([line(sql)], databases, strategy="redsql", llm=llm, **given)[0]

    return ran


def actions(found: Any) -> list[str]:
    return [step.action for step in found.steps]


def test_a_good_reply_is_taken_and_the_bug_only_round_leaves_it_alone(run: Any) -> None:
    model = Kept(reply(RIGHT))
    found = run(model)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, RIGHT)
    assert found.reason == "Ann is written so"
    assert found.p_after > 0.8 > 0.5 > found.p_before
    assert actions(found) == ["refine", "judge", "pass"]
    evidence = found.steps[0].evidence
    assert (evidence["order"], evidence["place"]) == ("AB", 0)
    assert "empty_predicate" in {one["signal"] for one in evidence["violations"]}
    assert evidence["tables"] == ["visits"]
    assert (evidence["prompt"], evidence["prompt_version"]) == ("redsql_refine", 1)
    assert found.cost["calls"] == len(model.prompts) == 1


def test_a_useless_reply_costs_one_call(run: Any) -> None:
    model = Kept(reply(None, "it fits"))
    found = run(model)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, WRONG)
    assert found.reason == "the model keeps the query: it fits"
    assert len(model.prompts) == 1


def test_a_harmful_reply_is_refused_and_the_next_round_is_told(run: Any) -> None:
    model = Kept(reply(HARMFUL), reply(RIGHT))
    found = run(model)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, RIGHT)
    assert actions(found) == ["refine", "judge", "refine", "judge"]
    first, second = model.prompts
    assert "turned down" not in first
    assert f"{HARMFUL}\n  -- it was judged no better than the query" in second


def test_the_auditor_keeps_harmful_replies_out_of_a_right_query(run: Any) -> None:
    model = Kept(reply(HARMFUL))
    found = run(model, RIGHT)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, RIGHT)
    assert "the detector does not prefer" in found.reason
    assert actions(found) == ["refine", "judge", "pass"]


@pytest.mark.parametrize(
    ("order", "sql", "asked"),
    [
        ("A", WRONG, 1),
        ("B", WRONG, 1),
        ("B", RIGHT, 0),
        ("BB", RIGHT, 0),
        ("BA", RIGHT, 1),
        ("AA", WRONG, 2),
        ("ab", WRONG, 2),
        ("ABB", WRONG, 3),
        ("ABABAB", WRONG, 6),
    ],
)
def test_orders(run: Any, order: str, sql: str, asked: int) -> None:
    replies = [
        reply(f"SELECT COUNT(*) FROM visits WHERE person = 'Cid{place}'") for place in range(6)
    ]
    model = Kept(*replies)
    found = run(model, sql, {"order": order})
    assert len(model.prompts) == asked
    assert found.status is CorrectionStatus.KEPT
    rounds = [step for step in found.steps if step.action in ("refine", "pass")]
    assert [step.evidence["place"] for step in rounds] == list(range(len(order)))
    if not asked:
        assert found.reason.startswith("the query runs and violates nothing")


def test_a_round_goes_on_from_what_was_taken(run: Any) -> None:
    model = Kept(reply(RIGHT), reply(AGAIN))
    found = run(model, options={"order": "AA"}, margin=None)
    assert found.corrected_sql == AGAIN
    assert WRONG not in model.prompts[1]
    assert RIGHT in model.prompts[1]


def test_chained_rounds_go_on_from_every_output(run: Any) -> None:
    model = Kept(reply(HARMFUL), reply(RIGHT))
    found = run(model, options={"chain": True})
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, RIGHT)
    assert actions(found) == ["refine", "refine", "judge"]
    assert HARMFUL in model.prompts[1]
    assert "turned down" not in model.prompts[1]


def test_the_last_chained_output_alone_is_proposed(run: Any) -> None:
    model = Kept(reply(RIGHT), reply(HARMFUL))
    found = run(model, options={"chain": True, "order": "AA"})
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, WRONG)
    assert len(found.steps) == 3


@pytest.mark.parametrize(
    ("order", "replies", "corrected"),
    [
        ("AB", [reply(RIGHT)], RIGHT),
        ("AA", [reply(RIGHT), reply(None)], RIGHT),
        ("BA", [reply(None)], WRONG),
        ("A", [reply(RIGHT)], RIGHT),
    ],
)
def test_chains_end(run: Any, order: str, replies: Any, corrected: str) -> None:
    model = Kept(*replies)
    found = run(model, options={"chain": True, "order": order})
    assert found.corrected_sql == corrected
    assert len(model.prompts) == len(replies)


def test_a_chain_passes_over_what_has_no_bug(run: Any) -> None:
    found = run(Kept(), RIGHT, {"chain": True, "order": "BB"})
    assert found.reason.startswith("the query runs and violates nothing")
    assert actions(found) == ["pass", "pass"]


def test_what_a_chain_reached_stays_where_the_model_fails_later(run: Any) -> None:
    found = run(Kept(reply(RIGHT), {"refusal": "no"}), options={"chain": True, "order": "AA"})
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, RIGHT)
    assert actions(found) == ["refine", "fail", "judge"]
    failed = run(Kept({"refusal": "no"}), HARMFUL, {"chain": True})
    assert failed.status is CorrectionStatus.FAILED


def test_a_query_that_does_not_run_is_refined_with_the_message(run: Any) -> None:
    model = Kept(reply(RIGHT))
    found = run(model, BROKEN, {"order": "B"})
    assert found.corrected_sql == RIGHT
    assert "no such table: visit" in model.prompts[0]
    assert "What the query returned" not in model.prompts[0]


def test_a_proposal_that_does_not_run_is_repaired(run: Any) -> None:
    model = Kept(reply(BROKEN), reply(RIGHT))
    found = run(model, options={"repairs": 1})
    assert found.corrected_sql == RIGHT
    assert actions(found) == ["refine", "run", "repair", "judge", "pass"]


def test_without_repair_the_next_round_is_told(run: Any) -> None:
    model = Kept(reply(BROKEN), reply(RIGHT))
    found = run(model)
    assert found.corrected_sql == RIGHT
    assert f"{BROKEN}\n  -- does not run: " in model.prompts[1]


@pytest.mark.parametrize(
    "replies",
    [["no idea", "still none"], ["", ""], [{"sql": 7}, {"sql": []}], [{"refusal": "I will not"}]],
)
def test_malformed_replies_lose_nothing(run: Any, replies: Any) -> None:
    found = run(Kept(*replies))
    assert (found.status, found.corrected_sql) == (CorrectionStatus.FAILED, WRONG)
    assert found.steps[-1].action == "fail"
    assert found.p_before == found.p_after


def test_what_was_taken_stays_where_the_next_round_fails(run: Any) -> None:
    found = run(Kept(reply(RIGHT), {"refusal": "no"}), options={"order": "AA"})
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, RIGHT)
    assert actions(found) == ["refine", "judge", "fail"]


@pytest.mark.parametrize(
    "sql", ["DELETE FROM visits", "SELECT 1; DROP TABLE visits", "ATTACH 'x' AS y"]
)
def test_proposals_that_do_more_than_read_are_refused(run: Any, sql: str) -> None:
    found = run(Kept(reply(sql)), options={"order": "A"}, margin=None)
    assert found.corrected_sql == WRONG


def test_the_budget_is_kept(
    databases: Databases, line: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    lines = [line(question_id=n, question=f"{QUESTION} {n}") for n in range(4)]
    replies = Kept(*[reply(None)] * 9)
    with scripted_model(replies, tmp_path, budget=Budget(calls=2), concurrency=1) as llm:
        found = correct(lines, databases, strategy="redsql", llm=llm, options=PLAIN)
    assert [case.question_id for case in found] == [0, 1, 2, 3]
    assert len(replies.prompts) == 2
    assert [case.status for case in found].count(CorrectionStatus.FAILED) == 2


def test_threads_change_nothing(
    databases: Databases, line: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    lines = [line(question_id=n, question=f"{QUESTION} {n}") for n in range(5)]

    def corrected(concurrency: int) -> list[str]:
        place = tmp_path / str(concurrency)
        model = Kept(*[reply(RIGHT)] * 10)
        with scripted_model(model, place, concurrency=concurrency) as llm:
            found = correct(lines, databases, strategy="redsql", llm=llm, options=PLAIN)
            return [json.dumps(case.to_dict()) for case in found]

    assert corrected(1) == corrected(5)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("order", "AC"), ("order", ""), ("order", "ABABABA"), ("tables", 0), ("columns", 0),
        ("violations", "some"), ("bugs", "grave"), ("repairs", -1), ("k1", 6),
    ],
)  # fmt: skip
def test_options_out_of_range_are_refused(
    databases: Databases, tmp_path: Path, option: str, value: Any
) -> None:
    with scripted_model(Kept(), tmp_path) as llm, pytest.raises(InputError, match=option):
        correct([], databases, strategy="redsql", llm=llm, options={option: value})


def test_it_needs_a_model(databases: Databases) -> None:
    with pytest.raises(InputError, match="needs a language model"):
        correct([], databases, strategy="redsql")
