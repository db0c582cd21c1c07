"""Cases in workers: the same inspections as in this process, and limits that hold."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import psutil
import pytest

from clausewise import IN_PROCESS, Database, Databases, Isolation, check
from clausewise.databases import Limits, create_database
from clausewise.databases.remote import RemoteDatabases
from clausewise.databases.sqlite.copies import PrivateCopy
from clausewise.datasets import read_cases, sample_dir
from clausewise.errors import DatabaseError, QueryDenied, QueryFailed, QueryTimeout
from clausewise.signals import SignalSpec, inspect_cases, select_signals
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Cost,
    Finding,
    Group,
    Inspection,
    OutcomeStatus,
    UncheckedCase,
)
from clausewise.workers import heartbeat

HANGS = "SELECT instr(printf('%.*c', 4900000, 'a'), printf('%.*c', 2400000, 'a') || 'b')"
"""One call of a function: minutes, in which SQLite looks at no limit."""


Children: TypeAlias = Callable[[], list[psutil.Process]]


@pytest.fixture
def children() -> Children:
    """Say which processes this one has begun since the test began: other tests leave some."""
    before = set(psutil.Process().children())
    return lambda: [one for one in psutil.Process().children() if one not in before]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this process, its copies and the interpreters it starts put temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def town(tmp_path: Path) -> Path:
    script = "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);\n"
    script += "INSERT INTO city VALUES (1, 'Dublin'), (2, 'Cork');"
    return create_database(tmp_path / "town.sqlite", script)


def case_of(sql: str, number: int = 1, **fields: Any) -> Case:
    return Case(
        question_id=number, db_id="town", question="How many cities?", predicted_sql=sql, **fields
    )


def finding(text: str, **evidence: Any) -> Finding:
    return Finding(
        clause=ClauseSpan(Clause.QUERY, text, 0, len(text)), message="found", evidence=evidence
    )


def spec_of(name: str, function: Any) -> SignalSpec:
    return SignalSpec(
        code=f"TEST{len(name):02}", name=name, group=Group.DATABASE, family="test",
        clauses=frozenset({Clause.QUERY}), needs=frozenset(), cost=Cost.QUERY, version=1,
        function=function,
    )  # fmt: skip


def fires(case: Case, context: Any) -> Iterator[Finding]:
    yield finding(case.predicted_sql)


def exceeds_on_cork(case: Case, context: Any) -> Iterator[Finding]:
    """Behave like a statement that does not heed its limit, when it is known what came before."""
    if "Cork" in case.predicted_sql:
        time.sleep(1)
        heartbeat.begin_statement(-1e6)
        time.sleep(3600)
    yield from ()


def test_the_sample_is_inspected_as_in_this_process(children: Children) -> None:
    cases = read_cases(sample_dir() / "cases.jsonl")
    specs = select_signals("all")
    with_extras = [
        case.model_copy(update={"extra": object()}) if isinstance(case, Case) else case
        for case in cases[:5]
    ]
    expected = inspect_cases(
        cases + with_extras, Databases(sample_dir() / "databases"), specs, isolation=IN_PROCESS
    )
    for jobs in (1, 2):
        databases = Databases(sample_dir() / "databases")
        assert inspect_cases(cases + with_extras, databases, specs, jobs) == expected
        databases.close()
    assert not children()


def test_a_statement_that_heeds_no_limit_ends_with_its_worker(town: Path) -> None:
    cases = [case_of("SELECT name FROM city", 1), case_of(HANGS, 2), case_of("SELECT 1 FROM city")]
    specs = [spec_of("fires", fires)]
    limits = Isolation(case_seconds=4)
    found = inspect_cases(cases, Databases(town), specs, isolation=limits)
    assert [item.status for item in found if isinstance(item, Inspection)] == [
        CaseStatus.OK,
        CaseStatus.UNCHECKED,
        CaseStatus.OK,
    ]
    broken = found[1]
    assert isinstance(broken, Inspection)
    assert broken.reason == "the case was not done after 4 seconds"
    assert broken.case is cases[1]
    assert broken.outcomes["fires"].status is OutcomeStatus.NOT_APPLICABLE
    assert broken.outcomes["fires"].reason == "the case was broken off"


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_found_before_the_limit_is_kept(town: Path, jobs: int) -> None:
    specs = [spec_of("first", fires), spec_of("exceeds", exceeds_on_cork), spec_of("last", fires)]
    sqls = ["SELECT name FROM city", "SELECT 'Cork' FROM city", "SELECT id FROM city"]
    cases = [case_of(sql, number) for number, sql in enumerate(sqls * 2)]
    found = inspect_cases(cases, Databases(town), specs, jobs)
    for item in found:
        assert isinstance(item, Inspection)
        assert item.outcomes["first"].status is OutcomeStatus.FIRED
        is_broken = "Cork" in item.case.predicted_sql
        assert (item.status is CaseStatus.UNCHECKED) == is_broken
        ended = OutcomeStatus.NOT_APPLICABLE if is_broken else OutcomeStatus.FIRED
        assert item.outcomes["last"].status is ended


def test_evidence_that_cannot_be_sent_leaves_its_case_unchecked(town: Path) -> None:
    def odd(case: Case, context: Any) -> Iterator[Finding]:
        if case.question_id == 2:
            yield finding(case.predicted_sql, thing=lambda: None)

    cases = [case_of("SELECT name FROM city", number) for number in (1, 2, 3)]
    found = inspect_cases(cases, Databases(town), [spec_of("odd", odd)])
    statuses = [item.status for item in found if isinstance(item, Inspection)]
    assert statuses == [CaseStatus.OK, CaseStatus.UNCHECKED, CaseStatus.OK]


def test_an_unreadable_line_and_an_unknown_database_keep_their_places(town: Path) -> None:
    cases: list[Case | UncheckedCase] = [
        UncheckedCase(reason="line 1"),
        case_of("SELECT 1 FROM city"),
        UncheckedCase(reason="line 3"),
        case_of("SELECT 1 FROM city").model_copy(update={"db_id": "village"}),
        UncheckedCase(reason="line 5"),
    ]
    databases = Databases({"town": town})
    found = inspect_cases(cases, databases, [spec_of("fires", fires)])
    assert [getattr(item, "reason", None) for item in found[::2]] == ["line 1", "line 3", "line 5"]
    assert isinstance(found[3], UncheckedCase)
    assert found[3].raw["db_id"] == "village"


def test_an_open_database_keeps_its_worker(town: Path, children: Children) -> None:
    with Database(town) as database:
        for _ in range(2):
            assert check("How many cities?", "SELECT 1 FROM city", database).status == "ok"
            (worker,) = children()
        again = children()
        assert again == [worker]
        database.close()
        assert not children()
        check("How many cities?", "SELECT 1 FROM city", database)
        assert len(children()) == 1
    assert not children()
    check("How many cities?", "SELECT 1 FROM city", town)
    assert not children()


def test_methods_of_a_subclass_are_called_in_this_process(town: Path) -> None:
    class Counting(Database):
        statements = 0

        def run(self, sql: str, limits: Limits | None = None) -> Any:
            self.statements += 1
            return super().run(sql, limits)

    counting = Counting(town)
    check("How many cities?", "SELECT COUNT(*) FROM city", counting)
    assert counting.statements


def test_remote_databases_answer_like_open_ones(town: Path, children: Children) -> None:
    here = Database(town)
    remote = RemoteDatabases(Databases({"town": town}), Isolation(case_seconds=4))
    there = remote.get("town")
    assert there.schema == here.schema
    assert set(there.join_graph) == {"city"}
    assert there.content_key == here.content_key
    assert there.run("SELECT * FROM city") == here.run("SELECT * FROM city")
    assert there.scalar("SELECT name FROM city") == "Dublin"
    assert there.profile("city", "name") == here.profile("city", "name")
    assert there.row_count("city") == 2
    assert there.find_value("cork") == here.find_value("cork")
    assert there.is_indexed("city", "name")
    there.compile("SELECT 1")
    for sql, error in (("SELECT x", QueryFailed), ("DROP TABLE city", QueryDenied)):
        with pytest.raises(error):
            there.run(sql)
    with pytest.raises(QueryTimeout, match="not done after 4 seconds"):
        there.run(HANGS, Limits(seconds=600))
    assert there.scalar("SELECT 1") == 1
    with pytest.raises(DatabaseError, match="no database 'x'"):
        remote.get("x").run("SELECT 1")
    remote.close()
    assert not children()


def test_the_command_ends_a_case_at_its_limit(town: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    sqls = ["SELECT name FROM city", HANGS, "SELECT 1 FROM city"]
    given = [case_of(sql, number) for number, sql in enumerate(sqls)]
    cases.write_text("".join(f"{case.model_dump_json()}\n" for case in given), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from clausewise.cli import main; main()", "score", str(cases),
         "--db", str(town), "--case-limit", "4", "--jobs", "2"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    scored = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["status"] for record in scored] == ["ok", "unchecked", "ok"]
    assert done.returncode == 3, done.stderr


def test_limits_are_compared_by_value(town: Path, children: Children) -> None:
    with closing(Databases({"town": town})) as databases:
        for limits in (Isolation(), dataclasses.replace(Isolation()), Isolation(case_seconds=99)):
            inspect_cases([case_of("SELECT 1 FROM city")], databases, [], isolation=limits)
        assert len(children()) == 2
    assert not children()


@pytest.mark.parametrize("how", ["ends", "is killed"])
def test_no_copy_of_a_database_outlives_its_worker(town: Path, temporary: Path, how: str) -> None:
    """A database with a log and no index is read from a private copy."""
    with closing(sqlite3.connect(town)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("INSERT INTO city VALUES (3, 'Galway')")
        connection.commit()
        log = town.with_name(town.name + "-wal").read_bytes()
        content = town.read_bytes()
    town.write_bytes(content)
    town.with_name(town.name + "-wal").write_bytes(log)

    def looks(case: Case, context: Any) -> Iterator[Finding]:
        yield finding(case.predicted_sql, copies=[str(one) for one in temporary.iterdir()])
        if how == "is killed":
            heartbeat.begin_statement(-1e6)
            time.sleep(3600)

    with closing(Databases({"town": town})) as databases:
        (found,) = inspect_cases(
            [case_of("SELECT name FROM city")], databases, [spec_of("l", looks)]
        )
        assert isinstance(found, Inspection)
        if how == "ends":
            (shown,) = found.outcomes["l"].findings
            assert shown.evidence["copies"]
    assert list(temporary.iterdir()) == []


def test_a_killed_worker_leaves_the_copies_of_this_process_alone(
    town: Path, temporary: Path
) -> None:
    log = temporary / "log"
    log.write_bytes(b"log")
    mine = PrivateCopy(town, log)
    specs = [spec_of("exceeds", exceeds_on_cork)]
    with closing(Databases({"town": town})) as databases:
        inspect_cases([case_of("SELECT 'Cork' FROM city")], databases, specs)
    assert mine.path.exists()
    mine.remove()
