"""Cases from Python objects: nothing is lost, and what is wrong is named by row and field."""

import math

import numpy as np
import pandas as pd
import pytest

from clausewise.datasets import as_cases
from clausewise.errors import InputError
from clausewise.types import Case, UncheckedCase


def row(**fields):
    given = {
        "question_id": 1,
        "db_id": "shop",
        "question": "How many?",
        "predicted_sql": "SELECT 1",
    }
    return {**given, **fields}


def test_cases_dicts_and_unchecked_cases_mix():
    case, unchecked = Case(**row()), UncheckedCase("gone", 3)
    found = as_cases([case, row(question_id=2, note="kept"), unchecked])
    assert found[0] is case
    assert found[2] is unchecked
    assert found[1] == Case(**row(question_id=2, note="kept"))
    assert as_cases(iter([])) == []


def test_bad_rows_stay_in_their_places():
    found = as_cases(
        [
            row(),
            row(question_id=2, predicted_sql=5),
            {"question_id": 3, "db_id": "shop", "question": "?", "sql": "SELECT 1"},
            row(question_id="1"),
            "SELECT 1",  # type: ignore[list-item]
            row(question_id=6, candidates=[1]),
            row(question_id=7, note=object()),
            row(question_id=8),
        ]
    )
    assert [isinstance(item, Case) for item in found] == [True, *[False] * 6, True]
    reasons = [item.reason for item in found[1:-1]]
    assert reasons[0] == "row 2: field 'predicted_sql': must be text, is 5"
    assert reasons[1].startswith("row 3: field 'predicted_sql': missing; rename 'sql' to")
    assert reasons[2] == "row 4: field 'question_id': '1' is already used in row 1"
    assert reasons[3] == "row 5: must be a Case or a dict, is 'SELECT 1'"
    assert reasons[4].startswith("row 6: field 'candidates[0]': must be SQL text")
    assert reasons[5].startswith("row 7: field 'note': a value of type object")
    assert found[1].raw["question_id"] == 2
    assert found[1].line == 2


def test_in_a_data_frame_missing_values_are_absent():
    frame = pd.DataFrame(
        {
            "question_id": [1.0, 2.0, math.nan],
            "db_id": ["shop"] * 3,
            "question": ["How many?"] * 3,
            "predicted_sql": ["SELECT 1", None, "SELECT 3"],
            "evidence": ["x", math.nan, pd.NA],
            "when": pd.to_datetime(pd.Series(["2024-05-01", None, None])),
            "correct": pd.array([True, None, None], dtype="boolean"),
        }
    )
    first, second, third = as_cases(frame)
    assert (first.question_id, first.evidence, first.correct) == (1, "x", True)
    assert first.model_extra == {"when": "2024-05-01T00:00:00"}
    assert second.reason.startswith("row 2: field 'predicted_sql': missing")
    assert second.raw == {"question_id": 2.0, "db_id": "shop", "question": "How many?"}
    assert third.reason.startswith("row 3: field 'question_id': missing")


def test_numpy_scalars_are_values():
    (case,) = as_cases([row(question_id=np.int64(5), rate=np.float32(0.5), ids=np.array([1, 2]))])
    assert case.question_id == 5
    assert case.model_extra == {"rate": 0.5, "ids": [1, 2]}


def test_a_data_frame_without_a_column_is_refused():
    frame = pd.DataFrame([row()]).rename(columns={"predicted_sql": "query"})
    with pytest.raises(InputError, match=r"'predicted_sql': .*rename 'query' to 'predicted_sql'"):
        as_cases(frame)


@pytest.mark.parametrize("wrong", ["cases.jsonl", row(), Case(**row())])
def test_what_is_no_collection_of_cases_is_refused(wrong):
    with pytest.raises(InputError, match="`read_cases` reads files"):
        as_cases(wrong)
    with pytest.raises(InputError, match="not 5"):
        as_cases(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (object(), "a value of type object"),
        ("x", "'x'"),
        pytest.param(1 << 20_000, "20001 bits", id="long"),
    ],
)
def test_a_reason_holds_no_address_and_no_number_of_any_length(row, shown):
    (bad,) = as_cases([row])
    assert bad.reason.startswith("row 1: must be a Case or a dict, is ")
    assert bad.reason.endswith(shown)
    with pytest.raises(InputError, match="not a value of type function"):
        as_cases(lambda: None)  # type: ignore[arg-type]
