"""Questions and evidence as features."""

from __future__ import annotations

import pytest

from clausewise.expectation.wording import (
    features,
    known_share,
    masked,
    read_evidence,
    read_words,
)

KNOWN = frozenset({"what", "is", "the", "name", "of", "with", "most", "in", "how", "many"})


def _tokens(question: str) -> list[str]:
    return masked(read_words(question), KNOWN)


def test_what_only_some_databases_have_is_masked() -> None:
    assert _tokens("What is the name of the farm with the most cows?") == [
        "what", "is", "the", "name", "of", "the", "<other>", "with", "the", "most", "<other>", "?",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "token"),
    [
        ('name of "Pride and Prejudice"', "<quoted>"),
        ("name of 'the farm'", "<quoted>"),
        ("name in 1984", "<year>"),
        ("name of 12.5%", "<number>"),
        ("What is the name of the farm in New York City?", "<name>"),
        ("Names of the farmer's cows", "name"),
    ],
)
def test_values_have_placeholders_and_words_are_folded(question: str, token: str) -> None:
    tokens = _tokens(question)
    assert tokens.count(token) == 1


@pytest.mark.parametrize(
    ("short", "long"),
    [("farms that don't pay", "farms that do not pay"), ("we can\u2019t", "we can not")],
)
def test_contractions_are_two_words(short: str, long: str) -> None:
    assert read_words(short) == read_words(long)


def test_titles_are_no_names() -> None:
    assert "<name>" not in _tokens("Names Of The Farm Animals With Most Children")


def test_the_same_wording_over_other_databases_has_the_same_features() -> None:
    one, other = (
        features(read_words(text), [], KNOWN)
        for text in ("How many cows in Texas?", "How many ships in Greater Boston?")
    )
    assert one == other
    assert {"how many", "how many <other>", "<s> how many", "<name> ?", "#<name>=1"} <= one


def test_evidence_has_features_of_its_own() -> None:
    evidence = read_evidence("most cows refers to MAX(n_cows) > 3; farm = 'x'")
    assert evidence[-3:] == ["farm", "=", "<quoted>"]
    found = features(read_words("most cows"), evidence, KNOWN | {"max"})
    assert {"e#", "e:max", "e:max (", "e:> <number>"} <= found
    assert "max" not in found


def test_the_share_of_known_words_leaves_names_and_values_out() -> None:
    assert known_share(read_words("How many cows in Texas in 1984?"), KNOWN) == (0.8, 5)
    assert known_share(read_words("Wie viele Kunden"), KNOWN)[0] == 0.0
    assert known_share([], KNOWN) == (0.0, 0)
