"""The example of the page on adding a signal passes its own contract checks and fixtures."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clausewise.signals import HEADINGS, SIGNALS, SignalSpec, load_signals
from clausewise.testing import check_behavior, check_fixture, check_metadata, load_fixtures

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-signal.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)


def ruff_complaints(source: str) -> str:
    """Return what ruff says of the example, read as a signal of this repository."""
    command = [sys.executable, "-m", "ruff", "check", "--quiet", "--stdin-filename"]
    place = "clausewise/signals/question/qst99_round_number.py"
    run = subprocess.run(
        [*command, place, "-"],
        input=source,
        capture_output=True,
        text=True,
        cwd=PAGE.parents[2],
        check=False,
    )
    return run.stdout + run.stderr


@pytest.fixture
def spec() -> Iterator[SignalSpec]:
    """Register the page's signal, and take it out again."""
    source = next(text for kind, text in BLOCKS if kind == "python")
    assert not ruff_complaints(source)
    namespace: dict[str, Any] = {"__name__": "page"}
    load_signals()  # what is put back must be all of them, whichever test comes first
    known = dict(SIGNALS._items), dict(SIGNALS._codes)
    exec(compile(source, str(PAGE), "exec"), namespace)
    yield SIGNALS["round_number"]
    SIGNALS._items, SIGNALS._codes = known


def test_the_example_passes_the_contract_checks(spec: SignalSpec, tmp_path: Path) -> None:
    check_metadata(spec)
    check_behavior(spec, tmp_path)


def test_the_example_passes_its_fixtures(spec: SignalSpec, tmp_path: Path) -> None:
    cases = [text for kind, text in BLOCKS if kind == "yaml" and "replies:" not in text]
    path = tmp_path / "QST99_round_number.yaml"
    path.write_text("".join(cases), encoding="utf-8")
    fixtures = load_fixtures(path)
    assert {fixture.expect for fixture in fixtures} == {"fired", "silent", "not_applicable"}
    for number, fixture in enumerate(fixtures):
        folder = tmp_path / str(number)
        folder.mkdir()
        check_fixture(fixture, folder)


def test_the_page_lists_the_headings() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"^\d\. (.+)$", text, re.M)
    assert tuple(listed[: len(HEADINGS)]) == HEADINGS


def test_every_yaml_block_is_yaml() -> None:
    for kind, text in BLOCKS:
        if kind == "yaml":
            yaml.safe_load(text)
