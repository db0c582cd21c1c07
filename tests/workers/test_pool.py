"""Workers: every task comes back in order, whatever becomes of the process that does it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from clausewise.errors import InputError, WorkerError
from clausewise.workers import Broken, Done, Isolation, WorkerPool, heartbeat, memory

LONG_AGO = -1e6
"""Seconds of a statement's limit that have passed before it began."""


class Obedient:
    """Does what each task says."""

    def __init__(self) -> None:
        self.before: list[Any] = []
        self.parts: list[str] = []
        self.asked = 0

    def __call__(self, task: Any) -> Any:
        self.before.append(task)
        self.parts = []
        action, value = task if isinstance(task, tuple) else ("echo", task)
        return getattr(self, action)(value)

    def found(self) -> list[str]:
        self.asked += 1
        return list(self.parts)

    def clean_up(self) -> None:
        if "CLEANED" in os.environ:
            Path(os.environ["CLEANED"], str(os.getpid())).touch()

    def clean_up_after_others(self) -> None:
        pass

    def echo(self, value: Any) -> Any:
        return value

    def process(self, _: Any) -> int:
        return os.getpid()

    def die(self, number: int) -> None:
        os.kill(os.getpid(), number)

    def die_unless_alone(self, _: Any) -> str:
        if len(self.before) > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return "alone"

    def exceed(self, part: str) -> None:
        self.parts.append(part)
        asked = self.asked
        while self.asked < asked + 3:  # when it is asked again, the part has been sent
            time.sleep(0.01)
        heartbeat.begin_statement(LONG_AGO)
        time.sleep(3600)

    def exceed_preparing(self, path: str) -> str:
        with open(path, "a") as log, heartbeat.preparation():  # noqa: PTH123
            log.write("tried\n")
            log.flush()
            if os.path.getsize(path) < 18:  # noqa: PTH202
                heartbeat.begin_statement(LONG_AGO)
                time.sleep(3600)
        return "prepared"

    def allocate(self, size: int) -> str:
        try:
            return str(len(bytearray(size)))
        except MemoryError:
            memory.note_shortage()
            return "no memory"

    def prepare_with(self, arguments: tuple[str, int]) -> str:
        """Prepare a database of that many parts, each of which is left out when memory runs out."""
        path, parts = arguments
        with open(path, "a+") as log, heartbeat.preparation():  # noqa: PTH123
            log.seek(0)
            if len(log.read()) < parts:
                log.write("x")
                log.flush()
                memory.note_shortage()
                raise_memory_error()
        return "prepared"

    def hold(self, size: int) -> str:
        self.held = bytearray(size)
        return "held"

    def warn(self, text: str) -> None:
        logging.getLogger("clausewise.test").warning("%s", text)

    def unsendable(self, _: Any) -> Any:
        return lambda: None


def raise_memory_error() -> None:
    raise MemoryError


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(Obedient(), Isolation(memory_bytes=200_000_000))
    yield pool
    pool.close()


def results(pool: WorkerPool, tasks: list[Any], jobs: int = 1) -> list[Any]:
    found = list(pool.run(tasks, jobs))
    assert [one.number for one in found] == list(range(len(tasks)))
    return [one.result if isinstance(one, Done) else one for one in found]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_order(pool: WorkerPool, jobs: int) -> None:
    assert results(pool, list(range(500)), jobs) == list(range(500))


def test_tasks_larger_than_a_pipe_holds(pool: WorkerPool) -> None:
    tasks = ["x" * 1_000_000] * 40
    assert results(pool, tasks, 2) == tasks


def test_a_worker_is_kept_for_the_next_tasks(pool: WorkerPool) -> None:
    assert results(pool, [("process", 0)]) == results(pool, [("process", 0)])
    assert results(pool, [("process", 0)]) != [os.getpid()]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_task_over_its_limit_comes_back_with_what_was_found(pool: WorkerPool, jobs: int) -> None:
    found = results(pool, [1, 2, ("exceed", "half"), 3, *range(100)], jobs)
    broken = found.pop(2)
    assert isinstance(broken, Broken)
    assert "could not be stopped at its limit" in broken.reason
    assert broken.found == ["half"]
    assert found == [1, 2, 3, *range(100)]


def test_a_task_that_kills_its_process_twice_is_given_up(pool: WorkerPool) -> None:
    found = results(pool, [1, ("die", signal.SIGTERM), 2])
    assert found[::2] == [1, 2]
    assert found[1].reason == "the process that checked the case died (signal SIGTERM)"


def test_a_task_is_not_blamed_for_what_its_worker_did_before(pool: WorkerPool) -> None:
    assert results(pool, [1, ("die_unless_alone", 0), 2]) == [1, "alone", 2]


def test_a_database_that_is_not_prepared_in_time_is_tried_again(pool: WorkerPool, tmp_path) -> None:
    assert results(pool, [("exceed_preparing", str(tmp_path / "log")), 1]) == ["prepared", 1]
    assert (tmp_path / "log").read_text() == "tried\n" * 3


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not limit memory")
def test_memory_does_not_depend_on_what_was_done_before(pool: WorkerPool) -> None:
    fits, too_large = ("allocate", 120_000_000), ("allocate", 400_000_000)
    alone = [results(pool, [task])[0] for task in (fits, too_large)]
    assert alone == ["120000000", "no memory"]
    for jobs in (1, 2):
        tasks = [("hold", 120_000_000), fits, too_large, fits, 1]
        assert results(pool, tasks, jobs) == ["held", alone[0], alone[1], alone[0], 1]


@pytest.mark.parametrize(("parts", "result"), [(0, "prepared"), (1, "prepared"), (3, "prepared")])
def test_a_preparation_without_enough_memory_is_tried_again(
    pool: WorkerPool, tmp_path, parts: int, result: str
) -> None:
    task = ("prepare_with", (str(tmp_path / "log"), parts))
    assert results(pool, [1, task, 2]) == [1, result, 2]


def test_a_preparation_is_not_tried_for_ever(pool: WorkerPool, tmp_path) -> None:
    found = results(pool, [1, ("prepare_with", (str(tmp_path / "log"), 99)), 2])
    assert found[::2] == [1, 2]
    assert found[1].reason == "the case needs more memory than there is for it"
    assert (tmp_path / "log").read_text() == "x" * 4


def test_what_cannot_be_sent_is_said(pool: WorkerPool) -> None:
    found = results(pool, [1, ("unsendable", 0), 2])
    assert found[::2] == [1, 2]
    assert "cannot be sent" in found[1].reason


def test_a_log_reaches_the_parent_once(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    results(pool, [("warn", "the folder is full")] * 5)
    assert caplog.messages == ["the folder is full"]


def test_a_run_that_is_given_up_leaves_no_process(pool: WorkerPool) -> None:
    before = psutil.Process().children()  # of pools that other tests keep
    run = pool.run([1, ("exceed", "x"), *range(100)], 2)
    assert next(run) == Done(0, 1)
    assert len(psutil.Process().children()) > len(before)
    run.close()
    assert not set(psutil.Process().children()) - set(before)


def test_no_worker_is_left_when_the_pool_is_gone() -> None:
    pool = WorkerPool(Obedient(), Isolation())
    (process,) = results(pool, [("process", 0)])
    assert psutil.pid_exists(process)
    del pool
    assert not psutil.pid_exists(process)


def test_beside_other_threads_a_fresh_interpreter_works(pool: WorkerPool) -> None:
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    try:
        assert results(pool, [1, ("die", signal.SIGKILL), 2], 1)[::2] == [1, 2]
        (process,) = results(pool, [("process", 0)])
        assert sys.executable in psutil.Process(process).cmdline()[0]
        assert "clausewise.workers.serving" in " ".join(psutil.Process(process).cmdline())
    finally:
        ended.set()
        other.join()


def test_runs_of_several_threads_do_not_mix(pool: WorkerPool) -> None:
    found: dict[int, list[Any]] = {}
    threads = [
        threading.Thread(
            target=lambda start=start: found.update(
                {start: results(pool, list(range(start, start + 50)))}
            )
        )
        for start in (0, 1000)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {start: list(range(start, start + 50)) for start in (0, 1000)}


class Stillborn:
    """A job that cannot be unpickled."""

    def __call__(self, task: Any) -> Any:
        return task

    def found(self) -> None:
        return None

    def clean_up(self) -> None:
        pass

    def clean_up_after_others(self) -> None:
        pass

    def __reduce__(self) -> tuple[Any, ...]:
        return (os._exit, (7,))


def test_workers_that_never_begin_are_an_error() -> None:
    pool = WorkerPool(Stillborn(), Isolation())
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    try:
        with pytest.raises(WorkerError, match="end before they begin: exit code 7"):
            list(pool.run([1]))
    finally:
        ended.set()
        other.join()
        pool.close()


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """Also those that are about to send a result; and they clean up first."""
    script = (
        "import os, sys\n"
        "from clausewise.workers import WorkerPool, Isolation\n"
        "from tests.workers.test_pool import Obedient\n"
        "pool = WorkerPool(Obedient(), Isolation())\n"
        "run = pool.run([('process', 0), *['x' * 100_000] * 1_000], 2)\n"
        "print(next(run).result, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "CLEANED": str(tmp_path)},
    ) as parent:
        assert parent.stdout is not None
        workers = [psutil.Process(int(parent.stdout.readline()))]
        workers += [one for one in psutil.Process(parent.pid).children() if one not in workers]
        parent.kill()
    assert psutil.wait_procs(workers, timeout=60)[1] == []
    assert {one.name for one in tmp_path.iterdir()} == {str(worker.pid) for worker in workers}


def test_limits_are_above_zero() -> None:
    with pytest.raises(InputError, match="case_seconds must be above 0"):
        Isolation(case_seconds=0)


def test_a_command_copies_itself() -> None:
    """Beside the thread that waits for signals; a fresh interpreter would cost a second."""
    script = (
        "from clausewise.cli.interrupts import Interrupts\n"
        "from clausewise.workers.starting import may_fork\n"
        "with Interrupts():\n"
        "    print(may_fork())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{sys.platform != 'darwin'}\n"
