"""Runs of `score` on a few cases, and what is promised of every such run."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.attack.sandbox import GRACE, Done, Sandbox, snapshot
from clausewise import errors
from clausewise.datasets import sample_dir

FINDINGS = frozenset({0, 1, 3})
"""Exit codes of a run that judged what could be judged."""

STATUSES = frozenset({"ok", "unparsable", "not_executable", "unchecked"})
REFUSED = frozenset({"unparsable", "not_executable"})

CASE_LIMIT = 5.0
"""Seconds that the suite gives to one case."""

LARGEST_PROCESS = 1_500.0
"""Megabytes that one process may hold: the worker's limit of 1,000 and what Python needs."""


_OWN_ERRORS = frozenset(vars(errors))


def ordinary_cases() -> list[dict[str, Any]]:
    """Return two cases of the sample's bookshop, to stand before and after a hostile one."""
    lines = (sample_dir() / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(lines[0]), json.loads(lines[4])]


def hostile_case(sql: str, db_id: str = "bookshop", question_id: str = "hostile") -> dict[str, Any]:
    """Return a case with this query."""
    question = "How many books are there?"
    return {
        "question_id": question_id,
        "db_id": db_id,
        "question": question,
        "predicted_sql": sql,
    }


def sample_databases(folder: Path, *names: str) -> Path:
    """Copy databases of the sample, all where none is named, into a new folder."""
    for name in names or ("bookshop", "clinic", "cycling"):
        shutil.copytree(sample_dir() / "databases" / name, folder / name)
    return folder


def write_cases(path: Path, cases: Sequence[Mapping[str, Any]]) -> Path:
    """Write cases as JSON lines."""
    path.write_bytes(b"".join(json.dumps(case).encode() + b"\n" for case in cases))
    return path


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < 4_000 else digits


def read_record(line: bytes) -> dict[str, Any]:
    """Parse a line of scores, with null in place of what is nested too deeply for Python."""
    for opening, closing in ((rb"(?:\[\s*){200,}", b"]"), (rb'(?:\{"a":\s*){200,}1', b"}")):
        while deep := re.search(opening, line):
            levels = len(re.findall(rb"[\[{]", deep[0]))
            ends = re.compile(rb"(?:\s*" + re.escape(closing) + rb"){%d}" % levels)
            end = ends.match(line, deep.end())
            if end is None:
                break
            line = line[: deep.start()] + b"null" + line[end.end() :]
    # Python refuses to read an integer of over 4,300 digits.
    record: dict[str, Any] = json.loads(line, parse_int=_integer)
    return record


@dataclass(frozen=True)
class Scored:
    """A finished run of `score`."""

    done: Done
    lines: tuple[bytes, ...]

    @cached_property
    def by_id(self) -> dict[str, bytes]:
        """The lines by question_id, of two with one the first."""
        found: dict[str, bytes] = {}
        for line in self.lines:
            found.setdefault(str(read_record(line).get("question_id")), line)
        return found

    def record(self, question_id: str) -> dict[str, Any]:
        """Return one scored case, empty where it did not come back."""
        return read_record(self.by_id.get(question_id, b"{}"))

    def not_same(self, reference: Scored) -> list[str]:
        """Return which lines of the reference are missing here or are not the same bytes."""
        return [
            f"{name} {'differs' if name in self.by_id else 'did not come back'}"
            for name, line in reference.by_id.items()
            if self.by_id.get(name) != line
        ]


def score(
    sandbox: Sandbox, cases: Path, databases: Path, *options: object, seconds: float = 120.0
) -> Scored:
    """Score a file of cases with `--out`, and read what was written."""
    out = sandbox.work / "scores.jsonl"
    out.unlink(missing_ok=True)
    arguments = ("score", cases, "--databases", databases, "--out", out, *options)
    done = sandbox.run(*arguments, seconds=seconds)
    lines = out.read_bytes().split(b"\n")[:-1] if out.is_file() else []
    return Scored(done, tuple(lines))


def limit_options(seconds: float) -> tuple[object, ...]:
    """Return the options that give one case so many seconds."""
    return ("--case-limit", seconds)


class Bystanders:
    """Ordinary cases around hostile ones: what they alone give, and whether they still do."""

    def __init__(
        self,
        sandbox: Sandbox,
        databases: Path,
        case_limit: float = CASE_LIMIT,
        preparation: float = 0.0,
    ) -> None:
        self._preparation = preparation
        self.sandbox, self.databases, self.case_limit = sandbox, databases, case_limit
        self.before, self.after = ordinary_cases()
        self._ordinary = write_cases(sandbox.work / "ordinary.jsonl", [self.before, self.after])
        score(sandbox, self._ordinary, databases)  # fills the cache
        self.alone = score(sandbox, self._ordinary, databases)
        self.seconds = self.alone.done.seconds
        """What the ordinary cases take by themselves."""
        if len(self.alone.lines) != 2:
            raise RuntimeError(f"the ordinary cases fail by themselves: {self.alone.done.err}")

    def attack(self, hostile: Sequence[Mapping[str, Any]]) -> tuple[Scored, list[str]]:
        """Score hostile cases between the ordinary ones.

        Returns the run, and which promises to all cases were broken: all come back; none takes
        longer than its limit; the ordinary ones have the same bytes as alone; the databases are
        unchanged; nothing is left. `broken_by` has those to each case.
        """
        cases = write_cases(self.sandbox.work / "cases.jsonl", [self.before, *hostile, self.after])
        earlier = snapshot(self.databases)
        found = score(
            self.sandbox,
            cases,
            self.databases,
            *limit_options(self.case_limit),
            seconds=self._longest(len(hostile)) + 60,
        )
        broken = found.done.broken(FINDINGS)
        if self._is_late(found.done.seconds, len(hostile)):
            broken.append(f"over the limits and the grace: {found.done.seconds:.0f} s")
        broken += found.not_same(self.alone)
        if len(found.lines) != len(hostile) + 2:
            broken.append(f"{len(found.lines)} lines for {len(hostile) + 2} cases")
        if found.done.megabytes > LARGEST_PROCESS:
            broken.append(f"a process held {found.done.megabytes:,.0f} MB")
        if snapshot(self.databases) != earlier:
            broken.append("the databases' folder changed")
        return found, broken + self.sandbox.left()

    def _longest(self, hostile: int) -> float:
        """Return the seconds that a run may take.

        The ordinary cases count twice: where a worker was ended, another one is started.
        """
        return 2 * self.seconds + hostile * self.case_limit + self._preparation + GRACE

    def _is_late(self, seconds: float, hostile: int) -> bool:
        """Whether a run took too long; where it seems so, the machine's speed is taken again."""
        if seconds > self._longest(hostile):
            self.seconds = score(self.sandbox, self._ordinary, self.databases).done.seconds
        return seconds > self._longest(hostile)


def broken_by(record: Mapping[str, Any], allowed: frozenset[str]) -> list[str]:
    """Return which promises to one scored case were broken; empty: it did not come back."""
    if not record:
        return ["it did not come back"]
    if record["status"] not in allowed:
        return [f"it is {record['status']}"]
    return bad_records([record])


def described(records: Sequence[Mapping[str, Any]]) -> str:
    """Return status and reason of scored cases."""
    return "; ".join(
        f"{record.get('status')}{': ' + str(record['reason']) if record.get('reason') else ''}"
        for record in records
    )


def bad_records(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is wrong with scored cases in themselves: probability, spans, crashes."""
    found = []
    for record in records:
        sql, status = record.get("predicted_sql") or "", record.get("status")
        if (record["p_correct"] is None) != (status == "unchecked"):
            found.append(f"p_correct is {record['p_correct']} and the status {status}")
        for finding in record.get("findings", ()):
            clause = finding["clause"]
            if sql[clause["start"] : clause["end"]] != clause["text"]:
                found.append(f"{finding['code']} marks another text than it says")
        reasons = record.get("signal_reasons") or {}
        for name, outcome in (record.get("signals") or {}).items():
            if outcome == "fault" and _is_crash(reasons.get(name, "")):
                found.append(f"{name} crashed: {reasons[name]}")
    return found


def _is_crash(reason: str) -> bool:
    """Whether a fault was an error that clausewise did not raise on purpose."""
    name = reason.partition(":")[0]
    return name.isidentifier() and name.endswith(("Error", "Exception")) and name not in _OWN_ERRORS
