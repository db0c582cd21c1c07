"""One attack and its end, and the tables made of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from experiments.common.tables import markdown_table

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Row:
    """One attack: what must happen, what happened, how long it took, which promises were broken."""

    attack: str
    expected: str
    happened: str
    seconds: float
    broken: Sequence[str] = ()

    @property
    def kept(self) -> bool:
        """Whether every promise was kept."""
        return not self.broken

    def without(self, path: str) -> Row:
        """Return the row with a folder's path taken out of its texts."""
        texts = [text.replace(path, "") for text in (self.happened, *self.broken)]
        return replace(self, happened=texts[0], broken=texts[1:])


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    header = ["attack", "expected", "what happened", "seconds"]
    return markdown_table(
        header,
        [
            [_cell(row.attack), _cell(row.expected), _what(row), f"{row.seconds:.1f}"]
            for row in rows
        ],
    )


def _what(row: Row) -> str:
    if row.kept:
        return _cell(row.happened)
    return f"{_cell(row.happened)} **BROKEN: {'; '.join(map(_cell, row.broken))}**"


def _cell(text: str) -> str:
    """Return a text on one line, without control characters, cut where it is long."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    joined = " ".join(plain.split())
    short = joined if len(joined) <= _LONGEST else joined[: _LONGEST - 3] + "..."
    return short.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
