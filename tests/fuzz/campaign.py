"""Fuzzing by hand, with more cases than the tests have:

    python -m tests.fuzz.campaign --cases 100000 --seed 1
    python -m tests.fuzz.campaign --cases 20000 --data DATA/spider --slow 2

`--data` is a folder with `predictions/*.jsonl` and `databases/`; without it the packaged sample is
used. Prints every problem, and every case that takes more seconds of the processor than `--slow`;
exits with 1 where there is a problem.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from time import process_time

from clausewise.databases import Database, Databases
from clausewise.datasets import read_cases, sample_dir
from clausewise.models import packaged_detector
from clausewise.signals import SignalSpec, inspect_case
from clausewise.types import Case, Inspection
from tests.fuzz.checking import SteppedDatabase, is_lost, problems, timed_out
from tests.fuzz.mutations import mutated_cases

AT_ONCE = 200
"""Cases that are scored together."""


def shown(case: Case) -> str:
    """Return a case as JSON in ASCII, lone surrogates escaped: it can be read back."""
    return json.dumps(case.model_dump())


@dataclass
class Tally:
    """What came of the cases."""

    cases: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    timeouts: int = 0
    partly_checked: int = 0
    """Outcomes that say that parts were left unchecked."""
    problems: list[str] = field(default_factory=list)

    def add(self, case: Case, inspection: Inspection, specs: Sequence[SignalSpec]) -> None:
        self.cases += 1
        status = inspection.status.value
        self.statuses[status] = self.statuses.get(status, 0) + 1
        for outcome in inspection.outcomes.values():
            self.timeouts += timed_out(outcome)
            self.partly_checked += outcome.answered and outcome.reason is not None
        for problem in problems(case, inspection, specs):
            self.problems.append(f"{problem} in {shown(case)}")

    def text(self) -> str:
        counts = json.dumps(self.statuses, sort_keys=True)
        return (
            f"{self.cases} cases {counts}, {self.timeouts} time-outs, "
            f"{self.partly_checked} partly checked, {len(self.problems)} problems"
        )


def sample_cases() -> list[Case]:
    """Return the cases of the packaged sample."""
    return [case for case in read_cases(sample_dir() / "cases.jsonl") if isinstance(case, Case)]


def stepped(folder: Path) -> dict[str, Database]:
    """Return the databases of a folder, with limits that do not depend on the clock."""
    known = Databases(folder)
    return {name: SteppedDatabase(Path(known.get(name).target)) for name in known.names()}


def fuzzed(
    cases: Sequence[Case],
    databases: Mapping[str, Database],
    count: int,
    seed: int | str,
    slow: float | None = None,
) -> Tally:
    """Inspect and score `count` mutations of the cases; nothing that goes wrong ends it."""
    detector = packaged_detector()
    specs = detector.specs()
    tally = Tally()
    printed = 0
    mutations = mutated_cases(cases, count, seed)
    while batch := list(islice(mutations, AT_ONCE)):
        inspections = []
        for case in batch:
            started = process_time()
            try:
                inspection = inspect_case(case, databases[case.db_id], specs)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                where = traceback.extract_tb(error.__traceback__)[-1]
                text = (
                    f"{type(error).__name__}: {error} at {Path(where.filename).name}:{where.lineno}"
                )
                tally.problems.append(f"{text} in {shown(case)}")
                continue
            taken = process_time() - started
            if slow is not None and taken > slow:
                print(f"{taken:.1f} s: {shown(case)}", flush=True)
            inspections.append(inspection)
            tally.add(case, inspection, specs)
        for scored in detector.score_inspections(inspections):
            if is_lost(scored):
                tally.problems.append(f"a scored case is not read back: {scored.to_dict()}")
        if slow is not None:
            print(*tally.problems[printed:], sep="\n", end="\n" * (len(tally.problems) > printed))
            printed = len(tally.problems)
            print(datetime.now(UTC).isoformat(timespec="seconds"), tally.text(), flush=True)
    return tally


def _cases_of(folder: Path) -> list[Case]:
    found = []
    for path in sorted((folder / "predictions").glob("*.jsonl")):
        found += [case for case in read_cases(path) if isinstance(case, Case)]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--slow", type=float, default=2.0)
    given = parser.parse_args()
    cases = sample_cases() if given.data is None else _cases_of(given.data)
    folder = sample_dir() if given.data is None else given.data
    databases = stepped(folder / "databases")
    tally = fuzzed(cases, databases, given.cases, given.seed, given.slow)
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
