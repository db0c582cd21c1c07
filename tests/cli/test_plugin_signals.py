"""A signal that was added after the packaged detector was fitted runs and counts at once."""

import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from clausewise.signals import loading
from clausewise.signals.base import SIGNALS

Run = Callable[..., Any]

PLUGIN = '''
from clausewise.signals.base import signal
from clausewise.types import Clause, Cost, Finding, Need


@signal(
    code="PLUG01", name="shouting", group="question", family="plugin",
    clauses={Clause.SELECT}, needs={Need.QUESTION}, cost=Cost.PARSE, version=1,
)
def shouting(case, context):
    """Fires where the question ends in an exclamation mark.

    What it measures: The last character of the question.
    Why it points to an error: It does not; this is a test.
    Fires on: `Who is it!`
    Stays silent on: `Who is it?`
    Does not apply when: There is no question.
    Cost: Nothing.
    References: None.
    """
    if case.question.endswith("!"):
        place = context.query.selects[0].clauses[0]
        yield Finding(place, 0.9, "the question shouts", reason="loud")
'''


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register a plug-in's signal by an entry point, for one test."""
    (tmp_path / "shouting_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("shouting", "shouting_plugin", loading.ENTRY_POINT_GROUP)
    monkeypatch.setattr(loading, "entry_points", lambda group: (point,))
    loading.load_signals.cache_clear()
    loading.load_signals()
    yield
    SIGNALS._items.pop("shouting")
    SIGNALS._codes.pop("PLUG01")
    sys.modules.pop("shouting_plugin")
    loading.load_signals.cache_clear()


def _arguments(sample: Path, question: str) -> tuple[object, ...]:
    return (
        "check", "--db", sample / "databases" / "bookshop" / "bookshop.sqlite",
        "-q", question, "-s", "SELECT COUNT(*) FROM books",
    )  # fmt: skip


def test_an_added_signal_counts_as_its_grade_says(run: Run, sample: Path, plugin: None) -> None:
    done = run(*_arguments(sample, "How many books are there!"), "--format", "json")
    record = json.loads(done.out)
    (finding,) = [found for found in record["findings"] if found["signal"] == "shouting"]
    assert finding["contribution"] > 0
    assert record["signals"]["shouting"] == "fired"
    assert "shouting" not in record["signal_reasons"]
    silent = json.loads(run(*_arguments(sample, "How many books are there?"), "-f", "json").out)
    assert silent["signals"]["shouting"] == "silent"
    assert silent["p_correct"] > record["p_correct"]


def test_a_silent_added_signal_changes_no_probability(
    run: Run, sample: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    common = ("score", sample / "cases.jsonl", "--databases", sample / "databases", "--out")
    run(*common, tmp_path / "before.jsonl")
    request.getfixturevalue("plugin")
    run(*common, tmp_path / "after.jsonl")

    def lines(name: str) -> list[dict]:
        return [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]

    before, after = lines("before.jsonl"), lines("after.jsonl")
    assert [line["p_correct"] for line in before] == [line["p_correct"] for line in after]
    assert not any("shouting" in line["signals"] for line in before)
    assert all("shouting" in line["signals"] for line in after if line["status"] == "ok")


def test_a_detector_of_chosen_signals_runs_no_others(
    run: Run, sample: Path, detector: Path, plugin: None
) -> None:
    done = run(*_arguments(sample, "How many!"), "--detector", detector, "--format", "json")
    assert done.out, done.err
    assert "shouting" not in json.loads(done.out)["signals"]
