"""The command tree and the one place where errors become exit codes."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from clausewise._version import __version__
from clausewise.cli import ablate, check, demo, evaluate, fit, index, report, score, signals
from clausewise.cli.common import ExitCode, say, set_up_logging
from clausewise.errors import ClausewiseError

app = typer.Typer(
    name="clausewise",
    help="Is a SQL query that was generated from a question right, and if not, where?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (check, fit, score, report, evaluate, ablate, signals, index, demo):
    module.add_to(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clausewise {__version__}")
        raise typer.Exit


@app.callback()
def common(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log more.")] = False,
) -> None:
    """Is a SQL query that was generated from a question right, and if not, where?"""
    set_up_logging(verbose)


def run() -> NoReturn:
    """Run the command line and exit: 0, 1, 2 or 3 as the contract says, 130 on Ctrl-C."""
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        say(f"error: {getattr(error, 'message', error)}; see --help")
        code = ExitCode.USAGE
    except typer.Abort:
        code = ExitCode.INTERRUPTED
    except KeyboardInterrupt:
        say("interrupted")
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ExitCode.USAGE)
    except ClausewiseError as error:
        say(f"error: {error}")
        code = ExitCode.USAGE
    except OSError as error:
        say(f"error: {error.filename or 'the system'}: {error.strerror or error}")
        code = ExitCode.USAGE
    sys.exit(int(code or 0))
