"""`clausewise serve`: checking over HTTP, or as tools for agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausewise.cli.common import ExitCode, QuietOption, notify
from clausewise.cli.decision_options import Alarms, ConventionsOption
from clausewise.cli.interrupts import leave_signals
from clausewise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clausewise.service.configuration import ServiceConfig


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


def serve(
    config: Annotated[
        Path | None, typer.Option(help="A TOML file that names databases and limits.")
    ] = None,
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite instead.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database instead.")] = None,
    detector: Annotated[
        Path | None, typer.Option(help="A folder written by `fit`; else the packaged detector.")
    ] = None,
    trust_detector: Annotated[
        bool, typer.Option("--trust-detector", help="Load pickled models made elsewhere.")
    ] = False,
    conventions: ConventionsOption = None,
    alarms: Alarms = None,
    feedback: Annotated[
        Path | None,
        typer.Option(help="A file to which POST /v1/feedback adds what is said of findings."),
    ] = None,
    token_env: Annotated[
        str | None,
        typer.Option(help="Environment variable that holds the bearer token to ask for."),
    ] = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 for any that is free.", min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(help="Server processes.", min=1)] = 1,
    jobs: Annotated[
        int | None, typer.Option(help="Processes that check, for each server process.", min=1)
    ] = None,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Offer tools to one agent over standard input and output.")
    ] = False,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Check over HTTP: /v1/check, /v1/score, /v1/report, ...; described by /openapi.json."""
    from clausewise.service.running import require_extra

    require_extra()
    given = {
        "detector": None if detector is None else detector.absolute(),
        "trust_detector": trust_detector or None,
        "conventions": conventions,
        "alarms": alarms,
        "feedback": None if feedback is None else feedback.absolute(),
        "token_env": token_env,
        "jobs": jobs,
    }
    chosen = _configuration(config, databases, db, given)
    with leave_signals():
        if mcp:
            from clausewise.service.tools import serve_agent

            serve_agent(chosen)
        else:
            from clausewise.service.running import serve as serve_http

            serve_http(chosen, host, port, workers, lambda place: notify(f"serving on {place}"))
    return ExitCode.NOTHING_FOUND


def _configuration(
    config: Path | None,
    databases: Path | None,
    db: str | None,
    fields: Mapping[str, Any],
) -> ServiceConfig:
    from clausewise.service.configuration import config_of, read_config

    if sum(given is not None for given in (config, databases, db)) != 1:
        raise InputError("give one of --config FILE, --databases DIR and --db URL")
    given = {name: value for name, value in fields.items() if value is not None}
    base = read_config(config) if config is not None else config_of(databases, db)
    return base.model_copy(update=given)
