"""Tasks that wait: each is handed out once, and a kind stays with its worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.workers import Done, Isolation, WorkerPool
from clausewise.workers.pool import MOST_AHEAD, _TaskStream
from clausewise.workers.serving import MOST_KEPT
from clausewise.workers.waiting import WaitingTasks


def waiting(text: str) -> WaitingTasks:
    """Return tasks whose kind is what they are."""
    tasks = WaitingTasks(str)
    for number, task in enumerate(text):
        tasks.add(number, task)
    return tasks


@given(
    st.text("abcd", max_size=60),
    st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 9), st.booleans()), max_size=60),
)
def test_every_task_is_handed_out_once_and_each_kind_in_order(text, turns):
    tasks = waiting(text)
    taken: list[tuple[int, str]] = []
    for worker, most, keeps in turns:
        before = len(tasks)
        batch = tasks.take(worker, most)
        assert len(batch) <= most
        assert bool(batch) == bool(before)
        if keeps:
            taken += batch
        else:
            tasks.forget(worker)
            tasks.put_back(batch)
        assert len(tasks) == before - keeps * len(batch)
    while tasks:
        taken += tasks.take("x", 9)
    assert sorted(taken) == list(enumerate(text))
    for kind in set(text):
        numbers = [number for number, task in taken if task == kind]
        assert numbers == sorted(numbers)


def test_a_worker_gets_its_own_kinds_then_new_ones_then_the_oldest():
    tasks = waiting("aabbaab")
    assert tasks.take("x", 2) == [(0, "a"), (1, "a")]
    assert tasks.take("y", 2) == [(2, "b"), (3, "b")]
    assert tasks.take("x", 9) == [(4, "a"), (5, "a")]
    assert tasks.take("x", 9) == [(6, "b")]
    assert tasks.take("x", 9) == []


def test_kinds_of_a_worker_that_is_gone_belong_to_none():
    tasks = waiting("ab")
    assert tasks.take("x", 1) == [(0, "a")]
    tasks.forget("x")
    tasks.put_back([(0, "a")])
    assert tasks.take("y", 1) == [(0, "a")]
    assert tasks.take("z", 1) == [(1, "b")]


def test_without_kinds_the_oldest_comes_first():
    tasks = WaitingTasks()
    for number in range(5):
        tasks.add(number, "abcab"[number])
    assert [number for number, _ in tasks.take("x", 3)] == [0, 1, 2]
    assert [number for number, _ in tasks.take("y", 3)] == [3, 4]


class Bystander:
    """Says which process did the task."""

    def __call__(self, _task: str) -> int:
        return psutil.Process().pid

    def found(self) -> None:
        pass

    def clean_up(self) -> None:
        pass

    def clean_up_after_others(self) -> None:
        pass


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_of_tasks_with_kinds_come_in_order(jobs):
    pool = WorkerPool(Bystander(), Isolation())
    tasks = "aaabbbcccaaab" * 40
    try:
        found = list(pool.run(iter(tasks), jobs, str))
    finally:
        pool.close()
    assert [one.number for one in found] == list(range(len(tasks)))
    assert all(isinstance(one, Done) for one in found)
    assert len({one.result for one in found if isinstance(one, Done)}) <= jobs


class Hungry:
    """A worker that takes one batch, in place of a process."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[int, str]]] = []

    def can_take(self) -> bool:
        return not self.batches

    def take(self, batch: list[tuple[int, str]]) -> bool:
        self.batches.append(batch)
        return True


def test_workers_begin_before_much_of_the_source_is_read():
    workers: list[Hungry] = []
    read: list[str] = []
    seen: list[int] = []

    class Pool:
        def take(self) -> Hungry:
            seen.append(len(read))
            workers.append(Hungry())
            return workers[-1]

    def source() -> Iterator[str]:
        for task in "ab" * 500:
            read.append(task)
            yield task

    stream = _TaskStream(cast("WorkerPool", Pool()), source(), 2, str)
    stream._hand_out()
    assert seen == [MOST_KEPT, 2 * MOST_KEPT]
    for _ in range(100):
        stream._hand_out()
    assert len(read) == 2 * MOST_AHEAD
    assert [{task for _, task in worker.batches[0]} for worker in workers] == [{"a"}, {"b"}]
