"""The formats of a report, by name: one dictionary, many views."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from clausewise.registry import Registry
from clausewise.reporting.contents import ReportContents
from clausewise.reporting.error_report import SignalNotes
from clausewise.reporting.json_view import json_view
from clausewise.reporting.report import StreamedReport, stream_report
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


View: TypeAlias = Callable[[ReportContents, ViewOptions], str]


@dataclass(frozen=True, slots=True)
class ChunkedView:
    """A view that is written piece by piece; called as a function it returns the whole text.

    Attributes
    ----------
    chunks
        Yields the text in pieces.
    """

    chunks: Callable[[ReportContents, ViewOptions], Iterator[str]]

    def __call__(self, report: ReportContents, options: ViewOptions) -> str:
        """Return the whole text."""
        return "".join(self.chunks(report, options))


CHUNK = 2**16
"""Characters that `iter_view` yields at least at a time, but for the last."""

VIEWS: Registry[View] = Registry("report format")
"""Every format that `render` knows; a view takes the report and the options, and is written
piece by piece where it is a `ChunkedView`."""


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
    _ = VIEWS[format]
    report = stream_report(scored, settings, signals=signals, only=only, top=top, sort=sort)
    return "".join(iter_view(report, format, ViewOptions(color, width, details)))


def iter_view(report: StreamedReport, format: str, options: ViewOptions) -> Iterator[str]:
    """Yield the text of a report in a format of `VIEWS`, some `CHUNK` characters at a time.

    Raises
    ------
    RegistryError
        For an unknown format; it names the known ones.
    InputError
        Where a case can no longer be read, or holds JSON nested too deeply to be written.
    """
    view = VIEWS[format]
    chunks = getattr(view, "chunks", None)
    held: list[str] = []
    length = 0
    try:
        for piece in [view(report, options)] if chunks is None else chunks(report, options):
            held.append(piece)
            length += len(piece)
            if length >= CHUNK:
                yield "".join(held)
                held.clear()
                length = 0
    except RecursionError:
        message = f"nested too deeply for the format '{format}'"
        raise report.cases.error(message) from None
    yield "".join(held)


def _text(report: ReportContents, options: ViewOptions) -> Iterator[str]:
    from clausewise.reporting.text_view import text_view

    return text_view(report, color=options.color, width=options.width, details=options.details)


def _json(report: ReportContents, _options: ViewOptions) -> Iterator[str]:
    return json_view(report)


def _markdown(report: ReportContents, options: ViewOptions) -> Iterator[str]:
    from clausewise.reporting.markup_views import markdown_view

    return markdown_view(report, details=options.details)


def _html(report: ReportContents, options: ViewOptions) -> Iterator[str]:
    from clausewise.reporting.markup_views import html_view

    return html_view(report, details=options.details)


def _csv(report: ReportContents, _options: ViewOptions) -> Iterator[str]:
    from clausewise.reporting.csv_view import csv_view

    return csv_view(report)


def _sarif(report: ReportContents, _options: ViewOptions) -> Iterator[str]:
    from clausewise.reporting.sarif_view import sarif_view

    return sarif_view(report)


for _name, _chunks in (
    ("text", _text),
    ("json", _json),
    ("markdown", _markdown),
    ("html", _html),
    ("csv", _csv),
    ("sarif", _sarif),
):
    VIEWS.add(_name, ChunkedView(_chunks))
