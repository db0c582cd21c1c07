"""Runs with two processes that are killed at random moments, and resumed."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.hostile_files import with_log
from benchmarks.attack.order import ON_LOG
from benchmarks.attack.rows import Row
from benchmarks.attack.sandbox import GRACE, Done, Running, Sandbox
from benchmarks.attack.scoring import FINDINGS, hostile_case, sample_databases, write_cases
from clausewise.datasets import sample_dir

PROMISE = (
    "A run with `--jobs 2` is killed at random moments, by SIGKILL and SIGTERM in turn, the "
    f"command itself and not what it started. Within {GRACE:g} s no process and no temporary file "
    "is left; resumed, it ends with the same bytes as a run that was never killed."
)
EXPECTED = "nothing left, then the same bytes"

Moment = Callable[[Running, Path], None]
"""Waits for the moment to kill; gets the run and the file that it writes."""


@dataclass(frozen=True, slots=True)
class Round:
    """When a run is killed, how, and whether its cache was empty."""

    name: str
    moments: tuple[Moment, ...]
    cold: bool


def after(seconds: float) -> Moment:
    """Return the moment so many seconds after the start, or at the end of the run."""

    def wait(running: Running, _out: Path) -> None:
        deadline = time.monotonic() + seconds
        while not running.ended() and time.monotonic() < deadline:
            time.sleep(0.005)

    return wait


def at_line(count: int) -> Moment:
    """Return the moment when so many lines are written, or at the end of the run."""

    def wait(running: Running, out: Path) -> None:
        partial = out.with_name(out.name + ".partial")
        while not running.ended() and _lines(partial) < count:
            time.sleep(0.005)

    return wait


def rounds(number: int, seconds: float, seed: int = 9) -> list[Round]:
    """Return so many rounds with moments within the seconds that a whole run takes."""
    draw = random.Random(seed)
    found = []
    for index in range(number):
        kills = 1 + index % 2
        times = [round(draw.uniform(0.05, 0.95) * seconds, 2) for _ in range(kills)]
        cold = index % 3 == 0
        name = f"after {' and '.join(f'{at:g} s' for at in times)}{', no cache' * cold}"
        found.append(Round(name, tuple(map(after, times)), cold))
    return found


def run(
    folder: Path,
    number: int = 20,
    repeat: int = 2,
    every: int = 1,
    log: bool = True,
    chosen: list[Round] | None = None,
) -> Iterator[Row]:
    """Kill and resume so many runs of one in `every` case of the sample, so many times each.

    With `log`, some cases are about a database with a log, of which a run makes a private copy.
    """
    sandbox = Sandbox(folder / "sandbox")
    databases = sample_databases(folder / "databases")
    (databases / "log").mkdir()
    with_log(damage=False, index=False)(databases / "log" / "log.sqlite")
    arguments = (
        "score",
        _cases(sandbox, repeat, every, ON_LOG if log else ()),
        "--databases",
        databases,
        "--jobs",
        2,
    )
    whole = sandbox.work / "whole.jsonl"
    done = sandbox.run(*arguments, "--out", whole, seconds=600.0)
    broken = done.broken(FINDINGS) + sandbox.left()
    yield Row(
        "never killed", "every case comes back", f"{_lines(whole)} lines", done.seconds, broken
    )
    if not whole.is_file():
        return
    for index, chosen_round in enumerate(chosen or rounds(number, done.seconds)):
        how = signal.SIGKILL if index % 2 == 0 else signal.SIGTERM
        if chosen_round.cold:
            shutil.rmtree(sandbox.cache, ignore_errors=True)
        yield _round(sandbox, arguments, whole, chosen_round, how)


def _round(
    sandbox: Sandbox,
    arguments: tuple[object, ...],
    whole: Path,
    chosen: Round,
    how: signal.Signals,
) -> Row:
    """Kill a run at each moment, resume it to the end, and compare."""
    out = sandbox.work / "killed.jsonl"
    began = time.monotonic()
    happened, broken = [], []
    for moment in chosen.moments:
        running = sandbox.start(*arguments, "--out", out, "--resume")
        moment(running, out)
        kept = "had ended" if running.ended() else f"killed at line {_lines(_partial(out))}"
        running.send(how)
        done = running.wait(600.0) if kept == "had ended" else _ended(running)
        happened.append(f"{kept}, exit {done.code}")
        broken += done.broken(FINDINGS | {-9, -15, 130, 143}) + sandbox.left()
    last = sandbox.run(*arguments, "--out", out, "--resume", seconds=600.0)
    broken += last.broken(FINDINGS) + sandbox.left()
    if not out.is_file() or out.read_bytes() != whole.read_bytes():
        broken.append("the resumed file differs")
    beside = sorted(
        {path.name for path in sandbox.work.iterdir()} - {whole.name, out.name, "cases.jsonl"}
    )
    if beside:
        broken.append(f"beside it is left: {', '.join(beside)}")
    out.unlink(missing_ok=True)
    text = "; ".join([*happened, last.err.strip().splitlines()[0] if last.err.strip() else ""])
    return Row(f"{how.name} {chosen.name}", EXPECTED, text, time.monotonic() - began, broken)


def _ended(running: Running) -> Done:
    """Return the end of a run that was killed; it gets the grace to end by itself."""
    return running.wait(time.monotonic() - running.began + GRACE)


def _cases(sandbox: Sandbox, repeat: int, every: int, on_log: Sequence[str]) -> Path:
    lines = (sample_dir() / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    sample = [json.loads(line) for line in lines[::every]]
    sample += [hostile_case(sql, "log", f"log {index}") for index, sql in enumerate(on_log)]
    cases = [
        {**case, "question_id": f"{case['question_id']} {number}"}
        for number in range(repeat)
        for case in sample
    ]
    return write_cases(sandbox.work / "cases.jsonl", cases)


def _partial(out: Path) -> Path:
    return out.with_name(out.name + ".partial")


def _lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0
