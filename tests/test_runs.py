"""Resumable writing: a run that was killed and resumed gives the same bytes."""

import json
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import Databases
from clausewise.datasets import read_cases, sample_dir
from clausewise.errors import InputError
from clausewise.runs import SUFFIXES, Run, fingerprint, marked_within_risk

RECORDS: list[dict[str, Any]] = [
    {"question_id": number, "verdict": "correct", "p_correct": 0.9} for number in range(9)
]
LINES = [json.dumps(record) for record in RECORDS]


class Killed(Exception):
    pass


def until(records, count):
    """Yield records and stop as a kill does."""
    yield from records[:count]
    raise Killed


def beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir() if path != out)


@pytest.mark.parametrize("torn", ["", '{"question_id": 5, "verd'])
def test_a_killed_run_is_resumed_to_the_same_bytes(tmp_path: Path, torn: str) -> None:
    out = tmp_path / "out.jsonl"
    run = Run(out, "of this", ["verdict"])
    assert run.open() == 0
    with pytest.raises(Killed):
        run.write(until(RECORDS, 5))
    assert not out.exists()
    with (tmp_path / "out.jsonl.partial").open("a") as file:
        file.write(torn)
    resumed = Run(out, "of this", ["verdict"])
    done = resumed.open(resume=True)
    assert done == 5
    resumed.write(RECORDS[done:])
    resumed.finish()
    assert out.read_text(encoding="utf-8").splitlines() == LINES
    assert resumed.kept == [{"verdict": "correct"}] * 9
    assert beside(out) == []


def test_a_run_is_resumed_only_with_the_same_fingerprint(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    run = Run(out, "of this")
    run.open()
    run.write(RECORDS[:2])
    with pytest.raises(InputError, match="run again without --resume"):
        Run(out, "of that").open(resume=True)
    again = Run(out, "of that")
    assert again.open() == 0
    again.write(RECORDS)
    again.finish()
    assert out.read_text(encoding="utf-8").splitlines() == LINES


def test_nothing_to_resume_begins_anew(tmp_path: Path) -> None:
    run = Run(tmp_path / "out.jsonl", "x")
    assert run.open(resume=True) == 0


def test_an_earlier_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("earlier\n", encoding="utf-8")
    run = Run(out, "x")
    run.open()
    run.write(RECORDS)
    assert out.read_text(encoding="utf-8") == "earlier\n"
    assert all(name.endswith(SUFFIXES) for name in beside(out))
    run.finish(lambda lines: (line.upper() for line in lines))
    assert out.read_text(encoding="utf-8").splitlines() == [line.upper() for line in LINES]
    assert beside(out) == []


def test_a_finished_run_may_become_a_table(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run = Run(out, "x")
    run.open()
    run.write(RECORDS)
    run.finish(file_format="csv")
    assert out.read_text(encoding="utf-8").splitlines()[:2] == [
        "question_id,verdict,p_correct",
        "0,correct,0.9",
    ]
    assert beside(out) == []


def test_the_fingerprint_changes_with_everything_that_counts(tmp_path: Path) -> None:
    sample = sample_dir()
    cases = read_cases(sample / "cases.jsonl")
    databases = Databases(sample / "databases")
    labels = tmp_path / "labels.jsonl"
    labels.write_text("a", encoding="utf-8")
    base = fingerprint([labels], cases, databases, {"threshold": "0.5"})
    assert base == fingerprint([labels], cases, databases, {"threshold": "0.5"})
    detector = tmp_path / "detector"
    detector.mkdir()
    (detector / "manifest.json").write_text("{}", encoding="utf-8")
    others = [
        fingerprint([labels], cases, databases, {"threshold": "0.6"}),
        fingerprint([labels], cases[:1], databases, {"threshold": "0.5"}),
        fingerprint([labels], cases, databases, {"threshold": "0.5"}, detector),
        fingerprint([], cases, databases, {"threshold": "0.5"}),
    ]
    labels.write_text("b", encoding="utf-8")
    others.append(fingerprint([labels], cases, databases, {"threshold": "0.5"}))
    assert len({base, *others}) == 6


def test_cases_of_too_high_a_risk_are_marked() -> None:
    probabilities = [0.95, 0.45, 0.9, 0.05]
    lines = [
        json.dumps({"p_correct": p, "status": "ok", "verdict": verdict, "abstained": False})
        for p, verdict in zip(
            probabilities, ["correct", "incorrect", "correct", "incorrect"], strict=True
        )
    ]
    lines.append(json.dumps({"p_correct": 0.0, "status": "unparsable", "verdict": "incorrect"}))
    notes: list[str] = []
    marked = [json.loads(line) for line in marked_within_risk(lines, 0.1, notes.append)]
    assert [record["abstained"] for record in marked] == [False, True, False, False, False]
    assert notes == ["abstained on 1 of 4 queries that run: p(correct) from 0.450 to 0.450"]
