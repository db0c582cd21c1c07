"""`clausewise report`: scores for people and for the correction step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from clausewise.cli.common import ExitCode, QuietOption, exit_code, notify
from clausewise.cli.output_options import REPORT_SUFFIXES, format_of, refuse_overwriting


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
            help="text, json, markdown, html or sarif; else the suffix of --out decides, and "
            "markdown where there is none.",
        ),
    ] = None,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Show scored cases as a report."""
    from clausewise.datasets import read_scores
    from clausewise.reporting import render

    refuse_overwriting(out, {"SCORES": scores})
    file_format = format_of(out, output, REPORT_SUFFIXES, "markdown")
    cases = read_scores(scores)
    shown = render(cases, file_format, color=out is None and sys.stdout.isatty())
    if out is None:
        typer.echo(shown, nl=False)
    else:
        out.write_text(shown, encoding="utf-8")
        notify(f"{len(cases)} cases reported in {out}")
    return exit_code(case.verdict for case in cases)
