"""Evidence reads well: words, rounded numbers, counted lists."""

from __future__ import annotations

import pytest

from clausewise.reporting.evidence_text import evidence_text, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "yes"),
        (0.123456789, "0.1235"),
        (1234567.891, "1234568"),
        (7, "7"),
        ("a_b", "a_b"),
        ([], ""),
        (list("abcdefg"), "a, b, c, d, e and 2 more"),
        ({"near_value": "x", "share": 0.5}, "near value: x; share: 0.5"),
        ([{"a": 1}, {"a": 2}], "a: 1 | a: 2"),
        (float("inf"), "inf"),
    ],
)
def test_values(value, text):
    assert value_text(value) == text


def test_labels_are_words_and_reasons_are_left_to_programs():
    evidence = {"value_found_in": ["t.c"], "reason": "end", "near": [], "of": None, "rows": 0}
    assert evidence_text(evidence) == (("value found in", "t.c"), ("rows", "0"))


def test_long_evidence_is_shortened_and_says_so():
    ((_, shown),) = evidence_text({"sql": "x" * 1000})
    assert shown == f"{'x' * 300} ... (1,000 characters)"
