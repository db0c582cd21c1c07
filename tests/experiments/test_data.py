"""Reading a folder of predictions, caching its inspections, and dealing cases out to folds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from clausewise.datasets import sample_dir
from clausewise.signals import select_signals
from clausewise.types import Inspection
from experiments.common import cache
from experiments.common.data import Benchmark, labeled_scores, pooled
from experiments.common.folds import QUESTION_FOLDS, question_fold
from experiments.common.workspace import Workspace, parser

QUERIES = {
    "first": ["SELECT COUNT(*) FROM books", "SELECT title FROM books", "SELECT nothing FROM books"],
    "second": ["SELECT COUNT(*) FROM books", "SELECT genre FROM books", "SELECT 1"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark of three questions and two systems; the last question has no label."""
    made = tmp_path / "data" / "small"
    for name in ("predictions", "labels"):
        (made / name).mkdir(parents=True)
    (made / "databases").symlink_to(sample_dir() / "databases")
    questions = [
        {"question_id": n, "db_id": "bookshop", "question": text, "gold_sql": f"SELECT {n}"}
        for n, text in enumerate(["How many books are there?", "Which titles?", "Which one?"])
    ]
    _write(made / "questions.jsonl", questions)
    for system, queries in QUERIES.items():
        cases = [
            {**{k: v for k, v in of.items() if k != "gold_sql"}, "predicted_sql": sql}
            for of, sql in zip(questions, queries, strict=True)
        ]
        _write(made / "predictions" / f"{system}.jsonl", cases)
        labels = [{"question_id": n, "correct": n == 0} for n in range(2)]
        _write(made / "labels" / f"{system}.jsonl", labels)
    candidates = [
        {
            "question_id": n,
            "candidates": [
                {"sql": queries[n], "system": name} for name, queries in QUERIES.items()
            ],
        }
        for n in range(3)
    ]
    _write(made / "candidates.jsonl", candidates)
    return made


def _write(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_the_other_systems_queries_are_the_candidates(folder: Path) -> None:
    benchmark = Benchmark(folder)
    assert benchmark.system_names() == ["first", "second"]
    case = benchmark.cases("first", candidates=True)[1]
    assert [str(of) for of in case.candidates] == ["SELECT genre FROM books"]
    assert Benchmark(folder, ("first",)).cases("first", candidates=True)[1].candidates == ()
    assert [of.predicted_sql for of in benchmark.gold_cases()] == [
        "SELECT 0",
        "SELECT 1",
        "SELECT 2",
    ]


def test_only_executable_predictions_with_a_label_are_counted(folder: Path) -> None:
    systems = Benchmark(folder).systems(select_signals("empty_predicate"))
    first = systems[0]
    assert [item.case.question_id for item in first.labeled()] == [0, 1]
    assert [first.is_incorrect(item) for item in first.labeled()] == [False, True]
    inspections, labels = pooled(systems)
    assert sorted(labels) == sorted(item.case.question_id for item in inspections)
    assert len(labels) == 4
    assert labeled_scores(first, []) == []


def test_inspections_are_made_once_and_anew_for_other_data(folder: Path, tmp_path: Path) -> None:
    specs = select_signals("empty_predicate")
    made = cache.cached_systems(Benchmark(folder), specs, tmp_path / "cache")
    assert cache.cached_systems(Benchmark(folder), specs, tmp_path / "cache") == made
    assert len(list((tmp_path / "cache").iterdir())) == 1
    with (folder / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    cache.cached_systems(Benchmark(folder), specs, tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_a_workspace_gives_single_queries_unless_candidates_are_wanted(
    folder: Path, tmp_path: Path
) -> None:
    arguments = [str(folder.parent), "--out", str(tmp_path / "out"), "--benchmarks", "small"]
    parsed = parser("some").parse_args([*arguments, "--cache", str(tmp_path / "cache")])
    workspace = Workspace.of(parsed)
    assert (tmp_path / "out").is_dir()
    assert workspace.benchmarks == ("small",)
    for candidates in (False, True):
        for system in workspace.systems("small", candidates=candidates):
            for item in system.inspections:
                assert isinstance(item, Inspection)
                assert bool(item.case.candidates) is candidates


def test_a_question_is_in_one_fold_whoever_answers_it(folder: Path) -> None:
    first, second = Benchmark(folder).systems(select_signals("empty_predicate"))
    folds = [question_fold(item) for item in first.inspections]
    assert folds == [question_fold(item) for item in second.inspections]
    assert set(folds) <= {str(n) for n in range(QUESTION_FOLDS)}
