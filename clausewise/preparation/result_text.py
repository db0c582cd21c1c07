"""The result of a query as text for a prompt: column names, first rows, how many there are."""

from __future__ import annotations

from clausewise.databases.model import QueryResult
from clausewise.preparation.examples import shortened_line, write_value

ROWS = 5
"""Rows shown; DART-SQL gains little from more than 3 and nothing from more than 7."""
COLUMNS = 30
"""Columns shown of each row."""


def show_rows(result: QueryResult, most: int = ROWS) -> str:
    """Return the columns' names and the first rows, one a line, cells as SQL writes them."""
    lines = [" | ".join(shortened_line(name, 60) for name in result.columns[:COLUMNS])]
    for row in result.rows[:most]:
        lines.append(" | ".join(write_value(cell) for cell in row[:COLUMNS]))
    return "\n".join(lines)


def count_rows(result: QueryResult, most: int = ROWS) -> str:
    """Return how many rows there are and how many of them `show_rows` shows."""
    rows, columns = len(result.rows), len(result.columns)
    more = "more than " if result.truncated else ""
    counted = f"{more}{rows} row{'s' * (rows != 1)} of {columns} column{'s' * (columns != 1)}"
    return counted if rows <= most and not result.truncated else f"the first {most} of {counted}"
