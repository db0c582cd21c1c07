"""Broken endpoints, each asked by a run of `score` on three cases."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path

from benchmarks.attack.broken_endpoints import CORE, ENDPOINTS, KEY, SCRIPT, Broken
from benchmarks.attack.rows import Row
from benchmarks.attack.sandbox import Sandbox
from benchmarks.attack.scoring import (
    FINDINGS,
    Scored,
    bad_records,
    ordinary_cases,
    sample_databases,
    score,
    write_cases,
)

PROMISE = (
    "Three cases are scored with `--llm` and an endpoint that is broken or hostile. All come back; "
    "where no answer can be used, each has the probability that it has without a model; the key "
    "stands in no output, cache or other file, also not where the server echoes it; markup of an "
    "answer is never live in a report; nothing is left."
)
LONGEST = 100.0
"""Seconds for a run: the longest wait that a server may ask for is 60."""

_ESCAPE = re.compile(rb"\\\\?u([0-9a-fA-F]{4})")


def run(folder: Path, only: Collection[str] | None = None) -> Iterator[Row]:
    """Ask every broken endpoint; `only` names some of them."""
    sandbox = Sandbox(folder / "sandbox", {"CLAUSEWISE_LLM_API_KEY": KEY})
    databases = sample_databases(folder / "databases", "bookshop")
    three = [*ordinary_cases(), {**ordinary_cases()[0], "question_id": "third"}]
    cases = write_cases(sandbox.work / "cases.jsonl", three)
    alone = score(sandbox, cases, databases)
    for broken in ENDPOINTS:
        if only is None or broken.name in only:
            yield _asked(sandbox, cases, databases, broken, alone)


def _asked(sandbox: Sandbox, cases: Path, databases: Path, endpoint: Broken, alone: Scored) -> Row:
    shutil.rmtree(sandbox.cache / "llm", ignore_errors=True)
    with ExitStack() as stack:
        url = stack.enter_context(endpoint.opened())
        found = score(
            sandbox,
            cases,
            databases,
            *("--llm", "broken", "--llm-base-url", url, "--llm-combined"),
            *("--llm-timeout", 0.4, "--llm-budget", f"calls={endpoint.calls}"),
            seconds=LONGEST,
        )
    broken = found.done.broken(FINDINGS)
    records = [json.loads(line) for line in found.lines]
    if [record["question_id"] for record in records] != [
        json.loads(line)["question_id"] for line in alone.lines
    ]:
        broken.append(f"{len(records)} of 3 cases came back")
    broken += bad_records(records)
    if endpoint.useless:
        before = [json.loads(line)["p_correct"] for line in alone.lines]
        after = [record["p_correct"] for record in records]
        if before != after:
            broken.append(f"p_correct {after}, without a model {before}")
    if not endpoint.useless:
        broken += _live_markup(sandbox)
    broken += _leaks(sandbox.folder) + sandbox.left()
    faults = sum(outcome == "fault" for record in records for outcome in record["signals"].values())
    last = found.done.err.strip().splitlines()[-1:]
    happened = f"exit {found.done.code}, {faults} faults; {' '.join(last)}"
    expected = "3 cases, as without a model" if endpoint.useless else "3 cases"
    return Row(endpoint.name, f"{expected}; no key written", happened, found.done.seconds, broken)


def _live_markup(sandbox: Sandbox) -> list[str]:
    """Return whether a report of the scores holds markup or escapes of an answer as they came."""
    scores = sandbox.work / "scores.jsonl"
    if not scores.is_file():
        return []
    page = sandbox.work / "report.html"
    done = sandbox.run("report", scores, "--out", page)
    broken = done.broken(FINDINGS)
    if page.is_file() and SCRIPT in page.read_text(encoding="utf-8"):
        broken.append("a script of the answer is live in the report")
    shown = sandbox.run("report", scores, "--format", "text")
    if b"\x1b]0;" in shown.out or "\x1b]0;" in shown.err:
        broken.append("an escape of the answer reaches the terminal")
    return broken + shown.broken(FINDINGS)


def _leaks(folder: Path) -> list[str]:
    """Return the files that hold the key, escaped or not."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            plain = _ESCAPE.sub(lambda match: bytes([int(match[1], 16) & 0xFF]), content)
            if CORE.encode() in content or CORE.encode() in plain:
                found.append(f"the key is in {path.relative_to(folder)}")
    return found
