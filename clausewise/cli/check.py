"""`clausewise check`: one query, its probability and its findings."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise.cli import decision_options
from clausewise.cli.candidate_options import (
    CandidateOption,
    CandidatesOption,
    read_candidates_of_one,
)
from clausewise.cli.common import (
    DialectOption,
    ExitCode,
    QuietOption,
    SchemaOption,
    SignalsOption,
    notify,
    notify_uncalibrated,
)
from clausewise.cli.exit_options import (
    ExitZeroOption,
    FailOnOption,
    Results,
    refuse_both,
)
from clausewise.cli.isolation_options import CaseLimitOption, InProcessOption, isolation_of
from clausewise.cli.model_options import ModelOptions, with_model_options
from clausewise.cli.streams import echo, for_output
from clausewise.errors import InputError

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol


class Format(StrEnum):
    """How the result is shown."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    SARIF = "sarif"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(with_model_options(check))


def check(
    question: Annotated[str, typer.Option("--question", "-q", help="The question asked.")],
    sql: Annotated[str, typer.Option("--sql", "-s", help="The query to check; - reads it.")],
    db: Annotated[
        str | None, typer.Option("--db", help="A database file or a SQLAlchemy URL.")
    ] = None,
    schema: SchemaOption = None,
    dialect: DialectOption = None,
    db_id: Annotated[
        str | None, typer.Option("--db-id", help="Which one, where --schema holds several.")
    ] = None,
    evidence: Annotated[str | None, typer.Option(help="What is known besides.")] = None,
    candidate: CandidateOption = None,
    candidates: CandidatesOption = None,
    detector: Annotated[
        Path | None, typer.Option(help="A folder written by `fit`; else the packaged detector.")
    ] = None,
    signals: SignalsOption = None,
    trust_detector: Annotated[
        bool, typer.Option("--trust-detector", help="Load pickled models made elsewhere.")
    ] = False,
    threshold: decision_options.Threshold = None,
    cost_of_miss: decision_options.CostOfMiss = None,
    cost_of_false_alarm: decision_options.CostOfFalseAlarm = None,
    abstain: decision_options.Abstain = None,
    max_risk: decision_options.MaxRisk = None,
    alarms: decision_options.Alarms = None,
    class_balance: decision_options.ClassBalance = None,
    conventions: decision_options.ConventionsOption = None,
    output: Annotated[Format, typer.Option("--format", "-f", help="How to show it.")] = Format.TEXT,
    details: Annotated[
        bool, typer.Option("--details", help="Every finding, and what was not checked.")
    ] = False,
    case_limit: CaseLimitOption = None,
    in_process: InProcessOption = False,
    fail_on: FailOnOption = None,
    exit_zero: ExitZeroOption = False,
    _quiet: QuietOption = False,
    *,
    model: ModelOptions,
) -> ExitCode:
    """Check one query against its question and its database."""
    import shutil
    import sys

    from clausewise.api import check as check_query
    from clausewise.api import load_detector
    from clausewise.models import within_risk
    from clausewise.reporting import render, to_json

    refuse_both(fail_on, exit_zero)
    if not question.strip():
        raise InputError("is empty: nothing says what the query should return", field="--question")
    isolation = isolation_of(case_limit, in_process)
    others = read_candidates_of_one(candidate, candidates)
    if class_balance == decision_options.ESTIMATE:
        raise InputError("one case tells no share: give a number", field="--class-balance")
    how = decision_options.decision(
        threshold,
        cost_of_miss,
        cost_of_false_alarm,
        abstain,
        max_risk,
        alarms,
        class_balance,
    )
    text = sys.stdin.read() if sql == "-" else sql
    loaded = load_detector(detector, trust_detector, schema is None, conventions)
    target = _target(db, schema, dialect, db_id)
    with model.opened() as llm:
        loaded.set_params(llm=llm, isolation=isolation)
        loaded.only = signals
        scored = check_query(
            question,
            text,
            target,
            evidence=evidence,
            candidates=others,
            detector=loaded,
            rule=how.rule,
        )
    if how.max_risk is not None:
        (scored,) = within_risk([scored], how.max_risk)
    if output is Format.JSON:
        shown = to_json(scored.to_dict()) + "\n"
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        color = sys.stdout.isatty()
        shown = render([scored], output.value, details=details, color=color, width=width)
    echo(for_output(shown.rstrip("\n"), output.value))
    notify_uncalibrated(signals)
    how.notify_unmeasured(detector)
    if schema is not None:
        notify("the query was not run and no value looked up: only the schema was given")
    results = Results()
    results.add(scored.to_dict())
    return results.exit_code(fail_on, exit_zero, unanswered=bool(llm and llm.failures))


def _target(
    db: str | None, schema: Path | None, dialect: str | None, db_id: str | None
) -> str | DatabaseProtocol:
    """Return what is checked on: the database of `--db`, or a schema of `--schema`.

    Raises InputError where neither or both are given, or a name is missing or unknown.
    """
    if db is None and schema is None:
        raise InputError("missing option '--db' or '--schema'; see clausewise check --help")
    if db is not None and schema is not None:
        raise InputError("give either --db or --schema, not both")
    if db is not None:
        for option, given in (("--dialect", dialect), ("--db-id", db_id)):
            if given is not None:
                raise InputError("goes with --schema only", field=option)
        return db
    from clausewise.databases import Databases

    assert schema is not None
    known = Databases.from_schema(schema, dialect)
    names = known.names()
    if db_id is None and len(names) > 1:
        raise InputError(
            f"'{schema}' holds {len(names)} schemas, such as {names[0]}: say which one",
            field="--db-id",
        )
    return known.get(names[0] if db_id is None else db_id)
