"""What it costs to check cases in processes that can be ended: `score`, `check`, and a long run.

    python -m benchmarks.isolation [--cases 2000] [--rounds 5] [--long 200000]

Commands run in turn with and without `--in-process`, so that a busy minute slows both alike. The
long run has two jobs and repeats the sample's cases; its memory is that of all processes together,
shared pages counted once.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.growth import write_cases
from clausewise.datasets import sample_dir
from experiments.common.tables import markdown_table

COMMAND = str(Path(sys.executable).with_name("clausewise"))
LOOK_SECONDS = 1.0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--long", type=int, default=200_000, help="0: leave it out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder) / "short.jsonl"
        write_cases(short, options.cases)
        databases = sample_dir() / "databases"
        bookshop = databases / "bookshop" / "bookshop.sqlite"
        score = [COMMAND, "score", str(short), "--databases", str(databases), "--quiet"]
        question = ["-q", "How many books are there?", "-s", "SELECT COUNT(*) FROM books"]
        check = [COMMAND, "check", "--db", str(bookshop), *question]
        rows = [
            *compared("score", [*score, "--out", f"{short}.out.jsonl"], options.rounds),
            *compared("check", check, 2 * options.rounds),
        ]
        header = ["command", "how", "median s", "fastest s", "median CPU s"]
        print(markdown_table(header, rows))
        if options.long:
            print()
            print(long_run(Path(folder) / "long.jsonl", options.long))


def compared(name: str, command: list[str], rounds: int) -> list[list[str]]:
    """Return a row for the command as it is, and one for it with `--in-process`."""
    ways = {"in workers": command, "in process": [*command, "--in-process"]}
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    processor: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, arguments in ways.items():
            before, began = _processor_seconds(), time.perf_counter()
            _run(arguments)
            seconds[way].append(time.perf_counter() - began)
            processor[way].append(_processor_seconds() - before)
    return [
        [
            f"`{name}`",
            way,
            f"{statistics.median(seconds[way]):.3f}",
            f"{min(seconds[way]):.3f}",
            f"{statistics.median(processor[way]):.3f}",
        ]
        for way in ways
    ]


def long_run(cases: Path, size: int) -> str:
    """Return a table of the time and memory of many cases with two jobs."""
    write_cases(cases, size, distinct=False)
    command = [
        COMMAND, "score", str(cases), "--databases", str(sample_dir() / "databases"),
        "--out", f"{cases}.out.jsonl", "--jobs", "2", "--quiet",
    ]  # fmt: skip
    began, most = time.perf_counter(), 0
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            most = max(most, memory_of_all(process.pid))
            time.sleep(LOOK_SECONDS)
    seconds = time.perf_counter() - began
    row = [f"{size:,}", f"{seconds:.0f}", f"{seconds / size * 1e3:.2f}", f"{most / 1e6:.0f}"]
    return markdown_table(["cases", "seconds", "ms a case", "memory of all processes, MB"], [row])


def memory_of_all(pid: int) -> int:
    """Return the bytes that a process and its children hold, shared pages counted once."""
    try:
        parent = psutil.Process(pid)
        return sum(one.memory_full_info().pss for one in (parent, *parent.children(True)))
    except psutil.Error:
        return 0


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)


if __name__ == "__main__":
    main()
