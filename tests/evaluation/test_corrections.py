"""What corrections fixed and broke: counts, intervals, groups and cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clausewise.corrected_case import CorrectedCase, CorrectionStatus
from clausewise.databases import Databases, create_database
from clausewise.errors import CaseError, InputError
from clausewise.evaluation import ExecutionLabels, GivenLabels, evaluate_corrections
from clausewise.evaluation.intervals import wilson_interval

ALL = "SELECT COUNT(*) FROM visits"
PEOPLE = "SELECT COUNT(DISTINCT person) FROM visits"
GOLD: dict[str | int, str] = {"fixed": PEOPLE, "broken": ALL, "kept": ALL, "wrong": PEOPLE}


def line(question: str, before: str, after: str, **more: Any) -> dict[str, Any]:
    record = {
        "question_id": question,
        "db_id": "clinic",
        "predicted_sql": before,
        "corrected_sql": after,
        "changed": before != after,
        "status": "kept" if before == after else "changed",
        "strategy": "some",
        "cost": {"calls": 2, "prompt_tokens": 10, "completion_tokens": 5, "usd": 0.5},
    }
    return record | more


LINES = [
    line("fixed", ALL, PEOPLE),
    line("broken", ALL, PEOPLE),
    line("kept", ALL, ALL),
    line("wrong", ALL, ALL, status="failed"),
]


@pytest.fixture
def databases(tmp_path: Path) -> Databases:
    for name in ("clinic", "hospital"):
        (tmp_path / name).mkdir()
        create_database(
            tmp_path / name / f"{name}.sqlite",
            """
            CREATE TABLE visits (person TEXT);
            INSERT INTO visits VALUES ('Ann'), ('Bob'), ('Ann');
            """,
        )
    return Databases(tmp_path)


def test_queries_are_counted_by_what_became_of_them(databases: Databases) -> None:
    found = evaluate_corrections(LINES, ExecutionLabels(GOLD, databases))
    figures = found.strategies["some"].overall
    assert (figures.n, figures.changed, figures.failed) == (4, 2, 1)
    assert (figures.fixed, figures.broken, figures.net) == (1, 1, 0)
    assert (figures.correct_before, figures.correct_after) == (2, 2)
    assert figures.execution_accuracy_before.value == 0.5
    assert figures.fixed_share.value == 0.5
    low, high = wilson_interval(1, 2) or (0, 0)
    assert (figures.fixed_share.low, figures.fixed_share.high) == (low, high)
    assert figures.gain.value == 0
    assert figures.gain.low is not None
    assert figures.gain.low < 0 < (figures.gain.high or 0)
    assert found.unlabeled == 0


def test_a_net_fix_has_a_price_only_where_there_is_one(databases: Databases) -> None:
    labels = ExecutionLabels(GOLD, databases)
    gained: Any = evaluate_corrections(LINES[:1] + LINES[2:], labels).to_dict()
    cost = gained["strategies"]["some"]["cost"]
    assert cost["per_net_fix"] == {"calls": 6.0, "tokens": 45.0, "usd": 1.5}
    nothing: Any = evaluate_corrections(LINES, labels).to_dict()
    assert nothing["strategies"]["some"]["cost"]["per_net_fix"] is None
    free = [entry | {"cost": None} for entry in LINES]
    without: Any = evaluate_corrections(free, labels).to_dict()
    assert without["strategies"]["some"]["cost"] is None


def test_strategies_databases_and_signals_are_counted_apart(databases: Databases) -> None:
    lines = [*LINES, line("fixed", ALL, PEOPLE, strategy="other", db_id="hospital")]
    signals: dict[str | int, frozenset[str]] = {
        "fixed": frozenset({"one", "two"}),
        "kept": frozenset({"two"}),
    }
    found = evaluate_corrections(lines, ExecutionLabels(GOLD, databases), signals=signals)
    assert list(found.strategies) == ["some", "other"]
    assert list(found.strategies["other"].databases) == ["hospital"]
    of_signals = found.strategies["some"].signals
    assert of_signals is not None
    assert {name: (f.n, f.fixed) for name, f in of_signals.items()} == {
        "one": (1, 1),
        "two": (2, 1),
    }


def test_what_has_no_label_is_left_out_and_counted(databases: Databases) -> None:
    gold: dict[str | int, str] = {"fixed": PEOPLE, "broken": "SELECT nothing FROM nowhere"}
    found = evaluate_corrections(LINES, ExecutionLabels(gold, databases))
    assert found.strategies["some"].overall.n == 1
    assert found.unlabeled == 3


def test_given_labels_of_queries_before_are_believed(databases: Databases) -> None:
    labels = ExecutionLabels(GOLD, databases, before={"kept": False})
    figures = evaluate_corrections(LINES, labels).strategies["some"].overall
    assert figures.correct_before == 1
    assert (figures.fixed, figures.broken) == (1, 1)


def test_labels_from_outside_need_the_changed_queries_only() -> None:
    before: dict[str | int, bool] = {"fixed": False, "broken": True, "kept": True, "wrong": False}
    found = evaluate_corrections(LINES, GivenLabels(before, {"fixed": True}))
    assert found.strategies["some"].overall.fixed == 1
    assert found.unlabeled == 1


def test_a_correction_without_a_database_takes_the_known_one(databases: Databases) -> None:
    lines = [line("fixed", ALL, PEOPLE, db_id=None)]
    with pytest.raises(InputError, match="names no database"):
        evaluate_corrections(lines, ExecutionLabels(GOLD, databases))
    labels = ExecutionLabels(GOLD, databases, database_of={"fixed": "clinic"})
    assert evaluate_corrections(lines, labels).strategies["some"].overall.fixed == 1


def test_corrected_cases_are_taken_as_they_are(databases: Databases) -> None:
    case = CorrectedCase(
        question_id="fixed",
        db_id="clinic",
        predicted_sql=ALL,
        corrected_sql=f"```sql\n{PEOPLE}\n```",
        changed=True,
        status=CorrectionStatus.CHANGED,
        reason="",
        strategy="some",
        p_before=None,
        p_after=None,
    )
    found = evaluate_corrections([case], ExecutionLabels(GOLD, databases))
    assert found.strategies["some"].overall.fixed == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"changed": "yes!"}, "changed"),
        ({"corrected_sql": None}, "is null"),
        ({"strategy": 7}, "str"),
    ],
)
def test_what_is_no_correction_is_named(databases: Databases, more: Any, message: str) -> None:
    with pytest.raises(CaseError, match=message):
        evaluate_corrections([LINES[0] | more], ExecutionLabels(GOLD, databases))
