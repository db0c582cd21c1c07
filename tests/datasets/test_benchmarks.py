"""Spider's and BIRD's own files; the questions here are made up in their form."""

from __future__ import annotations

from typing import Any

import pytest

from clausewise.datasets import read_cases
from clausewise.errors import InputError
from clausewise.types import Case, UncheckedCase

SPIDER: list[dict[str, Any]] = [
    {
        "db_id": "farm",
        "query": "SELECT count(*) FROM cow",
        "query_toks": ["SELECT", "count"],
        "query_toks_no_value": ["select", "count"],
        "question": "How many cows are there?",
        "question_toks": ["How", "many"],
        "sql": {"select": [False, []], "from": {}},
    },
    {"db_id": "farm", "query": "SELECT name FROM cow", "question": "Name all cows."},
    {"db_id": "port", "query": "SELECT max(length) FROM ship", "question": "Longest ship?"},
]
BIRD = [
    {
        "question_id": 40,
        "db_id": "farm",
        "question": "How many old cows?",
        "evidence": "old refers to age > 12",
        "SQL": "SELECT COUNT(*) FROM cow WHERE age > 12",
        "difficulty": "simple",
    },
    {"question_id": 41, "db_id": "port", "question": "Ships?", "evidence": "", "SQL": "SELECT 1"},
]


def bird(sql, db_id):
    return f"{sql}\t----- bird -----\t{db_id}"


def sqls(cases):
    return [case.predicted_sql for case in cases]


def test_the_gold_of_spider_is_the_predicted_query(write):
    cases = read_cases(write("dev.json", SPIDER))

    assert cases[0] == Case(  # type: ignore[call-arg]  # other fields are carried
        question_id=0,
        db_id="farm",
        question="How many cows are there?",
        predicted_sql="SELECT count(*) FROM cow",
        gold_sql="SELECT count(*) FROM cow",
    )
    assert [case.question_id for case in cases] == [0, 1, 2]


def test_the_gold_of_bird_is_the_predicted_query(write):
    cases = read_cases(write("dev.json", BIRD))

    assert cases[0].question_id == 40
    assert cases[0].evidence == "old refers to age > 12"
    assert cases[0].model_extra == {"gold_sql": BIRD[0]["SQL"], "difficulty": "simple"}
    assert sqls(cases) == [BIRD[0]["SQL"], "SELECT 1"]


def test_the_word_false_is_no_evidence(write):
    path = write("dev.json", [{**BIRD[0], "evidence": "False"}])
    assert read_cases(path)[0].evidence is None


def test_a_question_without_gold_is_unchecked(write):
    path = write("dev.json", [SPIDER[1], {"db_id": "farm", "question": "Q"}])
    case, bad = read_cases(path)
    assert isinstance(case, Case)
    assert bad.reason == f"{path}:7: field 'query': missing"


def test_the_format_can_be_told(write):
    path = write("dev.jsonl", BIRD)
    assert sqls(read_cases(path, format="bird")) == [item["SQL"] for item in BIRD]


def test_a_json_array_of_cases_is_no_benchmark(write):
    case = {"question_id": 1, "db_id": "a", "question": "Q", "predicted_sql": "P", "SQL": "G"}
    assert sqls(read_cases(write("cases.json", [case]))) == ["P"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1\nSELECT 2\nSELECT 3\n",
        "SELECT 1\tfarm\nSELECT 2\tfarm\r\nSELECT 3\tport",
        "SELECT 1\n\n\nSELECT 2\nSELECT 3\n\n",
    ],
)
@pytest.mark.parametrize("name", ["predicted.sql", "predicted.txt"])
def test_spider_predictions_are_one_a_line(write, name, text):
    cases = read_cases(write(name, text), questions=write("dev.json", SPIDER))
    assert sqls(cases) == ["SELECT 1", "SELECT 2", "SELECT 3"]
    assert [case.model_extra["gold_sql"] for case in cases] == [item["query"] for item in SPIDER]


def test_the_predictions_file_wins_over_a_query_among_the_questions(write):
    questions = write("d.json", [{**SPIDER[1], "predicted_sql": "OLD"}])
    assert sqls(read_cases(write("p.sql", "NEW\n"), "spider", questions=questions)) == ["NEW"]


def test_a_blank_line_is_an_empty_answer_where_the_count_says_so(write):
    cases = read_cases(write("p.sql", "SELECT 1\n\nSELECT 3\n"), questions=write("d.json", SPIDER))
    assert sqls(cases) == ["SELECT 1", "", "SELECT 3"]


def test_a_tab_may_stand_within_a_prediction(write):
    text = "SELECT 1\tFROM cow\nSELECT a\tFROM\tcow\tfarm\nSELECT 3\tx\n"
    cases = read_cases(write("p.sql", text), questions=write("d.json", SPIDER))
    assert sqls(cases) == ["SELECT 1\tFROM cow", "SELECT a\tFROM\tcow", "SELECT 3\tx"]


def test_a_prediction_for_another_database_is_unchecked(write):
    path = write("p.sql", "SELECT 1\tfarm\n\nSELECT 2\tport\nSELECT 3\tport\n")
    first, bad, last = read_cases(path, questions=write("d.json", SPIDER))
    assert sqls([first, last]) == ["SELECT 1", "SELECT 3"]
    assert bad.reason == (
        f"{path}:3: the prediction for question 1 is for database 'port', "
        "the question is for 'farm'"
    )
    assert bad.raw["question_id"] == 1
    assert bad.raw["predicted_sql"] == "SELECT 2"


def test_lines_that_cannot_be_matched_are_an_error(write):
    with pytest.raises(InputError, match="2 predictions for the 3 questions of"):
        read_cases(write("p.sql", "SELECT 1\nSELECT 2\n"), questions=write("d.json", SPIDER))


@pytest.mark.parametrize("keys", [("0", "1"), ("40", "41")], ids=["by position", "by id"])
def test_bird_predictions_by_number(write, keys):
    answers = dict(zip(keys, [bird("SELECT\n1", "farm"), bird("SELECT 2", "port")], strict=True))
    path = write("predict_dev.json", answers)
    cases = read_cases(path, questions=write("dev.json", BIRD))
    assert sqls(cases) == ["SELECT\n1", "SELECT 2"]
    assert [case.question_id for case in cases] == [40, 41]


def test_bird_predictions_without_an_answer(write):
    path = write("predict_dev.json", {"0": 0, "1": "SELECT 2"})
    cases = read_cases(path, questions=write("dev.json", BIRD))
    assert sqls(cases) == ["", "SELECT 2"]


def test_bird_predictions_and_questions_that_have_no_partner(write):
    path = write("predict_dev.json", {"1": ["SELECT 2"], "7": "SELECT 7"})
    missing, bad, extra = read_cases(path, questions=write("dev.json", BIRD))
    assert missing.reason == f"{path}: no prediction for question 0"
    assert missing.raw["question_id"] == 40
    assert bad.reason == f"{path}: field '1': must be SQL text, is a list"
    assert extra.reason == f"{path}: field '7': no question has this number"
    assert extra.raw == {"question_id": "7", "predicted_sql": "SELECT 7"}


def test_a_bird_prediction_for_another_database_is_unchecked(write):
    path = write("predict_dev.json", {"0": bird("SELECT 1", "port"), "1": bird("S", "port")})
    bad, case = read_cases(path, questions=write("dev.json", BIRD))
    assert isinstance(bad, UncheckedCase)
    assert "question 40 is for database 'port', the question is for 'farm'" in bad.reason
    assert isinstance(case, Case)


def test_half_a_surrogate_pair_in_a_prediction(write):
    path = write("predict_dev.json", {"0": "SELECT '\ud800'", "1": "SELECT 2"})
    bad, case = read_cases(path, questions=write("dev.json", BIRD))
    assert bad.reason == f"{path}: field '0': holds half of a surrogate pair"
    assert case.predicted_sql == "SELECT 2"


def test_predictions_of_either_kind_go_with_questions_of_either_kind(write):
    spider, bird_dev = write("spider.json", SPIDER), write("bird.json", BIRD)
    by_number = write("predict.json", {"0": "A", "1": "B", "2": "C"})
    by_line = write("predict.sql", "A\nB\n")
    assert sqls(read_cases(by_number, questions=spider)) == ["A", "B", "C"]
    assert sqls(read_cases(by_line, "bird", questions=bird_dev)) == ["A", "B"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("p.sql", "SELECT 1\n"), ("p.txt", "SELECT 1\n"), ("predict_dev.json", {"0": "SELECT 1"})],
)
def test_predictions_alone_ask_for_their_questions(write, name, content):
    with pytest.raises(InputError, match="predictions without questions"):
        read_cases(write(name, content))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.json", "", "the file holds no records"),
        ("p.sql", " \n\n", "the file holds no records"),
        ("p.json", "{", r"p\.json:1: not JSON"),
        ("p.json", "[1]", "an object of question number to SQL is needed, the file holds a list"),
        ("p.csv", "a", r"predictions come as \.json, \.sql or \.txt"),
    ],
)
def test_predictions_that_cannot_be_used(write, name, content, message):
    with pytest.raises(InputError, match=message):
        read_cases(write(name, content), questions=write("dev.json", SPIDER))


def test_questions_do_not_go_with_files_of_cases(write):
    with pytest.raises(InputError, match="'jsonl' take no questions file"):
        read_cases(write("c.jsonl", "{}"), format="jsonl", questions=write("dev.json", SPIDER))
