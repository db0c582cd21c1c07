"""The strategy `sqlens`: the error report in the prompt, together or one signal at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import CorrectionStatus, correct
from clausewise.correction.report_text import certain_first, known_notes, report_text
from clausewise.databases import Databases
from clausewise.datasets import as_scored_cases
from clausewise.errors import InputError, RegistryError
from clausewise.llm import Budget
from clausewise.testing.replies import scripted_model
from tests.correction.models import Kept
from tests.correction.visits import BROKEN, HARMFUL, QUESTION, RIGHT, WRONG

pytest.importorskip("openai")

FIRING = ["empty_predicate", "abnormal_result", "near_miss_value"]


def reply(sql: str | None, reason: str = "the name is spelled otherwise") -> dict[str, Any]:
    return {"reason": reason, "sql": sql}


@pytest.fixture
def run(
    databases: Databases, line: Callable[..., dict[str, Any]], tmp_path: Path
) -> Callable[..., Any]:
    """Correct one query with recorded replies: `run(model, sql, options, **settings)`."""

    def ran(
        model: Kept,
        sql: str | dict[str, Any] = WRONG,
        options: dict[str, Any] | None = None,
        *,
        margin: Any = 0.0,
        **settings: Any,
    ) -> Any:
        case = line(sql) if isinstance(sql, str) else sql
        with scripted_model(model, tmp_path, **settings) as llm:
            given = {"strategy": "sqlens", "llm": llm, "options": options or {}, "margin": margin}
            return correct([case], databases, **given)[0]

    return ran


def actions(found: Any) -> list[str]:
    return [step.action for step in found.steps]


def test_a_good_reply_is_taken(run: Any) -> None:
    model = Kept(reply(RIGHT))
    found = run(model)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, RIGHT)
    assert found.p_after > 0.8 > 0.5 > found.p_before
    assert found.reason == f"{', '.join(FIRING)}: the name is spelled otherwise"
    assert actions(found) == ["ask", "judge"]
    assert found.steps[0].evidence["signals"] == FIRING
    assert found.cost["calls"] == len(model.prompts) == 1


def test_the_prompt_holds_the_four_parts_most_certain_signal_first(run: Any) -> None:
    model = Kept(reply(None))
    run(model)
    (prompt,) = model.prompts
    notes = known_notes()
    places = [prompt.index(f"{n}. {name}: ") for n, name in enumerate(FIRING, start=1)]
    assert places == sorted(places)
    assert "the most certain first" in prompt
    for name in FIRING:
        assert notes[name].description in prompt
        assert " ".join(notes[name].example.split()) in prompt
        assert " ".join(notes[name].instruction.split()) in prompt
    assert "   - WHERE: person = 'ann'\n" in prompt
    assert "probable value: Ann" in prompt


def false_alarm(signal: str = "empty_predicate", code: str = "PRED01") -> dict[str, Any]:
    """Return the line of a query that is right, with a finding about it."""
    clause = {"kind": "where", "text": "person = 'Ann'", "start": 35, "end": 49}
    finding = {
        "signal": signal, "code": code, "clause": clause, "score": 0.9, "message": "no row",
        "evidence": {}, "suggestion": None, "level": "error", "contribution": 2.0, "reason": "",
        "measure": None,
    }  # fmt: skip
    return {
        "question_id": 1, "db_id": "clinic", "question": QUESTION, "predicted_sql": RIGHT,
        "p_correct": 0.4, "verdict": "incorrect", "status": "ok", "findings": [finding],
        "signals": {},
    }  # fmt: skip


@pytest.mark.parametrize("sql", [HARMFUL, "SELECT person FROM visits"])
def test_a_harmful_reply_is_kept_out(run: Any, sql: str) -> None:
    found = run(Kept(reply(sql)), false_alarm())
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, RIGHT)
    assert found.reason.startswith("the detector does not prefer the proposed query")
    assert run(Kept(reply(sql)), false_alarm(), margin=None).corrected_sql == sql


def test_a_reply_that_writes_is_refused(run: Any, databases: Databases) -> None:
    found = run(Kept(reply("DROP TABLE visits"), reply("DELETE FROM visits"), reply(None)))
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, WRONG)
    assert databases.get("clinic").scalar("SELECT COUNT(*) FROM visits") == 3


@pytest.mark.parametrize("sql", [None, "", WRONG, "unchanged"])
def test_a_useless_reply_costs_a_call_and_nothing_else(run: Any, sql: str | None) -> None:
    found = run(Kept(reply(sql, "the report is wrong")))
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, WRONG)
    assert found.reason.endswith("the model keeps the query: the report is wrong")
    assert found.cost["calls"] == 1


def test_nothing_found_asks_nothing(run: Any) -> None:
    found = run(Kept(), RIGHT)
    assert (found.status, found.reason) == (
        CorrectionStatus.KEPT, "the report names nothing to correct",
    )  # fmt: skip
    assert found.cost["calls"] == 0
    assert run(Kept(), WRONG, {"up_to": 0.001}).cost["calls"] == 0


def test_syntax_is_repaired_by_the_message_of_the_database(run: Any) -> None:
    model = Kept(reply(BROKEN), reply(RIGHT, "the table is called visits"))
    found = run(model)
    assert found.corrected_sql == RIGHT
    assert actions(found) == ["ask", "run", "repair", "judge"]
    assert "no such table: visit" in model.prompts[1]
    assert BROKEN in model.prompts[1]
    assert "1. empty_predicate" not in model.prompts[1]


def test_a_query_that_cannot_be_repaired_is_no_proposal(run: Any) -> None:
    found = run(Kept(reply(BROKEN), reply(f"{BROKEN} AND 1")), WRONG, {"repairs": 1})
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, WRONG)
    assert found.reason.endswith("the database refuses what the model proposes")
    assert actions(found) == ["ask", "run", "repair", "run"]


@pytest.mark.parametrize(
    ("model", "settings", "reason"),
    [
        (Kept({"refusal": "no"}), {}, "refuses to answer"),
        (Kept("I cannot", "still not"), {}, "malformed reply"),
        (Kept("{}", '{"sql": 7}'), {}, "malformed reply"),
        (Kept(reply(BROKEN)), {"budget": Budget(calls=1)}, "the budget of 1 calls"),
        (Kept(), {"budget": Budget(calls=0)}, "the budget of 0 calls"),
        (Kept(), {"offline": True}, "is in the cache"),
    ],
)
def test_a_failure_keeps_the_query(
    run: Any, model: Kept, settings: dict[str, Any], reason: str
) -> None:
    found = run(model, **settings)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.FAILED, WRONG)
    assert reason in found.reason
    assert actions(found)[-1] == "fail"


def test_each_signal_by_itself_until_one_helps(run: Any) -> None:
    model = Kept(reply(None, "fine"), reply(HARMFUL, "a guess"), reply(RIGHT))
    found = run(model, WRONG, {"mode": "each"})
    assert found.corrected_sql == RIGHT
    asked = [step.evidence["signals"] for step in found.steps if step.action == "ask"]
    assert asked == [[name] for name in FIRING]
    for name, prompt in zip(FIRING, model.prompts, strict=True):
        assert f"1. {name}: " in prompt
        assert "2. " not in prompt
        assert "the most certain first" not in prompt
    assert [step.round for step in found.steps if step.action == "judge"] == [0, 1]


def test_what_no_longer_fires_is_not_asked_about(run: Any) -> None:
    model = Kept(reply(RIGHT))
    found = run(model, WRONG, {"mode": "each"})
    assert found.corrected_sql == RIGHT
    assert len(model.prompts) == 1


def test_together_asks_once(run: Any) -> None:
    model = Kept(reply(HARMFUL), reply(RIGHT))
    found = run(model)
    assert found.corrected_sql == WRONG
    assert len(model.prompts) == 1
    assert found.reason.startswith("the detector does not prefer the proposed query")


def test_what_was_taken_stays_where_a_later_round_fails(run: Any) -> None:
    half = WRONG.replace("WHERE", "WHERE id > 0 AND")
    model = Kept(reply(half))
    found = run(model, WRONG, {"mode": "each"}, margin=None)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, half)
    assert actions(found)[-1] == "fail"


def test_signals_can_be_chosen(run: Any) -> None:
    model = Kept(reply(None))
    run(model, WRONG, {"signals": "near_miss_value"})
    assert "1. near_miss_value" in model.prompts[0]
    assert "empty_predicate" not in model.prompts[0]
    assert run(Kept(), WRONG, {"signals": "suboptimal_join_tree"}).cost["calls"] == 0
    with pytest.raises(RegistryError, match="empty_predicate"):
        run(Kept(), WRONG, {"signals": "empty_predicat"})
    with pytest.raises(InputError, match="mode"):
        run(Kept(), WRONG, {"mode": "some"})


def test_signals_that_need_more_information_are_left_out(run: Any) -> None:
    case = false_alarm("insufficient_evidence", "LLM04")
    assert run(Kept(), case).cost["calls"] == 0
    assert run(Kept(reply(None)), case, {"external": "true"}).cost["calls"] == 1
    chosen = {"signals": "insufficient_evidence"}
    assert run(Kept(reply(None)), case, chosen, seed=2).cost["calls"] == 1


def test_no_cell_is_sent_where_none_may(run: Any) -> None:
    cells = ("'Bob'", "Ann'", "2020-01-01")
    sent = Kept(reply(BROKEN), reply(RIGHT))
    run(sent)
    assert all(cell in sent.prompts[0] for cell in cells)
    kept = Kept(reply("SELECT COUNT(*) FROM visit"), reply(None))
    found = run(kept, send_values=False)
    assert found.status is CorrectionStatus.KEPT
    assert len(kept.prompts) == 2
    everything = "".join(kept.prompts).replace(known_notes()["empty_predicate"].example, "")
    assert [cell for cell in cells if cell in everything] == []
    assert "   - WHERE: person = 'ann'\n     found: " in everything


def test_a_query_that_does_not_run_is_reported_first(line: Any) -> None:
    (case,) = as_scored_cases([line("SELECT COUNT(*) FROM \"Nowhere\" WHERE person = 'ann'")])
    reports = certain_first(case, known_notes())
    assert [report.signal for report in reports][:2] == ["not_executable", "unknown_name"]
    text = report_text(reports, known_notes(), send_values=False)
    assert "found: no such table: Nowhere" in text


def test_long_reports_are_cut(line: Any) -> None:
    record = line()
    clause = {"kind": "query", "text": "x" * 5_000, "start": 0, "end": 5_000}
    finding = record["findings"][0] | {"clause": clause, "message": "y" * 5_000}
    many = record | {"findings": [finding] * 9, "signals": {}}
    (case,) = as_scored_cases([json.loads(json.dumps(many))])
    text = report_text(certain_first(case, known_notes()), known_notes(), send_values=True)
    assert "and 4 more of the kind" in text
    assert len(text) < 9_000
