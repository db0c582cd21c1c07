"""`clausewise correct`: another query for a question where one is found to be better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise.cli.common import ExitCode, QuietOption, notify, open_databases, progress_hook
from clausewise.cli.decision_options import ConventionsOption
from clausewise.cli.model_options import ModelOptions, with_model_options
from clausewise.cli.output_options import check_results_file, refuse_overwriting
from clausewise.cli.resuming import write_run
from clausewise.cli.streams import echo_json
from clausewise.errors import InputError
from clausewise.types import Json, Strictness
from clausewise.writing import is_stream, writing_text

if TYPE_CHECKING:
    from clausewise.corrected_case import CorrectedCase
    from clausewise.correction import StrategyOptions, StrategySpec
    from clausewise.models import Detector
    from clausewise.models.streaming import Progress


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(with_model_options(correct))


def correct(
    scores: Annotated[Path, typer.Argument(help="The scores that `clausewise score` wrote.")],
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database for all cases.")] = None,
    strategy: Annotated[str, typer.Option(help="How to correct.")] = "sqldriller",
    out: Annotated[Path | None, typer.Option(help="Where to write; standard output else.")] = None,
    detector: Annotated[
        Path | None, typer.Option(help="Judges both queries; else the packaged detector.")
    ] = None,
    trust_detector: Annotated[
        bool, typer.Option("--trust-detector", help="Load pickled models made elsewhere.")
    ] = False,
    conventions: ConventionsOption = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Keep the original unless the other's p(correct) is higher by more than this, "
            "counted in odds as it is around 0.5; else the strategy decides.",
            min=0,
            max=1,
        ),
    ] = None,
    no_audit: Annotated[
        bool, typer.Option("--no-audit", help="Take every proposal that runs.")
    ] = False,
    rounds: Annotated[
        int | None, typer.Option(help="Proposals a case; else the strategy's number.", min=1)
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE, an option of the strategy; may be given several times."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes everything random.")] = 0,
    jobs: Annotated[
        int,
        typer.Option(help="Processes; with --llm the cases stay in one process.", min=1),
    ] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a run that was killed.")
    ] = False,
    _quiet: QuietOption = False,
    *,
    model: ModelOptions,
) -> ExitCode:
    """Correct every case of a scores file; one JSON line for every case, in order.

    Exit code 0: every case was processed; 2: usage or input error; 3: some could not be.
    """
    from clausewise import runs
    from clausewise.api import load_detector
    from clausewise.correction import OWN_MARGIN, iter_corrections, load_strategies
    from clausewise.correction.driver import adjusted_strategy, strategy_options
    from clausewise.datasets import ScoresFile
    from clausewise.models.registries import packaged_folder

    check_results_file(out, resume, {"SCORES": scores})
    inputs = {"SCORES": scores, "--databases": databases, "--db": db, "--detector": detector}
    refuse_overwriting(out, inputs, beside=runs.SUFFIXES)
    load_strategies()
    if no_audit and margin is not None:
        raise InputError("there is no margin without an audit", field="--no-audit")
    given = None if no_audit else OWN_MARGIN if margin is None else margin
    options = _options(option or ())
    spec = adjusted_strategy(strategy, given, rounds)  # refused before the work
    chosen = strategy_options(spec, options)
    if detector is None and conventions is None:  # what the margins were measured with
        conventions = Strictness.STRICT
    contents = None
    if out is not None and not is_stream(out):
        folder = detector or packaged_folder(conventions=conventions or Strictness.RELAXED)
        contents = runs.contents({"SCORES": scores, "--detector": folder})
    judge = load_detector(detector, trust_detector, conventions=conventions)
    outcomes = _Outcomes()
    with ScoresFile(scores) as cases, model.opened() as llm:
        if llm is not None and jobs > 1:
            notify("--jobs has no effect with --llm: --llm-concurrency says how many at once")
        opened = open_databases(databases, db)
        corrected = partial(
            iter_corrections,
            cases,
            opened,
            strategy=strategy,
            llm=llm,
            detector=judge,
            margin=given,
            rounds=rounds,
            options=options,
            seed=seed,
            jobs=jobs,
            total=len(cases),
        )
        if out is None or contents is None:
            with progress_hook("correcting") as report:
                _write_lines(outcomes.records(corrected(progress=report)), out)
        else:
            settings = _settings(spec, chosen, seed, judge, model)
            about = runs.fingerprint(contents, cases, opened, settings)
            with runs.Run(out, about, count=outcomes.add) as run:
                write_run(run, _records(corrected), len(cases), resume, "correcting")
                run.finish()
        unanswered = bool(llm and llm.failures)
    notify(outcomes.summary + (f"; written to {out}" if out else ""))
    failed = unanswered or outcomes.counts["failed"]
    return ExitCode.SOME_UNCHECKED if failed else ExitCode.NOTHING_FOUND


def _settings(
    spec: StrategySpec,
    options: StrategyOptions,
    seed: int,
    detector: Detector,
    model: ModelOptions,
) -> dict[str, str]:
    """Return every option that changes the result, in words that are the same in every process."""
    asked = model.settings()
    return {
        "strategy": spec.name,
        "options": options.model_dump_json(),
        "margin": str(spec.margin),
        "rounds": str(spec.rounds),
        "seed": str(seed),
        "limits": str(detector.isolation),
        "language model": "none" if asked is None else asked.of_result(),
    }


def _options(given: Iterable[str]) -> dict[str, Json]:
    """Return the options by name, as text. Raises InputError where one is not NAME=VALUE."""
    options: dict[str, Json] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"NAME=VALUE is needed, not '{text}'", field="--option")
        if name in options:
            raise InputError(f"'{name}' is given twice", field="--option")
        options[name] = value
    return options


class _Outcomes:
    """Counts what became of the cases."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, record: Mapping[str, Json]) -> None:
        """Count one line of the output."""
        self.counts[str(record["status"])] += 1

    def records(self, corrected: Iterable[CorrectedCase]) -> Iterator[dict[str, Json]]:
        """Yield the lines of the output as objects, each counted."""
        for case in corrected:
            record = case.to_dict()
            self.add(record)
            yield record

    @property
    def summary(self) -> str:
        """How many cases were changed, kept and failed, in one line."""
        from clausewise.corrected_case import CorrectionStatus

        total = self.counts.total()
        parts = [f"{self.counts[one]} {one.value}" for one in CorrectionStatus if self.counts[one]]
        return f"{total} {'case' if total == 1 else 'cases'}: {', '.join(parts)}"


def _records(
    corrected: Callable[..., Iterator[CorrectedCase]],
) -> Callable[[int, Progress], Iterator[dict[str, Json]]]:
    """Return what yields the lines of a run from a place on."""

    def from_place(start: int, report: Progress) -> Iterator[dict[str, Json]]:
        return (case.to_dict() for case in corrected(start=start, progress=report))

    return from_place


def _write_lines(records: Iterable[Mapping[str, Json]], out: Path | None) -> None:
    """Write one line for every case to standard output, a device or a pipe."""
    from clausewise.datasets import dump_line

    if out is None:
        for record in records:
            echo_json(dump_line(record))
        return
    with writing_text(out) as file:
        for record in records:
            file.write(dump_line(record) + "\n")
            file.flush()
