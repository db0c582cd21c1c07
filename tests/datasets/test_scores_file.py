"""A scores file read case by case: the same cases and errors as all at once."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from clausewise.datasets import ScoresFile, as_scored_cases, iter_scores_file, read_scores
from clausewise.errors import CaseError, InputError


def record(question_id: object, /, **fields: Any) -> dict[str, Any]:
    return {
        "question_id": question_id,
        "db_id": "shop",
        "predicted_sql": "SELECT 'é'",
        "p_correct": 0.25,
        "verdict": "incorrect",
        "status": "ok",
        "findings": [],
        "signals": {},
        **fields,
    }


RECORDS = [record(number) for number in range(5)]
LINES = [json.dumps(line, ensure_ascii=False) for line in RECORDS]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(LINES) + "\n",
        "\n".join(LINES),
        "\ufeff" + "\r\n".join(LINES),
        "\n \n" + "\n\n\t\n".join(LINES) + "\n\n",
    ],
    ids=["lines", "no last line feed", "byte-order mark and CRLF", "blank lines"],
)
def test_cases_are_read_again_at_their_places(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_bytes(text.encode("utf-8"))
    expected = as_scored_cases(RECORDS)
    assert read_scores(path) == expected
    with ScoresFile(path) as cases:
        assert [cases[3], cases[0], cases[-1]] == [expected[3], expected[0], expected[4]]
        assert list(cases) == expected
        assert list(cases) == expected
        assert cases[1:4:2] == expected[1:4:2]
        lines = text.split("\n")
        for place in range(len(cases)):
            assert LINES[place] in lines[cases.line_number(place) - 1]
        with pytest.raises(IndexError):
            cases[5]


def test_reading_goes_on_where_a_case_is_asked_for_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    with ScoresFile(path) as cases:
        read = [(case.question_id, cases[0].question_id) for case in cases]
    assert read == [(number, 0) for number in range(5)]


def test_a_pipe_is_read_once_and_then_as_often_as_needed(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("\n".join(LINES), encoding="utf-8"))
    writer.start()
    with ScoresFile(pipe) as cases:
        assert len(cases) == 5
        assert cases[4].question_id == 4
    writer.join()


def test_bad_lines_are_named_together_after_the_good_ones(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join([LINES[0], "{", *["[]"] * 24, LINES[1]]), encoding="utf-8")
    cases = iter_scores_file(path)
    assert [next(cases).question_id, next(cases).question_id] == [0, 1]
    with pytest.raises(InputError) as caught:
        next(cases)
    message = str(caught.value).split("\n  ")
    assert message[0] == f"{path}: 25 lines cannot be used"
    assert message[1].startswith(f"{path}:2: not JSON: ")
    assert (len(message), message[-1]) == (22, "and 5 more")


def test_a_byte_that_is_no_text_is_named_by_its_place_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    start = f"\ufeff{LINES[0]}\n".encode()
    path.write_bytes(start + b'{"a": "\xff"}\n')
    with pytest.raises(InputError, match=f":2: not UTF-8 text: byte {len(start) + 7} is 0xff$"):
        read_scores(path)
    path.write_bytes("\n".join(LINES).encode("utf-16"))
    with pytest.raises(InputError, match=r":1: .*the file is UTF-16: save it as UTF-8"):
        read_scores(path)


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_a_carried_field_of_any_depth_is_read(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "scores.jsonl"
    deep = "[" * depth + "]" * depth
    path.write_text(f'{LINES[0]}\n{LINES[1][:-1]}, "a": {deep}}}\n', encoding="utf-8")
    carried = [case.carried for case in read_scores(path)]
    assert carried == [{}, {"a": deep}]


@pytest.mark.parametrize("field", ["question_id", "p_correct", "signals", "findings"])
def test_a_deep_value_in_a_line_is_named(tmp_path: Path, field: str) -> None:
    path = tmp_path / "scores.jsonl"
    deep = "[" * 2_000 + "]" * 2_000
    line = json.dumps(record(1) | {field: "DEEP"})
    path.write_text(line.replace('"DEEP"', deep) + "\n", encoding="utf-8")
    with pytest.raises(CaseError, match=f":1: field '{field}"):
        read_scores(path)


@pytest.mark.parametrize("field", ["schema_version", "question_id", "signals", "findings"])
def test_a_value_that_is_nested_too_deeply_is_named(field: str) -> None:
    deep: Any = 1
    for _ in range(2_000):
        deep = [deep]
    with pytest.raises(CaseError, match=f"scores:1: (nested too deeply|field '{field})"):
        as_scored_cases([record(1, **{field: deep})])


def test_a_file_that_changes_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    with ScoresFile(path) as cases:
        assert len(cases) == 5
        with path.open("r+b") as file:
            file.truncate(len(LINES[0]) + 3)
        with pytest.raises(CaseError, match=r":2: not JSON"):
            cases[1]
        with pytest.raises(CaseError, match=r":4: is blank: the file changed"):
            cases[3]
