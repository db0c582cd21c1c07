"""`clausewise ablate`: what each signal, family or group is worth."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from clausewise.cli.common import (
    ExitCode,
    QuietOption,
    notify,
    open_databases,
    progress,
    report_unreadable,
    tracked,
)
from clausewise.cli.streams import echo, echo_json


class By(StrEnum):
    """What is left out at a time."""

    SIGNAL = "signal"
    FAMILY = "family"
    GROUP = "group"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ablate)


def ablate(
    cases: Annotated[Path, typer.Argument(help="Cases: JSONL, CSV, Parquet, Spider, BIRD.")],
    labels: Annotated[Path, typer.Option(help="JSONL of question_id and correct.")],
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database for all cases.")] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Spider's or BIRD's questions for predictions in CASES.")
    ] = None,
    by: Annotated[By, typer.Option(help="What is left out at a time.")] = By.SIGNAL,
    signals: Annotated[str, typer.Option(help="Which signals, e.g. sqlens or all,-JOIN01.")] = (
        "all"
    ),
    label_model: Annotated[str, typer.Option(help="As for `fit`.")] = "weighted",
    classifier: Annotated[str, typer.Option(help="As for `fit`.")] = "additive",
    start: Annotated[str, typer.Option(help="As for `fit`.")] = "none",
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    bootstrap: Annotated[int, typer.Option(help="Resamples for the intervals.", min=2)] = 1000,
    jobs: Annotated[int, typer.Option(help="Processes that inspect cases.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="Fixes everything random.")] = 0,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Leave out one part of the signals after the other, and take each alone; compare the AUC.

    The cases are inspected once. Detectors are fitted without labels, on other databases than
    they score where there are several.
    """
    from clausewise.datasets import read_cases, read_labels
    from clausewise.evaluation.ablation import ablate as measure
    from clausewise.evaluation.ablation import parts_of
    from clausewise.models.registries import require_extras
    from clausewise.reporting import to_json
    from clausewise.reporting.ablation_view import ablation_text
    from clausewise.signals import iter_inspections, select_signals

    require_extras(label_model, classifier)
    specs = select_signals(signals)
    known = read_labels(labels)
    read = read_cases(cases, questions=questions)
    opened = open_databases(databases, db)
    stream = iter_inspections(read, opened, specs, jobs)
    inspections = list(tracked(stream, "inspecting", len(read)))
    unread = report_unreadable(inspections)
    total = len(parts_of(specs, by.value))
    notify(f"fitting without each of {total} parts, and with each alone")
    with progress("fitting", total) as advance:
        found = measure(
            inspections,
            known,
            specs,
            by=by.value,
            options={"label_model": label_model, "classifier": classifier, "start": start},
            bootstrap=bootstrap,
            seed=seed,
            advance=advance,
        )
    if as_json:
        echo_json(to_json(found.to_dict()), end="")
    else:
        echo(ablation_text(found.to_dict(), color=sys.stdout.isatty()), end="")
    return ExitCode.SOME_UNCHECKED if unread else ExitCode.NOTHING_FOUND
