"""Asking for another query, reading the reply, and repairing what the database refuses."""

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
    correct,
    load_strategies,
    strategy,
)
from clausewise.correction.prompting import (
    CorrectedQuery,
    ask_for_query,
    material,
    parsed_query,
    runnable,
)
from clausewise.databases import Databases
from clausewise.llm import Budget
from clausewise.testing.replies import scripted_model
from tests.correction.models import ALL, BROKEN, DAYS, PEOPLE, Kept

pytest.importorskip("openai")

Line = Callable[..., dict[str, Any]]
CELL = "Zorn"


@pytest.fixture
def corrected(
    databases: Databases, scored: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Correct the case by a strategy of the test's, with recorded replies."""
    load_strategies()
    monkeypatch.setattr(STRATEGIES, "_items", dict(STRATEGIES))

    def run(
        propose: Callable[[CorrectionTask], str | None],
        model: Kept,
        sql: str = ALL,
        **settings: Any,
    ) -> Any:
        monkeypatch.delitem(STRATEGIES._items, "own", raising=False)
        strategy(name="own", description="For a test.", margin=None, needs_model=True)(
            lambda task: Proposal(propose(task), "as told")
        )
        with scripted_model(model, tmp_path, **settings) as llm:
            return correct([scored()], databases, strategy="own", llm=llm)[0]

    return run


def _repaired(sql: str, **more: Any) -> Callable[[CorrectionTask], str | None]:
    def propose(task: CorrectionTask) -> str | None:
        found = runnable(task, sql, **more)
        return None if found is None else found.sql

    return propose


def _asked(task: CorrectionTask) -> str | None:
    variables = {**material(task), "error": "none", "hint": ""}
    return ask_for_query(task, "repair_query", variables, CorrectedQuery).sql


@pytest.mark.parametrize(
    "said",
    [PEOPLE, f"```sql\n{PEOPLE};\n```", f"SQL: {PEOPLE}", f"  {PEOPLE}  "],
)
def test_a_proposal_is_taken_out_of_what_surrounds_it(corrected: Any, said: str) -> None:
    found = corrected(_asked, Kept({"reason": "people come twice", "sql": said}))
    assert found.corrected_sql.rstrip(";") == PEOPLE
    step = found.steps[0]
    assert step.action == "ask"
    assert step.message == "the model proposes another query: people come twice"
    assert [change.after for change in step.changes] == ["SELECT COUNT(DISTINCT person)"]
    assert step.evidence["prompt"] == "repair_query"
    assert step.evidence["prompt_version"] >= 1
    assert step.cost["calls"] == 1


@pytest.mark.parametrize("said", ["", None, "unchanged", "No change.", ALL, f"{ALL};", "NULL"])
def test_no_query_and_the_same_query_change_nothing(corrected: Any, said: str | None) -> None:
    found = corrected(_asked, Kept({"reason": None, "sql": said}))
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, ALL)
    assert found.steps[0].message == "the model keeps the query"
    assert found.steps[0].sql is None


def test_a_reply_without_a_query_is_malformed() -> None:
    with pytest.raises(ValueError, match="sql"):
        CorrectedQuery.model_validate({"reason": "it is fine"})
    with pytest.raises(ValueError, match="sql"):
        CorrectedQuery.model_validate({"sql": [PEOPLE]})


def test_what_the_database_refuses_is_repaired(corrected: Any) -> None:
    model = Kept({"reason": "no such table", "sql": "SELECT COUNT(*) FROM visit"},
                 {"reason": "it is plural", "sql": PEOPLE})  # fmt: skip
    found = corrected(_repaired(BROKEN, hint=lambda sql, error: f"{sql}: {error}?"), model)
    assert found.corrected_sql == PEOPLE
    assert [step.action for step in found.steps] == ["run", "repair", "run", "repair", "judge"]
    assert found.steps[0].evidence["error"] == "no such table: nowhere"
    assert found.steps[3].evidence["refused"] == "SELECT COUNT(*) FROM visit"
    first, second = model.prompts
    assert f"{BROKEN}: no such table: nowhere?" in first
    assert BROKEN not in second
    assert "no such table: visit" in second


@pytest.mark.parametrize(
    ("replies", "asked"),
    [
        ([{"sql": f"{BROKEN} WHERE {n}", "reason": ""} for n in (1, 2, 3)], 3),
        ([{"sql": BROKEN, "reason": "it should run"}], 1),
        ([{"sql": "", "reason": "it cannot be done"}], 1),
    ],
)
def test_repair_ends(corrected: Any, replies: list[Any], asked: int) -> None:
    model = Kept(*replies)
    found = corrected(_repaired(BROKEN), model)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, ALL)
    assert len(model.prompts) == asked
    assert [step.action for step in found.steps].count("repair") == asked


def test_a_query_that_runs_asks_nothing(corrected: Any) -> None:
    model = Kept()
    assert corrected(_repaired(DAYS), model).corrected_sql == DAYS
    assert corrected(_repaired(BROKEN, rounds=0), model).corrected_sql == ALL
    assert model.prompts == []


def test_a_query_that_writes_is_refused(corrected: Any, databases: Databases) -> None:
    model = Kept({"reason": "", "sql": "DELETE FROM visits"}, {"reason": "", "sql": PEOPLE})
    found = corrected(_repaired("DROP TABLE visits"), model)
    assert found.corrected_sql == PEOPLE
    assert databases.get("clinic").scalar(ALL) == 3


@pytest.mark.parametrize(
    ("model", "settings", "reason"),
    [
        (Kept({"refusal": "no"}), {}, "refuses to answer"),
        (Kept("no JSON", "still none"), {}, "malformed reply"),
        (Kept(), {}, "no further reply"),
        (Kept({"reason": "", "sql": BROKEN + "2"}), {"budget": Budget(calls=1)}, "budget"),
    ],
)
def test_what_goes_wrong_keeps_the_query(
    corrected: Any, model: Kept, settings: dict[str, Any], reason: str
) -> None:
    found = corrected(_repaired(BROKEN), model, **settings)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.FAILED, ALL)
    assert reason in found.reason
    assert found.steps[0].action == "run"
    assert found.steps[-1].action == "fail"


def test_cells_in_a_message_are_not_sent(corrected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(task: CorrectionTask, sql: str, limits: Any = None) -> Any:
        from clausewise.correction import QueryExecution

        return QueryExecution(None, f"no number: '{CELL}' in \"day\"")

    monkeypatch.setattr(CorrectionTask, "run", refuse)
    sql = 'SELECT CAST("day" AS INTEGER) FROM visits'
    sent = Kept({"reason": "", "sql": ""})
    corrected(_repaired(sql), sent)
    assert f"'{CELL}' in \"day\"" in sent.prompts[0]
    kept = Kept({"reason": "", "sql": ""})
    corrected(_repaired(sql), kept, send_values=False)
    assert '... in "day"' in kept.prompts[0]
    assert CELL not in kept.prompts[0]


def test_material_of_a_query_that_cannot_be_parsed(corrected: Any) -> None:
    def propose(task: CorrectionTask) -> str | None:
        assert parsed_query(task, "SELECT (") is None
        given = material(task, " SELECT ( ")
        assert given["sql"] == "SELECT ("
        assert given["question"] == "How many people came?"
        assert "visits" in str(given["schema"])
        return None

    assert corrected(propose, Kept()).status is CorrectionStatus.KEPT
