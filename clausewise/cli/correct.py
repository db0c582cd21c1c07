"""`clausewise correct`: another query for a question where one is found to be better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise.cli.common import ExitCode, QuietOption, notify, open_databases, progress_hook
from clausewise.cli.model_options import ModelOptions, with_model_options
from clausewise.cli.output_options import refuse_overwriting
from clausewise.cli.streams import echo_json
from clausewise.errors import InputError
from clausewise.types import Json

if TYPE_CHECKING:
    from clausewise.corrected_case import CorrectedCase, CorrectionStatus


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
    margin: Annotated[
        float | None,
        typer.Option(
            help="Keep the original unless the other's p(correct) is higher by more than this; "
            "else the strategy decides.",
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
    _quiet: QuietOption = False,
    *,
    model: ModelOptions,
) -> ExitCode:
    """Correct every case of a scores file; one JSON line for every case, in order.

    Exit code 0: every case was processed; 2: usage or input error; 3: some could not be.
    """
    from clausewise.api import load_detector
    from clausewise.correction import OWN_MARGIN, STRATEGIES, iter_corrections, load_strategies
    from clausewise.correction.driver import strategy_options
    from clausewise.datasets import ScoresFile
    from clausewise.writing import check_output, writing_text

    inputs = {"SCORES": scores, "--databases": databases, "--db": db, "--detector": detector}
    refuse_overwriting(out, inputs)
    if out is not None:
        check_output(out)
    load_strategies()
    if no_audit and margin is not None:
        raise InputError("there is no margin without an audit", field="--no-audit")
    options = _options(option or ())
    strategy_options(STRATEGIES[strategy], options)  # refused before the work
    judge = load_detector(detector, trust=trust_detector)
    counts: Counter[CorrectionStatus] = Counter()
    with ScoresFile(scores) as cases, model.opened() as llm:
        opened = open_databases(databases, db)
        with progress_hook("correcting") as report:
            corrected = iter_corrections(
                cases,
                opened,
                strategy=strategy,
                llm=llm,
                detector=judge,
                margin=None if no_audit else OWN_MARGIN if margin is None else margin,
                rounds=rounds,
                options=options,
                seed=seed,
                progress=report,
                total=len(cases),
            )
            lines = _lines(corrected, counts)
            if out is None:
                for line in lines:
                    echo_json(line)
            else:
                with writing_text(out) as file:
                    file.writelines(f"{line}\n" for line in lines)
        unanswered = bool(llm and llm.failures)
    notify(_summary(counts) + (f"; written to {out}" if out else ""))
    failed = unanswered or counts["failed"]  # type: ignore[index]
    return ExitCode.SOME_UNCHECKED if failed else ExitCode.NOTHING_FOUND


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


def _lines(corrected: Iterable[CorrectedCase], counts: Counter[CorrectionStatus]) -> Iterator[str]:
    from clausewise.datasets import dump_line

    for case in corrected:
        counts[case.status] += 1
        yield dump_line(case.to_dict())


def _summary(counts: Counter[CorrectionStatus]) -> str:
    from clausewise.corrected_case import CorrectionStatus

    total = sum(counts.values())
    parts = [f"{counts[status]} {status.value}" for status in CorrectionStatus if counts[status]]
    return f"{total} {'case' if total == 1 else 'cases'}: {', '.join(parts)}"
