"""The scripted endpoint itself: replies that fit whatever schema a request holds."""

import json
from typing import Literal

import pytest
from pydantic import BaseModel

from clausewise.llm.replies import parse_reply, reply_schema
from clausewise.testing import fitting


class Part(BaseModel):
    kind: Literal["where", "select"]
    weight: float


class Whole(BaseModel):
    right: bool
    parts: list[Part]
    best: Part | None = None
    count: int
    note: str = "x"


@pytest.mark.parametrize("verdict", [True, False])
def test_a_reply_fits_the_schema(verdict):
    schema = {"json_schema": {"schema": reply_schema(Whole)}}
    reply = parse_reply(fitting({"response_format": schema}, verdict=verdict), Whole)
    part = Part(kind="where", weight=1)
    assert reply == Whole(right=verdict, parts=[part], best=part, count=1, note="")


def test_without_a_schema_it_is_an_empty_object():
    assert json.loads(fitting({"messages": []})) == {}
