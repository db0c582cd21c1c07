"""The formats of a report, by name: one dictionary, many views."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from clausewise.registry import Registry
from clausewise.reporting.error_report import Report, SignalNotes, report_dict
from clausewise.text import plain_json
from clausewise.types import Json, ScoredCase


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How a report is laid out; a view takes what concerns it.

    `color`: ANSI colours in `text`; `width`: columns of `text`.
    """

    color: bool = False
    width: int = 100


_NOT_SHOWN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

View: TypeAlias = Callable[[Report, ViewOptions], str]

VIEWS: Registry[View] = Registry("report format")
"""Every format that `render` knows; a view takes the report and the options."""


def render(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    format: str = "text",
    *,
    settings: Mapping[str, Any] | None = None,
    signals: Mapping[str, SignalNotes] | None = None,
    color: bool = False,
    width: int = 100,
) -> str:
    """Return the scored cases in a format of `VIEWS`: text, json, markdown, html or sarif.

    `settings` and `signals` as for `report_dict`; `color` and `width` (columns) concern `text`
    only.

    Raises RegistryError for an unknown format, naming the known ones, and InputError where a
    score is neither a scored case nor a dictionary like one.
    """
    view = VIEWS[format]
    return view(report_dict(scored, settings, signals=signals), ViewOptions(color, width))


def _text(report: Report, options: ViewOptions) -> str:
    from clausewise.reporting.text_view import text_view

    return text_view(report, color=options.color, width=options.width)


def _json(report: Report, _options: ViewOptions) -> str:
    return to_json(report)


def _markdown(report: Report, _options: ViewOptions) -> str:
    from clausewise.reporting.markup_views import markdown_view

    return markdown_view(report)


def _html(report: Report, _options: ViewOptions) -> str:
    from clausewise.reporting.markup_views import html_view

    return html_view(report)


def _sarif(report: Report, _options: ViewOptions) -> str:
    from clausewise.reporting.sarif_view import sarif_dict

    return to_json(sarif_dict(report))


def to_json(value: Mapping[str, Any]) -> str:
    """Return indented JSON, ending in a line feed, that can be encoded and shown anywhere.

    Lone surrogates (from text that was no UTF-8) and characters that steer a terminal are
    escaped; a reader gets them back as they were. What JSON cannot hold becomes text.
    """
    text = json.dumps(plain_json(value), ensure_ascii=False, allow_nan=False, indent=2)
    return _NOT_SHOWN.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


for _name, _view in (
    ("text", _text),
    ("json", _json),
    ("markdown", _markdown),
    ("html", _html),
    ("sarif", _sarif),
):
    VIEWS.add(_name, _view)
