"""How close many calls in flight come to the ideal throughput, and whether memory stays flat.

    python -m benchmarks.llm_throughput [--cases 1000] [--in-flight 16] [--reply-ms 200]

A scripted endpoint in a process of its own answers each request after the same time. The ideal is
calls x time of a reply / calls in flight. Asked are the client alone (one call for each case, from
as many threads as calls in flight) and the whole inspection of cases by signals that ask a model.
The clock starts when the first case is done: until then libraries are loaded and databases opened.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
from pydantic import BaseModel

from benchmarks.growth import write_cases
from clausewise.databases import Databases
from clausewise.datasets import read_cases, sample_dir
from clausewise.llm import LLM, LLMSettings
from clausewise.llm.templates import PROMPT_FOLDER
from clausewise.signals import iter_inspections, load_signals, select_signals
from clausewise.testing.endpoint import Reply, ScriptedEndpoint, fitting
from clausewise.types import Inspection, OutcomeStatus
from experiments.common.tables import markdown_table

PROMPT = """{# version: 1 #}
{% block system %}You judge queries.{% endblock %}
{% block user %}{{ question | fence("question") }}{% endblock %}
"""


class Judgment(BaseModel):
    """What the endpoint always answers."""

    suspicious: bool


def serve(pipe: Connection, delay: float) -> None:
    """Play the endpoint until the other end of the pipe says stop."""
    with ScriptedEndpoint(lambda request: Reply(fitting(request), delay=delay)) as endpoint:
        pipe.send(endpoint.url)
        pipe.recv()
        pipe.send(endpoint.most_in_flight)


@contextmanager
def endpoint_process(delay: float) -> Iterator[tuple[str, Callable[[], int]]]:
    """Yield the base URL, and a function that ends it and returns the most requests in flight."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, delay))
    process.start()

    def end() -> int:
        ours.send("stop")
        return int(ours.recv())

    yield ours.recv(), end
    process.join()


def client_alone(llm: LLM, cases: int, in_flight: int, tick: Callable[[int], None]) -> None:
    """Ask one question for each case."""

    def ask(number: int) -> None:
        llm.for_case(str(number)).ask("tiny", Judgment, {"question": f"Question {number}?"})
        tick(number)

    with ThreadPoolExecutor(in_flight) as pool:
        list(pool.map(ask, range(cases)))


def measure(
    name: str, args: argparse.Namespace, work: Callable[[LLM, Callable[[int], None]], None]
) -> list[str]:
    """Return one row of the table."""
    memory: dict[int, float] = {}
    first: list[tuple[float, float, int]] = []
    process = psutil.Process()
    quarters = {args.cases * part // 4 - 1: part for part in (1, 2, 4)}

    def tick(number: int) -> None:
        if not first:
            first.append((time.perf_counter(), time.process_time(), llm.spent.calls))
        if number in quarters:
            memory[quarters[number]] = process.memory_info().rss / 2**20

    with tempfile.TemporaryDirectory() as folder, endpoint_process(args.reply_ms / 1e3) as server:
        url, end = server
        prompts = Path(folder) / "prompts"
        prompts.mkdir()
        (prompts / "tiny.j2").write_text(PROMPT, encoding="utf-8")
        settings = LLMSettings(
            "scripted", base_url=url, concurrency=args.in_flight, cache_folder=Path(folder) / "llm"
        )
        templates = prompts if name == "client alone" else PROMPT_FOLDER
        with LLM(settings, prompts=templates) as llm:
            began = time.perf_counter()
            work(llm, tick)
            ended, spent = time.perf_counter(), time.process_time()
            calls = llm.spent.calls
        most = end()
    ((first_done, first_spent, first_calls),) = first
    seconds = ended - first_done
    ideal = (calls - first_calls) * args.reply_ms / 1e3 / args.in_flight
    return [
        name, f"{args.cases:,}", f"{calls:,}", str(most), f"{first_done - began:.1f}",
        f"{ideal:.1f}", f"{seconds:.1f}",
        f"{ideal / seconds:.0%}", f"{(spent - first_spent) / (calls - first_calls) * 1e3:.1f}",
        " / ".join(f"{memory[part]:.0f}" for part in (1, 2, 4)),
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--reply-ms", type=float, default=200.0)
    parser.add_argument("--signals", default="self_check_bool")
    args = parser.parse_args()
    load_signals()

    def inspect(llm: LLM, tick: Callable[[int], None]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cases.jsonl"
            write_cases(path, args.cases)
            databases = Databases(sample_dir() / "databases")
            stream = iter_inspections(
                read_cases(path), databases, select_signals(args.signals), 1, llm
            )
            faults = 0
            for number, item in enumerate(stream):
                tick(number)
                assert isinstance(item, Inspection)
                faults += any(
                    outcome.status is OutcomeStatus.FAULT for outcome in item.outcomes.values()
                )
            assert not faults, f"{faults} faults"

    rows = [
        measure(
            "client alone",
            args,
            lambda llm, tick: client_alone(llm, args.cases, args.in_flight, tick),
        ),
        measure(f"inspection with {args.signals}", args, inspect),
    ]
    header = [
        "what", "cases", "calls", "most in flight", "first case s", "ideal s", "measured s",
        "of the ideal", "CPU ms a call", "memory after 1/4, 1/2, all, MB",
    ]  # fmt: skip
    print(markdown_table(header, rows))


if __name__ == "__main__":
    main()
