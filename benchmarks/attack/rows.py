"""One attack and its end, and the tables made of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from experiments.common.tables import markdown_table

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Row:
    """One attack: what must happen, what happened, and which promises were broken."""

    attack: str
    expected: str
    happened: str
    seconds: float
    broken: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether every promise was kept."""
        return not self.broken


def row(
    attack: str, expected: str, happened: str, seconds: float, broken: Iterable[str] = ()
) -> Row:
    """Return a row whose texts fit into a line."""
    return Row(attack, expected, _line(happened), seconds, tuple(map(_line, broken)))


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    header = ["attack", "expected", "what happened", "seconds"]
    return markdown_table(
        header,
        [
            [_cell(item.attack), _cell(item.expected), _cell(_what(item)), f"{item.seconds:.1f}"]
            for item in rows
        ],
    )


def _what(item: Row) -> str:
    return item.happened if item.kept else f"{item.happened} **BROKEN: {'; '.join(item.broken)}**"


def _line(text: str) -> str:
    """Return a text on one line, without control characters, cut where it is long."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    joined = " ".join(plain.split())
    return joined if len(joined) <= _LONGEST else joined[: _LONGEST - 3] + "..."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
