"""Signals on real servers: the awkward queries of the contract in each dialect, without faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clausewise.databases import DatabaseProtocol, create_database, open_database
from clausewise.signals import SIGNALS, load_signals
from clausewise.signals.runner.case import inspect_case
from clausewise.sql.transpiling import in_dialect
from clausewise.testing.contract import STRESS_QUERIES, STRESS_SCHEMA
from clausewise.types import Case, CaseStatus, Inspection, Need, OutcomeStatus

# a cursor that psycopg finds open says nothing about a signal
load_signals()
SPECS = tuple(
    spec
    for spec in sorted(SIGNALS.values(), key=lambda spec: spec.code)
    if Need.LLM not in spec.needs
)
READABLE = [sql for sql in STRESS_QUERIES if sql not in ("", "SELEC name FROM author")]
SAME = [sql for sql in READABLE if not any(word in sql for word in ("VALUES", "nulls", "LIKE"))]
"""Those that are written alike in all dialects, and whose patterns do not depend on case."""
SCHEMA = STRESS_SCHEMA.replace("id INTEGER PRIMARY KEY", "id INTEGER NOT NULL PRIMARY KEY")


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DatabaseProtocol]:
    folder = tmp_path_factory.mktemp("dialects")
    file = create_database(folder / "stress.sqlite", SCHEMA)
    with open_database(file, cache_dir=folder) as database:
        yield database


@pytest.fixture(scope="module", params=["postgresql", "mariadb", "duckdb"])
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DatabaseProtocol]:
    folder = tmp_path_factory.mktemp("dialects")
    if request.param == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        target = str(folder / "stress.duckdb")
        with duckdb.connect(target) as connection:
            connection.execute(in_dialect(SCHEMA, "sqlite", "duckdb"))
    else:
        server = request.getfixturevalue(request.param)
        dialect = "postgres" if server.is_postgresql else "mysql"
        target = server.create(in_dialect(SCHEMA, "sqlite", dialect), "signals").reader
    with open_database(target, cache_dir=folder) as database:
        yield database


def inspected(database: DatabaseProtocol, sql: str) -> Inspection:
    case = Case(
        question_id=1,
        db_id="stress",
        question="How many books has Ada written since 1900, and which is the dearest?",
        predicted_sql=sql,
        evidence="dear refers to price > 15",
        candidates=("SELECT name FROM author", sql),
    )
    return inspect_case(case, database, SPECS)


def fired(inspection: Inspection) -> dict[str, list[str]]:
    """Return what each signal found, by reason and clause."""
    return {
        name: [f"{finding.reason} in {finding.clause.kind}" for finding in outcome.findings]
        for name, outcome in inspection.outcomes.items()
        if outcome.status is OutcomeStatus.FIRED
    }


@pytest.mark.parametrize("sql", READABLE)
def test_no_fault_and_no_refused_probe(sql: str, opened: DatabaseProtocol) -> None:
    written = in_dialect(sql, "sqlite", opened.dialect)
    for name, outcome in inspected(opened, written).outcomes.items():
        assert outcome.status is not OutcomeStatus.FAULT, (name, outcome.reason)
        assert "refuses a statement of the signal" not in (outcome.reason or ""), name
        for finding in outcome.findings:
            clause = finding.clause
            assert written[clause.start : clause.end] == clause.text, name


@pytest.mark.parametrize("sql", SAME)
def test_same_findings_as_on_sqlite(
    sql: str, opened: DatabaseProtocol, sqlite: DatabaseProtocol
) -> None:
    written = in_dialect(sql, "sqlite", opened.dialect)
    found = inspected(opened, written)
    same = inspected(sqlite, in_dialect(written, opened.dialect, "sqlite"))
    if found.status is CaseStatus.NOT_EXECUTABLE is not same.status:
        pytest.skip(f"the server refuses the query: {found.reason}")
    assert found.status is same.status
    assert fired(found) == fired(same)
