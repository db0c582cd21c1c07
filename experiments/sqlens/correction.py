"""SQLens's table 6: queries that each signal's part of the error report corrects and breaks.

    python -m experiments.sqlens.correction DATA --out experiments/sqlens/results
        (--llm MODEL --llm-base-url URL [--llm-signals] | --recorded both|useless|reworded)
        [--limit N] [--systems a,b] [--benchmarks spider,bird] [--signals SELECTOR] [--repairs N]

Every query that a signal flags goes to the strategy `sqlens` with that signal's findings alone.
What is proposed counts once as it is, as in the paper, and once where a detector that was trained
on the other benchmark prefers it. Lines of the same model or kind of recorded replies are
replaced in `correction.csv`, the others stay.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from clausewise.corrected_case import CorrectedCase
from clausewise.correction.sqlens import EXTERNAL
from clausewise.llm import LLM
from clausewise.signals import SIGNALS, inspect_cases, select_signals
from clausewise.testing.replies import scripted_model
from clausewise.types import Case, Group, Inspection, Json, ScoredCase
from experiments.common.results import Cell, Row, grouped, number, read_csv, write_csv
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.correction.recorded import (
    GOOD,
    HARMFUL,
    REWORDED,
    USELESS,
    Proposals,
    ProposedQuery,
    proposals,
)
from experiments.correction.run import add_model_arguments, model_settings
from experiments.correction.trials import Corrected, Ready, Trial, corrected, ready, results

FILE = "correction.csv"
NINE = "sqlens"
MODEL_SIGNALS = "sqlens-llm"
AS_PROPOSED, AUDITED = "no", "yes"
TOGETHER = {"nine": "Q, SQLens's nine signals", "all": "Q, all signals"}
"""The lines over several signals: a query counts once however many signals correct it."""
SCRIPTED = "scripted: "
"""What the name of replies begins with that no model gave."""


BOTH = "both"
"""The best and the worst replies: the gold query for wrong queries, a wrong one for right ones."""
_SCRIPTED_NOTE = (
    "**No model was asked.** A server of the test suite replied: with the gold query where the "
    "prediction is wrong, with a wrong query where it is right. So N_fix and N_break as proposed "
    "are what could be corrected and broken at most, and the audited ones say how much of either "
    "the detector lets pass. Figures like the paper's need a capable model. "
)


class Answers(Protocol):
    """What answers the strategy's prompts."""

    def correct(self, cases: Sequence[ScoredCase], trial: Trial) -> Iterable[CorrectedCase | None]:
        """Yield what the strategy makes of each case, None where there is no reply for it."""


@dataclass
class ModelAnswers:
    """A language model."""

    of: Ready
    llm: LLM

    def correct(self, cases: Sequence[ScoredCase], trial: Trial) -> Iterable[CorrectedCase | None]:
        """Yield the corrections, many at once."""
        return corrected(cases, self.of, trial, self.llm)


@dataclass
class RecordedAnswers:
    """Replies of one kind, from no model; each case is asked about for itself."""

    of: Ready
    known: Proposals
    kind: str

    def correct(self, cases: Sequence[ScoredCase], trial: Trial) -> Iterator[CorrectedCase | None]:
        """Yield the corrections; None for a case that has no query of the kind."""
        replies = ProposedQuery()
        with (
            tempfile.TemporaryDirectory() as folder,
            scripted_model(replies, Path(folder), concurrency=1) as llm,
        ):
            for case in cases:
                kind = self.kind
                if kind == BOTH:
                    kind = HARMFUL if self.of.is_right(case) else GOOD
                sql = self.known.proposal(case, kind)
                replies.sql = sql or ""
                yield None if sql is None else next(corrected([case], self.of, trial, llm))


def flagged(cases: Sequence[ScoredCase], signal: str) -> list[ScoredCase]:
    """Return the cases about which a signal has findings."""
    return [case for case in cases if any(f.signal == signal for f in case.findings)]


def with_model_findings(cases: Sequence[ScoredCase], of: Ready, llm: LLM) -> list[ScoredCase]:
    """Return the cases with the findings of SQLens's LLM signals added; no probability changes."""
    specs = [spec for spec in select_signals(MODEL_SIGNALS) if spec.name not in EXTERNAL]
    asked = [
        Case.model_validate(
            {
                **scored.carried,
                "question_id": scored.question_id,
                "db_id": scored.db_id,
                "predicted_sql": scored.predicted_sql,
            }
        )
        for scored in cases
    ]
    found = inspect_cases(asked, of.databases, specs, llm=llm)
    return [
        replace(scored, findings=(*scored.findings, *item.findings))
        if isinstance(item, Inspection)
        else scored
        for scored, item in zip(cases, found, strict=True)
    ]


def by_signal(
    of: Ready, signals: Sequence[str], answers: Answers, repairs: int
) -> dict[str, list[Corrected]]:
    """Return for each signal the queries that it flags, corrected by its findings alone."""
    found: dict[str, list[Corrected]] = {}
    for signal in signals:
        options: dict[str, Json] = {"signals": signal, "repairs": repairs}
        trial = Trial("sqlens", options, margin=None, rounds=1)
        for system, cases in of.cases.items():
            chosen = flagged(cases, signal)
            done = list(answers.correct(chosen, trial)) if chosen else []
            pairs = [(case, one) for case, one in zip(chosen, done, strict=True) if one is not None]
            part = replace(of, cases={system: [case for case, _ in pairs]})
            found.setdefault(signal, []).extend(results(part, system, [one for _, one in pairs]))
        rows = found[signal]
        print(f"{of.name} {signal}: {len(rows)} flagged, {_changed(rows)} changed", flush=True)
    return {signal: rows for signal, rows in found.items() if rows}


def _changed(rows: Sequence[Corrected]) -> int:
    return sum(row.result.changed for row in rows)


def preferred(row: Corrected) -> bool:
    """Whether the detector gives the proposed query the higher probability."""
    before, after = row.result.p_before, row.result.p_after
    return before is not None and after is not None and after > before


def counts(rows: Sequence[Corrected], audited: bool) -> dict[str, Cell]:
    """Return how many queries were flagged, truly wrong, changed, fixed and broken."""
    taken = [row for row in rows if row.result.changed and (preferred(row) or not audited)]
    ids = {(row.system, row.scored.question_id): row for row in rows}
    fixed = {_id(row) for row in taken if row.right_after and not row.right_before}
    broken = {_id(row) for row in taken if row.right_before and not row.right_after}
    return {
        "flagged": len(ids),
        "wrong": sum(not row.right_before for row in ids.values()),
        "changed": len({_id(row) for row in taken}),
        "fix": len(fixed),
        "break": len(broken),
        "net": len(fixed) - len(broken),
        "failed": sum(row.result.status.value == "failed" for row in rows),
        "calls": sum(_of_cost(row, "calls") for row in rows),
        "tokens": sum(
            _of_cost(row, "prompt_tokens") + _of_cost(row, "completion_tokens") for row in rows
        ),
    }


def _id(row: Corrected) -> tuple[str, str | int | None]:
    return row.system, row.scored.question_id


def _of_cost(row: Corrected, name: str) -> int:
    return int(str((row.result.cost or {}).get(name) or 0))


def rows_of(
    found: Mapping[str, Sequence[Corrected]], key: Mapping[str, Cell]
) -> list[dict[str, Cell]]:
    """Return the lines of the table: each signal, then the unions, both ways of counting."""
    nine = {spec.name for spec in select_signals(NINE)}
    unions = {
        TOGETHER["nine"]: [row for signal, rows in found.items() if signal in nine for row in rows],
        TOGETHER["all"]: [row for rows in found.values() for row in rows],
    }
    return [
        {**key, "audited": audited, "signal": signal, **counts(rows, audited == AUDITED)}
        for audited in (AS_PROPOSED, AUDITED)
        for signal, rows in {**found, **unions}.items()
    ]


def measured(workspace: Workspace, given: argparse.Namespace) -> list[dict[str, Cell]]:
    """Return the lines of all benchmarks."""
    trial = Trial(
        "sqlens", systems=tuple(filter(None, given.systems.split(","))), limit=given.limit
    )
    lines = []
    for name in workspace.benchmarks:
        of = ready(workspace, name, trial)
        with closing(of.databases), answering(workspace, of, given) as answers:
            signals = [spec.name for spec in select_signals(given.signals)]
            if isinstance(answers, ModelAnswers) and given.llm_signals:
                signals += [s.name for s in select_signals(MODEL_SIGNALS) if s.name not in EXTERNAL]
                of.cases = {
                    system: with_model_findings(cases, of, answers.llm)
                    for system, cases in of.cases.items()
                }
            found = by_signal(of, signals, answers, given.repairs)
        key = {"replies": _name(given), "benchmark": name, "limit": given.limit or "all"}
        lines += rows_of(found, {**key, "queries": sum(map(len, of.cases.values()))})
    return lines


@contextmanager
def answering(workspace: Workspace, of: Ready, given: argparse.Namespace) -> Iterator[Answers]:
    """Open what answers, as the arguments say. Raises SystemExit where they name nothing."""
    if given.recorded:
        yield RecordedAnswers(of, proposals(workspace, of), given.recorded)
        return
    settings = model_settings(given)
    if settings is None:
        raise SystemExit("give --llm MODEL, or --recorded KIND")
    with LLM(settings) as llm:
        yield ModelAnswers(of, llm)


def _name(given: argparse.Namespace) -> str:
    return f"{SCRIPTED}{given.recorded}" if given.recorded else str(given.llm)


def report(folder: Path) -> list[str]:
    """Return the tables, one for each benchmark and kind of replies; none where none was made."""
    parts = []
    keys = ("benchmark", "replies", "queries", "limit")
    for (benchmark, replies, queries, limit), rows in grouped(
        read_csv(folder / FILE), *keys
    ).items():
        cases = "all cases" if limit == "all" else f"{limit} cases of each system"
        what = _SCRIPTED_NOTE if replies == SCRIPTED + BOTH else ""
        parts.append(
            f"## {benchmark}, as table 6 of SQLens: {replies}\n\n{what}{queries} queries "
            f"({cases}).\n\n{_table(rows)}"
        )
    return parts


def _table(rows: Sequence[Row]) -> str:
    audited = {row["signal"]: row for row in rows if row["audited"] == AUDITED}
    plain = [row for row in rows if row["audited"] == AS_PROPOSED]
    unions = [row for row in plain if row["signal"] in TOGETHER.values()]
    single = [row for row in plain if row["signal"] not in TOGETHER.values()]
    single.sort(key=lambda row: (-number(row, "net"), -number(row, "fix"), row["signal"]))
    header = ["signal", "kind", "flagged", "truly wrong", "N_fix", "N_break", "N_net",
              "N_fix, audited", "N_break", "N_net", "calls"]  # fmt: skip
    shown = [
        [
            row["signal"],
            _kind(row["signal"]),
            *(row[name] for name in ("flagged", "wrong", "fix", "break", "net")),
            *(audited[row["signal"]][name] for name in ("fix", "break", "net")),
            row["calls"],
        ]
        for row in [*single, *unions]
    ]
    return markdown_table(header, shown)


def _kind(signal: str) -> str:
    if signal in TOGETHER.values():
        return ""
    select_signals()
    return "LLM" if SIGNALS[signal].group is Group.LLM else "DB"


def main(words: Sequence[str] | None = None) -> None:
    """Measure, keep the lines of other models, and write all results."""
    from experiments.common.results import write_report
    from experiments.sqlens.run import report as all_tables

    made = parser(__doc__)
    made.add_argument("--signals", default="all", help="a selector; those that ask no model")
    made.add_argument("--llm-signals", action="store_true", help="SQLens's LLM signals, too")
    made.add_argument("--systems", default="", help="names with commas; else all")
    made.add_argument("--limit", type=int, help="cases of each system; the same questions for all")
    made.add_argument("--repairs", type=int, default=3, help="rounds of syntax repair")
    kinds = (BOTH, USELESS, REWORDED)
    made.add_argument("--recorded", choices=kinds, help="replies of known worth, from no model")
    add_model_arguments(made)
    given = made.parse_args(words)
    workspace = Workspace.of(given)
    path = workspace.out / FILE
    lines = measured(workspace, given)
    kept = [dict(row) for row in read_csv(path)]
    replaced = {(line["replies"], line["benchmark"]) for line in lines}
    others = [row for row in kept if (row["replies"], row["benchmark"]) not in replaced]
    write_csv(path, sorted([*others, *lines], key=_order))
    if (workspace.out / "detection.csv").exists():
        write_report(workspace.out, all_tables)
    print("\n".join(report(workspace.out)))


def _order(line: Mapping[str, Cell]) -> tuple[str, ...]:
    return tuple(str(line[name]) for name in ("benchmark", "replies", "audited"))


if __name__ == "__main__":
    main()
