"""`clausewise fit`: learn a detector from cases, without labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    notify,
    open_databases,
    progress_hook,
    report_unreadable,
)
from clausewise.cli.isolation_options import CaseLimitOption, InProcessOption, isolation_of
from clausewise.cli.model_options import ModelOptions, with_model_options
from clausewise.cli.output_options import refuse_overwriting
from clausewise.cli.streams import echo
from clausewise.errors import InputError, MissingExtraError
from clausewise.text import visible
from clausewise.types import Strictness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clausewise.models import Detector


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(with_model_options(fit))


def fit(
    cases: Annotated[Path, typer.Argument(help="Cases: JSONL, CSV, Parquet, Spider, BIRD.")],
    out: Annotated[Path, typer.Option(help="Folder for the detector.")],
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database for all cases.")] = None,
    schema: SchemaOption = None,
    dialect: DialectOption = None,
    questions: Annotated[
        Path | None, typer.Option(help="Spider's or BIRD's questions for predictions in CASES.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="JSONL of question_id and correct; never needed.")
    ] = None,
    votes: Annotated[Path | None, typer.Option(help="Votes from outside, JSONL.")] = None,
    gold: Annotated[
        Path | None,
        typer.Option(help="Your gold pairs, JSONL of question and gold_sql: what is expected."),
    ] = None,
    signals: Annotated[
        str | None, typer.Option(help="Which signals, e.g. sqlens or all,-JOIN01; else all.")
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(help="sqlens: the paper's own pipeline and nothing else; it sets the rest."),
    ] = None,
    label_model: Annotated[
        str | None,
        typer.Option(help="snorkel (where installed, else weighted), majority or weighted."),
    ] = None,
    classifier: Annotated[
        str | None,
        typer.Option(
            help="autogluon (where installed, else additive), logistic, additive or none."
        ),
    ] = None,
    calibration: Annotated[
        str | None, typer.Option(help="auto, balance, platt, isotonic or none.")
    ] = None,
    class_balance: Annotated[
        float | None, typer.Option(help="Share of incorrect queries, where known.", min=0, max=1)
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="packaged, none (from nothing), or a detector's folder.")
    ] = None,
    conventions: decision_options.ConventionsOption = None,
    alarms: decision_options.Alarms = None,
    threshold: decision_options.Threshold = None,
    cost_of_miss: decision_options.CostOfMiss = None,
    cost_of_false_alarm: decision_options.CostOfFalseAlarm = None,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    case_limit: CaseLimitOption = None,
    in_process: InProcessOption = False,
    seed: Annotated[int, typer.Option(help="Fixes everything random.")] = 0,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for the classifier; results then vary.")
    ] = None,
    _quiet: QuietOption = False,
    *,
    model: ModelOptions,
) -> ExitCode:
    """Learn a detector from cases and write it to a folder."""
    from clausewise.datasets import read_cases, read_gold_pairs, read_labels, read_votes
    from clausewise.models import Detector
    from clausewise.models.storage.folder import MANIFEST, check_target, read_json

    inputs = {
        "CASES": cases,
        "--databases": databases,
        "--db": db,
        "--schema": schema,
        "--questions": questions,
    }
    inputs |= {"--labels": labels, "--votes": votes, "--gold": gold}
    refuse_overwriting(out, {**inputs, "--start": start})
    check_target(out)
    costs = decision_options.stated_costs(threshold, cost_of_miss, cost_of_false_alarm)
    _check_alarms(alarms, threshold, costs)
    if recipe is not None and gold is not None:
        raise InputError(
            f"the recipe '{recipe}' expects nothing of queries: leave out the gold pairs",
            field="--gold",
        )
    given = {
        "signals": signals,
        "label_model": label_model,
        "classifier": classifier,
        "calibration": calibration,
        "start": "packaged-schema" if schema and start == "packaged" else start,
        "conventions": conventions,
    }
    chosen = _components(recipe, given, has_model=bool(model.settings()), has_data=schema is None)
    read = read_cases(cases, questions=questions)
    known = None if labels is None else read_labels(labels)
    outside = [] if votes is None else read_votes(votes)
    pairs = None if gold is None else read_gold_pairs(gold)
    opened = open_databases(databases, db, schema, dialect, takes_schema=True)
    with model.opened() as llm, progress_hook("inspecting") as report_progress:
        detector = Detector(
            **chosen,
            class_balance=class_balance,
            threshold=threshold,
            costs=costs,
            seed=seed,
            time_limit=time_limit,
            jobs=jobs or 1,
            isolation=isolation_of(case_limit, in_process),
            llm=llm,
        )
        detector.backend = backend_of(backend, scheduler, jobs)
        detector.fit(read, opened, known, outside, gold=pairs, progress=report_progress)
    if alarms is not None:
        detector.set_alarms(alarms)
    unread = report_unreadable(detector.unchecked_)
    detector.save(out)
    echo(visible(summary_text(detector, known)))
    for line in learned_lines(read_json(out / MANIFEST), len(read) - unread):
        notify(line)
    notify(f"detector written to {out}")
    missing = unread or (llm and llm.failures)
    return ExitCode.SOME_UNCHECKED if missing else ExitCode.NOTHING_FOUND


def _components(
    recipe: str | None, given: Mapping[str, str | None], *, has_model: bool, has_data: bool
) -> dict[str, Any]:
    """Return the parameters of the detector that options, a recipe and what is installed settle.

    Raises InputError where an option contradicts the recipe, and MissingExtraError where a library
    that is named, or that the recipe needs, is not installed.
    """
    from clausewise.models.recipes import recipe as params_of
    from clausewise.models.registries import (
        installed_components,
        replaced_text,
        require_extras,
    )

    stated = {name: value for name, value in given.items() if value is not None}
    if recipe is not None:
        try:
            chosen = params_of(recipe, stated, models=has_model)
            require_extras(chosen["label_model"], chosen["classifier"])
        except InputError as error:
            option = "--" + (error.field or "recipe").replace("_", "-")
            raise InputError(error.message, field=option) from None
        except MissingExtraError as error:
            needed = f"the recipe '{recipe}' needs them"
            raise MissingExtraError(error.what, error.extra, needed) from None
        return chosen
    label_model, classifier = installed_components()
    usual = {
        "signals": "all",
        "label_model": label_model,
        "classifier": classifier,
        "calibration": "auto",
        "start": "packaged" if has_data else "packaged-schema",
        "conventions": Strictness.RELAXED.value,
    }
    chosen = {**usual, **stated}
    require_extras(chosen["label_model"], chosen["classifier"])
    if text := replaced_text(given["label_model"], given["classifier"]):
        notify(text)
    return chosen


def _check_alarms(alarms: float | None, threshold: float | None, costs: object | None) -> None:
    """Raise InputError where a share of false alarms has no meaning, before anything is run."""
    from clausewise.models.calibration.alarms import SHARES

    if alarms is None:
        return
    if threshold is not None or costs is not None:
        raise InputError(
            "give a share of false alarms, a threshold or costs, not several of them",
            field="--alarms",
        )
    if not SHARES[0] <= alarms <= SHARES[-1]:
        raise InputError(
            f"the share of false alarms must be between {SHARES[0]:g} and {SHARES[-1]:g}, "
            f"got {alarms:g}",
            field="--alarms",
        )


def learned_lines(manifest: Mapping[str, Any], cases: int) -> Iterator[str]:
    """Yield what a fit on so many cases changed and what it left as it was, a line each."""
    from clausewise.models.card import change_lines
    from clausewise.models.shares import LABEL_MODEL, has_learned

    yield from change_lines(manifest)
    parts = manifest["training"]["parts"]
    only_counts = LABEL_MODEL in parts and manifest["settings"]["label_model"] == "majority"
    if has_learned(parts) and not only_counts:
        yield f"learned from {cases} cases"


def summary_text(detector: Detector, labels: Mapping[str | int, bool] | None = None) -> str:
    """Return the table of labeling functions, and what the detector assumes."""
    from clausewise.labeling import summarize

    table = summarize(detector.label_matrix_, detector.accuracies_, labels)
    silent = table.index[table["coverage"] == 0]
    table = table.drop(silent)
    shown = table.to_string(float_format=lambda value: f"{value:.3f}", na_rep="-")
    balance = detector.class_balance_
    never = f"\n\n{len(silent)} functions never voted: {', '.join(silent)}" if len(silent) else ""
    return (
        f"{shown}{never}\n\nshare of incorrect queries: {balance:.3f} "
        f"({detector.training_['balance']}); called incorrect from p_incorrect = "
        f"{detector.threshold_:.3f} on"
    )
