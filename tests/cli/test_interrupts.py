"""Ctrl-C and SIGTERM, sent to a process that has shown that it is at the right place."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clausewise.testing.endpoint import Reply, ScriptedEndpoint, fitting

Run = Callable[..., Any]
HELD = "Which books are held back?"

# What runs in the background of a shell begins with interrupts ignored.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
MAIN = START + "from clausewise.cli import main; main()"


class Model:
    """Answers every request but those about the question `HELD` until they are released."""

    def __init__(self) -> None:
        self.waiting = threading.Event()
        self.released = threading.Event()

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        if HELD not in json.dumps(request["messages"]) or self.released.is_set():
            return Reply(fitting(request))
        return Reply(fitting(request), before=self._hold)

    def _hold(self) -> None:
        self.waiting.set()
        self.released.wait()


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()
    yield made
    made.released.set()


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Eight cases; the model does not answer about the last one."""
    path = tmp_path / "cases.jsonl"
    with path.open("w") as file:
        for number in range(8):
            question = HELD if number == 7 else f"How many books are there, {number}?"
            case = {"question_id": number, "db_id": "bookshop", "question": question,
                    "predicted_sql": "SELECT COUNT(*) FROM books"}  # fmt: skip
            file.write(json.dumps(case) + "\n")
    return path


def _child(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_ends_while_a_model_is_asked_and_keeps_what_was_done(
    run: Run, sample: Path, cases: Path, tmp_path: Path, model: Model, number: int, code: int
) -> None:
    out = tmp_path / "out.jsonl"
    with ScriptedEndpoint(model) as endpoint:
        command = (
            "score", cases, "--databases", sample / "databases", "--out", out, "--llm", "scripted",
            "--llm-base-url", endpoint.url, "--llm-combined", "--llm-concurrency", 1,
            "--llm-timeout", 3600,
        )  # fmt: skip
        with _child(MAIN, *command) as child:
            assert model.waiting.wait(600)
            child.send_signal(number)
            # It ends although the endpoint holds its answer back.
            _, said = child.communicate()
        assert not model.released.is_set()
        assert child.returncode == code
        kept = (tmp_path / "out.jsonl.partial").read_text().splitlines()
        assert 1 <= len(kept) < 8
        assert f"interrupted after {len(kept)} of 8 cases; continue with --resume" in said
        assert "Traceback" not in said
        assert "lack an answer" not in said
        asked = endpoint.count
        model.released.set()
        resumed = run(*command, "--resume")
        assert f"resuming after {len(kept)} cases" in resumed.err
        assert endpoint.count < 2 * asked
        whole = tmp_path / "whole.jsonl"
        run(*(whole if part == out else part for part in command))
    assert out.read_bytes() == whole.read_bytes()
    assert out.read_text().splitlines()[: len(kept)] == kept


STUCK = (
    START
    + """
import time
import clausewise.signals
from clausewise.cli import interrupts, main

def stuck():
    {what}

clausewise.signals.load_signals = stuck
{change}
main()
"""
)
SLOW_CLEANING = """
    try:
        print("here", flush=True)
        time.sleep(3600)
    finally:
        print("cleaning", flush=True)
        time.sleep(3600)
"""
ENDLESS_QUERY = """
    import sqlite3
    print("here", flush=True)
    numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT count(*) FROM c"
    sqlite3.connect(":memory:").execute(numbers)
"""
THREAD = """
    import threading
    threading.Thread(target=time.sleep, args=(3600,)).start()
    print("here", flush=True)
    time.sleep(3600)
"""


def _stuck(what: str, change: str = "") -> subprocess.Popen[str]:
    child = _child(STUCK.replace("{what}", what).replace("{change}", change), "signals")
    assert child.stdout is not None
    assert child.stdout.readline() == "here\n"
    return child


def test_a_second_signal_ends_at_once() -> None:
    with _stuck(SLOW_CLEANING, "interrupts._UNTIL_TIDY = 3600") as child:
        child.send_signal(signal.SIGTERM)
        assert child.stdout is not None
        assert child.stdout.readline() == "cleaning\n"
        child.send_signal(signal.SIGINT)
        assert child.wait() == 143


@pytest.mark.parametrize("what", [ENDLESS_QUERY, THREAD, SLOW_CLEANING])
def test_nothing_holds_up_the_end(what: str) -> None:
    """Neither a library that Python cannot interrupt, nor a thread, nor what cleans up."""
    with _stuck(what, "interrupts._UNTIL_TIDY = 0.5") as child:
        child.send_signal(signal.SIGINT)
        _, said = child.communicate()
        assert child.returncode == 130
        assert "Traceback" not in said


def test_a_forked_process_handles_its_signals_itself() -> None:
    what = """
    import os, signal
    print("here", flush=True)
    ready, begun = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(begun, b"x")
        while True:
            time.sleep(3600)
    os.read(ready, 1)
    os.kill(child, signal.SIGTERM)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    raise KeyboardInterrupt
"""
    with _stuck(what) as child:
        shown, said = child.communicate()
    assert int(shown) == -signal.SIGTERM
    assert child.returncode == 130
    assert said == "interrupted\n"


def test_signals_that_are_ignored_stay_ignored() -> None:
    what = """
    import os, signal
    os.kill(os.getpid(), signal.SIGTERM)
    print("still here", flush=True)
"""
    script = STUCK.replace("{what}", what).replace("{change}", "")
    ignoring = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    with _child(ignoring + script, "signals") as child:
        shown, _ = child.communicate()
    assert "still here" in shown


def test_the_signals_are_given_back(run: Run) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    descriptors = sorted(Path("/proc/self/fd").glob("*"))
    assert run("--version").code == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert sorted(Path("/proc/self/fd").glob("*")) == descriptors


def test_a_signal_in_a_finalizer_is_not_lost() -> None:
    """What is raised there is discarded by Python, with a traceback on standard error."""
    script = (
        "import signal, time\n"
        "from clausewise.cli.interrupts import Interrupts\n"
        "class Closed:\n"
        "    def __del__(self):\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "        time.sleep(0)\n"
        "interrupts = Interrupts()\n"
        "try:\n"
        "    with interrupts:\n"
        "        closed = Closed()\n"
        "        del closed\n"
        "        while True:\n"
        "            time.sleep(0.01)\n"
        "except KeyboardInterrupt:\n"
        "    print(interrupts.code, flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("143\n", "")
