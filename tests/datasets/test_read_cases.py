from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clausewise.datasets import FORMATS, dump_line, read_cases
from clausewise.errors import InputError, RegistryError
from clausewise.types import Case, RawJson, UncheckedCase

GOOD: dict[str, Any] = {
    "question_id": 1,
    "db_id": "shop",
    "question": "How many?",
    "predicted_sql": "SELECT count(*) FROM item",
}


def good(**fields):
    return {**GOOD, **fields}


def without(name):
    return {key: value for key, value in GOOD.items() if key != name}


# --- one bad line never harms the others -------------------------------------------------------

BAD_LINES = [
    pytest.param("{oops", "not JSON: ", {}, id="no JSON"),
    pytest.param("[1, 2]", "not a JSON object", {}, id="no object"),
    pytest.param("7", "not a JSON object", {}, id="a number"),
    pytest.param("[" * 100_000, "not JSON: Expecting value at column", {}, id="deep nesting"),
    pytest.param("[" * 500 + "]" * 500, "not a JSON object", {}, id="deep list"),
    pytest.param(
        '{"question_id": ' + "9" * 5000 + "}",
        "field 'question_id': must be text or a whole number, is a number of 5000 characters",
        {"question_id": RawJson("9" * 5000)},
        id="long number",
    ),
    pytest.param(
        json.dumps(good(question="DEEP")).replace('"DEEP"', "[" * 5000 + "]" * 5000),
        "field 'question': must be text, is a list",
        good(question=RawJson("[" * 5000 + "]" * 5000)),
        id="deep list for text",
    ),
    pytest.param(
        json.dumps(good(candidates="DEEP")).replace('"DEEP"', "[" * 500 + "]" * 500),
        "field 'candidates': must be a list of SQL strings, is a list",
        good(candidates=RawJson("[" * 500 + "]" * 500)),
        id="deep candidates",
    ),
    pytest.param(
        json.dumps(good(note="DEEP")).replace('"DEEP"', "[" * 500 + "NaN" + "]" * 500),
        "field 'note': NaN is not JSON; write null",
        good(note="[" * 500 + "NaN" + "]" * 500),
        id="deep NaN",
    ),
    pytest.param(
        json.dumps(good(note="DEEP")).replace('"DEEP"', "[" * 500 + "1 2" + "]" * 500),
        "not JSON: Expecting ',' delimiter at column",
        {},
        id="deep nonsense",
    ),
    pytest.param(
        json.dumps(good(question_id=1.5)),
        "field 'question_id': must be text or a whole number, is 1.5",
        good(question_id=1.5),
        id="fraction for an id",
    ),
    pytest.param(
        json.dumps(good(question_id=None)),
        "field 'question_id': must be text or a whole number, is null",
        good(question_id=None),
        id="null for an id",
    ),
    pytest.param(
        json.dumps(good(question_id=[1])),
        "field 'question_id': must be text or a whole number, is a list",
        good(question_id=[1]),
        id="list for an id",
    ),
    pytest.param(
        json.dumps(without("db_id")),
        "field 'db_id': missing; present are question_id, question, predicted_sql",
        without("db_id"),
        id="missing field",
    ),
    pytest.param(
        json.dumps(good(question=None)),
        "field 'question': must be text, is null",
        good(question=None),
        id="null",
    ),
    pytest.param(
        json.dumps(good(predicted_sql=["SELECT 1"])),
        "field 'predicted_sql': must be text, is a list",
        good(predicted_sql=["SELECT 1"]),
        id="list for text",
    ),
    pytest.param(
        json.dumps(good(question_id=True)),
        "field 'question_id': must be text or a whole number, is true",
        good(question_id=True),
        id="true for an id",
    ),
    pytest.param(
        json.dumps(good(question_id={"a": 1})),
        "field 'question_id': must be text or a whole number, is an object",
        good(question_id={"a": 1}),
        id="object for an id",
    ),
    pytest.param(
        json.dumps(good(correct="perhaps")),
        "field 'correct': must be true or false, is 'perhaps'",
        good(correct="perhaps"),
        id="label",
    ),
    pytest.param(
        json.dumps(good(candidates="SELECT 1")),
        "field 'candidates': must be a list of SQL strings, is 'SELECT 1'",
        good(candidates="SELECT 1"),
        id="candidates no list",
    ),
    pytest.param(
        json.dumps(good(candidates=["SELECT 1", 2])),
        "field 'candidates[1]': must be SQL text, or an object with SQL text as 'sql', is 2",
        good(candidates=["SELECT 1", 2]),
        id="one candidate",
    ),
    pytest.param(
        json.dumps(good(evidence=float("nan"))),
        "field 'evidence': NaN is not JSON; write null",
        good(evidence=None),
        id="NaN",
    ),
    pytest.param(
        json.dumps(good(extra={"deep": [float("-inf")]})),
        "field 'extra': -Infinity is not JSON; write null",
        good(extra={"deep": [None]}),
        id="nested infinity",
    ),
    pytest.param(
        json.dumps(good(question="\ud800?")),
        "field 'question': holds half of a surrogate pair",
        good(question="\N{REPLACEMENT CHARACTER}?"),
        id="half a surrogate pair",
    ),
]


@pytest.mark.parametrize(("line", "reason", "raw"), BAD_LINES)
def test_a_bad_line_is_unchecked_and_its_neighbors_are_read(write, line, reason, raw):
    before, after = json.dumps(good(question_id="a")), json.dumps(good(question_id="b"))
    path = write("cases.jsonl", f"{before}\n\n{line}\n{after}\n")

    first, bad, last = read_cases(path)

    assert isinstance(first, Case)
    assert isinstance(last, Case)
    assert (first.question_id, last.question_id) == ("a", "b")
    assert isinstance(bad, UncheckedCase)
    assert bad.reason.startswith(f"{path}:3: ")
    assert reason in bad.reason
    assert "\n" not in bad.reason
    assert bad.line == 3
    assert bad.raw == raw


def test_a_constant_on_a_broken_line_is_not_blamed_on_the_next(write):
    path = write("cases.jsonl", '{"a": NaN, oops\n{"b": Infinity}\n')
    assert [case.reason for case in read_cases(path)][1].startswith(f"{path}:2: field 'b': Inf")


def test_the_second_case_of_an_id_is_unchecked_and_names_both_lines(write):
    path = write("cases.jsonl", [good(question_id=5), good(question_id=6), good(question_id="5")])

    five, six, again = read_cases(path)

    assert (five.question_id, six.question_id) == (5, 6)
    assert again.reason == f"{path}:3: field 'question_id': '5' is already used on line 1"
    assert again.raw["predicted_sql"] == GOOD["predicted_sql"]


def test_an_id_of_an_unreadable_line_may_come_again(write):
    path = write("cases.jsonl", [without("question"), GOOD])

    bad, case = read_cases(path)

    assert isinstance(bad, UncheckedCase)
    assert isinstance(case, Case)


# --- what is read ------------------------------------------------------------------------------


def test_ids_keep_their_type_and_extra_fields_their_order(write):
    extras = {"zeta": [1, {"a": None}], "alpha": "x", "model_config": 1.5}
    path = write("cases.jsonl", [good(question_id="007", **extras), good(question_id=7)])

    first, second = read_cases(path)

    assert first.question_id == "007"
    assert second.question_id == 7
    assert type(second.question_id) is int
    assert list(first.model_extra.items()) == list(extras.items())


def test_an_empty_query_is_a_case(write):
    assert read_cases(write("cases.jsonl", [good(predicted_sql="")]))[0].predicted_sql == ""


@pytest.mark.parametrize(
    "candidates",
    [
        ["SELECT 1", "SELECT 2"],
        [{"system": "a", "sql": "SELECT 1"}, {"sql": "SELECT 2"}],
        [{"system": "a", "sql": "SELECT 1"}, "SELECT 2"],
        '["SELECT 1", "SELECT 2"]',
    ],
)
def test_candidates_in_every_form(write, candidates):
    (case,) = read_cases(write("cases.jsonl", [good(candidates=candidates)]))
    assert case.candidates == ("SELECT 1", "SELECT 2")
    systems = ("a", None) if "a" in str(candidates) else ()
    assert case.candidate_systems == case.bare().candidate_systems == systems
    carried = {"candidate_systems": ["a", None]} if systems else {}
    assert case.carried() == good(candidates=["SELECT 1", "SELECT 2"]) | carried


def test_other_line_separators_stand_within_a_line(write):
    question = "a\u2028b\u2029c\x85d"
    line = json.dumps(good(question=question), ensure_ascii=False)
    (case,) = read_cases(write("cases.jsonl", line + "\r\n"))
    assert case.question == question


def test_a_byte_order_mark_is_no_part_of_the_first_line(write):
    assert isinstance(read_cases(write("a.jsonl", "\ufeff" + json.dumps(GOOD)))[0], Case)
    assert isinstance(read_cases(write("a.json", "\ufeff" + json.dumps([GOOD])))[0], Case)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
text = st.text(st.characters(codec="utf-8"), max_size=20)
cases = st.builds(
    lambda fields, extras: Case(**{**extras, **fields}),
    st.fixed_dictionaries(
        {
            "question_id": st.integers() | text,
            "db_id": text,
            "question": text,
            "predicted_sql": text,
            "evidence": st.none() | text,
            "candidates": st.lists(text, max_size=3).map(tuple),
            "correct": st.none() | st.booleans(),
        }
    ),
    st.dictionaries(st.text(string.ascii_lowercase, min_size=1).map("x_{}".format), json_values),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    written=st.lists(cases, min_size=1, max_size=5, unique_by=lambda case: str(case.question_id))
)
def test_cases_written_as_jsonl_come_back_equal(write, written):
    path = write("cases.jsonl", "".join(dump_line(case.model_dump()) + "\n" for case in written))
    assert read_cases(path) == written


# --- files that cannot be used -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", ""),
        ("a.jsonl", "\n  \n"),
        ("a.json", ""),
        ("a.json", "[ ]"),
        ("a.csv", ""),
        ("a.csv", "question_id,db_id,question,predicted_sql\n"),
    ],
)
def test_an_empty_file_is_an_error(write, name, content):
    path = write(name, content)
    with pytest.raises(InputError, match=r"the file holds no records$"):
        read_cases(path)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match=r"none\.jsonl: no such file"):
        read_cases(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="is a folder"):
        read_cases(tmp_path)


def test_the_byte_that_is_not_utf8_is_named(write):
    path = write("a.jsonl", b'{"question": 1}\n{"question": "caf\xe9"}\n')
    with pytest.raises(InputError) as caught:
        read_cases(path)
    assert str(caught.value) == f"{path}:2: not UTF-8 text: byte 33 is 0xe9"


def test_the_byte_is_counted_from_the_start_of_the_file_with_its_mark(write):
    with pytest.raises(InputError, match="byte 5 is 0xff"):
        read_cases(write("a.jsonl", b"\xef\xbb\xbf{}\xff"))


def test_utf16_is_called_by_its_name(write):
    with pytest.raises(InputError, match="UTF-16"):
        read_cases(write("a.csv", "question_id".encode("utf-16")))


def test_an_unknown_suffix_and_an_unknown_format(write):
    path = write("cases.xlsx", "x")
    with pytest.raises(InputError, match=r"unknown kind of file '\.xlsx'; known are \.jsonl"):
        read_cases(path)
    with pytest.raises(RegistryError, match="did you mean 'jsonl'"):
        read_cases(path, format="jsnl")


def test_every_format_is_a_known_name():
    assert list(FORMATS) == ["jsonl", "json", "csv", "tsv", "parquet", "spider", "bird"]


def test_the_format_overrides_the_suffix(write):
    path = write("cases.txt", json.dumps(GOOD))
    assert read_cases(path, format="jsonl") == [Case(**GOOD)]


# --- JSON --------------------------------------------------------------------------------------


def test_a_json_array_gives_the_line_of_each_element(write):
    path = write("cases.json", [GOOD, without("question"), 3, good(question_id=2)])

    first, bad, number, last = read_cases(path)

    assert (first.question_id, last.question_id) == (1, 2)
    lines = path.read_text("utf-8").split("\n")
    assert lines[bad.line - 1].strip() == "{"
    assert bad.line == 8
    assert bad.reason.startswith(f"{path}:8: field 'question': missing")
    assert lines[number.line - 1].strip() == "3,"


def test_json_lines_under_the_suffix_json(write):
    content = json.dumps(GOOD) + "\n" + json.dumps(good(question_id=2)) + "\n"
    assert [case.question_id for case in read_cases(write("cases.json", content))] == [1, 2]


def test_one_object_is_one_case(write):
    assert read_cases(write("case.json", GOOD)) == [Case(**GOOD)]


@pytest.mark.parametrize(
    ("content", "line"),
    [('[\n{"a": }]', 2), ('[{"a": 1}\n{"a": 2}]', 2), ("[{}]\n\n{}", 3), ("[{},\n]", 2), ("[", 1)],
)
def test_a_broken_array_names_the_line(write, content, line):
    path = write("cases.json", content)
    with pytest.raises(InputError, match="not JSON") as caught:
        read_cases(path)
    assert caught.value.line == line


@pytest.mark.parametrize("systems", [["a"], ["a", "b", "c"], "a", [1, 2]])
def test_systems_that_do_not_go_with_the_candidates(write, systems):
    line = good(candidates=["SELECT 1", "SELECT 2"], candidate_systems=systems)
    (bad,) = read_cases(write("cases.jsonl", [line]))
    assert "field 'candidate_systems" in bad.reason


def test_scores_can_be_read_again_as_cases(write):
    first = good(candidates=[{"system": "a", "sql": "SELECT 1"}, {"sql": "SELECT 2", "system": 7}])
    (case,) = read_cases(write("cases.jsonl", [first]))
    assert case.candidate_systems == ("a", "7")
    (again,) = read_cases(write("scores.jsonl", [json.loads(json.dumps(case.carried()))]))
    assert again == case
    assert Case(**good(candidates=[{"sql": "S", "system": "a"}, "T"])).candidate_systems == (
        "a",
        None,
    )
