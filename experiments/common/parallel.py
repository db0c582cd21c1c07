"""Running the tasks of an experiment on several processes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TypeVar

from joblib import Parallel, delayed

from clausewise.labeling import LabelMatrixWarning

T = TypeVar("T")
R = TypeVar("R")


def map_tasks(function: Callable[[T], R], tasks: Iterable[T], jobs: int = 1) -> list[R]:
    """Return what the function makes of each task, in order.

    Warnings of label matrices are left out: experiments fit on small and odd ones on purpose.
    """
    found: list[R] = Parallel(n_jobs=jobs)(delayed(_quietly)(function, task) for task in tasks)
    return found


def without_label_warnings() -> None:
    """Leave out the warnings of label matrices in this process."""
    warnings.simplefilter("ignore", LabelMatrixWarning)


def _quietly(function: Callable[[T], R], task: T) -> R:
    without_label_warnings()
    return function(task)
