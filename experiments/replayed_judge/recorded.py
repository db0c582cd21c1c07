"""What a detector gains from recorded answers of real judges.

    python -m experiments.replayed_judge.recorded DATA --out RESULTS

DATA/bird/judged.jsonl holds queries of two models and the probability of being correct that
language models gave them. Those go in as votes from outside with scores; no label is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clausewise.models import Detector, packaged_detector
from clausewise.signals import inspect_cases
from clausewise.types import Case, Inspection, OutsideVote, ScoredCase, Verdict, Vote
from experiments.common.data import Item, System, database
from experiments.common.folds import splits
from experiments.common.means import SystemFigures, system_figures
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    interval_columns,
    number,
    read_csv,
    write_csv,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, all_signals, parser

FILE = "recorded.csv"
MODELS = {"4omini": "gpt-4o-mini", "41mini": "gpt-4.1-mini"}
MAIN = ("gpt-4o P(yes)", "gpt-4o-mini P(yes)", "claude-sonnet-4.6 verbal")
JUDGES: dict[str, tuple[str, ...]] = {
    "GPT-4o": MAIN[:1],
    "GPT-4o-mini": MAIN[1:2],
    "Claude Sonnet 4.6": MAIN[2:],
    "these three": MAIN,
    "GPT-4o-mini, asked in four ways": (
        "gpt-4o-mini P(yes)",
        "gpt-4o-mini P(yes), question+sql",
        "gpt-4o-mini P(yes), no evidence",
        "gpt-4o-mini verbal",
    ),
}
"""What is given together to what recorded answers."""
DETECTOR, JUDGE, ADAPTED = "detector alone", "judge alone", "detector fitted without the judge"
OTHERS, OWN = "together, learned on the other database", "together, learned on the same cases"
WAYS = (DETECTOR, JUDGE, ADAPTED, OTHERS, OWN)


@dataclass(frozen=True)
class Recorded:
    """A model's queries with their labels, and each judge's probability of being correct."""

    system: System
    answers: dict[str, dict[str | int, float]]
    gold: dict[str | int, str]

    def votes(self, judges: Sequence[str], items: Sequence[Item]) -> list[OutsideVote]:
        """Return the judges' votes on cases, each with its score, high = likely wrong."""
        questions = [item.case.question_id for item in items if isinstance(item, Inspection)]
        return [
            OutsideVote(
                question,
                judge,
                Vote.INCORRECT if self.answers[judge][question] < 0.5 else Vote.CORRECT,
                1.0 - self.answers[judge][question],
            )
            for judge in judges
            for question in questions
        ]


def read_recorded(workspace: Workspace) -> list[Recorded]:
    """Read and inspect both models' queries; those on empty tables have no label."""
    lines = (workspace.data / "bird" / "judged.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    databases = workspace.benchmark("bird").databases
    found = []
    for prefix, model in MODELS.items():
        own = [of for of in records if of["question_id"].startswith(f"{prefix}-")]
        fields = ("question_id", "db_id", "question", "evidence", "predicted_sql")
        cases = [Case(**{name: of[name] for name in fields}) for of in own]
        items = inspect_cases(cases, databases, all_signals(), workspace.jobs)
        labels = {of["question_id"]: of["correct"] for of in own if not of["reads_empty_table"]}
        answers: dict[str, dict[str | int, float]] = {}
        for of in own:
            for judge, probability in of["judges"].items():
                answers.setdefault(judge, {})[of["question_id"]] = probability
        gold = {of["question_id"]: str(of["question_id"]) for of in own}
        found.append(Recorded(System("bird", model, items, labels), answers, gold))
    return found


def scored(recorded: Recorded, judges: Sequence[str], way: str) -> list[ScoredCase]:
    """Score all cases in one of the ways."""
    system = recorded.system
    if way in (DETECTOR, JUDGE):
        alone = packaged_detector().score_inspections(system.inspections)
        return alone if way == DETECTOR else [_judged(recorded, judges, case) for case in alone]
    judges = () if way == ADAPTED else judges
    found: dict[str | int | None, ScoredCase] = {}
    parts = splits(system, database)
    if way == OWN:
        parts = iter([(system.inspections, system.inspections)])
    for outside, inside in parts:
        detector = Detector(label_model="weighted", classifier="additive", start="packaged")
        detector.fit_inspections(outside, votes=recorded.votes(judges, outside))
        for case in detector.score_inspections(inside, recorded.votes(judges, inside)):
            found[case.question_id] = case
    items = (item for item in system.inspections if isinstance(item, Inspection))
    return [found[item.case.question_id] for item in items]


def _judged(recorded: Recorded, judges: Sequence[str], case: ScoredCase) -> ScoredCase:
    assert case.question_id is not None
    answers = [recorded.answers[judge][case.question_id] for judge in judges]
    probability = sum(answers) / len(answers)
    verdict = Verdict.INCORRECT if probability < 0.5 else Verdict.CORRECT
    return replace(case, p_correct=probability, verdict=verdict)


def _on(recorded: Recorded, name: str | None) -> Recorded:
    """Return the cases on one database, all where it is None; learning still sees all."""
    labels = {
        item.case.question_id: recorded.system.labels[item.case.question_id]
        for item in recorded.system.labeled()
        if name is None or item.case.db_id == name
    }
    return replace(recorded, system=replace(recorded.system, labels=labels))


def measured(found: Sequence[Recorded]) -> Iterator[dict[str, Cell]]:
    """Yield a row for every model, judge, database and way."""
    for recorded in found:
        databases = sorted({database(item) for item in recorded.system.inspections})
        for judge, names in JUDGES.items():
            if not set(names) <= set(recorded.answers):
                continue
            cases = {way: scored(recorded, names, way) for way in WAYS}
            for place in (None, *databases):
                part = _on(recorded, place)
                results = {way: _figures(part, of) for way, of in cases.items()}
                for way, result in results.items():
                    print(part.system.name, judge, place, way, result.mean("auc"), flush=True)
                    yield {
                        "model": part.system.name,
                        "judge": judge,
                        "database": place or "both",
                        "way": way,
                        "cases": len(part.system.labels),
                        **result.row(),
                        **interval_columns("gain", result.gain(results[DETECTOR], "auc")),
                    }


def _figures(recorded: Recorded, cases: Sequence[ScoredCase]) -> SystemFigures:
    return system_figures([recorded.system], {recorded.system.name: cases}, recorded.gold)


def section(folder: Path) -> str:
    """Return the part of the results that is made of real judges, nothing where there is none."""
    rows = read_csv(folder / FILE)
    if not rows:
        return ""
    header = ["judge", "database", "cases", *(f"AUC, {way}" for way in WAYS)]
    header += ["gain over detector, other database", "the same cases", "ECE, alone to together"]
    parts = [
        "## Recorded judges\n\nReal answers of language models on BIRD, one query a case, no "
        "labels; 95 % intervals (resampled questions).\n"
    ]
    for (model,), of in grouped(rows, "model").items():
        lines = [_line(key, four) for key, four in grouped(of, "judge", "database").items()]
        parts.append(f"### Queries of {model}\n\n{markdown_table(header, lines)}")
    return "\n".join(parts)


def _line(key: Sequence[str], rows: Sequence[Row]) -> list[str]:
    by = {row["way"]: row for row in rows}
    means = [interval_text(interval(by[way], "auc")) for way in WAYS]
    gains = [interval_text(interval(by[way], "gain"), signed=True) for way in (OTHERS, OWN)]
    ece = " to ".join(f"{number(by[way], 'ece'):.3f}" for way in (DETECTOR, OTHERS))
    return [*key, rows[0]["cases"], *means, *gains, ece]


def main() -> None:
    """Run the experiment and write its results."""
    from experiments.common.results import write_report
    from experiments.replayed_judge.run import report

    workspace = Workspace.of(parser(__doc__).parse_args())
    write_csv(workspace.out / FILE, list(measured(read_recorded(workspace))))
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
