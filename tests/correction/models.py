"""Queries on the visits of people, recorded replies, and models that count people well or badly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import RecordedReplies

ALL = "SELECT COUNT(*) FROM visits"
PEOPLE = "SELECT COUNT(DISTINCT person) FROM visits"
DAYS = "SELECT COUNT(day) FROM visits"
BROKEN = "SELECT COUNT(*) FROM nowhere"


class Kept:
    """Recorded replies, and the prompts that they answer."""

    def __init__(self, *replies: str | Mapping[str, Any]) -> None:
        self._replies = RecordedReplies(replies)
        self.prompts: list[str] = []

    @property
    def left(self) -> int:
        """How many replies nothing asked for yet."""
        return self._replies.left

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        self.prompts.append(request["messages"][1]["content"])
        return self._replies(request)


class Model:
    """Counts rows of the prompt's table: `count` gets the people and the number of the sample."""

    def __init__(self, count: Callable[[list[str], int], int]) -> None:
        self.asked: list[list[str]] = []
        self._count = count

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        text = request["messages"][1]["content"]
        people = re.findall(r"^  row \d+: .*person = ('(?:[^']|'')*')", text, re.MULTILINE)
        self.asked.append(people)
        number = self._count(people, request["seed"])
        return Reply(json.dumps({"steps": people, "columns": ["people"], "rows": [[number]]}))


def good(people: list[str], _sample: int) -> int:
    return len(set(people))


def harmful(people: list[str], _sample: int) -> int:
    """Count people as often as they came."""
    return len(people)


def useless(_people: list[str], sample: int) -> int:
    return 1_000 + sample


def wrong_majority(people: list[str], sample: int) -> int:
    return good(people, sample) if sample < 2 else harmful(people, sample)
