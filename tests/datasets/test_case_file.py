"""Files of cases read as they are needed: the same cases, errors and order as read at once."""

from __future__ import annotations

import json
import os
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases.sqlite.numbers import NumbersOnDisk
from clausewise.datasets import CaseFile, CasePipe, _first_places, open_cases, read_cases
from clausewise.datasets._first_places import FirstPlaces
from clausewise.errors import InputError
from clausewise.types import UncheckedCase


def record(number: int, **fields: Any) -> dict[str, Any]:
    case = {"question_id": number, "db_id": f"db{number % 3}", "question": "How many?"}
    return {**case, "predicted_sql": f"SELECT {number}", **fields}


def as_jsonl(path: Path, records: list[dict[str, Any]]) -> None:
    lines = [json.dumps(one) for one in records]
    path.write_text("\n".join([lines[0], "", "{oops", *lines[1:]]) + "\n", encoding="utf-8-sig")


def as_csv(path: Path, records: list[dict[str, Any]]) -> None:
    import pandas as pd

    mark = "\t" if path.suffix == ".tsv" else ";"
    pd.DataFrame(records).to_csv(path, sep=mark, index=False)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"too{mark}few\n")


def as_parquet(path: Path, records: list[dict[str, Any]]) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(records), path, row_group_size=7)


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], None]] = {
    "jsonl": as_jsonl, "csv": as_csv, "tsv": as_csv, "parquet": as_parquet,
}  # fmt: skip


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_file_gives_the_cases_that_are_read_at_once(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("clausewise.datasets._parquet._ROWS_AT_A_TIME", 5)
    path = tmp_path / f"cases.{suffix}"
    text = 'with\nline\nbreaks, "quotes"; and\ttabs'
    records = [record(number, question=f"{number} {text}") for number in range(23)]
    WRITERS[suffix](path, [*records, record(4), {**record(99), "predicted_sql": None}])
    cases = open_cases(path)
    assert isinstance(cases, CaseFile)
    at_once = read_cases(path)
    assert list(cases) == list(cases) == at_once
    assert len(cases) == len(at_once)
    assert cases.db_ids == {"db0", "db1", "db2"}
    reasons = [case.reason for case in cases if isinstance(case, UncheckedCase)]
    assert any("is already used on line" in reason for reason in reasons)


def test_other_files_are_read_at_once(tmp_path):
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([record(1), record(2)]), encoding="utf-8")
    assert open_cases(path) == read_cases(path)
    with pytest.raises(InputError, match="unknown kind of file"):
        open_cases(Path(__file__))
    with pytest.raises(InputError, match="no such file"):
        open_cases(tmp_path / "none.jsonl")


BROKEN = [
    pytest.param("x.jsonl", b"\n \n", "holds no records", id="empty"),
    pytest.param("x.jsonl", b"{}\n\n{\xff}\n", ":3: not UTF-8 text: byte 5", id="no UTF-8"),
    pytest.param("x.jsonl", "{}".encode("utf-16"), "the file is UTF-16", id="UTF-16"),
    pytest.param("x.csv", b"question_id,db_id\n1,caf\xe9\n", "byte 23 is 0xe9", id="Latin-1"),
    pytest.param("x.csv", b'question_id,x\n1,2\n3,"4\n', "never closed", id="open quote"),
    pytest.param("x.csv", b"question_id,db_id\n1,2\n", "no row has a value", id="columns"),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN)
def test_a_file_that_cannot_be_used_is_refused_before_anything_is_done(
    tmp_path, name, content, message
):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        open_cases(path)


def test_a_file_that_changes_is_refused(tmp_path):
    path = tmp_path / "cases.jsonl"
    as_jsonl(path, [record(1), record(2)])
    cases = open_cases(path)
    with path.open("a") as file:
        file.write(json.dumps(record(3)))
    with pytest.raises(InputError, match="was changed"):
        list(cases)


def test_a_pipe_gives_a_case_before_the_next_one_is_written(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    taken = threading.Event()

    def write() -> None:
        with path.open("w", encoding="utf-8", buffering=1) as file:
            file.write(json.dumps(record(1)) + "\n" * 9000)  # what is asked for is read in blocks
            assert taken.wait(60)
            file.write(json.dumps(record(2)) + "\n")

    writer = threading.Thread(target=write)
    writer.start()
    cases = open_cases(path)
    assert isinstance(cases, CasePipe)
    iterator = iter(cases)
    assert next(iterator).question_id == 1
    taken.set()
    assert [case.question_id for case in iterator] == [2]
    writer.join()


def peak(path: Path, lines: int) -> int:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record(number)) + "\n" for number in range(lines))
    tracemalloc.start()
    try:
        assert sum(1 for _ in open_cases(path)) == lines
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_cases(tmp_path, monkeypatch):
    monkeypatch.setattr(_first_places, "MOST_IN_MEMORY", 100)
    path = tmp_path / "cases.jsonl"
    peak(path, 200)
    assert peak(path, 8_000) < peak(path, 800) + 50_000


KEYS = st.lists(st.text(max_size=3) | st.text(min_size=60, max_size=70), max_size=50)


@given(KEYS, st.integers(0, 10))
def test_the_first_place_of_each_key_is_known(keys, most):
    first: dict[str, int] = {}
    with FirstPlaces(most) as places:
        for place, key in enumerate(keys):
            assert places.add(key, place) == first.setdefault(key, place)


def test_long_keys_are_told_apart_by_all_of_their_text():
    with closing(NumbersOnDisk()) as numbers:
        assert [numbers.add("k" * 100 + end, at) for at, end in enumerate("aba")] == [0, 1, 0]
