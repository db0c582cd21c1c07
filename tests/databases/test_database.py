"""The `Database` object: memory of answers, laziness, pickling, closing; and folders of them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Database, Databases, Limits, create_database
from clausewise.databases.answers import Answers
from clausewise.databases.model import QueryResult
from clausewise.databases.sqlite.reader import Reader
from clausewise.errors import DatabaseError, QueryFailed, QueryTimeout


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that really goes to SQLite."""
    statements: list[str] = []
    run = Reader.run

    def recording(self: Reader, sql: str, limits: Limits) -> object:
        statements.append(sql)
        return run(self, sql, limits)

    monkeypatch.setattr(Reader, "run", recording)
    return statements


def test_the_same_question_is_asked_once(town: Database, asked: list[str]) -> None:
    assert town.run("SELECT 1") is town.run("SELECT 1")
    for _ in range(2):
        with pytest.raises(QueryFailed, match="no such table: nope"):
            town.run("SELECT * FROM nope")
    town.run("SELECT 1", Limits(rows=5))
    assert asked == ["SELECT 1", "SELECT * FROM nope", "SELECT 1"]


def test_errors_of_the_file_are_not_remembered(
    town: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Reader, sql: str, limits: Limits) -> None:
        raise DatabaseError("locked")

    with monkeypatch.context() as patch:
        patch.setattr(Reader, "run", fail)
        with pytest.raises(DatabaseError, match="locked"):
            town.run("SELECT 1")
    assert town.scalar("SELECT 1") == 1


def test_large_results_are_not_remembered(town: Database, asked: list[str]) -> None:
    for _ in range(2):
        town.run("SELECT zeroblob(5000000)")
    assert len(asked) == 2


def test_the_oldest_answers_are_forgotten_first() -> None:
    answers = Answers(most_bytes=10_000)
    limits = Limits()
    result = QueryResult(("a",), ())
    for number in range(20):
        answers.get(("0", limits))
        answers.put((str(number), limits), result, size=200)
    assert answers.get(("0", limits)) is result
    assert answers.get(("1", limits)) is None
    assert answers.get(("19", limits)) is result
    assert 0 < len(answers) <= 8
    answers.put(("too large", limits), result, size=5_000)
    assert answers.get(("too large", limits)) is None


def test_short_forms(town: Database) -> None:
    assert town.scalar("SELECT name FROM city ORDER BY id") == "Paris"
    assert town.scalar("SELECT name FROM city WHERE 0") is None
    assert town.exists("SELECT 1 FROM city")
    assert not town.exists("SELECT 1 FROM city WHERE 0")


def test_compiling_finds_errors_and_runs_nothing(town: Database) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    town.compile(endless)
    town.compile("SELECT name FROM city -- done")
    with pytest.raises(QueryFailed, match="no such column: nope"):
        town.compile("SELECT nope FROM city")
    with pytest.raises(QueryTimeout):
        town.run(endless, Limits(steps=10_000))


def test_running_a_query_builds_nothing(town: Database, tmp_path: Path) -> None:
    assert town.scalar("SELECT count(*) FROM city") == 4
    assert town.row_count("city") == 4
    assert not (tmp_path / "cache").exists()
    town.profile("city", "name")
    assert (tmp_path / "cache").exists()


def test_a_pickled_database_opens_the_same_file(town: Database) -> None:
    schema = town.schema
    copy = pickle.loads(pickle.dumps(town))
    assert copy.path == town.path
    assert copy.limits == town.limits
    assert copy.schema == schema
    assert copy.scalar("SELECT count(*) FROM city") == 4
    assert not copy.store.built


def _count_and_find(database: Database) -> tuple[object, int]:
    return database.scalar("SELECT count(*) FROM city WHERE 1"), len(database.find_value("paris"))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_other_processes_may_use_it(town: Database, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    expected = _count_and_find(town)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(_count_and_find, (town,)) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_opens_connections_of_its_own(town: Database) -> None:
    expected = _count_and_find(town)
    town.run("SELECT 2")
    reader = town._reader()
    child = os.fork()
    if child == 0:
        good = town._reader() is not reader and _count_and_find(town) == expected
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert town._reader() is reader


def test_threads_share_facts_and_build_them_once(
    town: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clausewise.databases.sqlite import building
    from clausewise.databases.sqlite import database as database_module

    builds: list[object] = []
    fill = building.fill

    def counting(*args: Any) -> None:
        builds.append(args)
        fill(*args)

    monkeypatch.setattr(database_module, "fill", counting)
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(town.find_value("paris"))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 6
    assert len(builds) == 1


def test_a_closed_database_can_be_used_again(town: Database) -> None:
    with town as database:
        assert database.scalar("SELECT 1") == 1
        assert len(database.find_value("lyon")) == 1
    assert town.scalar("SELECT 2") == 2
    assert len(town.find_value("berlin")) == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "databases"
    for name in ("pets", "shops"):
        (root / name).mkdir(parents=True)
        create_database(root / name / f"{name}.sqlite", f"CREATE TABLE {name} (a)")
    create_database(root / "flat.db", "CREATE TABLE flat (a)")
    (root / "empty").mkdir()
    (root / "notes.txt").write_text("not a database", encoding="utf-8")
    return root


def test_a_folder_of_databases(folder: Path, tmp_path: Path) -> None:
    databases = Databases(folder, cache_dir=tmp_path / "cache")
    assert databases.names() == ("flat", "pets", "shops")
    assert databases.get("pets") is databases.get("pets")
    assert list(databases.get("flat").schema.names()) == ["flat"]
    databases.close()
    assert databases.get("shops").scalar("SELECT 1") == 1


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pest", "did you mean 'pets'"),
        ("nothing like it", "it holds flat, pets, shops"),
        ("../databases/pets", "there is no database"),
        ("pets/pets", "there is no database"),
        ("", "it holds"),
    ],
)
def test_an_unknown_name_is_told_what_is_there(folder: Path, name: str, hint: str) -> None:
    with pytest.raises(DatabaseError, match=hint) as caught:
        Databases(folder).get(name)
    assert str(folder) in str(caught.value)


def test_one_bad_file_does_not_hide_the_others(folder: Path) -> None:
    (folder / "pets" / "pets.sqlite").write_bytes(b"")
    databases = Databases(folder)
    with pytest.raises(DatabaseError, match="is empty"):
        databases.get("pets")
    assert databases.get("shops").scalar("SELECT 1") == 1


def test_a_folder_without_databases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="holds no database"):
        Databases(tmp_path)
    with pytest.raises(DatabaseError, match="no database file"):
        Databases(tmp_path / "nowhere")


def test_one_database_stands_for_every_name(town: Database) -> None:
    for target in (town, town.path, f"sqlite:///{town.path}"):
        databases = Databases(target)
        assert databases.names() == ("town",)
        assert Path(databases.get("anything").target) == Path(town.target)
    assert Databases(town).get("x") is town


def test_pickled_databases_open_the_same_files(folder: Path, town: Database) -> None:
    copy = pickle.loads(pickle.dumps(Databases(folder)))
    assert copy.names() == ("flat", "pets", "shops")
    assert copy.get("pets").scalar("SELECT count(*) FROM pets") == 0
    assert pickle.loads(pickle.dumps(Databases(town))).get("x").path == town.path


def test_descriptions_belong_to_each_database(folder: Path, make: Callable[..., Database]) -> None:
    where = folder / "pets" / "database_description"
    where.mkdir()
    (where / "pets.csv").write_text("original_column_name,column_name\na,age\n", encoding="utf-8")
    (table,) = Databases(folder).get("pets").schema.tables
    assert table.columns[0].label == "age"
