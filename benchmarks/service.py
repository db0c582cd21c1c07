"""Throughput and latency of `clausewise serve` on the loopback, beside the in-process numbers.

    python -m benchmarks.service DATA/spider [DATA/bird] [--cases 2000] [--jobs 2] [--rounds 3]

The same cases in the same shuffled order, by `Detector.score` with `--jobs` in a process of its own
and by a server process with as many jobs, in turn. Requests come from another process again: 32
connections that ask as fast as they are answered (full load), then requests at random times at half
the rate of the full load. Each row is the median of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

from benchmarks.measuring import cases_of
from clausewise.databases import Databases
from clausewise.datasets import dump_line, read_cases
from clausewise.models import packaged_detector
from experiments.common.tables import markdown_table

HEADER = (
    "benchmark", "jobs", "in process, cases/s", "full load, requests/s", "ratio",
    "p50 ms", "p99 ms", "half load, requests/s", "p50 ms", "p99 ms",
)  # fmt: skip
WARM = 300
"""Cases before the clock starts."""


def in_process(databases: Path, cases: Path, jobs: int) -> float:
    """Return the cases a second of `Detector.score`."""
    detector = packaged_detector().set_params(jobs=jobs)
    opened = Databases(databases)
    known = read_cases(cases)
    detector.score(known[:WARM], opened)
    began = time.perf_counter()
    scored = detector.score(known, opened)
    return len(scored) / (time.perf_counter() - began)


def measured(databases: Path, cases: Path, jobs: int) -> dict[str, float]:
    """Return the figures of one round."""
    command = [sys.executable, "-m", "benchmarks.service", str(databases), "--score", str(cases)]
    alone = subprocess.run(
        [*command, "--jobs", str(jobs)], capture_output=True, check=True, text=True
    )
    found = {"in process": float(alone.stdout)}
    with serving(databases, jobs) as (host, port):
        load = [sys.executable, "-m", "benchmarks.http_load", host, str(port), str(cases)]
        full = asked([*load, "--warm", str(WARM)])
        half = asked([*load, "--rate", str(full["a second"] / 2)])
    found |= {f"full {name}": value for name, value in full.items()}
    return found | {f"half {name}": value for name, value in half.items()}


def asked(command: list[str]) -> dict[str, float]:
    """Return the figures of a run of requests."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


@contextmanager
def serving(databases: Path, jobs: int) -> Iterator[tuple[str, int]]:
    """Run a service; yield where it listens."""
    command = [sys.executable, "-m", "clausewise", "serve", "--databases", str(databases)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [*command, "--port", "0", "--jobs", str(jobs)], stderr=log, env={**os.environ}
        )
        try:
            while "serving on" not in (line := os.pread(log.fileno(), 200, 0).decode()):
                time.sleep(0.05)
            place = urlsplit(line.split()[2])
            host, port = str(place.hostname), int(place.port or 0)
            while not is_ready(host, port):
                time.sleep(0.1)
            yield host, port
        finally:
            process.terminate()
            process.wait()


def is_ready(host: str, port: int) -> bool:
    """Whether the service can check cases."""
    try:
        with urlopen(f"http://{host}:{port}/ready") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def row(benchmark: Path, folder: Path, options: argparse.Namespace) -> list[str]:
    """Return one row of the table."""
    cases = cases_of(benchmark)
    random.Random(0).shuffle(cases)
    chosen = folder / f"{benchmark.name}.jsonl"
    records = [
        {**case.carried(), "question_id": number}
        for number, case in enumerate(cases[: options.cases])
    ]
    chosen.write_text("".join(dump_line(record) + "\n" for record in records), encoding="utf-8")
    rounds = []
    for _ in range(options.rounds):
        rounds.append(measured(benchmark / "databases", chosen, options.jobs))
        print(json.dumps(rounds[-1]), file=sys.stderr, flush=True)

    def middle(name: str) -> float:
        return statistics.median(figures[name] for figures in rounds)

    ratios = [figures["full a second"] / figures["in process"] for figures in rounds]
    return [
        benchmark.name,
        str(options.jobs),
        f"{middle('in process'):.0f}",
        f"{middle('full a second'):.0f}",
        f"{statistics.median(ratios):.2f}",
        *(f"{middle(f'full {name}'):.0f}" for name in ("p50", "p99")),
        f"{middle('half a second'):.0f}",
        *(f"{middle(f'half {name}'):.0f}" for name in ("p50", "p99")),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmarks", type=Path, nargs="+")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--score", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.score:
        print(in_process(options.benchmarks[0], options.score, options.jobs))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(path, Path(folder), options) for path in options.benchmarks]
    print(markdown_table(HEADER, rows))


if __name__ == "__main__":
    main()
