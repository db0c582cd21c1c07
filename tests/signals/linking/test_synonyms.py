"""Words that mean the same, written down or mined, and words that are abbreviated."""

import pytest

from clausewise.signals.linking.columns import match_score


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("price", "cost"), ("town", "city"), ("shop", "store"), ("client", "customer"),
        ("car", "vehicle"), ("wage", "salary"), ("nation", "country"), ("film", "movie"),
        ("location", "address"), ("velocity", "speed"), ("employee", "staff"), ("sex", "gender"),
        ("supplier", "vendor"), ("day", "date"), ("picture", "photo"), ("telephone", "phone"),
        ("orchrd", "orchard"), ("orchard", "orchrd"),
    ],
)  # fmt: skip
def test_one_stands_for_the_other(word: str, other: str) -> None:
    assert match_score(word, frozenset({other})) > 0.7


@pytest.mark.parametrize(
    ("word", "other"), [("price", "city"), ("name", "date"), ("age", "price"), ("km", "customer")]
)
def test_others_do_not(word: str, other: str) -> None:
    assert match_score(word, frozenset({other})) == 0.0
