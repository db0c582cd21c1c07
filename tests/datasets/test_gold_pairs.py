"""Reading gold pairs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from clausewise.datasets import GoldPair, as_gold_pairs, read_gold_pairs
from clausewise.errors import InputError

LINES: list[dict[str, object]] = [
    {"question": "How many?", "gold_sql": "SELECT 1", "db_id": "shop", "evidence": "a = 1"},
    {"question": "Which?", "gold_sql": "SELECT 2", "rating": 5},
]


def _file(folder: Path, *lines: Mapping[str, object]) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_pairs_are_read_in_order(tmp_path: Path) -> None:
    wanted = [GoldPair("How many?", "SELECT 1", "shop", "a = 1"), GoldPair("Which?", "SELECT 2")]
    path = _file(tmp_path, *LINES)
    assert read_gold_pairs(path) == wanted
    assert as_gold_pairs(path) == as_gold_pairs(str(path)) == wanted
    assert as_gold_pairs([wanted[0], LINES[1]]) == wanted


def test_a_line_that_is_no_pair_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = _file(tmp_path, LINES[0], {"question": "How many?"})
    with pytest.raises(InputError, match=r"pairs\.jsonl:2: field 'gold_sql'"):
        read_gold_pairs(path)
    with pytest.raises(InputError, match=r"gold pair 2: Field required") as error:
        as_gold_pairs([LINES[0], {"question": "How many?"}])
    assert error.value.field == "gold_sql"
