"""Tables and figures for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def printed(parts: Iterable[RenderableType], *, color: bool, width: int) -> str:
    """Return the parts as text of at most `width` columns, with ANSI codes where wanted."""
    from rich.console import Console

    stream = io.StringIO()
    console = Console(
        file=stream,
        force_terminal=color,
        color_system="standard" if color else None,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for part in parts:
        console.print(part)
    lines = stream.getvalue().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def new_table(title: str, *columns: str) -> Table:
    """Return an empty table; all columns but the first are flush right."""
    from rich import box
    from rich.table import Table

    made = Table(title=f"\n{title}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        made.add_column(column, justify="left" if place == 0 else "right")
    return made


def ranged(value: float | None, interval: Sequence[float] | None) -> str:
    """Return a value with its interval of [low, high], a dash where there is none."""
    if value is None or interval is None:
        return number(value)
    return f"{number(value)} [{number(interval[0])}, {number(interval[1])}]"


def number(value: float | None, digits: int = 3) -> str:
    """Return a rounded value, a dash where it is None."""
    return "-" if value is None else f"{value:.{digits}f}"
