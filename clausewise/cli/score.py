"""`clausewise score`: a probability and findings for every case of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise.cli import decision_options
from clausewise.cli.common import (
    ExitCode,
    QuietOption,
    SignalsOption,
    notify,
    notify_uncalibrated,
    open_databases,
    progress_hook,
)
from clausewise.cli.exit_options import (
    ExitZeroOption,
    FailOnOption,
    Results,
    digest,
    refuse_both,
)
from clausewise.cli.model_options import (
    ModelOptions,
    ShareOption,
    When,
    WhenOption,
    refuse_lone_options,
    with_model_options,
)
from clausewise.cli.output_options import TableFormat, refuse_overwriting, scores_format
from clausewise.errors import InputError

if TYPE_CHECKING:
    from clausewise.runs import Run
    from clausewise.types import Json, ScoredCase


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(with_model_options(score))


def score(
    cases: Annotated[Path, typer.Argument(help="Cases: JSONL, CSV, Parquet, Spider, BIRD.")],
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database for all cases.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write; standard output else.")] = None,
    output: Annotated[
        TableFormat | None,
        typer.Option("--format", "-f", help="Else the suffix of --out decides, or it is jsonl."),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Spider's or BIRD's questions for predictions in CASES.")
    ] = None,
    detector: Annotated[
        Path | None, typer.Option(help="A folder written by `fit`; else the packaged detector.")
    ] = None,
    trust_detector: Annotated[
        bool, typer.Option("--trust-detector", help="Load pickled models made elsewhere.")
    ] = False,
    signals: SignalsOption = None,
    votes: Annotated[Path | None, typer.Option(help="Votes from outside, JSONL.")] = None,
    threshold: decision_options.Threshold = None,
    cost_of_miss: decision_options.CostOfMiss = None,
    cost_of_false_alarm: decision_options.CostOfFalseAlarm = None,
    abstain: decision_options.Abstain = None,
    max_risk: decision_options.MaxRisk = None,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a run that was killed.")
    ] = False,
    llm_when: WhenOption = When.ALL,
    llm_share: ShareOption = None,
    fail_on: FailOnOption = None,
    exit_zero: ExitZeroOption = False,
    _quiet: QuietOption = False,
    *,
    model: ModelOptions,
) -> ExitCode:
    """Score every case; one output line for every input case, in order."""
    from clausewise import runs
    from clausewise.api import load_detector
    from clausewise.datasets import read_cases, read_votes
    from clausewise.models import DoubtfulOnly

    if resume and out is None:
        raise InputError("needs --out: only a file can be resumed", field="--resume")
    file_format = scores_format(out, output)
    inputs = {"CASES": cases, "--databases": databases, "--db": db, "--questions": questions}
    inputs |= {"--detector": detector, "--votes": votes}
    refuse_overwriting(out, inputs, beside=runs.SUFFIXES)
    refuse_both(fail_on, exit_zero)
    refuse_lone_options(model, llm_when, llm_share)
    how = decision_options.decision(threshold, cost_of_miss, cost_of_false_alarm, abstain, max_risk)
    loaded = load_detector(detector, trust=trust_detector)
    read = read_cases(cases, questions=questions)
    outside = [] if votes is None else read_votes(votes)
    opened = open_databases(databases, db)
    doubtful = DoubtfulOnly(llm_share, notify) if llm_when is When.DOUBTFUL else None
    with model.opened() as llm:
        loaded.set_params(llm=llm, jobs=jobs)
        loaded.only = signals
        scores = partial(loaded.iter_scores, read, opened, outside, how.rule, doubtful=doubtful)
        if out is None:
            digests = _print_lines(scores(), how)
        else:
            files = [path for path in (cases, questions, votes) if path is not None]
            settings = {
                "decision": how.text,
                "signals": signals or "all",
                "language model": f"{model.settings()} {llm_when.value} {llm_share}",
            }
            about = runs.fingerprint(files, read, opened, settings, detector)
            run = runs.Run(out, about, fields=digest)
            _write(run, scores, len(read), resume)
            run.finish(how.rewriter(), file_format)
            digests = run.kept
    notify_uncalibrated(signals)
    results = Results.of(digests)
    notify(results.summary + (f"; written to {out}" if out else ""))
    return results.exit_code(fail_on, exit_zero, unanswered=bool(llm and llm.failures))


def _write(run: Run, scores: Callable[..., Iterator[ScoredCase]], total: int, resume: bool) -> None:
    """Write all cases, or the rest of them, with a progress bar."""
    done = run.open(resume)
    if done:
        notify(f"resuming after {done} cases")
    try:
        with progress_hook("scoring") as report:
            run.write(case.to_dict() for case in scores(start=done, progress=report))
    except KeyboardInterrupt:
        notify(f"interrupted after {len(run.kept)} of {total} cases; continue with --resume")
        raise


def _print_lines(
    scores: Iterable[ScoredCase], how: decision_options.Decision
) -> list[dict[str, Json]]:
    """Print one line for every case to standard output; return what `Results` counts."""
    from clausewise.datasets import dump_line

    digests = []

    def lines() -> Iterator[str]:
        for scored in scores:
            record = scored.to_dict()
            digests.append(digest(record))
            yield dump_line(record)

    rewrite = how.rewriter()
    for line in lines() if rewrite is None else rewrite(lines()):
        typer.echo(line)
    return digests
