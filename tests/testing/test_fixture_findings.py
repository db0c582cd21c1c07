"""A fixture names its findings exactly: too few, too many and the wrong place fail it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clausewise.errors import InputError
from clausewise.testing import check_fixture, load_fixtures, run_fixture
from clausewise.types import Clause, Level

TWO_FINDINGS = """
signal: empty_predicate
database: |
  CREATE TABLE city (name TEXT, people INTEGER);
  INSERT INTO city VALUES ('Cork', 200), ('Brno', 400);
cases:
  - name: two values that are not stored
    question: How many people live in Oslo or Bergen?
    sql: SELECT people FROM city WHERE name = 'Oslo' OR name = 'Bergen'
    expect: fired
"""
OSLO = "      - {clause: where, text: name = 'Oslo'}\n"
BERGEN = "      - {clause: where, text: name = 'Bergen'}\n"


def _check(folder: Path, findings: str) -> None:
    path = folder / "fixture.yaml"
    path.write_text(TWO_FINDINGS + findings, encoding="utf-8")
    (fixture,) = load_fixtures(path)
    check_fixture(fixture, folder)


def _failure(folder: Path, findings: str) -> str:
    with pytest.raises(AssertionError) as caught:
        _check(folder, findings)
    return str(caught.value)


@pytest.mark.parametrize("findings", [OSLO + BERGEN, BERGEN + OSLO])
def test_all_findings_named_in_any_order_pass(tmp_path: Path, findings: str) -> None:
    _check(tmp_path, "    findings:\n" + findings)


def test_too_few_named_fails(tmp_path: Path) -> None:
    message = _failure(tmp_path, "    clause: where\n    text: name = 'Oslo'\n")
    assert "found, but not named by the fixture:\n  where: \"name = 'Bergen'\"" in message
    assert "expected, but not found" not in message


def test_too_many_named_fails(tmp_path: Path) -> None:
    third = "      - {clause: where, text: name = 'Oslo', count: 2}\n"
    message = _failure(tmp_path, "    findings:\n" + OSLO + BERGEN + third)
    assert "expected, but not found:\n  where: \"name = 'Oslo'\" (2 times)" in message
    assert "not named" not in message


def test_the_wrong_place_fails_and_shows_both(tmp_path: Path) -> None:
    wrong = "      - {clause: where, text: name = 'Cork'}\n"
    message = _failure(tmp_path, "    findings:\n" + OSLO + wrong)
    assert "expected, but not found:\n  where: \"name = 'Cork'\"" in message
    assert "found, but not named by the fixture:\n  where: \"name = 'Bergen'\"" in message


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        ("clause: join, text: name = 'Oslo'", "join: "),
        ("clause: where, text: name = 'Oslo', level: error", "level: error"),
        ("clause: where, text: name = 'Oslo', reason: no_such_reason", "reason: no_such_reason"),
        ("clause: where, text: name = 'Oslo', message: no such text", "message: no such text"),
        ("clause: where, text: name = 'Oslo', suggestion: Cork", "suggestion: Cork"),
    ],
)
def test_every_field_is_compared(tmp_path: Path, wrong: str, shown: str) -> None:
    message = _failure(tmp_path, "    findings:\n" + BERGEN + f"      - {{{wrong}}}\n")
    expected, found = message.split("found, but not named")
    assert shown in expected
    assert "name = 'Oslo'" in found


def test_entries_that_fit_several_findings_are_matched_one_to_one(tmp_path: Path) -> None:
    """The vague entry fits both findings and must not take the only one that the exact one fits."""
    place = "clause: select, text: power + weight"
    path = tmp_path / "fixture.yaml"
    path.write_text(
        "signal: wrong_calculation\n"
        "database: CREATE TABLE lap (power TEXT, weight TEXT); INSERT INTO lap VALUES ('a', 'b')\n"
        "cases:\n"
        "  - {name: two words, question: q, sql: SELECT power + weight FROM lap, expect: fired,\n"
        f"     findings: [{{{place}}}, {{{place}, message: EXACT}}]}}\n",
        encoding="utf-8",
    )
    (fixture,) = load_fixtures(path)
    first, second = run_fixture(fixture, tmp_path).findings
    for finding, other in ((first, second), (second, first)):
        assert finding.message not in other.message
        vague, exact = fixture.findings
        expected = (vague, replace(exact, message=finding.message))
        check_fixture(replace(fixture, findings=expected), tmp_path)


def test_another_outcome_fails_and_shows_the_findings(tmp_path: Path) -> None:
    path = tmp_path / "fixture.yaml"
    path.write_text(TWO_FINDINGS.replace("fired", "silent"), encoding="utf-8")
    (fixture,) = load_fixtures(path)
    with pytest.raises(AssertionError, match="expected silent;") as caught:
        check_fixture(fixture, tmp_path)
    assert "name = 'Oslo'" in str(caught.value)


def test_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "fixture.yaml"
    entry = "    clause: limit\n    text: 5\n    level: info\n    count: 2\n"
    path.write_text(TWO_FINDINGS + entry, encoding="utf-8")
    (fixture,) = load_fixtures(path)
    first, second = fixture.findings
    assert first == second
    assert (first.clause, first.text, first.level) == (Clause.LIMIT, "5", Level.INFO)
    assert first.reason is None


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "case 1: missing"),
        ("    clause: where\n", "case 1: missing"),
        ("    findings: []\n", "a case that fires has one"),
        ("    findings: [{clause: where}]\n", "finding 1: missing"),
        ("    clause: wher\n    text: x\n", "unknown: 'wher'"),
        ("    clause: where\n    text: x\n    level: loud\n", "unknown: 'loud'"),
        ("    clause: where\n    text: x\n    count: 0\n", "not a whole number from 1"),
        ("    clause: where\n    text: x\n    min_score: 0.3\n", "unknown field"),
        ("    level: info\n    findings: [{clause: where, text: x}]\n", "belongs into"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "fixture.yaml"
    path.write_text(TWO_FINDINGS + lines, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_fixtures(path)


@pytest.mark.parametrize("replaced", [("fired", "silent"), ("fired", "not_applicable")])
def test_only_a_case_that_fires_names_findings(tmp_path: Path, replaced: Any) -> None:
    path = tmp_path / "fixture.yaml"
    text = TWO_FINDINGS.replace(*replaced) + "    text: name = 'Oslo'\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="only a case that fires"):
        load_fixtures(path)
