"""Tasks that no worker has yet, handed out so that what a kind needs is prepared by one worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias

NumberedTask: TypeAlias = tuple[int, Any]


class WaitingTasks:
    """Tasks by kind, such as the database of a case; each kind belongs to one worker.

    A worker gets tasks of its own kinds, else those of a kind that has no worker yet, which is its
    own from then on, else the oldest ones: none is idle for another's sake.

    Parameters
    ----------
    kind
        Gives the kind of a task; None where all are alike.
    """

    def __init__(self, kind: Callable[[Any], Hashable] | None = None) -> None:
        self._kind = kind or (lambda _task: None)
        self._by_kind: dict[Hashable, deque[NumberedTask]] = {}
        self._owners: dict[Hashable, object] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, number: int, task: Any) -> None:
        """Add a task that is newer than all others."""
        self._by_kind.setdefault(self._kind(task), deque()).append((number, task))
        self._size += 1

    def put_back(self, tasks: Iterable[NumberedTask]) -> None:
        """Add tasks that were taken; they come before the others of their kinds."""
        for number, task in sorted(tasks, key=lambda one: one[0], reverse=True):
            self._by_kind.setdefault(self._kind(task), deque()).appendleft((number, task))
            self._size += 1

    def take(self, worker: object, most: int) -> list[NumberedTask]:
        """Return at most so many tasks for a worker, at least one where any waits."""
        taken: list[NumberedTask] = []
        while len(taken) < most and self._by_kind:
            kind = min(self._by_kind, key=lambda one: self._rank(one, worker))
            if taken and self._owners.get(kind) is not worker:
                break
            self._owners.setdefault(kind, worker)
            taken += self._popped(kind, most - len(taken))
        return taken

    def forget(self, worker: object) -> None:
        """Let the kinds of a worker that is gone belong to none."""
        self._owners = {kind: of for kind, of in self._owners.items() if of is not worker}

    def _rank(self, kind: Hashable, worker: object) -> tuple[int, int]:
        """Return how soon a worker should see to a kind: its own, then new ones, by age."""
        owner = self._owners.get(kind)
        oldest = self._by_kind[kind][0][0]
        return (0 if owner is worker else 1 if owner is None else 2), oldest

    def _popped(self, kind: Hashable, most: int) -> list[NumberedTask]:
        tasks = self._by_kind[kind]
        taken = [tasks.popleft() for _ in range(min(most, len(tasks)))]
        if not tasks:
            del self._by_kind[kind]
        self._size -= len(taken)
        return taken
