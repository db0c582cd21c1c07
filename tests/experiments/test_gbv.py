"""Table 3 of GBV-SQL on a small benchmark: golds as they are and repaired, flagged or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from experiments.common.results import read_csv
from experiments.common.workspace import Workspace
from experiments.gbv import ablation, diagnosis
from experiments.gbv.diagnosis import Judged
from experiments.gbv.golds import from_records
from experiments.gbv.run import main, report


def _audit(question: Any, status: str = "flagged", repaired: str | None = None) -> dict[str, Any]:
    categories = [{"side": "A", "name": "wrong_value"}]
    return {
        "question_id": question,
        "status": status,
        "categories": categories,
        "suggested_sql": repaired,
    }


def test_only_flagged_golds_count() -> None:
    found = from_records([_audit(1), _audit(2, "noted"), _audit("3", repaired="SELECT 1")])
    assert {name: gold.repaired for name, gold in found.items()} == {1: None, "3": "SELECT 1"}


def test_a_query_is_counted_in_its_subset_and_by_both_golds() -> None:
    judged = [
        Judged("spider", "a", "as predicted", "SELECT 1", False, False, True, True),
        Judged("spider", "a", "as predicted", "SELECT 2", True, True, False, True),
        Judged("spider", "b", "as predicted", "SELECT 2", True, False, False, False),
    ]
    rows = list(diagnosis.lines(judged))
    assert [(row["system"], row["questions"], row["golds"]) for row in rows] == [
        (system, questions, golds)
        for system in ("all", "a", "b")
        for questions in ("all", "without vacuous golds")
        for golds in ("as they are", "repaired")
    ]
    assert [row["n_gold_error_subset"] for row in rows[:4]] == [2, 2, 1, 1]
    of_all, repaired = rows[:2]
    assert (of_all["n_all"], of_all["n_gold_error_subset"], of_all["n_without_gold_errors"]) == (
        3,
        2,
        1,
    )
    assert (of_all["ex_gold_error_subset"], repaired["ex_gold_error_subset"]) == (0.0, 0.5)
    assert (of_all["ex_without_gold_errors"], repaired["ex_without_gold_errors"]) == (1.0, 1.0)
    assert rows[-1]["n_without_gold_errors"] == 0


@pytest.mark.parametrize("variant", ablation.VARIANTS)
def test_each_variant_is_one_of_the_strategy(variant: str) -> None:
    from clausewise.correction.gbv import GbvOptions

    options = GbvOptions.model_validate(ablation.VARIANTS[variant])
    assert (options == GbvOptions()) == (variant == ablation.FULL)


def test_the_command_fills_the_table(data: Path, tmp_path: Path) -> None:
    question = json.loads((data / "spider" / "questions.jsonl").read_text("utf-8").split("\n")[1])
    audits, out = tmp_path / "audits", tmp_path / "out"
    audits.mkdir()
    line = _audit(question["question_id"], repaired="SELECT 'nothing that anybody predicts'")
    (audits / "spider.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    words = [str(data), "--out", str(out), "--benchmarks", "spider", "--audits", str(audits)]
    main([*words, "--cache", str(tmp_path / "cache")])
    before, after = read_csv(out / "diagnostic.csv")[:2]
    assert (before["golds_flagged"], before["golds_repaired"]) == ("1", "1")
    assert before["n_gold_error_subset"] == "1"
    assert after["ex_gold_error_subset"] == "0.0"
    assert before["ex_without_gold_errors"] == after["ex_without_gold_errors"]
    text = (out / "results.md").read_text("utf-8")
    assert text == report(out)
    assert "needs a capable language model" in text
    assert Workspace(data, out).benchmark("spider").system_names() == ["a"]
