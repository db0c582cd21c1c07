"""The fenced blocks of a Markdown page, and the commands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENING = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^`]*)$")
_NOT_RUN = re.compile(r"^ *<!-- not run: (?P<reason>.+?) -->$")
_FILE = re.compile(r"\bfile=(?P<name>[\w.-]+)")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: `lines[first:end]` of the page are what stands between its fences."""

    first: int
    end: int
    indent: str
    language: str
    file: str | None
    """The file that the block's text is written to."""
    not_run: str | None
    """The reason for which it is not run."""
    text: str
    """Without the block's indent."""

    @property
    def line(self) -> int:
        """The line of the opening fence, counted from 1."""
        return self.first


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a console block with the output that the page shows."""

    shown: str
    """The lines of the command as they stand, from `$ ` on."""
    text: str
    """The command for the shell."""
    output: str


def read_blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order. Raises ValueError for a fence without end."""
    lines = page.split("\n")
    at = 0
    while at < len(lines):
        opening = _OPENING.match(lines[at])
        if opening is None:
            at += 1
            continue
        indent, fence = opening["indent"], opening["fence"]
        first = end = at + 1
        while end < len(lines) and lines[end].strip() != fence:
            end += 1
        if end == len(lines):
            raise ValueError(f"line {first}: the block has no end")
        reason = _NOT_RUN.match(lines[at - 1]) if at else None
        file = _FILE.search(opening["info"])
        words = opening["info"].split()
        yield Block(
            first=first,
            end=end,
            indent=indent,
            language=words[0] if words and "=" not in words[0] else "",
            file=file["name"] if file else None,
            not_run=reason["reason"] if reason else None,
            text="".join(line.removeprefix(indent) + "\n" for line in lines[first:end]),
        )
        at = end + 1


def read_commands(text: str) -> list[Command]:
    """Return the commands of a console block. Raises ValueError for output before the first."""
    commands: list[tuple[list[str], list[str]]] = []
    continues = False
    for line in text.splitlines():
        if continues:
            commands[-1][0].append(line)
        elif line.startswith("$ "):
            commands.append(([line], []))
        elif not commands:
            raise ValueError("a console block begins with a command: `$ ...`")
        else:
            commands[-1][1].append(line)
            continue
        continues = line.endswith("\\")
    return [
        Command(
            shown="\n".join(command),
            text="\n".join(command).removeprefix("$ ").replace("\\\n", ""),
            output="".join(f"{line}\n" for line in output),
        )
        for command, output in commands
    ]
