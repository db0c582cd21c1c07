import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.question.asked import AskedKind
from clausewise.question.evidence import evidence_statements
from clausewise.question.numbers import numbers_of
from clausewise.question.reading import QuestionReading
from clausewise.question.tokens import quoted_spans, tokens_of


def _asked(question: str) -> list[str]:
    items = QuestionReading(question, "").asked
    return [
        ("" if item.required else "?") + f"{item.kind.value} {' '.join(item.words)}".strip()
        for item in items
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many singers do we have?", ["count singer"]),
        ("Count the number of farms.", ["count farm"]),
        (
            "Show name, country, age for all singers ordered by age.",
            ["plain name", "plain country", "plain age"],
        ),
        (
            "What are the first and last names of the students?",
            ["plain first", "plain last name"],
        ),
        ("Which city has the most flights?", ["which city"]),
        ("Which city has the most flights, and how many?", ["which city", "count"]),
        ("Who is the tallest superhero?", ["person who"]),
        ("What is the student's name?", ["plain name"]),
        (
            "For each city, what is the average age and the number of pets?",
            ["?group city", "plain average age", "count pet"],
        ),
        (
            "Which singers are from France? Give me their names.",
            ["?which singer", "plain name"],
        ),
        ("What are the names of players? Also show the ages.", ["plain name", "plain age"]),
        ("Find the ids and names of each document, as well as its owner.",
         ["plain id", "plain name", "?group document", "plain owner"]),
        ("Find the name and age of pets whose owner and vet are known.",
         ["plain name", "plain age"]),
        ("Show all information about the cars.", ["everything information"]),
        ("Is there a singer from Spain?", ["yes_no is"]),
        ("Singers from Spain", []),
    ],
)  # fmt: skip
def test_what_a_question_asks_for(question: str, expected: list[str]) -> None:
    assert _asked(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("over 200cm", [(200, "digits")]),
        ("the 3rd of 1,500 laps", [(3, "ordinal"), (1500, "digits")]),
        ("in 2014 or the 1990s", [(2014, "year"), (1990, "decade")]),
        ("two hundred thousand, twenty-one, twice", [(200_000, "word"), (21, "word"),
                                                     (2, "multiple")]),
        ("50 % of 5 million", [(50, "percent"), (5_000_000, "digits")]),
        ("on July 8, 2010", [(8, "date"), (2010, "year")]),
        ("1:29.488", [(1, "date"), (29, "date"), (488, "date")]),
        ("the second name", [(2, "ordinal_word")]),
        ("'Area 51' and 3Dmovies", []),
    ],
)  # fmt: skip
def test_the_numbers_of_a_question(question: str, expected: list[tuple[float, str]]) -> None:
    found = numbers_of(tokens_of(question))
    assert [(number.value, number.kind) for number in found] == expected


def test_quotation_marks_and_apostrophes() -> None:
    question = "Which of 'O'Reilly', \"Dr. No\" and Ann's \u201cold\u201d books sell?"
    assert [text for text, _, _ in quoted_spans(question)] == ["O'Reilly", "Dr. No", "old"]


def test_abbreviations_end_no_sentence() -> None:
    tokens = tokens_of("Show race No. 5 of Mr. J. Doe. List it.")
    assert {token.text: token.sentence for token in tokens if token.is_word} == {
        "Show": 0, "race": 0, "No": 0, "5": 0, "of": 0, "Mr": 0, "J": 0, "Doe": 0,
        "List": 1, "it": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("at least 3 and no more than 5", [">=", "<="]),
        ("3 or more, above 2", [">=", ">"]),
        ("older than 5 and born before 1990", [">", "<"]),
        ("no number here", []),
    ],
)
def test_comparatives(question: str, expected: list[str]) -> None:
    assert [cue.name for cue in QuestionReading(question, "").comparatives] == expected


def test_cues_of_denial_choice_and_ends() -> None:
    reading = QuestionReading("not 'never', no more than 2 or more, or the oldest of most", "")
    assert [cue.text for cue in reading.negations] == ["not"]
    assert [cue.token for cue in reading.disjunctions] == [reading.lowers.index("or", 12)]
    assert [cue.name for cue in reading.superlatives] == ["oldest", "highest"]


def test_evidence_is_read_as_statements() -> None:
    first, second, third = evidence_statements(
        "women refers to gender = 'F; x'; rate = DIVIDE(COUNT(a.b), SUM(c)); "
        "full name refers to forename, surname"
    )
    assert first.phrase == "women"
    assert [(c.column, c.operator, c.values) for c in first.comparisons] == [
        ("gender", "=", ("F; x",))
    ]
    assert second.phrase == "rate"
    assert [(call.function, call.argument) for call in second.calls] == [
        ("divide", "COUNT(a.b), SUM(c)"), ("count", "a.b"), ("sum", "c"),
    ]  # fmt: skip
    assert third.listed
    assert third.identifiers == ("forename", "surname")


@pytest.mark.parametrize(
    ("meaning", "expected"),
    [
        ("height BETWEEN 170 AND 190", ("height", "BETWEEN", ("170", "190"))),
        ("kind in ('a', 'b')", ("kind", "IN", ("a", "b"))),
        ("left_on IS NULL", ("left_on", "IS", ("NULL",))),
        ("time has value", ("time", "IS NOT", ("NULL",))),
        ("year(dob) > 1975", ("dob", ">", ("1975",))),
        ("T.kind != 3", ("T.kind", "<>", ("3",))),
        ("eye_id = colour.id", None),
        ("time = incremental time + other", None),
    ],
)
def test_comparisons_of_evidence(meaning: str, expected: object) -> None:
    (statement,) = evidence_statements(f"this refers to {meaning}")
    found = [(c.column, c.operator, c.values) for c in statement.comparisons]
    assert found == ([] if expected is None else [expected])


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    reading = QuestionReading(text, text)
    for token in reading.tokens:
        assert text[token.start : token.end] == token.text
    for item in reading.asked:
        assert 0 <= item.start <= item.end <= len(text)
        assert isinstance(item.kind, AskedKind)
    for number in reading.numbers:
        assert text[number.start : number.end]
    assert reading.statements is not None
    assert len(reading.comparatives) + len(reading.superlatives) <= 2 * len(reading.tokens)
