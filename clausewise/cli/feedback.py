"""`clausewise feedback`: a detector learns what a team says of its findings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clausewise.cli.common import ExitCode, QuietOption, notify
from clausewise.cli.decision_options import ConventionsOption
from clausewise.cli.output_options import refuse_overwriting
from clausewise.cli.streams import echo
from clausewise.text import visible


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(feedback)


def feedback(
    judgments: Annotated[
        Path,
        typer.Argument(
            metavar="FEEDBACK",
            help="JSONL of question_id, signal, reason, finding (confirmed or dismissed), or of "
            "question_id, correct.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the detector that has learned from it.")],
    detector: Annotated[
        Path | None, typer.Option(help="A folder written by `fit`; else the packaged detector.")
    ] = None,
    trust_detector: Annotated[
        bool, typer.Option("--trust-detector", help="Load pickled models made elsewhere.")
    ] = False,
    scores: Annotated[
        Path | None,
        typer.Option(help="The scores of the queries that are judged as a whole."),
    ] = None,
    conventions: ConventionsOption = None,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Learn from findings that were confirmed or dismissed, and from queries that were judged."""
    from clausewise.api import load_detector
    from clausewise.datasets import read_feedback, read_scores
    from clausewise.models.feedback import findings_judged
    from clausewise.models.storage.folder import check_target

    refuse_overwriting(out, {"FEEDBACK": judgments, "--scores": scores})
    check_target(out)
    read = read_feedback(judgments)
    found = findings_judged(read, () if scores is None else read_scores(scores))
    loaded = load_detector(detector, trust_detector, conventions=conventions)
    learned = loaded.with_feedback(found)
    learned.save(out)
    lines = learned.training_["feedback"]
    before = learned.training_["weights_before_feedback"]
    for name, counts in lines.items():
        after = learned.reason_weights_[name]
        said = ", ".join(f"{count} {word}" for word, count in counts.items())
        echo(visible(f"{name}: {said}; weight {before[name]:.2f}, now {after:.2f}"))
    notify(
        f"{len(read)} judgments, {len(found)} of findings; detector written to {out}"
        if found
        else f"{len(read)} judgments, none of a finding that moved a probability: nothing changed; "
        f"detector written to {out}"
    )
    return ExitCode.NOTHING_FOUND
