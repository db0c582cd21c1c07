"""Texts that no one asks: long ones are read in part, odd ones do no harm."""

from functools import partial

import pytest

from clausewise.question.asked_items import asked_of
from clausewise.question.bounds import bounded
from clausewise.question.evidence import LONGEST_STATEMENT, evidence_statements
from clausewise.question.numbers import numbers_of
from clausewise.question.reading import read_question
from clausewise.question.tokens import quoted_spans, tokens_of
from clausewise.types import Case
from tests.question.steps import steps


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("how many patients", 100, "how many patients"),
        ("how many patients", 10, "how many"),
        ("how\nmany", 5, "how"),
        ("x" * 300, 200, "x" * 200),
        ("", 5, ""),
    ],
)
def test_as_much_as_is_read(text: str, most: int, expected: str) -> None:
    assert bounded(text, most) == expected


@pytest.mark.parametrize(
    "text",
    [
        "9" * 400,
        f"0.{'9' * 400}",
        f"{'9' * 400}%",
        f"{'9' * 400}-{'9' * 400}",
        f"{'9' * 5000}:30",
        f"March {'9' * 400}",
        f"5 {'million ' * 100}",
        f"two {'dozen ' * 400}",
    ],
)
def test_what_no_number_can_hold_is_none(text: str) -> None:
    assert not [number for number in numbers_of(tokens_of(text)) if number.value > 1e300]


@pytest.mark.parametrize("text", ["\ud800", "five \udfff six", "\x00", "\u00b2", "\u0663 \u2167"])
def test_odd_characters_are_words_without_a_number(text: str) -> None:
    found = numbers_of(tokens_of(f"How many {text} ?"))
    assert {number.text for number in found} <= {"five", "six", "\u0663"}


def test_digits_of_other_scripts_are_numbers() -> None:
    assert [number.value for number in numbers_of(tokens_of("\u0663\u0664 patients"))] == [34.0]


LONG = {
    "quotations": lambda size: " 'a'" * size,
    "open quotations": lambda size: "\u201ca " * size,
    "open apostrophes": lambda size: " 'a" * size,
    "numbers": lambda size: "12 " * size,
    "number words": lambda size: "five hundred and " * size,
    "dates": lambda size: "March 5, 2010 " * size,
    "requests": lambda size: "Show the name. " * size,
    "things asked for": lambda size: "Show the name, and its age " * size,
}


@pytest.mark.parametrize("make", LONG.values(), ids=LONG)
def test_reading_takes_steps_in_proportion_to_the_text(make) -> None:
    def read(text: str) -> None:
        tokens = tokens_of(text)
        numbers_of(tokens)
        asked_of(tokens)
        quoted_spans(text)

    read(make(10))
    once, four_times = (steps(partial(read, make(size))) for size in (200, 800))
    assert four_times < 8 * once


def test_a_statement_of_the_evidence_that_is_too_long_is_not_read() -> None:
    long = f"tall refers to height {'+ height ' * LONGEST_STATEMENT}"
    first, second = evidence_statements(f"{long}; male refers to gender = 'M'")
    assert not first.is_read
    assert not any((first.comparisons, first.calls, first.identifiers))
    assert second.is_read
    assert second.comparisons[0].column == "gender"


def test_of_long_texts_only_a_few_readings_are_kept() -> None:
    def case(number: int, size: int) -> Case:
        question = f"{number} " + "how many cats? " * size
        return Case(question_id=1, db_id="x", question=question, predicted_sql="SELECT 1")

    short, long = case(0, 1), case(0, 200)
    readings = [read_question(short), read_question(long)]
    assert [read_question(short), read_question(long)] == readings
    for number in range(1, 40):
        read_question(case(number, 200))
        read_question(case(number, 1))
    assert read_question(short) is readings[0]
    assert read_question(long) is not readings[1]
