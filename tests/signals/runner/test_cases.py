"""Inspecting cases: statuses, faults, limits, and the same result whatever the number of jobs."""

import contextlib
import dataclasses
import hashlib
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import BaseDatabase, Databases, create_database, open_database
from clausewise.databases.sqlite import reader
from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals import SignalSpec, inspect_case, inspect_cases, select_signals
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    Cost,
    Finding,
    Group,
    Inspection,
    Need,
    Outcome,
    OutcomeStatus,
    UncheckedCase,
)

SCHEMA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Dublin', 5), (2, 'Cork', 2);
"""


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    folder = tmp_path / "databases" / "town"
    folder.mkdir(parents=True)
    return open_database(create_database(folder / "town.sqlite", SCHEMA))


def _case(sql: str, **fields: Any) -> Case:
    given: dict[str, Any] = {
        "question_id": 1,
        "db_id": "town",
        "question": "How many cities?",
        **fields,
    }
    return Case(predicted_sql=sql, **given)


def _spec(function: Any, **changes: Any) -> SignalSpec:
    spec = SignalSpec(
        code="TEST01", name="under_test", group=Group.DATABASE, family="test",
        clauses=frozenset({Clause.QUERY}), needs=frozenset(), cost=Cost.QUERY, version=1,
        function=function,
    )  # fmt: skip
    return dataclasses.replace(spec, **changes)


def _silent(case: Case, context: object) -> Iterator[Finding]:
    yield from ()


def test_a_case_in_order(database: BaseDatabase) -> None:
    inspection = inspect_case(_case("SELECT COUNT(*) FROM city"), database, select_signals())
    assert inspection.status is CaseStatus.OK
    assert list(inspection.outcomes) == [spec.name for spec in select_signals()]
    assert inspection.shape


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE city",
        "INSERT INTO city VALUES (3, 'Galway', 1)",
        "UPDATE city SET people = 0",
        "DELETE FROM city",
        "ATTACH DATABASE 'other.sqlite' AS other",
        "PRAGMA writable_schema = 1",
        "VACUUM",
        "CREATE TABLE x AS SELECT * FROM city",
        "WITH c AS (SELECT 1) DELETE FROM city",
        "SELECT * FROM pragma_table_info('city')",
        "SELECT load_extension('evil')",
        "SELECT nothing FROM city",
        "SELECT name FROM town",
    ],
)
def test_what_does_more_than_read_or_names_what_is_not_there(
    database: BaseDatabase, sql: str
) -> None:
    before = hashlib.sha256(Path(database.target).read_bytes()).hexdigest()
    inspection = inspect_case(_case(sql), database, select_signals())
    assert inspection.status is CaseStatus.NOT_EXECUTABLE, inspection
    assert inspection.reason
    assert inspection.notices[0].message == inspection.reason
    assert hashlib.sha256(Path(database.target).read_bytes()).hexdigest() == before


@pytest.mark.parametrize(
    "sql",
    ["", "   ", "SELECT FROM WHERE", "SELECT 1; SELECT 2", "SELECT ('a", "SELECT (" * 3000, "\0"],
)
def test_what_is_not_one_statement(database: BaseDatabase, sql: str) -> None:
    inspection = inspect_case(_case(sql), database, select_signals())
    assert inspection.status is CaseStatus.UNPARSABLE
    clause = inspection.notices[0].clause
    assert sql[clause.start : clause.end] == clause.text


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n",
        "WITH b(x) AS (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(0)) SELECT COUNT(*) FROM "
        + ", ".join(f"b AS b{number}" for number in range(10)),
    ],
)
def test_a_query_that_never_ends_is_unchecked(database: BaseDatabase, sql: str) -> None:
    inspection = inspect_case(_case(sql), database, select_signals())
    assert inspection.status is CaseStatus.UNCHECKED
    assert all(o.status is OutcomeStatus.NOT_APPLICABLE for o in inspection.outcomes.values())


def test_a_crash_is_a_fault_of_that_signal_alone(database: BaseDatabase) -> None:
    def crashing(case: Case, context: object) -> Iterator[Finding]:
        yield from ()
        raise ZeroDivisionError("oops")

    specs = [_spec(crashing), _spec(_silent, name="other", code="TEST02")]
    outcomes = inspect_case(_case("SELECT 1"), database, specs).outcomes
    assert outcomes["under_test"].status is OutcomeStatus.FAULT
    assert outcomes["under_test"].reason == "ZeroDivisionError: oops"
    assert outcomes["under_test"].findings == ()
    assert outcomes["other"].status is OutcomeStatus.SILENT


def test_a_signal_that_never_ends_is_a_fault(database: BaseDatabase) -> None:
    def looping(case: Case, context: object) -> Iterator[Finding]:
        yield from ()
        while True:
            time.sleep(0.001)

    specs = [_spec(looping, time_limit=0.05), _spec(_silent, name="other", code="TEST02")]
    outcomes = inspect_case(_case("SELECT 1"), database, specs).outcomes
    assert outcomes["under_test"].status is OutcomeStatus.FAULT
    assert "0.05 s" in (outcomes["under_test"].reason or "")
    assert outcomes["other"].status is OutcomeStatus.SILENT


def test_a_signal_whose_statement_never_ends_is_a_fault(database: BaseDatabase) -> None:
    def endless(case: Case, context) -> Iterator[Finding]:
        context.run(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"
        )
        yield from ()

    outcome = inspect_case(_case("SELECT 1"), database, [_spec(endless)]).outcomes["under_test"]
    assert outcome.status is OutcomeStatus.FAULT


def test_not_applicable_keeps_its_reason(database: BaseDatabase) -> None:
    def picky(case: Case, context: object) -> Iterator[Finding]:
        yield from ()
        raise NotApplicable("not my kind")

    outcome = inspect_case(_case("SELECT 1"), database, [_spec(picky)]).outcomes["under_test"]
    assert (outcome.status, outcome.reason) == (OutcomeStatus.NOT_APPLICABLE, "not my kind")


@pytest.mark.parametrize(
    ("need", "reason"),
    [(Need.EVIDENCE, "no evidence"), (Need.CANDIDATES, "no candidates"), (Need.QUESTION, "no q")],
)
def test_what_a_case_lacks_is_said(database: BaseDatabase, need: Need, reason: str) -> None:
    case = _case("SELECT 1", question=" ")
    spec = _spec(_silent, needs=frozenset({need}))
    outcome = inspect_case(case, database, [spec]).outcomes["under_test"]
    assert outcome.status is OutcomeStatus.NOT_APPLICABLE
    assert reason in (outcome.reason or "")


def test_a_query_that_does_not_run_is_still_read(database: BaseDatabase) -> None:
    specs = [_spec(_silent, cost=Cost.PARSE), _spec(_silent, name="other", code="TEST02")]
    outcomes = inspect_case(_case("SELECT nothing FROM city"), database, specs).outcomes
    assert outcomes["under_test"].status is OutcomeStatus.SILENT
    assert outcomes["other"].status is OutcomeStatus.NOT_APPLICABLE


def test_every_case_comes_out_in_order_whatever_the_jobs(database: BaseDatabase) -> None:
    cases: list[Case | UncheckedCase] = [
        _case(f"SELECT COUNT(*) FROM city WHERE people > {number}", question_id=number)
        for number in range(150)
    ]
    cases[3] = UncheckedCase(reason="line 4: not JSON", line=4)
    cases[5] = _case("SELECT 1", db_id="nowhere", question_id=5)
    databases = Databases(Path(database.target).parent.parent)
    one = inspect_cases(cases, databases, select_signals(), jobs=1)
    two = inspect_cases(cases, databases, select_signals(), jobs=2)
    assert one == two
    assert len(one) == len(cases)
    assert one[3] is cases[3]
    assert isinstance(one[5], UncheckedCase)
    assert "nowhere" in one[5].reason
    assert all(isinstance(item, Inspection) for item in one[6:])


@pytest.mark.parametrize(
    "sql",
    [
        "VALUES (1)", "VALUES (1), (2)", "VALUES (1) UNION SELECT 2",
        "VALUES ((SELECT COUNT(*) FROM city))", "SELECT 1", "SELECT NULL", "SELECT COUNT(*)",
        "SELECT 1 UNION VALUES (2)", "SELECT * FROM (VALUES (1))",
        "WITH t(x) AS (VALUES (1)) SELECT x FROM t", "SELECT 1 WHERE 1 IN (SELECT 1)",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n WHERE x < 3) SELECT x FROM n",
    ],
)  # fmt: skip
def test_a_query_that_reads_no_table_is_unchecked_and_crashes_no_signal(
    database: BaseDatabase, sql: str
) -> None:
    case = _case(sql, candidates=(sql, "SELECT 2"), evidence="x = 1")
    inspection = inspect_case(case, database, select_signals())
    assert inspection.status is CaseStatus.UNCHECKED
    assert "no table" in inspection.reason or "no SELECT" in inspection.reason
    statuses = {outcome.status for outcome in inspection.outcomes.values()}
    assert OutcomeStatus.FAULT not in statuses


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT (SELECT COUNT(*) FROM city)", "SELECT EXISTS (SELECT 1 FROM city)",
        "SELECT * FROM (SELECT COUNT(*) FROM city)", "SELECT * FROM city, (SELECT 1)",
        "SELECT * FROM city WHERE (id, people) IN (VALUES (1, 2))",
        "WITH big AS (SELECT * FROM city) SELECT name FROM big",
        "SELECT name FROM city UNION VALUES ('Galway')",
    ],
)  # fmt: skip
def test_a_query_that_reads_a_table_anywhere_is_checked(database: BaseDatabase, sql: str) -> None:
    inspection = inspect_case(_case(sql), database, select_signals())
    assert inspection.status is CaseStatus.OK
    statuses = {outcome.status for outcome in inspection.outcomes.values()}
    assert OutcomeStatus.FAULT not in statuses


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_leaves_the_case_unchecked(database: BaseDatabase, question: str) -> None:
    case = _case("SELECT name FROM city WHERE name = 'Dubln'", question=question)
    inspection = inspect_case(case, database, select_signals())
    assert inspection.status is CaseStatus.UNCHECKED
    assert "question is empty" in inspection.reason
    # What needs no question is found all the same.
    assert inspection.outcomes["empty_predicate"].status is OutcomeStatus.FIRED
    assert inspection.outcomes["projection_mismatch"].status is OutcomeStatus.NOT_APPLICABLE


@pytest.mark.parametrize(("home", "name"), [(reader._Dice, "random"), (reader._Gate, "__call__")])
def test_a_ring_that_sqlite_discards_is_a_fault_all_the_same(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch, home: type, name: str
) -> None:
    """In a callback of SQLite the alarm makes the statement fail; in the authorizer, it interrupts.

    Neither may pass for Ctrl-C.
    """

    def ring(*_: object) -> int:
        signal.raise_signal(signal.SIGALRM)
        return 0

    def probing(case: Case, context) -> Iterator[Finding]:
        monkeypatch.setattr(home, name, ring)
        context.database.close()  # so that the connection is made with what is set here
        try:
            with contextlib.suppress(QueryFailed):
                context.run("SELECT random(), name FROM city")
        finally:
            monkeypatch.undo()
        yield from ()

    specs = [_spec(probing), _spec(_silent, name="other", code="TEST02")]
    outcomes = inspect_case(_case("SELECT name FROM city"), database, specs).outcomes
    assert outcomes["under_test"].status is OutcomeStatus.FAULT
    assert outcomes["under_test"].reason == "not done after 30 s"
    assert outcomes["other"].status is OutcomeStatus.SILENT


def test_what_was_found_is_there_while_signals_still_run(database: BaseDatabase) -> None:
    seen: list[list[str]] = []
    found: dict[str, Outcome] = {}

    def looking(case: Case, context: object) -> Iterator[Finding]:
        seen.append(list(found))
        yield from ()

    specs = [_spec(_silent), _spec(looking, name="other", code="TEST02")]
    inspected = inspect_case(_case("SELECT name FROM city"), database, specs, found=found)
    assert seen == [["under_test"]]
    assert found == inspected.outcomes
