"""A small share of the attack, with every promise that the whole makes (`benchmarks.attack`)."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from benchmarks.attack import cases, databases, detectors, endpoints, order, resume
from benchmarks.attack.broken_endpoints import ENDPOINTS
from benchmarks.attack.malformed_cases import MALFORMED, Malformed
from benchmarks.attack.resume import Round, at_line
from benchmarks.attack.rows import Row, table
from benchmarks.attack.sandbox import Sandbox, snapshot
from benchmarks.attack.scoring import Bystanders, broken_by, hostile_case, sample_databases
from benchmarks.attack.statements import EXPECTED, outside_files, statements
from benchmarks.attack.tampered_detectors import TAMPERINGS, Tampering, canary
from clausewise import Detector, read_cases
from clausewise.errors import ClausewiseError, InputError
from clausewise.models.registries import PACKAGED
from clausewise.types import UncheckedCase

STATEMENTS = {
    "insert returning",
    "delete behind a CTE",
    "vacuum into a file",
    "attach as a URI",
    "load_extension in quotes",
    "pragma function of a change",
    "behind a block comment",
    "a sub-query without SELECT",
    "an answer that is cut off",
    "recursion that doubles a text",
    "GLOB",
    "a deep array",
    "parentheses, very many",
    "a long IN of texts",
    "half a surrogate pair",
    "VALUES as the query",
}
"""Statements that are over soon: by what they do, not by the clock."""

DATABASES = {"views on views, each twice the one before", "a link to /dev/zero", "a named pipe"}
CASES = {"an extra field of 5,000 levels of objects", "a link to /dev/zero"}
ASKED = {"the key in the answer, escaped"}


def kept(rows: Iterable[Row], number: int) -> None:
    found = list(rows)
    assert len(found) == number
    broken = [row for row in found if not row.kept]
    assert not broken, table(broken)


def named(known: Iterable[str], wanted: Collection[str]) -> Collection[str]:
    assert set(wanted) <= set(known)
    return wanted


def test_hostile_statements_harm_no_one(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    listed = [each for each in statements(*outside_files(outside)) if each.name in STATEMENTS]
    assert len(listed) == len(STATEMENTS)
    before = snapshot(outside)
    databases = sample_databases(tmp_path / "databases", "bookshop")
    # The limit is that of hours: nothing here must depend on the clock.
    bystanders = Bystanders(Sandbox(tmp_path / "sandbox"), databases, case_limit=3_600.0)
    hostile = [hostile_case(each.sql, question_id=each.name) for each in listed]
    found, broken = bystanders.attack(hostile)
    assert not broken
    for each in listed:
        assert not broken_by(found.record(each.name), EXPECTED[each.expected]), each.name
    assert snapshot(outside) == before


def test_hostile_databases_harm_no_one(tmp_path: Path) -> None:
    names = named((each.name for each in databases.HOSTILE), DATABASES)
    kept(databases.run(tmp_path / "work", names), len(names))


def test_order_cache_and_jobs_change_no_byte(tmp_path: Path) -> None:
    size = order.Size(
        seeds=(1,), jobs=(2,), photos=4, every=12, alone=("photos",), views=order.LARGE_VIEW
    )
    kept(order.run(tmp_path / "work", size), 4)


def test_a_killed_run_leaves_nothing_and_resumes_with_the_same_bytes(tmp_path: Path) -> None:
    moments = [
        Round("at the start", (at_line(0),), cold=True),
        Round("when some lines are written", (at_line(1),), cold=False),
        Round("when most lines are written", (at_line(30),), cold=False),
    ]
    kept(resume.run(tmp_path / "work", repeat=1, every=3, log=False, chosen=moments), 4)


@pytest.fixture(scope="module")
def pickled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("detectors")


@pytest.mark.parametrize("tampering", TAMPERINGS, ids=[each.name for each in TAMPERINGS])
def test_a_tampered_detector_is_refused(
    tampering: Tampering, pickled: Path, tmp_path: Path
) -> None:
    source = detectors.pickled_detector(pickled) if tampering.pickled else PACKAGED
    place = Path(shutil.copytree(source, tmp_path / "detector"))
    tampering.spoil(place)
    with pytest.raises(ClausewiseError):
        Detector.load(place)
    assert not canary(place).exists()


@pytest.mark.parametrize("malformed", MALFORMED, ids=[each.name for each in MALFORMED])
def test_malformed_cases_keep_their_places(malformed: Malformed, tmp_path: Path) -> None:
    path = tmp_path / f"cases{malformed.suffix}"
    malformed.make(path)
    try:
        found = read_cases(path)
    except InputError:
        assert malformed.lines is None or malformed.may_be_refused
        return
    assert len(found) == malformed.lines
    if malformed.ordinary:
        assert not [case for case in (found[0], found[-1]) if isinstance(case, UncheckedCase)]


def test_malformed_cases_harm_no_others(tmp_path: Path) -> None:
    names = named((each.name for each in MALFORMED), CASES)
    kept(cases.run(tmp_path / "work", names), len(names))


def test_broken_endpoints_harm_no_case(tmp_path: Path) -> None:
    names = named((each.name for each in ENDPOINTS), ASKED)
    kept(endpoints.run(tmp_path / "work", names), len(names))
