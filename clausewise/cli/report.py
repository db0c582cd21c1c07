"""`clausewise report`: scores for people and for the correction step."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from clausewise.cli.common import ExitCode, QuietOption, exit_code, notify, open_databases
from clausewise.cli.output_options import REPORT_SUFFIXES, format_of, refuse_overwriting
from clausewise.cli.streams import echo, for_output
from clausewise.errors import InputError


class Only(StrEnum):
    """Which cases are shown."""

    INCORRECT = "incorrect"
    CORRECT = "correct"
    UNCHECKED = "unchecked"
    ABSTAINED = "abstained"


class Sort(StrEnum):
    """The order of the cases."""

    P = "p"
    DB = "db"
    ID = "id"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def report(
    scores: Annotated[Path, typer.Argument(help="The scores that `clausewise score` wrote.")],
    out: Annotated[Path | None, typer.Option(help="Where to write; standard output else.")] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="text, json, markdown, html, csv or sarif; else the suffix of --out decides, and "
            "markdown where there is none.",
        ),
    ] = None,
    only: Annotated[
        list[Only] | None,
        typer.Option(help="Show only these cases; may be given several times."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(help="Show this many, the lowest p(correct) first unless sorted.", min=1),
    ] = None,
    sort: Annotated[
        Sort | None, typer.Option(help="Order by p(correct), by database, or by question id.")
    ] = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Write out every case and finding, and what was not checked.",
        ),
    ] = False,
    databases: Annotated[
        Path | None,
        typer.Option(help="With json: adds the schemas of DIR/<db_id>/<db_id>.sqlite, as text."),
    ] = None,
    db: Annotated[str | None, typer.Option(help="The same of one database for all cases.")] = None,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Show scored cases as a report."""
    from clausewise.datasets import ScoresFile
    from clausewise.reporting import VIEWS, ViewOptions, iter_view, schema_texts, stream_report
    from clausewise.writing import check_output, writing_text

    refuse_overwriting(out, {"SCORES": scores})
    file_format = format_of(out, output, REPORT_SUFFIXES, "markdown")
    _ = VIEWS[file_format]  # an unknown one is refused before the work
    if (databases or db) and file_format != "json":
        raise InputError("schemas are written in the format json only", field="--databases")
    if out is not None:
        check_output(out)
    options = ViewOptions(details=details, color=out is None and sys.stdout.isatty())
    with ScoresFile(scores) as cases:
        made = stream_report(
            cases,
            only=[name.value for name in only or ()],
            top=top,
            sort=None if sort is None else sort.value,
        )
        if databases or db:
            with closing(open_databases(databases, db)) as opened:
                texts = schema_texts(made.summary.databases, opened)
            made = replace(made, schemas=texts)
        chunks = iter_view(made, file_format, options)
        if out is None:
            for chunk in chunks:
                echo(for_output(chunk, file_format), end="")
        else:
            with writing_text(out) as file:
                file.writelines(chunks)
            notify(f"report of {made.summary.cases} cases written to {out}")
    return exit_code(verdict for verdict, count in made.summary.verdicts.items() if count)
