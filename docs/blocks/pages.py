"""Comparing the blocks of whole pages with what they do."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from blocks.parsing import Block, read_blocks, read_commands
from blocks.running import PythonSession, run_command, set_environment

_SHELLS = {"bash", "sh", "shell", "zsh"}
_ASK_CODE = "echo $?"


@dataclass
class PageResult:
    """What became of a page."""

    path: Path
    text: str
    """The page with the output that its commands have now."""
    problems: list[str] = field(default_factory=list)
    """What only a person can repair, with the line."""
    not_run: list[str] = field(default_factory=list)
    """The blocks that are not run, with the line and the reason."""
    stale: list[int] = field(default_factory=list)
    """Lines of the blocks that show something else."""


def check_pages(paths: Sequence[Path]) -> list[PageResult]:
    """Run the blocks of many pages, as many at once as there are processors."""
    import clausewise.cli  # noqa: F401  the processes are forked from this one

    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        return list(pool.map(check_page, paths))


def check_page(path: Path) -> PageResult:
    """Run the blocks of one page in a copy of the packaged sample."""
    from clausewise.datasets import sample_dir

    text = path.read_text(encoding="utf-8")
    result = PageResult(path, text)
    try:
        blocks = list(read_blocks(text))
    except ValueError as error:
        result.problems.append(str(error))
        return result
    with tempfile.TemporaryDirectory(prefix="clausewise-docs-") as temporary:
        folder = Path(temporary) / "sample"
        shutil.copytree(sample_dir(), folder)
        set_environment(Path(temporary))
        lines = text.split("\n")
        with PythonSession(folder) as session:
            new = [(block, _run_block(block, folder, session, result)) for block in blocks]
        for block, changed in reversed(new):
            if changed != block.text:
                result.stale.insert(0, block.line)
                shown = [f"{block.indent}{line}".rstrip() for line in changed.splitlines()]
                lines[block.first : block.end] = shown
        result.text = "\n".join(lines)
    return result


def _run_block(block: Block, folder: Path, session: PythonSession, result: PageResult) -> str:
    """Run one block and return what it should show."""
    text, error = block.text, _misplaced(block)
    if error is None and block.not_run is not None:
        result.not_run.append(f"line {block.line}: {block.not_run}")
    elif error is None:
        text, error = _shown(block, folder, session)
    if error is not None:
        result.problems.append(f"line {block.line}: {error.rstrip()}")
    return text


def _misplaced(block: Block) -> str | None:
    """Return what is wrong with the language of a block: one that hides a command is not run."""
    if not block.language:
        return "a block names its language; one that is no code says `text`"
    is_command = any(line.startswith(("$ ", "clausewise ")) for line in block.text.splitlines())
    if block.language in _SHELLS or (block.language == "text" and is_command):
        return "commands stand in a block of the language `console`"
    return None


def _shown(block: Block, folder: Path, session: PythonSession) -> tuple[str, str | None]:
    """Return what a block should show, and what went wrong."""
    if block.file is not None:
        (folder / block.file).write_text(block.text, encoding="utf-8")
    elif block.language == "python":
        return session.run(block.text)
    elif block.language == "console":
        try:
            return _run_console(block.text, folder), None
        except ValueError as error:
            return block.text, str(error)
    return block.text, None


def _run_console(text: str, folder: Path) -> str:
    """Return the block with what its commands print. Raises ValueError for one that fails."""
    commands = read_commands(text)
    shown: list[str] = []
    code = 0
    for number, command in enumerate(commands):
        if command.text == _ASK_CODE:
            output = f"{code}\n"
        else:
            code, output = run_command(command.text, folder)
            following = commands[number + 1].text if number + 1 < len(commands) else ""
            if code not in (0, 1, 3) and following != _ASK_CODE:
                raise ValueError(f"`{command.text}` ends with exit code {code}:\n{output}")
            if str(folder.parent) in output:
                raise ValueError(f"`{command.text}` prints a path of this machine:\n{output}")
        shown.append(f"{command.shown}\n{_without_trailing_blanks(output)}")
    return "".join(shown)


def _without_trailing_blanks(output: str) -> str:
    """Return the lines as an editor keeps them."""
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())
