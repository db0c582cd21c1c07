"""Labels by a test suite: what counts, what is forgiven, and which instance tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clausewise.databases import open_database
from experiments.common.data import Benchmark
from experiments.counterexamples import plain
from experiments.counterexamples.checking import Checker
from experiments.test_suite_labels.labeling import (
    COLUMN_ORDER,
    EMPTY,
    ON_DATABASE,
    ROW_ORDER,
    ROWS,
    TIES,
    Gold,
    Label,
    Measure,
)
from experiments.test_suite_labels.make import chunks, labeled, tasks_of, write
from experiments.test_suite_labels.observed import write_copy
from experiments.test_suite_labels.run import reasons, shares
from experiments.test_suite_labels.ties import cut_at_tie

STATEMENTS = (
    "CREATE TABLE maker (id INTEGER PRIMARY KEY, name TEXT)",
    "CREATE TABLE car (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, "
    "maker_id INTEGER REFERENCES maker (id))",
    "INSERT INTO maker VALUES (1, 'Audi'), (2, 'Fiat'), (3, 'Ford')",
    "INSERT INTO car VALUES (1, 'A4', 300, 1), (2, 'Uno', 100, 2), (3, 'Ka', 90, 3)",
)
CHEAP = "SELECT name FROM car ORDER BY price LIMIT 1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "benchmark" / "databases" / "cars" / "cars.sqlite"
    made.parent.mkdir(parents=True)
    with plain.opened(made) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    return made


def label_of(path: Path, gold: str, predicted: str, sets: bool = False) -> Label:
    copy = path.with_name("copy.sqlite")
    write_copy(path, copy)
    made = Gold(gold, open_database(copy), open_database(path), Checker(path), Measure(sets))
    found = made.labels([predicted])[predicted]
    copy.unlink()
    return found


def test_what_one_database_hides_is_told_by_an_instance(path: Path) -> None:
    label = label_of(
        path, "SELECT name FROM car WHERE price > 100", "SELECT name FROM car WHERE price >= 300"
    )
    assert label.correct_on_database
    assert not label.correct
    assert isinstance(label.told_by, int)
    assert label.difference == ROWS


def test_what_the_database_tells_needs_no_instance(path: Path) -> None:
    label = label_of(path, "SELECT name FROM car", "SELECT name FROM maker")
    assert (label.correct, label.correct_on_database, label.told_by) == (False, False, ON_DATABASE)


def test_a_query_that_fails_is_not_executable(path: Path) -> None:
    label = label_of(path, "SELECT name FROM car", "SELECT nothing FROM car")
    assert not label.executable
    assert not label.correct


@pytest.mark.parametrize(
    ("gold", "predicted", "forgiven"),
    [
        ("SELECT name, price FROM car", "SELECT price, name FROM car", COLUMN_ORDER),
        ("SELECT name FROM car", "SELECT name FROM car ORDER BY name DESC", ROW_ORDER),
        (CHEAP, "SELECT name FROM car WHERE price = (SELECT MIN(price) FROM car)", TIES),
        (
            "SELECT SUM(price) FROM car WHERE price > 100",
            "SELECT COALESCE(SUM(price), 0) FROM car WHERE price > 100",
            EMPTY,
        ),
    ],
)
def test_conventions_are_forgiven_and_said(
    path: Path, gold: str, predicted: str, forgiven: str
) -> None:
    label = label_of(path, gold, predicted)
    assert label.correct
    assert forgiven in label.forgiven


def test_what_the_rows_never_show_is_kept_apart(path: Path) -> None:
    label = label_of(
        path,
        "SELECT COUNT(*) FROM car",
        "SELECT COUNT(*) FROM car AS c JOIN maker AS m ON c.maker_id = m.id",
    )
    assert label.correct
    assert not label.correct_on_any_instance
    assert isinstance(label.told_by, int)


@pytest.mark.parametrize(("sets", "correct"), [(True, True), (False, False)])
def test_duplicates_count_where_the_benchmark_counts_them(
    path: Path, sets: bool, correct: bool
) -> None:
    gold, predicted = "SELECT price FROM car", "SELECT DISTINCT price FROM car"
    assert label_of(path, gold, predicted, sets).correct is correct


@pytest.mark.parametrize(
    ("sql", "tie"),
    [
        (CHEAP, True),
        ("SELECT name FROM car ORDER BY price DESC LIMIT 1", False),
        ("SELECT name, price AS p FROM car ORDER BY p LIMIT 1", True),
        ("SELECT name, price FROM car ORDER BY 2 LIMIT 2", False),
        (
            "SELECT name FROM maker WHERE id = (SELECT maker_id FROM car ORDER BY price LIMIT 1)",
            True,
        ),
        ("SELECT maker_id FROM car GROUP BY maker_id ORDER BY COUNT(*) LIMIT 1", True),
        ("SELECT name FROM car LIMIT 1", False),
        ("SELEC", False),
    ],
)
def test_a_limit_between_equal_keys_is_a_tie(path: Path, sql: str, tie: bool) -> None:
    with plain.opened(path) as connection:
        connection.execute("UPDATE car SET price = 100 WHERE id = 3")
        assert cut_at_tie(connection, sql) is tie


def test_the_copy_declares_what_holds_for_the_rows(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    write_copy(path, copy)
    with plain.opened(copy) as connection:
        statements = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql <> ''"))
        assert 'UNIQUE ("name")' in statements["maker"]
        # three cars with different names are too few to say that names are unique
        assert "UNIQUE" not in statements["car"]
        assert '"maker_id" INTEGER NOT NULL' in statements["car"]
        assert 'FOREIGN KEY ("maker_id") REFERENCES "maker" ("id")' in statements["car"]
    assert plain.content_of(copy) == plain.content_of(path)


def test_labels_of_a_benchmark_are_written_and_counted(path: Path, tmp_path: Path) -> None:
    folder = path.parents[2]
    gold = "SELECT name FROM car WHERE price > 100"
    queries = ["SELECT name FROM car WHERE price >= 300", "SELECT name FROM car"]
    question: dict[str, object] = {"question_id": 1, "db_id": "cars", "question": "Which?"}
    files: dict[str, list[dict[str, object]]] = {
        "questions": [{**question, "gold_sql": gold}],
        "predictions/one": [{**question, "predicted_sql": queries[0]}],
        "predictions/two": [{**question, "predicted_sql": queries[1]}],
        "labels/one": [{"question_id": 1, "executable": True, "correct": True}],
        "labels/two": [{"question_id": 1, "executable": True, "correct": False}],
    }
    for name, lines in files.items():
        target = folder / f"{name}.jsonl"
        target.parent.mkdir(exist_ok=True)
        target.write_text("".join(json.dumps(of) + "\n" for of in lines), encoding="utf-8")
    benchmark = Benchmark(folder)
    (together,) = chunks(tasks_of(benchmark))
    write(benchmark, labeled(together), tmp_path / "made")
    first = json.loads((tmp_path / "made" / "one.jsonl").read_text(encoding="utf-8"))
    instances = json.loads((tmp_path / "made" / "instances.jsonl").read_text(encoding="utf-8"))
    assert not first["correct"]
    assert str(first["told_by"]) in instances["instances"]
    found = {row["system"]: row for row in shares(benchmark, tmp_path / "made")}
    assert found["one"]["not_by_suite"] == 1
    assert found["two"]["correct_on_database"] == 0
    assert {row["what"] for row in reasons(benchmark, tmp_path / "made")} == {
        "told by test suite: rows",
        "told by database: rows",
    }
