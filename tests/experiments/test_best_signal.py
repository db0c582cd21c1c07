"""The claim that a detector is no worse than its best signal, checked where the answer is known."""

from __future__ import annotations

from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    Inspection,
    Outcome,
    OutcomeStatus,
)
from experiments.best_signal.run import best_signal, report
from experiments.common.data import System
from experiments.common.results import write_csv


def inspection(question: int, scores: dict[str, float]) -> Inspection:
    case = Case(question_id=question, db_id="db", question="Q?", predicted_sql="SELECT 1")
    span = ClauseSpan(Clause.QUERY, "SELECT 1", 0, 8)
    outcomes = {
        name: Outcome(name, OutcomeStatus.FIRED, (Finding(span, score, "odd"),))
        if score
        else Outcome(name, OutcomeStatus.SILENT)
        for name, score in scores.items()
    }
    return Inspection(case, CaseStatus.OK, None, outcomes, {})


def test_the_best_signal_is_found_by_its_score_not_only_by_its_firing() -> None:
    rows = [(0.9, 1.0, True), (0.8, 0.0, True), (0.2, 1.0, False), (0.1, 0.0, False)]
    items = [inspection(i, {"graded": g, "chance": c}) for i, (g, c, _) in enumerate(rows)]
    labels: dict[str | int, bool] = {i: not wrong for i, (_, _, wrong) in enumerate(rows)}
    assert best_signal(System("b", "s", list(items), labels)) == ("graded", 1.0)


def test_the_table_counts_what_holds(tmp_path) -> None:
    common = {"benchmark": "b", "setting": "one query", "detector": "d", "best_signal": "x"}
    rows: list[dict[str, str | float]] = [
        {**common, "system": name, "auc": 0.8, "auc_of_best_signal": 0.8 - gap, "margin": gap}
        for name, gap in (("good", 0.1), ("just", -0.01), ("below", -0.02))
    ]
    write_csv(tmp_path / "results.csv", rows)
    text = report(tmp_path)
    assert "2 of 3" in text
    assert "below" in text
