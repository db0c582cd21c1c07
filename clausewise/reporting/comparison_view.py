"""A comparison of two queries as text, Markdown, HTML and JSON."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from clausewise._version import __version__
from clausewise.equivalence import EquivalenceResult, EquivalenceVerdict
from clausewise.errors import InputError
from clausewise.reporting.comparison_record import read_counterexample
from clausewise.reporting.counterexample_text import counterexample_lines
from clausewise.reporting.counterexample_view import CounterexampleView, counterexample_view
from clausewise.reporting.json_view import to_json
from clausewise.reporting.markup_views import rendered_template
from clausewise.text import one_line, visible

QUERY_NAMES = ("the first query", "the second query")
FORMATS = ("text", "json", "markdown", "html")
_WORDS = {
    EquivalenceVerdict.EQUIVALENT: "equivalent",
    EquivalenceVerdict.NOT_EQUIVALENT: "not equivalent",
    EquivalenceVerdict.UNKNOWN: "unknown",
}
_STYLES = {"equivalent": "bold green", "not equivalent": "bold red", "unknown": "bold yellow"}
_CLASSES = {"equivalent": "correct", "not equivalent": "incorrect", "unknown": "unchecked"}
_NARROWEST = 40


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A comparison in words; all texts but those of the queries are on one line."""

    verdict: str
    sentence: str
    style: str
    """The class of the verdict on an HTML page."""
    queries: tuple[tuple[str, str], ...]
    """What each query is called, and its text."""
    counterexample: CounterexampleView | None
    proof: tuple[str, ...]
    attempts: tuple[str, ...]


def render_comparison(
    result: EquivalenceResult,
    queries: tuple[str, str],
    format: str = "text",
    *,
    dialect: str = "sqlite",
    color: bool = False,
    width: int = 100,
) -> str:
    """Return what a comparison found in one of `FORMATS`, ending in a line feed.

    Parameters
    ----------
    result
        What `compare` returned for the queries.
    queries
        Their texts.
    dialect
        Of both.
    color, width
        Of `text`: ANSI colors, and columns.

    Raises
    ------
    InputError
        For another format.
    """
    if format == "json":
        return to_json(result.to_dict())
    view = comparison_view(result, queries, dialect=dialect)
    if format == "text":
        return _printed(_text_lines(view, max(width, _NARROWEST)), color)
    if format == "markdown":
        return rendered_template("comparison.md.j2", comparison=view, version=__version__)
    if format == "html":
        return rendered_template("comparison.html.j2", comparison=view, version=__version__)
    raise InputError(f"unknown format '{format}'; known: {', '.join(FORMATS)}", field="format")


def comparison_view(
    result: EquivalenceResult, queries: tuple[str, str], *, dialect: str = "sqlite"
) -> ComparisonView:
    """Return what there is to show of a comparison."""
    found = result.counterexample
    record = None if found is None else read_counterexample(found.to_dict())
    shown = (
        None
        if record is None
        else counterexample_view(record, queries, names=QUERY_NAMES, dialect=dialect)
    )
    verdict = _WORDS[result.verdict]
    return ComparisonView(
        verdict=verdict,
        sentence=_sentence(result, shown),
        style=_CLASSES[verdict],
        queries=tuple(
            (name.removeprefix("the "), visible(text).strip())
            for name, text in zip(QUERY_NAMES, queries, strict=True)
        ),
        counterexample=shown,
        proof=tuple(one_line(step) for step in result.proof),
        attempts=tuple(
            one_line(f"{attempt.stage.value} ({attempt.tried}): {attempt.outcome}")
            for attempt in result.attempts
        ),
    )


def _sentence(result: EquivalenceResult, shown: CounterexampleView | None) -> str:
    if shown is not None:
        return shown.sentence
    if result.verdict is EquivalenceVerdict.EQUIVALENT:
        said = "Both queries give the same result on every valid database"
        if not result.let_pass:
            return f"{said}."
        return f"{said}, up to {' and '.join(result.let_pass)}, which conventions let pass."
    return f"{one_line(result.reason)[:1].upper()}{one_line(result.reason)[1:].rstrip('.')}."


def _text_lines(view: ComparisonView, width: int) -> Iterator[Text]:
    yield Text(view.verdict.upper(), _STYLES[view.verdict])
    yield from _wrapped(view.sentence, width)
    yield Text("")
    for name, text in view.queries:
        yield from _query_lines(name, text, width)
    if view.counterexample is not None:
        yield Text("")
        yield from counterexample_lines(view.counterexample, width, with_sentence=False)
    yield from _listed("proof", view.proof, width)
    yield from _listed("tried", view.attempts, width)


def _query_lines(name: str, text: str, width: int) -> Iterator[Text]:
    head = f"{name:<13}  "
    for place, line in enumerate(text.splitlines() or [""]):
        margin = head if not place else " " * len(head)
        wrapped = textwrap.wrap(
            line,
            width,
            initial_indent=margin,
            subsequent_indent=" " * len(head),
            break_on_hyphens=False,
        )
        for number, piece in enumerate(wrapped):
            shown = Text(piece)
            if not place and not number:
                shown.stylize("dim", 0, len(head))
            yield shown


def _listed(title: str, lines: Sequence[str], width: int) -> Iterator[Text]:
    if lines:
        yield Text("")
    for place, line in enumerate(lines):
        yield from _wrapped(line, width, f"{title if not place else '':<6} ", " " * 7)


def _wrapped(text: str, width: int, first: str = "", later: str = "") -> Iterator[Text]:
    for line in textwrap.wrap(text, width, initial_indent=first, subsequent_indent=later):
        yield Text(line)


def _printed(lines: Iterator[Text], color: bool) -> str:
    if not color:
        return "".join(f"{line.plain.rstrip()}\n" for line in lines)
    from rich.console import Console

    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=True, color_system="standard", no_color=False, width=10_000
    )
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False, emoji=False)
    return stream.getvalue()
