import pytest

from clausewise.question.words import closeness, name_words, question_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("firstName", ("first", "name")),
        ("Home_Towns", ("home", "town")),
        ("HTTPStatus2", ("http", "status", "2")),
        ("A11", ("a", "11")),
        ("straße_nr", ("stra", "ße", "nr")),
        ("___", ()),
    ],
)
def test_names_are_split(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


def test_a_question_in_words() -> None:
    assert question_words("What's the owners' pets, in 2014?") == (
        "what", "the", "owner", "pet", "in", "2014",
    )  # fmt: skip


def test_closeness_is_the_share_of_words_said() -> None:
    question = "What are the first names of the students?"
    assert closeness("first_name", question) == 1.0
    assert closeness("last_name", question) == 0.5
    assert closeness("salary", question) == 0.0
    assert closeness("", question) == 0.0


def test_a_typing_slip_counts_nearly_as_the_word() -> None:
    assert 0.9 < closeness("nationality", "What is their natonality?") < 1.0
