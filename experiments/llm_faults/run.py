"""What the report says of each way in which an endpoint can behave; its time and its cost.

    python -m experiments.llm_faults.run [--out experiments/llm_faults/results] [--only NAME]

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
from experiments.tables import markdown

CASES = 10
TIMEOUT = 2.0
CHANCES = {"Yes": 0.8, "No": 0.2}
LLM_SIGNALS = tuple(spec.name for spec in select_signals("sqlens-llm", models=True))

Request = Mapping[str, Any]


def good(request: Request, **more: Any) -> Reply:
    """Answer as a server should; the verdict hangs on nothing but the prompt."""
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
class Behaviour:
    """One row of the table."""

    name: str
    script: Callable[[Request], Reply]
    refuses: tuple[str, ...] = ()
    budget: str | None = None


def always(reply: Reply) -> Callable[[Request], Reply]:
    """Behave so at every request."""
    return lambda _: reply


LIMITED = Reply(status=429, error="slow down", headers={"Retry-After": "1"})
BEHAVIOURS = (
    Behaviour("normal", good),
    Behaviour("slow (1 s a reply)", lambda request: good(request, delay=1.0)),
    Behaviour("no reply within the timeout", always(Reply(delay=60.0))),
    Behaviour("a byte every 0.1 s", always(Reply(drip=0.1))),
    Behaviour("429 with Retry-After at every second request", every_second(LIMITED)),
    Behaviour("429 with Retry-After, always", always(LIMITED)),
    Behaviour("500 at every second request", every_second(Reply(status=500, error="oops"))),
    Behaviour("500, always", always(Reply(status=500, error="oops"))),
    Behaviour("connection cut mid-reply, every second", every_second(Reply(cut=True))),
    Behaviour("connection cut mid-reply, always", always(Reply(cut=True))),
    Behaviour("a page in place of JSON", always(Reply(body=b"<html>welcome</html>"))),
    Behaviour("wrong schema", always(Reply('{"opinion": "good"}'))),
    Behaviour("wrong schema at every second request", every_second(Reply('{"opinion": 1}'))),
    Behaviour("prose without JSON", always(Reply("The query looks fine to me."))),
    Behaviour("empty choices", always(Reply(choices=False))),
    Behaviour("refusal", always(Reply("", refusal="I cannot help with that."))),
    Behaviour("a reply of two megabytes", always(Reply("x" * 2_000_000))),
    Behaviour("400 on response_format, prose around JSON", without_schemas),
    Behaviour(
        "400 on temperature, seed and max_tokens", good, ("temperature", "seed", "max_tokens")
    ),
    Behaviour("no log-probabilities", without_chances),
    Behaviour("401, wrong key", always(Reply(status=401, error="wrong key"))),
    Behaviour("400, prompt too long", always(Reply(status=400, error="context length is 512"))),
    Behaviour("no server there", good),
    Behaviour("budget of 20 calls", good, budget="calls=20"),
)


def clausewise(*arguments: str, url: str, cache: Path) -> tuple[str, float]:
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
        clausewise(
            "fit", str(sample_dir() / "cases.jsonl"),
            "--databases", str(sample_dir() / "databases"), "--out", str(detector),
            "--signals", "all,sqlens-llm", "--label-model", "weighted", "--classifier", "additive",
            url=endpoint.url, cache=folder / "cache-fit",
        )  # fmt: skip
    return detector


def observe(behaviour: Behaviour, number: int, detector: Path, folder: Path) -> dict[str, Any]:
    """Score ten cases against one behaviour and return what is to be seen of it."""
    cases = folder / "cases.jsonl"
    lines = (sample_dir() / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases.write_text("\n".join(lines[:CASES]) + "\n", encoding="utf-8")
    out = folder / f"scores-{number}.jsonl"
    with ScriptedEndpoint(behaviour.script, refuses=behaviour.refuses) as endpoint:
        url = "http://127.0.0.1:9/v1" if behaviour.name == "no server there" else endpoint.url
        said, seconds = clausewise(
            "score", str(cases), "--databases", str(sample_dir() / "databases"),
            "--detector", str(detector), "--trust-detector", "--out", str(out),
            *(["--llm-budget", behaviour.budget] if behaviour.budget else []),
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
        "behaviour": behaviour.name,
        "cases": len(scores),
        "with_probability": sum(score["p_correct"] is not None for score in scores),
        "outcomes": dict(sorted(outcomes.items())),
        "reasons": dict(reasons.most_common()),
        "seconds": round(seconds, 1),
        "requests": requests,
        "calls": int(spent[1]),
        "tokens": int(spent[2]) + int(spent[3]),
    }


def row(seen: dict[str, Any]) -> list[str]:
    """Return one row of the table."""
    outcomes = ", ".join(
        f"{count} {name}" for name, count in seen["outcomes"].items() if name != "not_applicable"
    )
    reasons = "; ".join(f"{reason} ({count})" for reason, count in seen["reasons"].items())
    return [
        seen["behaviour"], f"{seen['with_probability']} of {seen['cases']}", outcomes,
        reasons.replace("|", "/") or "-", f"{seen['seconds']:.1f}", str(seen["calls"]),
        f"{seen['tokens']:,}",
    ]  # fmt: skip


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--only")
    args = parser.parse_args()
    chosen = [one for one in BEHAVIOURS if args.only in (None, one.name)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        detector = fit(folder)
        seen = []
        for number, behaviour in enumerate(chosen):
            seen.append(observe(behaviour, number, detector, folder))
            print(json.dumps(seen[-1]), file=sys.stderr, flush=True)
    header = [
        "the endpoint", "cases with a probability", "outcomes of the signals that ask",
        "reasons of the faults", "seconds", "calls", "tokens",
    ]  # fmt: skip
    table = markdown(header, [row(one) for one in seen])
    print(table)
    if args.only is None:
        args.out.mkdir(exist_ok=True)
        (args.out / "faults.json").write_text(json.dumps(seen, indent=1) + "\n", encoding="utf-8")
        (args.out / "faults.md").write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
