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
    exit_code,
    notify,
    open_databases,
    progress_hook,
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
from clausewise.types import Verdict

if TYPE_CHECKING:
    from clausewise.runs import Run
    from clausewise.types import ScoredCase


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
    refuse_lone_options(model, llm_when, llm_share)
    how = decision_options.decision(threshold, cost_of_miss, cost_of_false_alarm, abstain, max_risk)
    loaded = load_detector(detector, trust=trust_detector)
    read = read_cases(cases, questions=questions)
    outside = [] if votes is None else read_votes(votes)
    opened = open_databases(databases, db)
    doubtful = DoubtfulOnly(llm_share, notify) if llm_when is When.DOUBTFUL else None
    with model.opened() as llm:
        loaded.set_params(llm=llm, jobs=jobs)
        scores = partial(loaded.iter_scores, read, opened, outside, how.rule, doubtful=doubtful)
        if out is None:
            verdicts = _print_lines(scores(), how)
        else:
            files = [path for path in (cases, questions, votes) if path is not None]
            settings = {
                "decision": how.text,
                "language model": f"{model.settings()} {llm_when.value} {llm_share}",
            }
            about = runs.fingerprint(files, read, opened, settings, detector)
            run = runs.Run(out, about, fields=["verdict"])
            _write(run, scores, len(read), resume)
            run.finish(how.rewriter(), file_format)
            verdicts = [Verdict(str(kept["verdict"])) for kept in run.kept]
    _notify_counts(verdicts, out)
    return exit_code(verdicts)


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


def _print_lines(scores: Iterable[ScoredCase], how: decision_options.Decision) -> list[Verdict]:
    """Print one line for every case to standard output; return the verdicts."""
    from clausewise.datasets import dump_line

    verdicts = []

    def lines() -> Iterator[str]:
        for scored in scores:
            verdicts.append(scored.verdict)
            yield dump_line(scored.to_dict())

    rewrite = how.rewriter()
    for line in lines() if rewrite is None else rewrite(lines()):
        typer.echo(line)
    return verdicts


def _notify_counts(verdicts: list[Verdict], out: Path | None) -> None:
    counts = {verdict: verdicts.count(verdict) for verdict in Verdict}
    parts = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    notify(f"{len(verdicts)} cases: {parts}" + (f"; written to {out}" if out else ""))
