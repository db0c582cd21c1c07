"""Work on many cases at once that asks a language model, its results in input order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from clausewise.llm.client import CallGroup

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4
"""Cases submitted ahead of the oldest unfinished one, for each call that may be in flight."""


def in_order(
    items: Iterable[Item], work: Callable[[Item, CallGroup], Result], concurrency: int
) -> Iterator[Result]:
    """Yield `work(item, calls)` for every item, in input order, many at once.

    Two threads a call that may be in flight (`concurrency`): while some wait for answers, others
    write prompts, and the client itself keeps the limit. Where the iteration is broken off, the
    calls of the group are given up.
    """
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(2 * concurrency, thread_name_prefix="clausewise-llm")
    calls = CallGroup()
    try:
        for item in items:
            waiting.append(pool.submit(work, item, calls))
            if len(waiting) >= _AHEAD * concurrency:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException as error:
        calls.end()
        # After Ctrl-C nothing is waited for: a thread may be in a long query of its own.
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        raise
    pool.shutdown()
