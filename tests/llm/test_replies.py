"""Reading what models really write."""

import time
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from clausewise.llm.replies import Malformed, parse_reply, reply_schema, strip_thoughts


class Part(BaseModel):
    clause: Literal["where", "select"]
    note: str = "none"


class Reply(BaseModel):
    right: bool
    parts: list[Part] = Field(default_factory=list)


@pytest.mark.parametrize(
    "text",
    [
        '{"right": true}',
        '  {"right": "yes", "parts": []}\n',
        'Sure! {"right": true} Hope that helps.',
        'First I thought {"right": false}, but: {"right": true}',
        '```json\n{"right": true}\n```',
        '{"a": 1} is wrong.\n```\n{"right": true}\n```\n{"right": false}',
        '[{"right": true}]',
        '<think>{"right": false}</think>\n{"right": true}',
        'So {"right": false}</think>{"right": true}',
        '{{{ {"right": true}',
        '{"right": true, "parts": [{"clause": "where"}], "more": {"right": 0}}',
        '{"right": true} {"right": "perhaps"}',
    ],
)
def test_an_answer_is_found(text):
    assert parse_reply(text, Reply).right is True


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it is empty"),
        ("<think>hm", "it is empty"),
        ("true", "it holds no JSON object"),
        ("{'right': True}", "it holds no JSON object"),
        ('{"right": true', "it holds no JSON object"),
        ('{"right": NaN}', "it holds no JSON object"),
        ('{"right": "secret cell"}', "field 'right': Input should be a valid boolean"),
        ('{"right": true, "parts": [{"clause": "cell"}]}', "field 'parts.0.clause'"),
        ('{"wrong": true}', "field 'right': Field required"),
        ("[" * 30_000, "it holds no JSON object"),
        ('{"a":' * 10_000, "it holds no JSON object"),
        ("x" * 70_000, "it is longer than 65,536 characters"),
    ],
)
def test_a_complaint_says_what_is_wrong_and_quotes_nothing(text, complaint):
    with pytest.raises(Malformed) as caught:
        parse_reply(text, Reply)
    assert complaint in str(caught.value)
    assert "cell" not in str(caught.value)


@pytest.mark.parametrize(
    "piece", ["{", '{"a":[1,', "```", "```\n", "\n", "<think>", "</think>", '{"', "```json \n{"]
)
def test_no_text_takes_long(piece):
    text = (piece * 70_000)[:65_000]
    start = time.process_time()
    with pytest.raises(Malformed):
        parse_reply(text, Reply)
    assert time.process_time() - start < 2.0


def test_the_schema_leaves_nothing_to_choice():
    schema = reply_schema(Reply)
    part = schema["$defs"]["Part"]
    assert (schema["required"], part["required"]) == (["right", "parts"], ["clause", "note"])
    assert schema["additionalProperties"] is part["additionalProperties"] is False
    assert "default" not in part["properties"]["note"]


def test_a_field_named_like_a_word_of_schemas_stays():
    class Odd(BaseModel):
        default: int = 3
        properties: str

    assert reply_schema(Odd)["required"] == ["default", "properties"]
    assert set(reply_schema(Odd)["properties"]) == {"default", "properties"}


def test_thoughts_are_stripped_closed_or_not():
    assert strip_thoughts("<think>a</think>b<thinking>c</thinking>d<think>e") == "bd"
