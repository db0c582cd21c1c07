"""What tokens abbreviate, by the list and by their letters; how run-together names are split."""

import pytest

from clausewise.naming.abbreviations import abbreviation_strength, expansions
from clausewise.naming.splitting import split_token, tokens_of_name
from clausewise.question.english import is_word


@pytest.mark.parametrize(
    ("token", "word", "strength"),
    [
        ("nm", "name", 0.95),
        ("frm", "farm", 0.95),
        ("commis", "commission", 0.9),
        ("qnty", "quantity", 0.95),
        ("dpt", "department", 0.75),
        ("prdut", "product", 0.75),
        ("cstm", "customer", 0.8),
        ("nm", "number", 0.5),
        ("na", "name", 0.6),
        ("km", "customer", 0.0),
        ("name", "names", 0.0),
        ("art", "artist", 0.0),
        ("x", "xylophone", 0.0),
        ("nmx", "name", 0.0),
    ],
)
def test_strength(token: str, word: str, strength: float) -> None:
    assert abbreviation_strength(token, word) == strength


@pytest.mark.parametrize(
    ("token", "meanings"),
    [
        ("nm", ["name"]),
        ("dt", ["date"]),
        ("qty", ["quantity"]),
        ("amt", ["amount"]),
        ("lvl", ["level"]),
        ("no", ["number"]),
        ("dob", ["date of birth"]),
        ("fname", ["first name"]),
        ("xyzzy", []),
    ],
)
def test_listed(token: str, meanings: list[str]) -> None:
    found = [" ".join(item.words) for item in expansions(token)]
    assert found[: len(meanings)] == meanings
    assert bool(found) == bool(meanings)


@pytest.mark.parametrize(
    ("token", "pieces"),
    [
        ("farmname", ("farm", "name")),
        ("petid", ("pet", "id")),
        ("airportcode", ("airport", "code")),
        ("empnm", ("empnm",)),
        ("prodname", ("prod", "name")),
        ("countryoforigin", ("country", "of", "origin")),
        ("superhero", ("superhero",)),
        ("nationality", ("nationality",)),
        ("qxzvbn", ("qxzvbn",)),
        ("名前名前名前", ("名前名前名前",)),
    ],
)
def test_run_together(token: str, pieces: tuple[str, ...]) -> None:
    assert split_token(token) == pieces


def test_words_of_the_schema_split_first() -> None:
    assert split_token("wolparname", frozenset({"wolpar"})) == ("wolpar", "name")


def test_marks_capitals_and_digits_cut() -> None:
    assert tokens_of_name("farmname_KM2 areaHa") == ("farm", "name", "km", "2", "area", "ha")


def test_abbreviations_are_no_words() -> None:
    assert not any(map(is_word, ("qty", "amt", "nm", "dept", "desc", "tel", "lat")))
    assert all(map(is_word, ("name", "names", "sex", "age", "date", "cities")))
