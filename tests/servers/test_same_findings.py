"""The packaged sample gives the same findings on every kind of database.

Its databases are loaded into each, its queries translated by sqlglot. What differs is listed in
`dialect_differences`, to the case and signal, and no more and no less may differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pytest

import clausewise
from clausewise.databases import DatabaseProtocol
from clausewise.errors import DatabaseError
from clausewise.signals import inspect_case
from clausewise.types import Inspection
from tests.servers.dialect_differences import DIFFERENCES, Differences
from tests.servers.sample import CASES, NAMES, SQLITE, LoadedSample, in_dialect, words

CANDIDATES = "candidate_disagreement"
VERIFIER = "verifier_doubt"
"""Left out: declared types are among what it reads, so its doubt passes its limit here or there."""


@pytest.fixture(scope="module")
def inspected() -> dict[str, Inspection]:
    return _inspect(SQLITE)


def _inspect(loaded: LoadedSample) -> dict[str, Inspection]:
    specs = clausewise.packaged_detector().specs()
    databases = loaded.open()
    try:
        return {
            str(case.question_id): inspect_case(
                in_dialect(case, loaded.dialect), databases[case.db_id], specs
            )
            for case in CASES
        }
    finally:
        for database in databases.values():
            database.close()


def test_the_facts_are_the_same(loaded: LoadedSample) -> None:
    expected, found = SQLITE.open(), loaded.open()
    for name in NAMES:
        one, other = expected[name], found[name]
        lost = set(one.schema.foreign_keys) ^ set(other.schema.foreign_keys)
        # DuckDB takes no key that refers to a table made later.
        circle = loaded.dialect == "duckdb" and name == "clinic"
        assert [key.columns for key in lost] == ([("head_id",)] if circle else []), lost
        for table in one.schema.tables:
            known = other.schema.table(table.name)
            assert (known.primary_key, known.unique) == (table.primary_key, table.unique)
            assert one.row_count(table.name) == other.row_count(table.name)
            for column in table.columns:
                place = (table.name, column.name)
                assert one.profile(*place) == other.profile(*place)
                assert one.is_indexed(*place) == other.is_indexed(*place)
                assert known.column(column.name).description == column.description
        other.close()
        one.close()


def test_the_findings_are_the_same(inspected: dict[str, Inspection], loaded: LoadedSample) -> None:
    differences = DIFFERENCES[loaded.dialect]
    found = _inspect(loaded)
    refused, signals, candidates = {}, set(), set()
    for question, one in inspected.items():
        other = found[question]
        if one.status != other.status:
            assert other.status.value == "not_executable", other
            refused[question] = other.reason
            continue
        for name in (one.outcomes.keys() | other.outcomes.keys()) - {VERIFIER}:
            if _summary(one, name) != _summary(other, name):
                if name == CANDIDATES:
                    candidates.add(question)
                else:
                    signals.add((name, question))
    _check_refused(refused, differences)
    assert signals == differences.signals_of_cases()
    assert candidates == set(differences.candidates.split())


def _summary(inspection: Inspection, signal: str) -> object:
    """Return what must be the same of a signal's outcome."""
    outcome = inspection.outcomes.get(signal)
    found = outcome and Counter((one.reason, one.clause.kind) for one in outcome.findings)
    return outcome and (outcome.status, found)


def _check_refused(refused: Mapping[str, str | None], differences: Differences) -> None:
    listed = differences.refused_cases()
    assert refused.keys() == listed.keys()
    for question, reason in listed.items():
        assert re.search(reason, refused[question] or ""), f"{question}: {refused[question]}"


def test_listed_candidates_differ_in_the_dialect(loaded: LoadedSample) -> None:
    expected, found = SQLITE.open(), loaded.open()
    listed = DIFFERENCES[loaded.dialect].candidates.split()
    for case in (case for case in CASES if case.question_id in listed):
        queries = [case.predicted_sql, *case.candidates]
        rows = [
            (
                _rows(expected[case.db_id], sql),
                _rows(found[case.db_id], words(sql, loaded.dialect)),
            )
            for sql in queries
        ]
        assert any(one != other for one, other in rows), case
    for database in (*expected.values(), *found.values()):
        database.close()


def _rows(database: DatabaseProtocol, sql: str) -> object:
    try:
        return Counter(database.run(sql).rows)
    except DatabaseError:
        return "refused"
