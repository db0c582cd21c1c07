"""`clausewise evaluate`: scores against labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from clausewise.cli.common import ExitCode
from clausewise.cli.streams import echo, echo_json


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evaluate)


def evaluate(
    scores: Annotated[Path, typer.Argument(help="The scores that `clausewise score` wrote.")],
    labels: Annotated[Path, typer.Option(help="JSONL of question_id and correct.")],
    gold: Annotated[
        Path | None, typer.Option(help="JSONL of question_id and gold_sql, for localization.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    bootstrap: Annotated[int, typer.Option(help="Resamples for the intervals.", min=2)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
) -> ExitCode:
    """Measure scores against labels; the positive class is an incorrect query."""
    from clausewise.datasets import iter_scores_file, read_gold, read_labels
    from clausewise.evaluation import evaluate as measure
    from clausewise.reporting import evaluation_text, to_json

    evaluation = measure(
        iter_scores_file(scores),
        read_labels(labels),
        None if gold is None else read_gold(gold),
        bootstrap=bootstrap,
        seed=seed,
    )
    if as_json:
        echo_json(to_json(evaluation.to_dict()))
    else:
        echo(evaluation_text(evaluation, color=sys.stdout.isatty()), end="")
    return ExitCode.NOTHING_FOUND
