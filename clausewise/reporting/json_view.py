"""JSON that can be encoded and shown anywhere, at once or item by item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clausewise.reporting.contents import ReportContents
from clausewise.text import plain_json

_NOT_SHOWN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_EMPTY = "[]"
_INDENT = 2


def to_json(value: Mapping[str, Any]) -> str:
    """Return indented JSON, ending in a line feed, that can be encoded and shown anywhere.

    Lone surrogates (from text that was no UTF-8) and characters that steer a terminal are
    escaped; a reader gets them back as they were. What JSON cannot hold becomes text.
    """
    return _text(value) + "\n"


def json_view(report: ReportContents) -> Iterator[str]:
    """Yield the report as `to_json` of its dictionary."""
    cases = (case.to_dict() for case in report.cases)
    return filled_json({**report.head(), "cases": []}, cases)


def filled_json(frame: Mapping[str, Any], *lists: Iterable[Any]) -> Iterator[str]:
    """Yield `to_json` of an object whose last empty lists hold the items of `lists`, in order.

    Nothing that is written after the first of these may hold "[]".
    """
    before, *between = _text(frame).rsplit(_EMPTY, len(lists))
    for items, after in zip(lists, between, strict=True):
        yield before
        margin = _margin(before)
        yield from _list(items, margin)
        before = after
    yield before + "\n"


def _list(items: Iterable[Any], margin: str) -> Iterator[str]:
    inner = margin + " " * _INDENT
    opened = False
    for item in items:
        # A line feed in a text is escaped, so every one here is one of the layout.
        yield f"{',' if opened else '['}{inner}{_text(item).replace(chr(10), inner)}"
        opened = True
    yield f"{margin}]" if opened else _EMPTY


def _margin(before: str) -> str:
    """Return a line feed and the blanks at which the last line begins."""
    line = before[before.rfind("\n") + 1 :]
    return "\n" + " " * (len(line) - len(line.lstrip(" ")))


def _text(value: Any) -> str:
    text = json.dumps(plain_json(value), ensure_ascii=False, allow_nan=False, indent=_INDENT)
    return _NOT_SHOWN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
