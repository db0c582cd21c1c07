"""What the report says of each way in which an endpoint can behave; its time and its cost.

    python -m experiments.llm.faults.run --out experiments/llm/faults/results

A detector with all signals that ask a model is fitted on the packaged sample against a well-behaved
scripted endpoint. Then ten cases of it are scored by the command, `clausewise score --llm`, against
an endpoint that behaves in each of the ways below, each time with an empty cache.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clausewise.datasets import sample_dir
from clausewise.signals import select_signals
from clausewise.testing.endpoint import Reply, ScriptedEndpoint, fitting
from experiments.common.results import Cell, number, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table

CASES = 10
TIMEOUT = 2.0
CHANCES = {"Yes": 0.8, "No": 0.2}
OUTCOMES = ("fault", "fired", "silent")
LLM_SIGNALS = tuple(spec.name for spec in select_signals("sqlens-llm", models=True))

Request = Mapping[str, Any]


def good(request: Request, **more: Any) -> Reply:
    """Answer as a server should; the verdict depends on the prompt only."""
    verdict = zlib.crc32(json.dumps(request["messages"]).encode()) % 3 == 0
    word = "Yes" if verdict else "No"
    text = word if "logprobs" in request else fitting(request, verdict=verdict)
    return Reply(text, chances=CHANCES, **more)


def every_second(bad: Reply) -> Callable[[Request], Reply]:
    """Behave badly at every second request."""
    asked = collections.Counter[str]()

    def reply(request: Request) -> Reply:
        asked["all"] += 1
        return bad if asked["all"] % 2 else good(request)

    return reply


def without_schemas(request: Request) -> Reply:
    """Refuse `response_format`; answer in prose around what the prompt's schema wants."""
    if "response_format" in request:
        return Reply(status=400, error="response_format is not supported")
    if "logprobs" in request:
        return good(request)
    system = request["messages"][0]["content"]
    schema = json.loads(system.rsplit("JSON schema:\n", 1)[1])
    named = {"response_format": {"json_schema": {"schema": schema}}}
    text = good({**request, **named}).text
    return Reply(f"Here is my answer:\n```json\n{text}\n```\nI hope that it helps.")


def without_chances(request: Request) -> Reply:
    """Give no log-probabilities."""
    return Reply(good(request).text)


@dataclass(frozen=True)
class Behavior:
    """One row of the table."""

    name: str
    script: Callable[[Request], Reply]
    refuses: tuple[str, ...] = ()
    budget: str | None = None


def always(reply: Reply) -> Callable[[Request], Reply]:
    """Behave so at every request."""
    return lambda _: reply


LIMITED = Reply(status=429, error="slow down", headers={"Retry-After": "1"})
BEHAVIORS = (
    Behavior("normal", good),
    Behavior("slow (1 s a reply)", lambda request: good(request, delay=1.0)),
    Behavior("no reply within the timeout", always(Reply(delay=60.0))),
    Behavior("a byte every 0.1 s", always(Reply(drip=0.1))),
    Behavior("429 with Retry-After at every second request", every_second(LIMITED)),
    Behavior("429 with Retry-After, always", always(LIMITED)),
    Behavior("500 at every second request", every_second(Reply(status=500, error="oops"))),
    Behavior("500, always", always(Reply(status=500, error="oops"))),
    Behavior("connection cut mid-reply, every second", every_second(Reply(cut=True))),
    Behavior("connection cut mid-reply, always", always(Reply(cut=True))),
    Behavior("a page in place of JSON", always(Reply(body=b"<html>welcome</html>"))),
    Behavior("wrong schema", always(Reply('{"opinion": "good"}'))),
    Behavior("wrong schema at every second request", every_second(Reply('{"opinion": 1}'))),
    Behavior("prose without JSON", always(Reply("The query looks fine to me."))),
    Behavior("empty choices", always(Reply(choices=False))),
    Behavior("refusal", always(Reply("", refusal="I cannot help with that."))),
    Behavior("a reply of two megabytes", always(Reply("x" * 2_000_000))),
    Behavior("400 on response_format, prose around JSON", without_schemas),
    Behavior(
        "400 on temperature, seed and max_tokens", good, ("temperature", "seed", "max_tokens")
    ),
    Behavior("no log-probabilities", without_chances),
    Behavior("401, wrong key", always(Reply(status=401, error="wrong key"))),
    Behavior("400, prompt too long", always(Reply(status=400, error="context length is 512"))),
    Behavior("no server there", good),
    Behavior("budget of 20 calls", good, budget="calls=20"),
)


def run_clausewise(*arguments: str, url: str, cache: Path) -> tuple[str, float]:
    """Run the command against an endpoint; returns what it said, and seconds."""
    command = [str(Path(sys.executable).with_name("clausewise")), *arguments]
    model = ["--llm", "scripted", "--llm-base-url", url, "--llm-timeout", str(TIMEOUT)]
    environment = os.environ | {"CLAUSEWISE_CACHE_DIR": str(cache)}
    began = time.perf_counter()
    done = subprocess.run(
        [*command, *model], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    return done.stderr, time.perf_counter() - began


def fit(folder: Path) -> Path:
    """Fit a detector that knows the signals that ask a model."""
    detector = folder / "detector"
    with ScriptedEndpoint(good) as endpoint:
        run_clausewise(
            "fit", str(sample_dir() / "cases.jsonl"),
            "--databases", str(sample_dir() / "databases"), "--out", str(detector),
            "--signals", "all,sqlens-llm", "--label-model", "weighted", "--classifier", "additive",
            url=endpoint.url, cache=folder / "cache-fit",
        )  # fmt: skip
    return detector


def observe(behavior: Behavior, number: int, detector: Path, folder: Path) -> dict[str, Cell]:
    """Score ten cases against one behavior and return what is to be seen of it."""
    cases = folder / "cases.jsonl"
    lines = (sample_dir() / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases.write_text("\n".join(lines[:CASES]) + "\n", encoding="utf-8")
    out = folder / f"scores-{number}.jsonl"
    with ScriptedEndpoint(behavior.script, refuses=behavior.refuses) as endpoint:
        url = "http://127.0.0.1:9/v1" if behavior.name == "no server there" else endpoint.url
        said, seconds = run_clausewise(
            "score", str(cases), "--databases", str(sample_dir() / "databases"),
            "--detector", str(detector), "--trust-detector", "--out", str(out),
            *(["--llm-budget", behavior.budget] if behavior.budget else []),
            url=url, cache=folder / f"cache-{number}",
        )  # fmt: skip
        requests = endpoint.count
    scores = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    outcomes = collections.Counter[str]()
    reasons = collections.Counter[str]()
    for score in scores:
        for name in LLM_SIGNALS:
            status = score["signals"].get(name)
            outcomes[status] += 1
            if status == "fault":
                reasons[score["signal_reasons"][name]] += 1
    spent = re.search(r"scripted: (\d+) calls, (\d+) prompt and (\d+) answer tokens", said)
    assert spent is not None, said
    return {
        "endpoint": behavior.name,
        "cases": len(scores),
        "with_probability": sum(score["p_correct"] is not None for score in scores),
        **{name: outcomes[name] for name in OUTCOMES},
        "reasons": "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common()),
        "seconds": round(seconds, 1),
        "requests": requests,
        "calls": int(spent[1]),
        "tokens": int(spent[2]) + int(spent[3]),
    }


HEADER = (
    "the endpoint", "cases with a probability", "outcomes of the signals that ask",
    "reasons of the faults", "seconds", "calls", "tokens",
)  # fmt: skip


def report(folder: Path) -> str:
    """Return the table."""
    lines = [
        [
            row["endpoint"],
            f"{row['with_probability']} of {row['cases']}",
            ", ".join(f"{row[name]} {name}" for name in OUTCOMES if row[name] != "0"),
            row["reasons"].replace("|", "/") or "-",
            f"{number(row, 'seconds'):.1f}",
            row["calls"],
            f"{int(row['tokens']):,}",
        ]
        for row in read_csv(folder / "results.csv")
    ]
    return markdown_table(HEADER, lines)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", help="one behavior by its name; nothing is written")
    arguments = parser.parse_args()
    chosen = [one for one in BEHAVIORS if arguments.only in (None, one.name)]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        detector = fit(folder)
        rows: list[dict[str, Cell]] = []
        for place, behavior in enumerate(chosen):
            rows.append(observe(behavior, place, detector, folder))
            print(rows[-1], file=sys.stderr, flush=True)
        out = folder if arguments.only else arguments.out
        write_csv(out / "results.csv", rows)
        print(write_report(out, report))


if __name__ == "__main__":
    main()
