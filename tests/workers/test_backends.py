"""Tasks on backends of joblib: in order, once, and whatever becomes of a worker."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise import IN_PROCESS
from clausewise.datasets import read_cases, sample_dir
from clausewise.errors import InputError, WorkerError
from clausewise.models import Detector
from clausewise.models.detector import packaged_detector
from clausewise.models.lines import ScoredLine, iter_lines
from clausewise.types import Case, UncheckedCase
from clausewise.workers import Backend, Broken, Done, Isolation, node
from clausewise.workers.backends import _chunks, _Shelf, run_on_backend
from clausewise.workers.node import packed, unpacked

logger = logging.getLogger(__name__)
DATABASES = sample_dir() / "databases"


class Echo:
    """Returns its task, says so in the log, and dies where it is told to."""

    def __call__(self, task: Any) -> Any:
        logger.warning("a warning of every task")
        if task == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    def found(self) -> None:
        pass

    def clean_up(self) -> None:
        pass

    def clean_up_after_others(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _no_process_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(node, "IDLE_SECONDS", 1e6)
    yield
    for pool in list(node._pools.values()):
        while pool.at_work:  # in a thread of a run that was given up
            time.sleep(0.01)
        if pool.idle is not None:
            pool.idle.cancel()
    node.close_pools()
    assert not node._pools


def done(tasks: Any, backend: Backend) -> list[Any]:
    outcomes = run_on_backend(backend, Echo(), Isolation(), tasks, str)
    return [one.result if isinstance(one, Done) else one.reason for one in outcomes]


@pytest.mark.parametrize("name", ["sequential", "threading"])
def test_tasks_come_back_in_order(name, caplog):
    pytest.importorskip("joblib")
    tasks = ["a", "b", "a", "die", "c", "b", "a"]
    found = done(iter(tasks), Backend(name, jobs=2, chunk=2, window=4))
    assert found.pop(3).startswith("the process that checked the case died")
    tasks.pop(3)
    assert found == tasks
    assert [record.getMessage() for record in caplog.records] == ["a warning of every task"]


def test_an_error_of_the_tasks_is_raised_as_it_is():
    pytest.importorskip("joblib")

    def tasks() -> Iterator[str]:
        yield from "abc"
        raise InputError("the file ends in the middle")

    with pytest.raises(InputError, match="ends in the middle"):
        done(tasks(), Backend("threading", jobs=2, chunk=1, window=1))


def test_workers_that_are_lost_again_and_again_end_the_run(monkeypatch):
    pytest.importorskip("joblib")
    called = []

    def lost(job: Any, first: int, tasks: Any) -> Any:
        called.append(first)
        raise OSError("gone")

    monkeypatch.setattr("clausewise.workers.backends.do_chunk", lost)
    with pytest.raises(WorkerError, match="again and again: gone"):
        done(iter("abc"), Backend("sequential"))
    assert len(called) == 6


@pytest.mark.parametrize(
    ("backend", "message"),
    [
        (Backend("nowhere"), "joblib has no backend 'nowhere'"),
        (Backend("loky", scheduler="tcp://x:1"), "belongs to the backends dask and ray"),
    ],
)
def test_a_backend_that_is_none_is_refused(backend, message):
    pytest.importorskip("joblib")
    with pytest.raises(InputError, match=message):
        done(iter("abc"), backend)


@given(st.text("abc", max_size=40), st.integers(1, 9), st.integers(1, 20), st.randoms())
def test_chunks_hold_each_task_once_and_the_shelf_gives_them_in_order(text, chunk, window, random):
    chunks = list(_chunks(text, Backend("x", chunk=chunk, window=window), str))
    for one in chunks:
        tasks = unpacked(one.tasks)
        assert len(set(tasks)) == 1
        assert len(tasks) == len(one.numbers) <= chunk
        assert max(one.numbers) // window == min(one.numbers) // window
    assert sorted(number for one in chunks for number in one.numbers) == list(range(len(text)))
    random.shuffle(chunks)
    shelf = _Shelf()
    taken: list[str] = []
    for one in chunks:
        results = [Done(0, task) for task in unpacked(one.tasks)]
        shelf.put(one.numbers, packed(results))
        while (outcome := shelf.take(len(taken))) is not None:
            assert not isinstance(outcome, Broken)
            taken.append(outcome.result)
    shelf.close()
    assert "".join(taken) == text


@pytest.fixture(scope="module")
def cases() -> list[Case | UncheckedCase]:
    broken = UncheckedCase("cases.jsonl, line 3: not JSON", line=3)
    return [*read_cases(sample_dir() / "cases.jsonl")[:60], broken]


@pytest.fixture(scope="module")
def expected(cases) -> list[ScoredLine]:
    here = packaged_detector().set_params(isolation=IN_PROCESS)
    return list(iter_lines(here, cases, DATABASES))


def detector_on(backend: Backend) -> Detector:
    detector = packaged_detector()
    detector.backend = backend
    return detector


def lines_with_a_death(lines: Iterator[ScoredLine], pids: Any) -> list[ScoredLine]:
    """Return all lines, of which the first is out when a worker is killed."""
    found = [next(lines)]
    os.kill(pids()[0], signal.SIGKILL)
    return [*found, *lines]


def test_a_worker_of_loky_that_is_killed_loses_nothing(cases, expected):
    pytest.importorskip("joblib")
    from joblib.externals.loky import get_reusable_executor

    def pids() -> list[int]:
        return [
            process.pid
            for process in psutil.Process().children()
            if any("loky" in part and "popen" in part for part in process.cmdline())
        ]

    detector = detector_on(Backend("loky", jobs=2, chunk=3, window=12))
    try:
        assert lines_with_a_death(iter_lines(detector, cases, DATABASES), pids) == expected
    finally:
        get_reusable_executor().shutdown(wait=True)


def test_a_worker_of_dask_that_is_killed_loses_nothing(cases, expected):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        backend = Backend("dask", scheduler=cluster.scheduler_address, chunk=3, window=12)
        lines = iter_lines(detector_on(backend), cases, DATABASES)
        pids = list(client.run(os.getpid).values())
        assert lines_with_a_death(lines, lambda: pids) == expected


def test_a_detector_is_fitted_on_a_backend(cases):
    pytest.importorskip("joblib")
    given: dict[str, Any] = {
        "signals": "sqlens",
        "label_model": "weighted",
        "classifier": "logistic",
    }
    fitted = Detector(**given, isolation=IN_PROCESS).fit(cases, DATABASES)
    other = Detector(**given)
    other.backend = Backend("threading", jobs=2, chunk=8)
    other.fit(cases, DATABASES)
    assert other.threshold_ == fitted.threshold_
    assert (other.label_matrix_.votes == fitted.label_matrix_.votes).all()


def test_what_has_no_effect_on_a_backend_is_refused(cases):
    pytest.importorskip("joblib")
    detector = detector_on(Backend("sequential")).set_params(isolation=IN_PROCESS)
    with pytest.raises(InputError, match="no effect together with --backend"):
        list(iter_lines(detector, cases, DATABASES))
