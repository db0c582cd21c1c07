"""Text from outside becomes harmless and keeps its length."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.text import compact, one_line, plain_json, shortened, visible


@given(st.text(st.characters()))
def test_visible_text_keeps_its_length_and_has_no_controls(text):
    shown = visible(text)
    assert len(shown) == len(text)
    assert {unicodedata.category(character) for character in shown if character != "\n"}.isdisjoint(
        {"Cc", "Cs", "Zl", "Zp"}
    )
    shown.encode("utf-8")


def test_ordinary_text_of_any_script_is_left_alone():
    for text in ("naïve café", "東京 🏙️", "كم عدد", "a\nb"):
        assert visible(text) == text


def test_controls_are_shown_as_their_pictures():
    assert visible("\x1b[31m\x07\x7f\ta\r\nb\r") == "␛[31m␇␡ a \nb␍"
    assert visible("\u202eevil\u2066") == "\ufffdevil\ufffd"


def test_one_line_joins_lines_and_takes_any_value():
    assert one_line(" a\n\n  b ") == "a b"
    assert one_line(7) == "7"


def test_compact_leaves_text_bare_and_writes_the_rest_as_json():
    assert compact("a 'b'") == "a 'b'"
    assert compact({"n": [1, None, "é"]}) == '{"n": [1, null, "é"]}'


def test_shortened_text_says_how_long_it_was():
    assert shortened("abc", 3) == "abc"
    assert shortened("a" * 1234, 2) == "aa ... (1,234 characters)"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (b"\x00\xff", "00ff"),
        ({1: (True, 2.5)}, {"1": [True, 2.5]}),
        ({"s": {3}}, {"s": "{3}"}),
    ],
)
def test_plain_json_can_always_be_written(value, expected):
    assert plain_json(value) == expected
    json.dumps(plain_json(value), allow_nan=False)
