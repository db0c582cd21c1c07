"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

Interval = Sequence[float]
"""A figure, the lower and the upper end of its 95 % interval; NaN where it is undefined."""


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def interval_text(interval: Interval, signed: bool = False) -> str:
    """Return a figure with its interval as text, "-" where it is undefined."""
    value, low, high = interval
    if value != value:
        return "-"
    spec = "+.3f" if signed else ".3f"
    return f"{value:{spec}} ({low:{spec}} to {high:{spec}})"
