"""A page that shows something else than what happens fails, and `make docs` corrects it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from blocks.parsing import read_blocks, read_commands
from blocks.running import is_plain_clausewise

GENERATE = Path(__file__).parents[2] / "docs" / "generate.py"

GOOD = """
```console
$ (exit 2)
$ echo $?
2
$ printf 'b\\na\\n' | sort
a
b
$ clausewise --version | sed 's/ .*//'
clausewise
$ touch made; \\
    ls made
made
```

  ```python
  path = "labels.jsonl"
  ```

```json file=one.json
{"n": 1}
```

```python
>>> open(path).readline()
'{"question_id": "bookshop-001", "correct": true}\\n'
>>> import json
>>> json.load(open("one.json"))
{'n': 1}
```

<!-- not run: there is no such program -->
```console
$ no-such-program
```

```text
cases -> scores
```
"""

PAGES: Mapping[str, tuple[str, str]] = {
    "output": ("```console\n$ echo new\nold\n```\n", ":1: shows something else"),
    "more": ("text\n\n```console\n$ printf ''\nold\n```\n", ":3: shows something else"),
    "example": ("```python\n>>> 1 + 1\n3\n```\n", ":1: shows something else"),
    "raises": ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
    "example raises": ("```python\n>>> 1 / 0\n1\n```\n", "ZeroDivisionError"),
    "skipped": ("```python\n>>> 1  # doctest: +SKIP\n2\n```\n", "an example is skipped"),
    "fails": ("```console\n$ clausewise score\n```\n", "ends with exit code 2"),
    "fails in a pipe": ("```console\n$ clausewise score | cat\n```\n", "ends with exit code 2"),
    "path": ("```console\n$ pwd\n```\n", "prints a path of this machine"),
    "no language": ("```\n$ clausewise score\n```\n", "a block names its language"),
    "other language": ("```bash\nclausewise score\n```\n", "of the language `console`"),
    "hidden": ("```text\nclausewise score\n```\n", "of the language `console`"),
    "no command": ("```console\nclausewise score\n```\n", "begins with a command"),
    "no end": ("```console\n$ true\n", "the block has no end"),
}


def _generate(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, GENERATE, *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "good.md").write_text(GOOD, encoding="utf-8")
    for name, (text, _) in PAGES.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    return _generate("--check", *(folder / f"{name}.md" for name in ["good", *PAGES]))


@pytest.mark.parametrize("name", PAGES)
def test_what_is_not_so_fails(
    folder: Path, checked: subprocess.CompletedProcess[str], name: str
) -> None:
    assert checked.returncode == 1
    expected = PAGES[name][1]
    messages = [
        part for part in checked.stderr.split(f"{folder}/") if part.startswith(f"{name}.md")
    ]
    assert any(expected in message for message in messages), checked.stderr
    assert (folder / f"{name}.md").read_text() == PAGES[name][0], "a check writes nothing"


def test_what_is_so_passes(folder: Path, checked: subprocess.CompletedProcess[str]) -> None:
    assert "good.md" not in checked.stderr
    assert f"not run: {folder / 'good.md'}: line 33: there is no such program" in checked.stdout


def test_what_is_shown_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    stale = "\n".join(f"before\n\n{PAGES[name][0]}" for name in ("output", "more", "example"))
    page.write_text(stale, encoding="utf-8")
    assert _generate(page).returncode == 0
    repaired = stale.replace("$ echo new\nold", "$ echo new\nnew").replace("''\nold\n", "''\n")
    assert page.read_text(encoding="utf-8") == repaired.replace("1 + 1\n3", "1 + 1\n2")
    assert _generate("--check", page).returncode == 0


def test_blocks_keep_their_place() -> None:
    blocks = list(read_blocks(GOOD))
    assert [block.language for block in blocks] == [
        "console", "python", "json", "python", "console", "text",
    ]  # fmt: skip
    assert (blocks[1].indent, blocks[1].text) == ("  ", 'path = "labels.jsonl"\n')
    assert (blocks[2].file, blocks[4].not_run) == ("one.json", "there is no such program")
    lines = GOOD.split("\n")
    assert lines[blocks[5].line - 1] == "```text"


def test_a_command_may_take_several_lines() -> None:
    first, second = read_commands("$ a \\\n    b\nout\n\nmore\n$ c\n")
    assert (first.shown, first.text, first.output) == ("$ a \\\n    b", "a     b", "out\n\nmore\n")
    assert (second.text, second.output) == ("c", "")


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ('clausewise check --sql "SELECT COUNT(*) FROM t WHERE a > 1; -- x"', True),
        ("clausewise check --sql 'SELECT `a` | b'", True),
        ("clausewise score cases.jsonl > out", False),
        ('clausewise check --sql "$SQL"', False),
        ("clausewise score *.jsonl", False),
        ("echo clausewise", False),
    ],
)
def test_what_needs_a_shell_gets_one(command: str, plain: bool) -> None:
    assert is_plain_clausewise(command) is plain
