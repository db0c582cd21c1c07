"""`clausewise demo`: the whole pipeline on the packaged sample, offline."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise.cli.common import ExitCode, notify, tracked
from clausewise.cli.fit import summary_text
from clausewise.cli.streams import echo
from clausewise.errors import install_command
from clausewise.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clausewise.types import ScoredCase

LEARNERS = ("snorkel", "autogluon")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="Fixes everything random.")] = 0,
) -> ExitCode:
    """Fit, score, evaluate and report on the packaged sample, in under a minute."""
    from clausewise.databases import Databases
    from clausewise.datasets import read_cases, read_gold, read_labels, sample_dir
    from clausewise.evaluation import evaluate
    from clausewise.models import Detector
    from clausewise.reporting import evaluation_text, render
    from clausewise.signals import iter_inspections

    began = time.perf_counter()
    sample = sample_dir()
    cases = read_cases(sample / "cases.jsonl")
    databases = Databases(sample / "databases")
    full = all(importlib.util.find_spec(name) is not None for name in LEARNERS)
    detector = Detector(
        label_model="snorkel" if full else "weighted",
        classifier="autogluon" if full else "logistic",
        seed=seed,
    )
    _heading(f"1. Signals look at {len(cases)} cases on {len(databases.names())} databases")
    stream = iter_inspections(cases, databases, detector.specs(), jobs)
    inspections = list(tracked(stream, "inspecting", len(cases)))
    _heading(f"2. Learn without labels: {detector.label_model}, then {detector.classifier}")
    if not full:
        notify(f"for Snorkel and AutoGluon: {install_command('learn')}")
    detector.fit_inspections(inspections)
    echo(summary_text(detector))
    _heading("3. Save, load, score")
    with tempfile.TemporaryDirectory(prefix="clausewise-demo-") as folder:
        detector.save(Path(folder) / "detector")
        scored = Detector.load(Path(folder) / "detector", trust=True).score_inspections(inspections)
    flagged = sum(case.verdict is Verdict.INCORRECT for case in scored)
    echo(f"{flagged} of {len(scored)} queries are called incorrect")
    _heading("4. Evaluate: only now are the labels read")
    labels = read_labels(sample / "labels.jsonl")
    measured = evaluate(scored, labels, read_gold(sample / "gold.jsonl"), bootstrap=200)
    echo(evaluation_text(measured), end="")
    _heading("5. Report on one wrong query")
    echo(render([_shown(scored, labels)], "text", color=sys.stdout.isatty()), end="")
    notify(f"done in {time.perf_counter() - began:.0f} s")
    return ExitCode.NOTHING_FOUND


def _heading(text: str) -> None:
    echo(f"\n== {text}\n")


def _shown(scored: Sequence[ScoredCase], labels: Mapping[str | int, bool]) -> ScoredCase:
    """Return the wrong query that the detector is surest of, among those that run."""
    wrong = [
        case
        for case in scored
        if case.findings
        and case.p_correct
        and case.question_id is not None
        and labels.get(case.question_id) is False
    ]
    return min(wrong, key=lambda case: case.p_correct or 0.0)
