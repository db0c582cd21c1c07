"""What one case costs, stage by stage, and what that makes for a billion cases a day."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from clausewise.databases import Databases, open_database
from clausewise.datasets import CaseFile, open_cases
from clausewise.models import packaged_detector
from clausewise.models.lines import line_of
from clausewise.models.scoring import score_batch
from clausewise.signals.runner.cases import inspect_cases
from clausewise.types import Case
from clausewise.workers import IN_PROCESS, Done
from clausewise.workers.node import packed, unpacked
from clausewise.workers.serving import MOST_KEPT
from experiments.common.tables import markdown_table

T = TypeVar("T")

A_DAY = 1_000_000_000
PEAK = 2.0
"""How much more than the day's mean comes in its busiest hour."""
USED = 0.7
"""Share of a core's time that is planned with."""
CORES_OF_A_NODE = 32
CHUNK = 256


@dataclass
class Costs:
    """Of one case: milliseconds of CPU by stage, and bytes."""

    parent: dict[str, float]
    """In the process that reads and writes."""
    worker: dict[str, float]
    bytes_: dict[str, float]
    profile_seconds: float
    """Building the profile of a database, median, without anything on disk."""
    load_seconds: float
    """Loading it from disk."""


def costs(cases: Path, databases: Path) -> str:
    """Return the tables for the cases of a file."""
    found = measured(cases, databases)
    return f"{_stages(found)}\n\n{_projection(found)}\n"


def measured(path: Path, folder: Path) -> Costs:
    """Measure each stage on the cases of a file, in this process, by its CPU time."""
    detector = packaged_detector()
    specs = detector.specs()
    file, survey = _timed(lambda: open_cases(path))
    assert isinstance(file, CaseFile)
    cases, read = _timed(lambda: list(file))
    count = len(cases)
    with closing(Databases(folder)) as databases:
        few = {case.db_id: case for case in cases if isinstance(case, Case)}
        inspect_cases(list(few.values()), databases, specs, isolation=IN_PROCESS)  # profiles warm
        inspected, inspect = _timed(
            lambda: inspect_cases(cases, databases, specs, isolation=IN_PROCESS)
        )
    scorer = detector.prepared([], folder).scorer
    batches = [inspected[at : at + MOST_KEPT] for at in range(0, count, MOST_KEPT)]
    by_batch, score = _timed(
        lambda: [
            score_batch(scorer.learned, batch, scorer.outside, scorer.rule) for batch in batches
        ]
    )
    scored = [case for batch in by_batch for case in batch]
    lines, write = _timed(lambda: [line_of(case) for case in scored])
    chunks, pack_tasks = _timed(
        lambda: [packed(cases[at : at + CHUNK]) for at in range(0, count, CHUNK)]
    )
    _, unpack_tasks = _timed(lambda: [unpacked(chunk) for chunk in chunks])
    outcomes = [
        [Done(number, line) for number, line in enumerate(lines[at : at + CHUNK])]
        for at in range(0, count, CHUNK)
    ]
    results, pack_results = _timed(lambda: [packed(chunk) for chunk in outcomes])
    _, unpack_results = _timed(lambda: [unpacked(chunk) for chunk in results])
    with tempfile.TemporaryFile("w", encoding="utf-8") as out:
        _, append = _timed(lambda: [out.write(f"{line.text}\n") for line in lines])

    def each(seconds: float) -> float:
        return seconds / count * 1e3

    profile, load = _profiles(folder)
    return Costs(
        parent={
            "count the records": each(survey),
            "read and validate": each(read),
            "pack the chunk": each(pack_tasks),
            "unpack the lines": each(unpack_results),
            "write": each(append),
        },
        worker={
            "unpack the case": each(unpack_tasks),
            "inspect": each(inspect),
            "score": each(score),
            "make the line": each(write),
            "pack the lines": each(pack_results),
        },
        bytes_={
            "input line": path.stat().st_size / count,
            "to the worker, compressed": sum(map(len, chunks)) / count,
            "line of scores": sum(len(line.text.encode()) + 1 for line in lines) / count,
            "from the worker, compressed": sum(map(len, results)) / count,
        },
        profile_seconds=profile,
        load_seconds=load,
    )


def _profiles(folder: Path) -> tuple[float, float]:
    built: list[float] = []
    loaded: list[float] = []
    for file in sorted(folder.glob("*/*.sqlite")):
        with tempfile.TemporaryDirectory() as cache:
            for seconds in (built, loaded):
                with closing(open_database(file, cache_dir=cache)) as database:
                    seconds.append(_timed(partial(_prepare, database))[1])
    return statistics.median(built), statistics.median(loaded)


def _prepare(database: Any) -> None:
    _ = database.store, database.schema, database.join_graph


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def _stages(found: Costs) -> str:
    rows = [
        [who, stage, f"{milliseconds:.3f}"]
        for who, stages in (("parent", found.parent), ("worker", found.worker))
        for stage, milliseconds in (*stages.items(), ("together", sum(stages.values())))
    ]
    sizes = [[name, f"{size:,.0f}"] for name, size in found.bytes_.items()]
    return (
        f"{markdown_table(['process', 'stage', 'ms of CPU a case'], rows)}\n\n"
        f"{markdown_table(['of a case', 'bytes'], sizes)}\n\n"
        f"A database's profile: {found.profile_seconds:.2f} s of CPU to build, "
        f"{found.load_seconds * 1e3:.0f} ms to load (medians)."
    )


def _projection(found: Costs) -> str:
    mean = A_DAY / 86_400
    peak = PEAK * mean
    worker, parent = sum(found.worker.values()), sum(found.parent.values())
    cores = peak * worker / 1e3 / USED
    readers = peak * parent / 1e3 / USED
    size = found.bytes_
    rows = [
        ["cases a second, mean and at the peak", f"{mean:,.0f}, {peak:,.0f}"],
        ["cores that check at the peak", f"{cores:,.0f}"],
        [f"nodes of {CORES_OF_A_NODE} cores", f"{cores / CORES_OF_A_NODE:,.0f}"],
        ["commands that read and write, each for a part of the input", f"{readers:,.1f}"],
        ["core-hours a day", f"{A_DAY * (worker + parent) / 1e3 / 3600:,.0f}"],
        ["to the workers at the peak", f"{_rate(peak * size['to the worker, compressed'])}"],
        ["from the workers at the peak", f"{_rate(peak * size['from the worker, compressed'])}"],
        ["input a day", f"{A_DAY * size['input line'] / 1e12:.2f} TB"],
        ["scores a day", f"{A_DAY * size['line of scores'] / 1e12:.2f} TB"],
        [
            "scores a day, compressed",
            f"{A_DAY * size['from the worker, compressed'] / 1e12:.2f} TB",
        ],
        [
            "profiles of 10,000 such databases",
            f"{found.profile_seconds * 1e4 / 3600:.1f} core-hours",
        ],
    ]
    return (
        f"{markdown_table([f'{A_DAY:,} cases a day', 'takes'], rows)}\n\n"
        f"The peak is {PEAK:g} times the mean, and {USED:.0%} of a core's time is planned with."
    )


def _rate(bytes_a_second: float) -> str:
    return f"{bytes_a_second * 8 / 1e6:,.0f} Mbit/s"
