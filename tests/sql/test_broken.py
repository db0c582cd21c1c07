"""Broken statements as language models leave them: `broken.yaml`, and mutated real queries."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from clausewise.databases import BaseDatabase, Databases
from clausewise.datasets import sample_dir
from clausewise.errors import ParseError
from clausewise.signals.runner.case import inspect_case
from clausewise.sql import Query, differing_clauses, parse, same_statement, shape
from clausewise.sql.calculations import calculations, casts
from clausewise.sql.unwrapping import bare_sql, bare_statement
from clausewise.types import Case, Inspection

WORD = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\w+(?:\.\d+)?|<>|[<>!=]=?|\|\||\s+|.""", re.DOTALL
)
WORDS_AND_MARKS = """
    SELECT FROM WHERE GROUP ORDER BY JOIN LEFT NATURAL ON USING HAVING LIMIT OFFSET
    UNION EXCEPT ALL DISTINCT AS AND OR NOT IN IS NULL LIKE BETWEEN EXISTS VALUES
    CASE WHEN THEN ELSE END CAST WITH OVER FILTER WINDOW COLLATE INTERVAL ESCAPE
    ( ) , . ; * + - / % = < || -> ->> :: : ? @ # { } [ ] ' " ` -- /* \\
    () .(*) 1e308. 1e x'0g' .5 -1 ٣ ²
"""
PUT_IN = (
    *WORDS_AND_MARKS.split(),
    *(
        "(FROM x)",
        "(SELECT 1)",
        "VALUES (1)",
        "{% if %}",
        "\0",
        "\ud800",
        "é",
        "9" * 310,
        "0x" + "F" * 40,
    ),
)
ADDRESS = re.compile(r"0x[0-9a-f]{6,}>")


def load() -> list[dict[str, Any]]:
    with (Path(__file__).parent / "broken.yaml").open(encoding="utf-8") as file:
        return yaml.safe_load(file)


@pytest.fixture(scope="module")
def clinic() -> BaseDatabase:
    return Databases(sample_dir() / "databases").get("clinic")


def inspected(sql: str, database: BaseDatabase) -> Inspection:
    case = Case(question_id=1, db_id="clinic", question="Which cities?", predicted_sql=sql)
    return inspect_case(case, database, [])


@pytest.mark.parametrize("case", load(), ids=lambda case: case["sql"][:60])
def test_status_and_place_of_broken_statements(case: dict[str, Any], clinic: BaseDatabase) -> None:
    found = inspected(case["sql"], clinic)
    assert found.status == case["status"]
    assert case.get("message", "") in (found.reason or "")
    if "place" in case:
        (notice,) = found.notices
        start = -1
        for _ in range(case.get("nth", 1)):
            start = case["sql"].index(case["place"], start + 1)
        assert (notice.clause.text, notice.clause.start) == (case["place"], start)
        assert notice.evidence["position"] == start


def sample_queries() -> list[str]:
    with (sample_dir() / "cases.jsonl").open(encoding="utf-8") as file:
        return sorted({json.loads(line)["predicted_sql"] for line in file})


QUERIES = sample_queries()


@pytest.mark.parametrize("sql", QUERIES[::4])
def test_queries_cut_off_at_every_word(sql: str) -> None:
    words = WORD.findall(sql)
    for count in range(1, len(words)):
        check("".join(words[:count]))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    words = WORD.findall(draw(st.sampled_from(QUERIES)))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(words) - 1))
        other = draw(st.integers(0, len(words) - 1))
        kind = draw(st.sampled_from(["delete", "repeat", "swap", "replace", "insert", "cut"]))
        if kind == "delete" and len(words) > 1:
            del words[place]
        elif kind == "repeat":
            words.insert(place, words[place])
        elif kind == "swap":
            words[place], words[other] = words[other], words[place]
        elif kind == "replace":
            words[place] = draw(st.sampled_from(PUT_IN))
        elif kind == "insert":
            words.insert(place, f" {draw(st.sampled_from(PUT_IN))} ")
        elif place < other:
            del words[place:other]
    return "".join(words)


@settings(max_examples=300)
@given(mutated())
def test_mutated_queries_are_read_or_name_their_place(sql: str) -> None:
    check(sql)


def check(sql: str) -> None:
    """Check all that a signal may ask of a text that somebody predicted."""
    bare_sql(sql)
    bare_statement(sql)
    same_statement(sql)
    query = parsed(sql)
    if isinstance(query, ParseError):
        assert 0 <= query.start <= query.end <= len(sql)
        assert not ADDRESS.search(query.message)
        assert 0 < len(query.message) < 300
        return
    check_spans(query)
    assert all(value >= 0 for value in shape(query, "How many?").values())
    calculations(query)
    casts(query)
    if query.selects:
        assert differing_clauses(query, query) == {}


def parsed(sql: str) -> Query | ParseError:
    try:
        return parse(sql, tables={"patients": ["city", "dob"], "doctors": ["salary"]})
    except ParseError as error:
        return error


def check_spans(query: Query) -> None:
    """Check that everything with a place in the text stands there."""
    seen = set()
    stack: list[Any] = [query]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack.extend(item)
        elif is_dataclass(item) and id(item) not in seen:
            seen.add(id(item))
            values = {field.name: getattr(item, field.name) for field in fields(item)}
            stack.extend(values.values())
            if {"start", "end", "text"} <= set(values):
                start, end = values["start"], values["end"]
                assert 0 <= start < end <= len(query.text)
                assert query.text[start:end] == values["text"]
