"""How `score` scales: over jobs, over the length of its input, and what a case costs.

    python -m benchmarks.scale DATA/spider [--parts jobs,memory,costs,cluster]
        [--cases 6000] [--rounds 3] [--lengths 10000,100000,1000000] [--refused]

The input repeats the predictions of the benchmark with fresh ids, so that every length is of the
same cases, and the profiles of the databases are built before anything is measured. Runs with one
and with two jobs take turns, so that a busy minute slows both alike.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.costs import costs
from clausewise.datasets import dump_line
from experiments.common.tables import markdown_table

COMMAND = str(Path(sys.executable).with_name("clausewise"))
LOOK_SECONDS = 0.5
PARTS = ("jobs", "memory", "costs", "cluster")


@dataclass
class Measured:
    """One run of a command; memory in bytes, shared pages counted once (PSS)."""

    seconds: float = 0.0
    parent_cpu: float = 0.0
    """Seconds of the process that reads and writes."""
    workers_cpu: float = 0.0
    parent: int = 0
    """The largest memory of that process."""
    together: int = 0
    """The largest memory of all processes at one time."""

    def look(self, process: psutil.Process) -> None:
        """Take what the processes use now into account."""
        with process.oneshot():
            children = process.children(recursive=True)
            own = process.memory_full_info().pss
            times = process.cpu_times()
        of_children = [(child.memory_full_info().pss, child.cpu_times()) for child in children]
        self.parent = max(self.parent, own)
        self.together = max(self.together, own + sum(pss for pss, _ in of_children))
        self.parent_cpu = times.user + times.system
        # Workers that have ended are counted by the system, to the parent's account.
        ended = times.children_user + times.children_system
        self.workers_cpu = ended + sum(of.user + of.system for _, of in of_children)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--cases", type=int, default=6_000, help="of a run that is compared")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lengths", default="10000,100000,1000000")
    parser.add_argument(
        "--refused",
        action="store_true",
        help="measure memory with statements that are refused before any signal: quick enough for "
        "very long inputs, and all that grows with them is in what reads and writes",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clausewise-scale-") as folder:
        work = Path(folder)
        warm = work / "warm.jsonl"
        write_repeated(options.benchmark, warm, 2_000)
        measured_run(score(options.benchmark, warm, jobs=1))
        if "jobs" in options.parts:
            print(jobs_table(options.benchmark, work, options.cases, options.rounds), flush=True)
        if "memory" in options.parts:
            lengths = [int(length) for length in options.lengths.split(",")]
            print(memory_table(options.benchmark, work, lengths, options.refused), flush=True)
        if "costs" in options.parts:
            print(costs(warm, options.benchmark / "databases"), flush=True)
        if "cluster" in options.parts:
            print(cluster_text(options.benchmark, work, options.cases), flush=True)


def write_repeated(benchmark: Path, path: Path, size: int, sql: str | None = None) -> None:
    """Write as many cases as wanted, the benchmark's predictions (or `sql`) again and again."""
    other = {} if sql is None else {"predicted_sql": sql}
    with path.open("w", encoding="utf-8") as file:
        for number, case in enumerate(itertools.islice(_forever(benchmark), size)):
            file.write(dump_line({**case, "question_id": number, **other}) + "\n")


def _forever(benchmark: Path) -> Iterator[dict[str, Any]]:
    questions = {
        question["question_id"]: question
        for question in map(json.loads, (benchmark / "questions.jsonl").open(encoding="utf-8"))
    }
    cases = []
    for path in sorted((benchmark / "predictions").glob("*.jsonl")):
        for line in path.open(encoding="utf-8"):
            case = json.loads(line)
            asked = questions[case["question_id"]]
            cases.append({**case, "db_id": asked["db_id"], "question": asked["question"]})
    return itertools.cycle(cases)


def score(benchmark: Path, cases: Path, jobs: int, *more: str) -> list[str]:
    """Return the command that scores a file of cases."""
    return [
        COMMAND, "score", str(cases), "--databases", str(benchmark / "databases"),
        "--out", f"{cases}.{jobs}.out.jsonl", "--jobs", str(jobs), "--quiet", *more,
    ]  # fmt: skip


def measured_run(command: list[str]) -> Measured:
    """Run a command and look at its processes meanwhile."""
    found, began = Measured(), time.perf_counter()
    with subprocess.Popen(command) as running:
        process, ended = psutil.Process(running.pid), threading.Event()

        def watch() -> None:
            while not ended.wait(LOOK_SECONDS):
                try:
                    found.look(process)
                except psutil.Error:
                    continue  # a process has ended meanwhile

        watcher = threading.Thread(target=watch)
        watcher.start()
        code = running.wait()
        ended.set()
        watcher.join()
    if code not in (0, 1, 3):
        raise SystemExit(f"{command} ended with {code}")
    found.seconds = time.perf_counter() - began
    return found


def jobs_table(benchmark: Path, work: Path, size: int, rounds: int) -> str:
    """Return a table of one job against two, on the same cases, by turns."""
    cases = work / "compared.jsonl"
    write_repeated(benchmark, cases, size)
    runs: dict[int, list[Measured]] = {1: [], 2: []}
    for _ in range(rounds):
        for jobs, measured in runs.items():
            measured.append(measured_run(score(benchmark, cases, jobs)))
    same = [Path(f"{cases}.{jobs}.out.jsonl").read_bytes() for jobs in runs]
    rows = []
    for jobs, measured in runs.items():
        seconds = statistics.median(run.seconds for run in measured)
        parent = statistics.median(run.parent_cpu for run in measured)
        workers = statistics.median(run.workers_cpu for run in measured)
        rows.append(
            [
                str(jobs),
                f"{seconds:.1f}",
                f"{size / seconds:.0f}",
                f"{workers / size * 1e3:.2f}",
                f"{parent / size * 1e3:.3f}",
            ]
        )
    ratio = statistics.median(
        one.seconds / two.seconds for one, two in zip(runs[1], runs[2], strict=True)
    )
    header = ["jobs", "seconds", "cases a second", "ms of CPU a case, workers", "parent"]
    return (
        f"{markdown_table(header, rows)}\n\n{size:,} cases, median of {rounds} rounds: two jobs "
        f"are {ratio:.2f} times as fast as one; the same bytes: {same[0] == same[1]}.\n"
    )


def memory_table(benchmark: Path, work: Path, lengths: list[int], refused: bool) -> str:
    """Return a table of memory and time by the length of the input."""
    rows = []
    for length in lengths:
        cases = work / f"{length}.jsonl"
        write_repeated(benchmark, cases, length, "DELETE FROM nothing" if refused else None)
        run = measured_run(score(benchmark, cases, 2))
        for path in work.glob(f"{length}.jsonl*"):
            path.unlink()
        rows.append(
            [
                f"{length:,}",
                f"{run.seconds:.0f}",
                f"{run.parent / 1e6:.0f}",
                f"{run.together / 1e6:.0f}",
            ]
        )
        print(rows[-1], file=sys.stderr, flush=True)
    header = ["lines", "seconds", "memory of the parent, MB", "of all three processes, MB"]
    return markdown_table(header, rows) + "\n"


def cluster_text(benchmark: Path, work: Path, size: int) -> str:
    """Return what came of a run on two workers of Dask of which one is killed in the middle."""
    started: Any = importlib.import_module("distributed")

    cases = work / "cluster.jsonl"
    write_repeated(benchmark, cases, size)
    measured_run(score(benchmark, cases, 1))
    out = Path(f"{cases}.out.jsonl")
    with (
        started.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        started.Client(cluster) as client,
    ):
        command = score(benchmark, cases, 1, "--backend", "dask")
        command[command.index("--jobs") : command.index("--jobs") + 2] = []
        command[command.index("--out") + 1] = str(out)
        pids = list(client.run(os.getpid).values())
        began = time.perf_counter()
        with subprocess.Popen([*command, "--scheduler", cluster.scheduler_address]) as running:
            partial = Path(f"{out}.partial")
            while running.poll() is None and not (partial.exists() and partial.stat().st_size):
                time.sleep(LOOK_SECONDS)
            lines = partial.read_bytes().count(b"\n")
            os.kill(pids[0], signal.SIGKILL)
            running.wait()
        seconds = time.perf_counter() - began
    same = out.read_bytes() == Path(f"{cases}.1.out.jsonl").read_bytes()
    return (
        f"{size:,} cases on two workers of Dask, one killed after {lines:,} lines: "
        f"{seconds:.0f} s, the same bytes as one job: {same}.\n"
    )


if __name__ == "__main__":
    main()
