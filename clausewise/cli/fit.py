"""`clausewise fit`: learn a detector from cases, without labels."""

from __future__ import annotations

from importlib.util import find_spec
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
from clausewise.errors import InputError
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
        typer.Option(help="sqlens: the paper's own pipeline, and nothing else. Sets the rest."),
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
    from clausewise.models.registries import require_extras
    from clausewise.models.storage.folder import check_target

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
    if alarms is not None and (threshold is not None or costs is not None):
        raise InputError("goes with neither a threshold nor costs", field="--alarms")
    given = {
        "signals": signals,
        "label_model": label_model,
        "classifier": classifier,
        "calibration": calibration,
        "start": "packaged-schema" if schema and start == "packaged" else start,
        "conventions": conventions,
    }
    chosen = _components(recipe, given, has_model=bool(model.settings()), has_data=schema is None)
    require_extras(chosen["label_model"], chosen["classifier"])
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
    for line in learned_lines(detector, len(read) - unread):
        notify(line)
    notify(f"detector written to {out}")
    missing = unread or (llm and llm.failures)
    return ExitCode.SOME_UNCHECKED if missing else ExitCode.NOTHING_FOUND


def _components(
    recipe: str | None, given: Mapping[str, str | None], *, has_model: bool, has_data: bool
) -> dict[str, Any]:
    """Return the parameters of the detector that options, a recipe and what is installed settle.

    Raises InputError where an option says something else than the recipe.
    """
    from clausewise.models.recipes import recipe as params_of

    stated = {name: value for name, value in given.items() if value is not None}
    if recipe is not None:
        if stated:
            option = "--" + next(iter(stated)).replace("_", "-")
            raise InputError(f"the recipe '{recipe}' settles it: leave one out", field=option)
        return params_of(recipe, models=has_model)
    usual = {
        "signals": "all",
        "label_model": "snorkel" if find_spec("snorkel") else "weighted",
        "classifier": "autogluon" if find_spec("autogluon") else "additive",
        "calibration": "auto",
        "start": "packaged" if has_data else "packaged-schema",
        "conventions": Strictness.RELAXED.value,
    }
    missing = [
        name
        for name, best in (("label_model", "snorkel"), ("classifier", "autogluon"))
        if name not in stated and usual[name] != best
    ]
    if missing:
        used = " and ".join(f"the {name.replace('_', ' ')} {usual[name]}" for name in missing)
        notify(f"{used}: Snorkel or AutoGluon are not installed (pip install 'clausewise[learn]')")
    return {**usual, **stated}


def learned_lines(detector: Detector, cases: int) -> Iterator[str]:
    """Yield what a fit learned from so many cases and what it left as it was, a line each."""
    from clausewise.models.shares import LEARNED, shares_text

    training = detector.training_
    named = str(detector.get_params()["classifier"])
    parts = training["parts"]
    yield f"ranking: {shares_text(parts, named)}"
    if parts.get(LEARNED, 0.0) == 0.0:
        judged = " (judges got their weights)" if detector.learned_.space.outside else ""
        yield (
            f"nothing was learned about the ranking from these {cases} cases: without labels or "
            f"candidates there is nothing to learn it from; '{named}' has no share{judged}"
        )
        yield (
            f"what changed: probabilities are for a share of {detector.class_balance_:.1%} "
            f"incorrect queries ({training['balance']}); verdicts are those of the start"
        )
    else:
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
