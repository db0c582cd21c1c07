"""Whatever a field of a case holds is carried through, and nothing in it ends a run."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases import Databases
from clausewise.datasets import (
    as_cases,
    dump_line,
    load_line,
    read_cases,
    read_scores,
    sample_dir,
    write_table,
)
from clausewise.datasets._json import MOST_LEVELS, carried, decode, json_text
from clausewise.models.scoring import unchecked_case
from clausewise.signals.runner.cases import inspect_cases
from clausewise.types import Case, Inspection, RawJson, UncheckedCase

CASE: dict[str, Any] = {
    "question_id": 1,
    "db_id": "clinic",
    "question": "How many?",
    "predicted_sql": "SELECT count(*) FROM patients",
}
LEVELS = (MOST_LEVELS, MOST_LEVELS + 1, 255, 256, 990, 1100, 20_000)


def lists(levels: int) -> str:
    return "[" * levels + "]" * levels


def objects(levels: int) -> str:
    return '{"a": ' * levels + "1" + "}" * levels


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def line(extra: str, **fields: Any) -> str:
    return json.dumps(CASE | fields)[:-1] + f', "extra": {extra}}}'


EXTRAS = [
    *(lists(levels) for levels in LEVELS),
    *(objects(levels) for levels in LEVELS),
    "9" * 5000,
    "[" + "9" * 5000 + "]",
    "-1e999",
    '"\\\\ud8 [ { \\" "',
    lists(300)[:300] + '"]}\\"[{", {"\\\\": -0.5e-3}, true' + lists(300)[300:],
]


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda extra: f"{len(extra)} of {extra[:5]}")
@pytest.mark.parametrize("name", ["cases.jsonl", "cases.json", "one.json"])
def test_a_field_of_any_depth_is_carried_untouched(write, extra, name):
    text = line(extra) if name != "cases.json" else f"[{line(extra)},\n{line('1', question_id=2)}]"
    case = read_cases(write(name, text))[0]
    assert isinstance(case, Case)
    written = dump_line(case.carried())
    assert written == line(extra)
    assert load_line(written) == case.carried()
    assert pickle.loads(pickle.dumps(case)) == case


def test_few_levels_are_values_and_more_are_text(write):
    path = write("a.jsonl", "\n".join([line(lists(100)), line(lists(101), question_id=2)]))
    values = [case.model_extra["extra"] for case in read_cases(path)]
    assert values == [nested(100), lists(101)]
    assert [type(value) for value in values] == [list, RawJson]


def test_of_two_fields_of_one_name_the_last_counts(write):
    (case,) = read_cases(write("a.jsonl", line('1, "extra": ' + lists(500))))
    assert dump_line(case.carried()) == line(lists(500))


def test_a_deep_field_beside_the_questions_of_a_benchmark(write):
    asked = json.dumps({"db_id": "a", "question": "Q", "query": "S", "x": 0})
    path = write("dev.json", f"[{asked.replace('0', lists(5000))}]")
    (case,) = read_cases(path)
    assert dump_line(case.carried()).count("[") == 5000


def test_a_deep_prediction_spoils_no_other(write):
    questions = [{"question_id": i, "db_id": "a", "question": "Q", "SQL": "S"} for i in (0, 1)]
    path = write("predict.json", f'{{"0": {lists(5000)}, "1": "SELECT 1"}}')
    bad, case = read_cases(path, questions=write("dev.json", questions))
    assert bad.reason == f"{path}: field '0': must be SQL text, is a list"
    assert case.predicted_sql == "SELECT 1"


def test_deep_candidates_in_a_table(write):
    cell = lists(5000)
    rows = f"question_id,db_id,question,predicted_sql,candidates\n1,a,Q,S,{cell}\n2,a,Q,S,\n"
    bad, case = read_cases(write("a.csv", rows))
    assert "field 'candidates': must be a list of SQL strings, is '[[[[" in bad.reason
    assert bad.raw["candidates"] == cell
    assert case.question_id == 2


def test_cells_of_a_parquet_table_that_python_has_no_value_for(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    days = pyarrow.array([1, 8_000_000], pyarrow.int32()).cast(pyarrow.date32())
    deep = pyarrow.array([nested(40)] * 2)
    columns = {name: [value] * 2 for name, value in CASE.items()} | {"question_id": [1, 2]}
    table = pyarrow.table({**columns, "day": days, "deep": deep})
    parquet.write_table(table, tmp_path / "a.parquet")
    case, bad = read_cases(tmp_path / "a.parquet")
    assert case.model_extra == {"day": "1970-01-02", "deep": nested(40)}
    assert "field 'day': a value of type date32[day] that cannot be read" in bad.reason
    assert bad.question_id == 2


def holding_itself() -> list[Any]:
    value: list[Any] = []
    value.append([value])
    return value


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("as_frame", [True, False])
def test_values_of_any_depth_from_python(levels, as_frame):
    rows: Any = [CASE | {"extra": nested(levels)}]
    (case,) = as_cases(pd.DataFrame(rows) if as_frame else rows)
    assert dump_line(case.carried()) == line(lists(levels))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (holding_itself(), "a value that holds itself cannot be written as JSON"),
        (object(), "a value of type object cannot be written as JSON"),
        ([{"a": timedelta(1)}], "a value of type timedelta cannot be written as JSON"),
    ],
)
def test_values_that_are_no_json_leave_the_other_fields(value, reason):
    (bad,) = as_cases([CASE | {"extra": value}])
    assert bad.reason == f"row 1: field 'extra': {reason}"
    assert bad.raw == CASE


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "true"),
        (1.5, "1.5"),
        (None, "null"),
        ([1], "a list"),
        ({"a": 1}, "an object"),
        (nested(500), "a list"),
        (10**400, "a number of 401 characters"),
        (math.nan, "null"),
        (b"a\x00", None),
    ],
)
def test_what_is_no_id_is_refused_and_its_line_can_be_read_again(write, tmp_path, value, shown):
    (found,) = as_cases([CASE | {"question_id": value}])
    if shown is None:
        assert found.question_id == "X'6100'"
        return
    assert isinstance(found, UncheckedCase)
    assert found.reason.startswith("row 1: field 'question_id': must be text or a whole number")
    assert found.reason.endswith(f", is {shown}")
    path = write("scores.jsonl", dump_line(unchecked_case(found).to_dict()))
    (scored,) = read_scores(path)
    assert (scored.question_id, scored.db_id) == (None, "clinic")


@pytest.mark.parametrize("value", [True, pytest.param(10**5000, id="huge")])
def test_no_case_has_an_id_that_is_none(value):
    with pytest.raises(ValueError, match="question_id"):
        Case(**CASE | {"question_id": value})


def test_true_in_a_data_frame_is_no_id():
    frame = pd.DataFrame([CASE | {"question_id": True}, CASE | {"question_id": False}])
    reasons = [found.reason for found in as_cases(frame)]
    assert [reason[-8:].strip(", ") for reason in reasons] == ["is true", "is false"]


def test_the_bare_case_has_all_that_signals_read(write):
    (case,) = read_cases(write("a.jsonl", line(lists(5000), evidence="E", candidates=["S"])))
    bare = case.bare()
    assert bare.model_extra == {}
    assert bare == Case(**CASE, evidence="E", candidates=("S",))
    assert len(pickle.dumps(bare)) < 1000
    assert case.model_extra == {"extra": lists(5000)}
    assert bare.carried() == CASE | {"evidence": "E", "candidates": ["S"]}


def test_no_depth_ends_a_run_also_where_the_database_is_missing():
    databases = Databases(sample_dir() / "databases")
    made = [
        Case(**CASE | {"question_id": number, "db_id": name, "extra": nested(levels)})
        for number, levels in enumerate(LEVELS)
        for name in ("clinic", "nowhere")
    ]
    found = inspect_cases(made, databases, [])
    assert [type(item) for item in found] == [Inspection, UncheckedCase] * len(LEVELS)
    for case, item in zip(made, found, strict=True):
        kept: Mapping[str, Any] = item.case.carried() if isinstance(item, Inspection) else item.raw
        assert dump_line(kept) == dump_line(case.carried())


def test_deep_fields_in_a_table_of_scores(tmp_path):
    write_table([line(lists(5000))], tmp_path / "a.csv", "csv")
    assert lists(5000) in (tmp_path / "a.csv").read_text("utf-8")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)  # fmt: skip


@given(json_values)
def test_the_writer_without_recursion_writes_what_json_writes(value):
    written = json.dumps(value, ensure_ascii=False)
    assert json_text(value) == written
    assert carried(value) == value
    assert decode(f" {written}\n") == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), json_values), st.booleans())
def test_fields_beside_a_deep_one_are_read_as_ever(fields, spaced):
    separators = (" , ", " : ") if spaced else (",", ":")
    written = json.dumps(fields, separators=separators)
    deep = written[:-1] + (", " if fields else "") + f'"deep": {lists(200)}}}'
    assert decode(deep) == fields | {"deep": lists(200)}


@given(st.text(st.sampled_from('[]{},:"\\ a1.-e'), max_size=8))
def test_what_is_json_beside_a_deep_field_is_json(text):
    beside = '{"deep": ' + lists(500) + f', "x": {text}}}'
    alone = f'{{"x": {text}}}'
    assert _is_json(lambda: decode(beside)) == _is_json(lambda: json.loads(alone))


def _is_json(read: Any) -> bool:
    try:
        read()
    except ValueError:
        return False
    return True


def test_decimals_and_dates_beside_deep_values():
    value = {"a": Decimal("1.5"), "b": datetime(2024, 1, 2), "c": Decimal("sNaN"), "d": nested(200)}
    expected = '{"a": 1.5, "b": "2024-01-02T00:00:00", "c": null, "d": ' + lists(200) + "}"
    assert dump_line(value) == expected
