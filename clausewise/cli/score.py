"""`clausewise score`: a probability and findings for every case of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise.cli import decision_options
from clausewise.cli.backend_options import (
    BackendOption,
    JobsOption,
    SchedulerOption,
    backend_of,
)
from clausewise.cli.common import (
    DialectOption,
    ExitCode,
    QuietOption,
    SchemaOption,
    SignalsOption,
    notify,
    notify_not_run,
    notify_uncalibrated,
    open_databases,
)
from clausewise.cli.exit_options import (
    ExitZeroOption,
    FailOnOption,
    Results,
    refuse_both,
)
from clausewise.cli.isolation_options import CaseLimitOption, InProcessOption, isolation_of
from clausewise.cli.model_options import (
    ModelOptions,
    ShareOption,
    When,
    WhenOption,
    refuse_lone_options,
    with_model_options,
)
from clausewise.cli.output_options import (
    TableFormat,
    check_results_file,
    refuse_overwriting,
    scores_format,
)
from clausewise.cli.resuming import write_lines
from clausewise.cli.streams import echo_json
from clausewise.types import Strictness
from clausewise.writing import is_stream, writing_text

if TYPE_CHECKING:
    from clausewise.models import Detector
    from clausewise.models.lines import ScoredLine
    from clausewise.models.streaming import Progress


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(with_model_options(score))


def score(
    cases: Annotated[Path, typer.Argument(help="Cases: JSONL, CSV, Parquet, Spider, BIRD.")],
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database for all cases.")] = None,
    schema: SchemaOption = None,
    dialect: DialectOption = None,
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
    alarms: decision_options.Alarms = None,
    class_balance: decision_options.ClassBalance = None,
    conventions: decision_options.ConventionsOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    case_limit: CaseLimitOption = None,
    in_process: InProcessOption = False,
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
    from clausewise.datasets import open_cases, read_votes
    from clausewise.models import DoubtfulOnly
    from clausewise.models.lines import iter_lines
    from clausewise.models.registries import packaged_folder
    from clausewise.models.streaming import total_of

    files = {"CASES": cases, "--questions": questions, "--votes": votes, "--schema": schema}
    check_results_file(out, resume, files)
    file_format = scores_format(out, output)
    inputs = {**files, "--databases": databases, "--db": db, "--detector": detector}
    refuse_overwriting(out, inputs, beside=runs.SUFFIXES)
    refuse_both(fail_on, exit_zero)
    refuse_lone_options(model, llm_when, llm_share)
    isolation = isolation_of(case_limit, in_process)
    where = backend_of(backend, scheduler, jobs)
    writes_whole_file = out is not None and not is_stream(out)
    is_relaxed = conventions is not Strictness.STRICT
    if class_balance is None and detector is None and is_relaxed and writes_whole_file:
        class_balance = decision_options.ESTIMATE
    how = decision_options.decision(
        threshold,
        cost_of_miss,
        cost_of_false_alarm,
        abstain,
        max_risk,
        alarms,
        class_balance,
    )
    contents = None
    if writes_whole_file:
        contents = runs.contents(
            {
                **files,
                "--detector": detector
                or packaged_folder(schema is None, conventions or Strictness.RELAXED),
            }
        )
    loaded = load_detector(detector, trust_detector, schema is None, conventions)
    read = open_cases(cases, questions=questions)
    outside = [] if votes is None else read_votes(votes)
    opened = open_databases(databases, db, schema, dialect, takes_schema=True)
    results = Results()
    doubtful = DoubtfulOnly(llm_share, notify) if llm_when is When.DOUBTFUL else None
    with model.opened() as llm:
        loaded.set_params(llm=llm, jobs=jobs or 1, isolation=isolation)
        loaded.only, loaded.backend = signals, where
        lines = partial(iter_lines, loaded, read, opened, outside, how.rule, doubtful=doubtful)
        if out is None or contents is None:
            _stream_lines(lines(), how, results, out, file_format)
        else:
            settings = _settings(loaded, how, model, llm_when, llm_share)
            about = runs.fingerprint(contents, read, opened, settings)

            def counted(start: int, report: Progress) -> Iterator[tuple[str, ScoredLine]]:
                return ((line.text, line) for line in lines(start=start, progress=report))

            with runs.Run(out, about, count=results.add) as run:
                write_lines(run, counted, results.add_line, total_of(read), resume, "scoring")
                run.finish(how.rewriter(), file_format)
    notify_uncalibrated(signals)
    how.notify_unmeasured(detector)
    notify_not_run(opened)
    notify(results.summary + (f"; written to {out}" if out else ""))
    return results.exit_code(fail_on, exit_zero, unanswered=bool(llm and llm.failures))


def _settings(
    detector: Detector,
    how: decision_options.Decision,
    model: ModelOptions,
    when: When,
    share: float | None,
) -> dict[str, str]:
    """Return every option that changes the result, in words that are the same in every process."""
    asked = model.settings()
    said = "none" if asked is None else f"{asked.of_result()} {when.value} {share}"
    return {
        "decision": how.text,
        "signals": " ".join(f"{spec.name}:{spec.version}" for spec in detector.specs()),
        "limits": str(detector.isolation),
        "language model": said,
    }


def _stream_lines(
    scored: Iterable[ScoredLine],
    how: decision_options.Decision,
    results: Results,
    out: Path | None,
    file_format: str,
) -> None:
    """Write one line for every case to standard output, a device or a pipe."""
    from clausewise.datasets import write_table

    def lines() -> Iterator[str]:
        for line in scored:
            results.add_line(line)
            yield line.text

    rewrite = how.rewriter()
    kept = lines() if rewrite is None else rewrite(lines())
    if out is None:
        for line in kept:
            echo_json(line)
    elif file_format == "jsonl":
        with writing_text(out) as file:
            for line in kept:
                file.write(line + "\n")
                file.flush()
    else:
        write_table(kept, out, file_format)
