"""A detector that is given gold pairs expects what they say, also after saving and loading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clausewise.datasets import GoldPair, read_cases, sample_dir
from clausewise.errors import DetectorError, InputError
from clausewise.models import Detector
from clausewise.types import Case

QUESTION = "Which books are about history?"
SQL = "SELECT title, price, genre FROM books WHERE genre = 'history'"
GOLD = [
    GoldPair(f"Which books are about {topic}?", SQL.replace("history", topic), "bookshop")
    for topic in ("cooking", "travel", "music", "art", "nature", "sport", "law", "space")
]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    read = read_cases(sample_dir() / "cases.jsonl")
    return [case for case in read if isinstance(case, Case)][:60]


def _fitted(cases: list[Case], gold: Any) -> Detector:
    detector = Detector(
        signals="unexpected_shape,empty_predicate,duplicate_rows", label_model="weighted",
        classifier="additive", start="none",
    )  # fmt: skip
    return detector.fit(cases, sample_dir() / "databases", gold=gold)


def _surprise(detector: Detector) -> float:
    """Return how much three columns surprise after the question."""
    from clausewise.databases import Databases
    from clausewise.signals import inspect_case

    case = Case(question_id="x", db_id="bookshop", question=QUESTION, predicted_sql=SQL)
    databases = Databases(sample_dir() / "databases")
    database = databases.get("bookshop")
    return inspect_case(case, database, detector.specs()).expectation["n_selected"]


def test_gold_pairs_move_what_a_detector_expects(cases: list[Case], tmp_path: Path) -> None:
    plain, taught = _fitted(cases, None), _fitted(cases, GOLD)
    assert plain.learned_.expectation is None
    assert _surprise(taught) < _surprise(plain) - 0.5
    taught.save(tmp_path / "taught")
    loaded = Detector.load(tmp_path / "taught")
    assert _surprise(loaded) == _surprise(taught)
    files = json.loads((tmp_path / "taught" / "manifest.json").read_text(encoding="utf-8"))
    assert "expected_shape.npz" in json.dumps(files)
    card = (tmp_path / "taught" / "card.md").read_text(encoding="utf-8")
    assert f"moved what is expected of queries: {len(GOLD)}." in card
    databases = sample_dir() / "databases"
    assert loaded.predict_proba(cases[:9], databases).tolist() == (
        taught.predict_proba(cases[:9]).tolist()
    )
    taught.fit(cases, databases)
    assert _surprise(taught) == _surprise(plain)


def test_a_spoiled_expectation_is_refused(cases: list[Case], tmp_path: Path) -> None:
    _fitted(cases, GOLD).save(tmp_path / "taught")
    (tmp_path / "taught" / "expected_shape.npz").write_bytes(b"spoiled")
    with pytest.raises(DetectorError):
        Detector.load(tmp_path / "taught")


def test_gold_that_teaches_nothing_is_an_error(cases: list[Case]) -> None:
    with pytest.raises(InputError, match="no gold pair can be read"):
        _fitted(cases, [{"question": "How many?", "gold_sql": "SELECT FROM ("}])
