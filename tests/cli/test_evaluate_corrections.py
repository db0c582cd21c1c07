"""`clausewise evaluate` on what `correct` wrote: figures, options and messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases.remote import RemoteDatabase, RemoteDatabases

BOOKS = "SELECT COUNT(*) FROM books"
AUTHORS = "SELECT COUNT(*) FROM authors"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "cache"))


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def correction(question: int, before: str, after: str) -> dict[str, Any]:
    return {
        "question_id": question, "db_id": "bookshop", "predicted_sql": before,
        "corrected_sql": after, "changed": before != after, "status": "changed", "reason": "",
        "strategy": "some", "p_before": 0.5, "p_after": 0.6, "steps": [], "cost": None,
    }  # fmt: skip


@pytest.fixture
def fixed(tmp_path: Path) -> Path:
    lines = (correction(1, BOOKS, AUTHORS), correction(2, BOOKS, BOOKS))
    return written(tmp_path / "fixed.jsonl", *lines)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    lines = ({"question_id": 1, "gold_sql": AUTHORS}, {"question_id": 2, "gold_sql": BOOKS})
    return written(tmp_path / "gold.jsonl", *lines)


def scored(question: int, signal: str) -> dict[str, Any]:
    return {
        "question_id": question, "db_id": "bookshop", "predicted_sql": BOOKS, "p_correct": 0.5,
        "verdict": "correct", "status": "ok", "findings": [], "signals": {signal: "fired"},
    }  # fmt: skip


def test_corrections_are_recognized_and_executed(run, sample, fixed, gold):
    done = run("evaluate", fixed, "--gold", gold, "--databases", sample / "databases")
    assert done.code == 0
    assert "some: 2 labeled cases, 1 changed, 1 kept" in done.out
    assert "fixed   1 of 1 wrong ones" in done.out
    assert "broken  0 of 1 right ones" in done.out
    assert "net     +1" in done.out


def test_queries_run_in_a_process_of_their_own(run, sample, fixed, gold, monkeypatch):
    asked = []

    def get(self: RemoteDatabases, db_id: str) -> RemoteDatabase:
        asked.append(db_id)
        return opened(self, db_id)

    opened = RemoteDatabases.get
    monkeypatch.setattr(RemoteDatabases, "get", get)
    done = run("evaluate", fixed, "--gold", gold, "--databases", sample / "databases")
    assert done.code == 0
    assert set(asked) == {"bookshop"}


def test_the_json_has_figures_by_strategy_database_and_signal(run, sample, fixed, gold, tmp_path):
    scores = written(tmp_path / "scores.jsonl", scored(1, "one"), scored(2, "two"))
    given = ("--gold", gold, "--databases", sample / "databases", "--scores", scores, "--json")
    figures = json.loads(run("evaluate", fixed, *given).out)
    of_strategy = figures["strategies"]["some"]
    assert (of_strategy["fixed"], of_strategy["broken"], of_strategy["net"]) == (1, 0, 1)
    assert of_strategy["execution_accuracy_before"] == 0.5
    assert of_strategy["execution_accuracy_after"] == 1.0
    assert of_strategy["intervals"]["gain"][1] <= 1.0
    assert list(of_strategy["databases"]) == ["bookshop"]
    assert {name: f["fixed"] for name, f in of_strategy["signals"].items()} == {"one": 1, "two": 0}


def test_labels_of_both_queries_need_no_database(run, fixed, tmp_path):
    before = written(
        tmp_path / "before.jsonl",
        {"question_id": 1, "correct": True},
        {"question_id": 2, "correct": True},
    )
    after = written(tmp_path / "after.jsonl", {"question_id": 1, "correct": False})
    done = run("evaluate", fixed, "--labels", before, "--corrected-labels", after)
    assert done.code == 0
    assert "broken  1 of 2 right ones" in done.out


def test_the_rule_of_the_benchmark_can_be_chosen(run, sample, tmp_path):
    twice = "SELECT 'a' FROM authors LIMIT 2"
    fixed = written(tmp_path / "fixed.jsonl", correction(1, BOOKS, twice))
    gold = written(tmp_path / "gold.jsonl", {"question_id": 1, "gold_sql": "SELECT 'a'"})
    given = ("evaluate", fixed, "--gold", gold, "--databases", sample / "databases")
    assert "net     +0" in run(*given).out
    assert "net     +1" in run(*given, "--match", "bird").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--gold"),
        (("--gold", "GOLD"), "--databases"),
        (("--corrected-labels", "GOLD"), "--labels"),
        (("--corrected-labels", "GOLD", "--labels", "GOLD", "--match", "bird"), "--match"),
    ],
)
def test_it_must_be_said_how_to_label(run, fixed, gold, options, message):
    given = [gold if option == "GOLD" else option for option in options]
    done = run("evaluate", fixed, *given)
    assert done.code == 2
    assert message in done.err


def test_a_question_that_comes_twice_is_an_error(run, sample, gold, tmp_path):
    twice = written(tmp_path / "twice.jsonl", *[correction(1, BOOKS, AUTHORS)] * 2)
    done = run("evaluate", twice, "--gold", gold, "--databases", sample / "databases")
    assert done.code == 2
    assert "already used on line 1" in done.err


def test_lines_that_were_no_case_are_counted_and_left_out(run, sample, gold, tmp_path):
    lost = {"question_id": None, "db_id": None, "predicted_sql": None, "corrected_sql": None}
    lines = [correction(1, BOOKS, AUTHORS), *[correction(3, BOOKS, BOOKS) | lost] * 2]
    fixed = written(tmp_path / "fixed.jsonl", *lines)
    given = ("--gold", gold, "--databases", sample / "databases", "--json")
    figures = json.loads(run("evaluate", fixed, *given).out)
    assert figures["strategies"]["some"]["n"] == 1
    assert figures["excluded"] == {"unlabeled": 2}


def test_the_scores_name_the_database_of_question_0_too(run, sample, tmp_path):
    line = correction(0, BOOKS, AUTHORS)
    del line["db_id"]
    fixed = written(tmp_path / "fixed.jsonl", line)
    gold = written(tmp_path / "gold.jsonl", {"question_id": 0, "gold_sql": AUTHORS})
    scores = written(tmp_path / "scores.jsonl", scored(0, "one"))
    given = ("--gold", gold, "--databases", sample / "databases", "--scores", scores)
    done = run("evaluate", fixed, *given)
    assert done.code == 0
    assert "net     +1" in done.out


def test_scores_take_no_options_of_corrections(run, gold, tmp_path):
    scores = written(tmp_path / "scores.jsonl", scored(1, "one"))
    labels = written(tmp_path / "labels.jsonl", {"question_id": 1, "correct": True})
    refused = run("evaluate", scores, "--labels", labels, "--match", "bird")
    assert refused.code == 2
    assert "--match" in refused.err
    assert "corrections" in refused.err
    unlabeled = run("evaluate", scores, "--gold", gold)
    assert unlabeled.code == 2
    assert "--labels" in unlabeled.err
