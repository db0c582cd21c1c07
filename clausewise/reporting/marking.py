"""The query's text with its suspect places marked: rows for fixed-width text, pieces for HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rich.cells import cell_len

from clausewise.text import visible

ROWS_SHOWN = 60
"""A longer query is shown only around its marks."""
_ROWS_AROUND = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """A suspect place: character offsets into the query, and the label put under it."""

    start: int
    end: int
    label: str


@dataclass(slots=True)
class Row:
    """One printed row of the query.

    `line` is the number of the line that begins in it, None where a long line goes on. `marked`
    are ranges of characters of `text`, `under` the rows of carets to print below it. `skipped`
    is how many rows were left out; such a row has no text.
    """

    text: str
    line: int | None = None
    marked: list[tuple[int, int]] = field(default_factory=list)
    under: list[str] = field(default_factory=list)
    skipped: int = 0


def merge_marks(places: Sequence[tuple[int, int]], sql: str) -> list[Mark]:
    """Return one mark for each distinct place, labeled with the numbers (from 1) that share it.

    Places are clipped to the text, and an empty one is widened to the nearest character. One
    that covers the whole query marks nothing: it would underline everything and say nothing.
    """
    whole = (len(sql) - len(sql.lstrip()), len(sql.rstrip().rstrip(";").rstrip()))
    labels: dict[tuple[int, int], list[str]] = {}
    for number, place in enumerate(places, start=1):
        start, end = _visible_place(*place, sql)
        if start <= whole[0] and end >= whole[1] > whole[0]:
            continue
        labels.setdefault((start, end), []).append(str(number))
    return [Mark(start, end, ",".join(numbers)) for (start, end), numbers in labels.items()]


def _visible_place(start: int, end: int, sql: str) -> tuple[int, int]:
    start, end = min(start, len(sql)), min(end, len(sql))
    if start < end:
        return start, end
    if sql[start : start + 1].strip():
        return start, start + 1
    before = len(sql[:start].rstrip())
    return max(before - 1, 0), before


def marked_rows(sql: str, marks: Sequence[Mark], width: int = 88) -> list[Row]:
    """Return the query in rows of at most `width` terminal cells, carets under the marks.

    Carets of overlapping marks stand on rows of their own. Where there are more than
    `ROWS_SHOWN` rows, only the first ones and those around marks are kept.
    """
    text = visible(sql)
    rows = []
    for line, start, end in _chunks(text, width):
        row = Row(text[start:end], line)
        _put_marks(row, marks, start, end)
        rows.append(row)
    return rows if len(rows) <= ROWS_SHOWN else _around_marks(rows)


def marked_pieces(sql: str, marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """Return the query cut at every border of a mark: (text, labels of the marks on it)."""
    text = visible(sql)
    borders = {0, len(text)}
    for mark in marks:
        borders |= {mark.start, mark.end}
    edges = sorted(borders)
    return [
        (
            text[start:end],
            ",".join(mark.label for mark in marks if mark.start <= start and end <= mark.end),
        )
        for start, end in pairwise(edges)
    ]


def _chunks(text: str, width: int) -> Iterator[tuple[int | None, int, int]]:
    """Yield (line number or None, start, end) of the rows that the text is printed in."""
    start = 0
    for number, line in enumerate(text.split("\n"), start=1):
        place, shown = start, False
        while True:
            end = _row_end(text, place, start + len(line), width)
            yield (None if shown else number), place, end
            place, shown = end, True
            if place >= start + len(line):
                break
        start += len(line) + 1


def _row_end(text: str, start: int, line_end: int, width: int) -> int:
    """Return where a row that begins at `start` ends: after a space where there is one."""
    cells = 0
    last_space = None
    for place in range(start, line_end):
        cells += cell_len(text[place])
        if cells > width and place > start:
            return last_space or place
        if text[place] == " ":
            last_space = place + 1
    return line_end


def _put_marks(row: Row, marks: Sequence[Mark], start: int, end: int) -> None:
    free_from: list[int] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        place = _place_in_row(row.text, mark, start, end)
        if place is None:
            continue
        row.marked.append(place)
        column = cell_len(row.text[: place[0]])
        carets = "^" * max(1, cell_len(row.text[place[0] : place[1]]))
        level = next((i for i, used in enumerate(free_from) if used < column), len(free_from))
        if level == len(free_from):
            free_from.append(-1)
            row.under.append("")
        row.under[level] = row.under[level].ljust(column) + f"{carets} {mark.label}"
        free_from[level] = len(row.under[level])


def _place_in_row(text: str, mark: Mark, start: int, end: int) -> tuple[int, int] | None:
    """Return the part of a mark that lies in the row, without the spaces at its ends."""
    first, last = max(mark.start, start) - start, min(mark.end, end) - start
    if first >= last:
        return None
    part = text[first:last]
    stripped = part.strip()
    if not stripped:
        return None
    first += len(part) - len(part.lstrip())
    return first, first + len(stripped)


def _around_marks(rows: list[Row]) -> list[Row]:
    shown = set(range(_ROWS_AROUND + 1))
    for place, row in enumerate(rows):
        if row.under:
            shown |= set(range(place - _ROWS_AROUND, place + _ROWS_AROUND + 1))
    kept: list[Row] = []
    for place, row in enumerate(rows):
        if place in shown:
            kept.append(row)
        elif kept and kept[-1].skipped:
            kept[-1].skipped += 1
        else:
            kept.append(Row("", skipped=1))
    return kept
