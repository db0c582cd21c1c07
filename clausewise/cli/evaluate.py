"""`clausewise evaluate`: scores, or corrections, against labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from clausewise.cli.common import ExitCode
from clausewise.cli.correction_labels import LabelingOptions
from clausewise.cli.streams import echo, echo_json
from clausewise.corrected_case import RowMatch
from clausewise.errors import InputError
from clausewise.types import Json


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evaluate)


def evaluate(
    scores: Annotated[
        Path, typer.Argument(help="What `clausewise score` wrote, or `clausewise correct`.")
    ],
    labels: Annotated[
        Path | None, typer.Option(help="JSONL of question_id and correct; needed for scores.")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(help="JSONL of question_id and gold_sql: localization, or corrections."),
    ] = None,
    databases: Annotated[
        Path | None, typer.Option(help="For corrections: a folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[
        str | None, typer.Option(help="For corrections: one database for all cases.")
    ] = None,
    match: Annotated[
        RowMatch | None,
        typer.Option(
            help="For corrections, when two results are the same. spider: columns in any order, "
            "rows in that of the gold query where it asks for one; bird: equal sets of rows. "
            "Default: spider.",
            show_default=False,
        ),
    ] = None,
    corrected_labels: Annotated[
        Path | None, typer.Option(help="For corrections: labels of the corrected queries.")
    ] = None,
    scored: Annotated[
        Path | None,
        typer.Option("--scores", help="For corrections: the scores before, to count by signal."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    bootstrap: Annotated[int, typer.Option(help="Resamples for the intervals.", min=2)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
) -> ExitCode:
    """Measure scores against labels, or what corrections fixed and broke.

    In the metrics of scores the positive class is an incorrect query.
    """
    from clausewise.datasets.corrections import holds_corrections
    from clausewise.reporting import corrections_text, evaluation_text, to_json

    options = LabelingOptions(labels, gold, databases, db, match, corrected_labels, scored)
    color = sys.stdout.isatty()
    if holds_corrections(scores):
        of_corrections = options.evaluated(scores, bootstrap=bootstrap, seed=seed)
        figures, text = of_corrections.to_dict(), corrections_text
    else:
        options.refuse_for_scores()
        if labels is None:
            raise InputError("is needed to measure scores", field="--labels")
        figures, text = _scores(scores, labels, gold, bootstrap, seed), evaluation_text
    if as_json:
        echo_json(to_json(figures))
    else:
        echo(text(figures, color=color), end="")
    return ExitCode.NOTHING_FOUND


def _scores(
    scores: Path, labels: Path, gold: Path | None, bootstrap: int, seed: int
) -> dict[str, Json]:
    from clausewise.datasets import iter_scores_file, read_gold, read_labels
    from clausewise.evaluation import evaluate as measure

    return measure(
        iter_scores_file(scores),
        read_labels(labels),
        None if gold is None else read_gold(gold),
        bootstrap=bootstrap,
        seed=seed,
    ).to_dict()
