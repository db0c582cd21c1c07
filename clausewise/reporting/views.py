"""The formats of a report, by name: one dictionary, many views."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from clausewise.registry import Registry
from clausewise.reporting.contents import ReportContents
from clausewise.reporting.error_report import SignalNotes
from clausewise.reporting.report import build_report
from clausewise.text import plain_json
from clausewise.types import Json, ScoredCase


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How a report is laid out; a view takes what concerns it.

    `color`: ANSI colors in `text`; `width`: columns of `text`; `details`: the readable
    views write out every case, every finding and what was not checked.
    """

    color: bool = False
    width: int = 100
    details: bool = False


_NOT_SHOWN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

View: TypeAlias = Callable[[ReportContents, ViewOptions], str]

VIEWS: Registry[View] = Registry("report format")
"""Every format that `render` knows; a view takes the report and the options."""


def render(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    format: str = "text",
    *,
    settings: Mapping[str, Any] | None = None,
    signals: Mapping[str, SignalNotes] | None = None,
    only: Collection[str] = (),
    top: int | None = None,
    sort: str | None = None,
    details: bool = False,
    color: bool = False,
    width: int = 100,
) -> str:
    """Return the scored cases in a format of `VIEWS`.

    Parameters
    ----------
    scored
        Scored cases, or dictionaries like a line of a scores file.
    format
        `text`, `json`, `markdown`, `html`, `csv` or `sarif`.
    settings, signals, only, top, sort
        As for `build_report`.
    details
        Whether text, Markdown and HTML write out every case, every finding and what was not
        checked.
    color, width
        Of `text`: ANSI colors, and columns.

    Raises
    ------
    RegistryError
        For an unknown format; it names the known ones.
    InputError
        Where a score is neither a scored case nor a dictionary like one, or a choice is unknown.
    """
    view = VIEWS[format]
    report = build_report(scored, settings, signals=signals, only=only, top=top, sort=sort)
    return view(report, ViewOptions(color, width, details))


def _text(report: ReportContents, options: ViewOptions) -> str:
    from clausewise.reporting.text_view import text_view

    return text_view(report, color=options.color, width=options.width, details=options.details)


def _json(report: ReportContents, _options: ViewOptions) -> str:
    return to_json(report.to_dict())


def _markdown(report: ReportContents, options: ViewOptions) -> str:
    from clausewise.reporting.markup_views import markdown_view

    return markdown_view(report, details=options.details)


def _html(report: ReportContents, options: ViewOptions) -> str:
    from clausewise.reporting.markup_views import html_view

    return html_view(report, details=options.details)


def _csv(report: ReportContents, _options: ViewOptions) -> str:
    from clausewise.reporting.csv_view import csv_view

    return csv_view(report)


def _sarif(report: ReportContents, _options: ViewOptions) -> str:
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
    ("csv", _csv),
    ("sarif", _sarif),
):
    VIEWS.add(_name, _view)
