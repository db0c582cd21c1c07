from __future__ import annotations

import csv
import sys

import pytest

from clausewise.datasets import read_cases, read_labels
from clausewise.errors import InputError, MissingExtraError
from clausewise.types import Case


def good(**fields):
    case = {"question_id": 1, "db_id": "shop", "question": "Q", "predicted_sql": "SELECT 1"}
    return {**case, **fields}


# --- CSV ---------------------------------------------------------------------------------------

HEADER = "question_id,db_id,question,predicted_sql,evidence,candidates,correct,note\n"


def test_csv_cells_become_values(write):
    path = write(
        "cases.csv",
        HEADER
        + '1,shop,"How\nmany?",SELECT 1,,"[""A"", ""B""]",True,\n'
        + "007,shop,Why?,,few,,,x\n"
        + "-3,shop,Why?,SELECT 1,NaN,,0,\n",
    )

    first, second, third = read_cases(path)

    assert first == Case(  # type: ignore[call-arg]  # other fields are carried
        question_id=1,
        db_id="shop",
        question="How\nmany?",
        predicted_sql="SELECT 1",
        candidates=("A", "B"),
        correct=True,
        note="",
    )
    assert (second.question_id, second.predicted_sql, second.correct) == ("007", "", None)
    assert (second.evidence, second.note) == ("few", "x")
    assert (third.question_id, third.evidence, third.correct) == (-3, None, False)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2,shop,,SELECT 1,,,,", "field 'question': missing"),
        ("2,shop,nan,SELECT 1,,,,", "field 'question': missing"),
        (",shop,Q,SELECT 1,,,,", "field 'question_id': missing"),
        ("2, ,Q,SELECT 1,,,,", "field 'db_id': missing"),
        ("2,shop,Q", "the row has 3 cells, the header has 8"),
        ("2,shop,Q,SELECT a, b,,,,", "the row has 9 cells, the header has 8"),
        ('2,shop,"Q" x,SELECT 1,,,,', "not CSV"),
        ("2,shop,Q,SELECT 1,,[1,,", "field 'candidates': must be a list of SQL strings"),
        ("1,shop,Q,SELECT 1,,,,", "field 'question_id': 1 is already used on line 2"),
    ],
)
def test_a_bad_row_is_unchecked(write, row, reason):
    path = write("cases.csv", f'{HEADER}1,shop,"a\nb",SELECT 1,,,,\n{row}\n3,shop,Q,S,,,,\n')

    first, bad, last = read_cases(path)

    assert (first.question_id, last.question_id) == (1, 3)
    assert bad.line == 4
    assert bad.reason.startswith(f"{path}:4: ")
    assert reason in bad.reason


def test_a_quote_that_is_never_closed_loses_nothing_in_silence(write):
    path = write("cases.csv", f'{HEADER}1,shop,Q,S,,,,\n2,shop,"Q,S,,,,\n3,shop,Q,S,,,,\n')
    with pytest.raises(InputError, match=r"cases\.csv:3: a quote is opened"):
        read_cases(path)


def test_a_table_without_a_needed_column(write):
    path = write("cases.csv", "question;db_id;predicted_sql\nQ;shop;S\n")
    with pytest.raises(InputError, match="field 'question_id': no row has a value for it"):
        read_cases(path)


def test_blank_lines_in_a_table_are_left_out(write):
    path = write("cases.csv", "question_id,db_id,question,predicted_sql\n\n1,shop,Q,S\n\n")
    assert len(read_cases(path)) == 1


def test_two_columns_of_one_name(write):
    with pytest.raises(InputError, match="field 'a': there are two columns"):
        read_cases(write("cases.csv", "a,b,a\n1,2,3\n"))


def test_a_column_without_a_name_is_left_out(write):
    path = write("cases.csv", ",question_id,db_id,question,predicted_sql\n0,1,shop,Q,S\n")
    (case,) = read_cases(path)
    assert case.model_extra == {}


def test_a_cell_may_be_larger_than_the_limit_of_the_csv_module(write):
    limit = csv.field_size_limit()
    sql = "SELECT '" + "x" * (limit + 1) + "'"
    (case,) = read_cases(
        write("cases.csv", f"question_id,db_id,question,predicted_sql\n1,a,Q,{sql}\n")
    )
    assert case.predicted_sql == sql
    assert csv.field_size_limit() == limit


# --- Parquet -----------------------------------------------------------------------------------


@pytest.fixture
def parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as module

    def write_rows(rows):
        module.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "cases.parquet")
        return tmp_path / "cases.parquet"

    return write_rows


def test_parquet_values_become_json_values(parquet):
    from datetime import date
    from decimal import Decimal

    extras = {"day": date(2024, 2, 29), "price": Decimal("1.50"), "raw": b"\x00\xff", "n": None}
    rows = [
        good(question_id=1.0, candidates=[{"system": "a", "sql": "SELECT 1"}], **extras),
        good(question_id=float("nan"), candidates=None, **extras),
        good(question_id=3.0, question=None, candidates=[], **extras),
    ]
    path = parquet(rows)

    first, no_id, no_question = read_cases(path)

    assert first.question_id == 1
    assert type(first.question_id) is int
    assert first.candidates == ("SELECT 1",)
    kept = {"day": "2024-02-29", "price": 1.5, "raw": "X'00FF'", "n": None}
    assert first.candidate_systems == ("a",)
    assert first.model_extra == kept
    assert no_id.reason.startswith(f"{path}:2: field 'question_id': must be text or a whole")
    assert no_question.reason.startswith(f"{path}:3: field 'question': must be text, is null")


def test_a_damaged_parquet_file(write):
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="not a Parquet file"):
        read_cases(write("cases.parquet", b"PAR1 and no more"))


def test_parquet_without_pyarrow_names_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[parquet\]'"):
        read_cases(write("cases.parquet", b"PAR1"))


# --- Other separators --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "mark"),
    [("c.csv", ","), ("c.csv", ";"), ("c.csv", "\t"), ("c.csv", "|"), ("c.tsv", "\t"),
     ("c.tab", "\t")],
)  # fmt: skip
def test_the_header_shows_what_separates_the_columns(write, name, mark):
    rows = [
        ["question_id", "db_id", "question", "predicted_sql", "note, or; so"],
        ["1", "shop", '"How many, in all; or in part?"', "SELECT a FROM b", "x"],
    ]
    if mark in "note, or; so":
        rows[0][4] = '"note, or; so"'
    path = write(name, "\n".join(mark.join(row) for row in rows) + "\n")

    (case,) = read_cases(path)

    assert case.question == "How many, in all; or in part?"
    assert case.predicted_sql == "SELECT a FROM b"
    assert case.model_extra == {"note, or; so": "x"}


def test_labels_may_be_separated_by_semicolons(write):
    assert read_labels(write("labels.csv", "question_id;correct\n1;true\n2;false\n")) == {
        1: True,
        2: False,
    }


def test_a_header_that_shows_no_separator_is_an_error(write):
    path = write("c.csv", "id;db,question\n1;shop,Why?\n")
    with pytest.raises(InputError, match=r"c\.csv:1: the header does not show whether ',' or ';'"):
        read_cases(path)


def test_a_table_without_the_id_is_still_read_by_its_only_separator(write):
    path = write("c.csv", "id;db_id;question;predicted_sql\n1;shop;Why?;SELECT 1\n")
    with pytest.raises(InputError, match="rename 'id' to 'question_id'"):
        read_cases(path)
