"""A counterexample for a terminal: aligned tables, both results side by side where they fit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from clausewise.reporting.counterexample_view import CellView, CounterexampleView, RowsView

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

MARK = "*"
_BETWEEN = 4
_STYLES = {"null": "dim italic", "number": "", "text": ""}
_NARROWEST = 30


def counterexample_lines(
    view: CounterexampleView, width: int, indent: str = "", *, with_sentence: bool = True
) -> Iterator[Text]:
    """Yield the sentence, the tables and both results as lines of at most `width` columns."""
    from rich.console import Console

    inner = max(width - len(indent), _NARROWEST)
    console = Console(width=inner, highlight=False, markup=False, emoji=False)
    if with_sentence:
        yield from _wrapped(view.sentence, inner, indent)
        yield Text("")
    blocks = [
        *(_block([table], inner, console) for table in view.tables),
        _block(view.results, inner, console),
    ]
    for place, block in enumerate(blocks):
        if place:
            yield Text("")
        for line in _rendered(console, block):
            yield Text.assemble(indent, line)
    legend = [f"{MARK} {view.legend}"] if view.legend else []
    for place, note in enumerate((*legend, *view.notes)):
        if not place:
            yield Text("")
        yield from _wrapped(note, inner, indent)


def _block(parts: Sequence[RowsView], width: int, console: Console) -> RenderableType:
    """Return tables beside each other where they fit, else one below the other."""
    from rich.console import Group
    from rich.table import Table

    made = [_with_lines(part) for part in parts]
    needed = sum(console.measure(table).maximum for table in made) + _BETWEEN * (len(made) - 1)
    if len(made) == 1 or needed > width:
        spaced = [part for table in made for part in (table, "")]
        return Group(*spaced[:-1])
    grid = Table.grid(padding=(0, _BETWEEN, 0, 0), pad_edge=False)
    grid.add_row(*made)
    return grid


def _with_lines(part: RowsView) -> RenderableType:
    from rich.console import Group

    lines: list[RenderableType] = [Text(part.title, "bold")]
    if part.rows:
        lines.append(_table(part))
    else:
        lines.append(Text(" ".join(part.columns), "dim"))
        lines.append(Text("(no row)", "dim italic"))
    lines += [Text(note, "dim") for note in part.notes]
    return Group(*lines)


def _table(part: RowsView) -> Table:
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    marking = any(part.marked)
    for place, column in enumerate(part.columns):
        numeric = all(row[place].kind != "text" for row in part.rows)
        made.add_column(Text(column), justify="right" if numeric else "left", overflow="fold")
    if marking:
        made.add_column("", width=len(MARK))
    for row, marked in zip(part.rows, part.marked, strict=True):
        cells = [_cell(cell) for cell in row]
        mark = [Text(MARK if marked else "", "bold red")] if marking else []
        made.add_row(*cells, *mark, style="red" if marked else "")
    return made


def _cell(cell: CellView) -> Text:
    return Text(cell.text, _STYLES[cell.kind])


def _rendered(console: Console, block: RenderableType) -> Iterator[Text]:
    for segments in console.render_lines(block, pad=False):
        line = Text()
        for segment in segments:
            line.append(segment.text, segment.style)
        line.rstrip()
        yield line


def _wrapped(text: str, width: int, indent: str) -> Iterator[Text]:
    for line in textwrap.wrap(text, width):
        yield Text(indent + line)
