"""The command tree and the one place where errors become exit codes."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated, NoReturn

import typer

from clausewise._version import __version__
from clausewise.cli import ablate, check, demo, evaluate, fit, index, report, score, signals
from clausewise.cli.common import ExitCode, print_error, set_up_output
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


def _show_version(asked: bool) -> None:
    if asked:
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
    set_up_output(verbose)


def run() -> NoReturn:
    """Run the command line and exit with one of `ExitCode`."""
    try:
        code = app(prog_name="clausewise", standalone_mode=False)
    except typer.TyperException as error:
        print_error(_usage_message(error))
        code = ExitCode.USAGE
    except typer.Abort:
        code = ExitCode.INTERRUPTED
    except KeyboardInterrupt:
        print_error("interrupted")
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ExitCode.USAGE)
    except ClausewiseError as error:
        print_error(f"error: {error}")
        code = ExitCode.USAGE
    except OSError as error:
        print_error(f"error: {error.filename or 'the system'}: {error.strerror or error}")
        code = ExitCode.USAGE
    except Exception:
        traceback.print_exc()
        print_error("error: this is a defect in clausewise; please report it")
        code = ExitCode.DEFECT
    sys.exit(int(code or 0))


def _usage_message(error: typer.TyperException) -> str:
    """Return the parser's message, with the option that it is about and near misses."""
    # Typer brings a parser of its own since 0.26 and takes click's before; both have these.
    describe = getattr(error, "format_message", None)
    message = str(error) if describe is None else str(describe())
    if "\n" in message:  # the help, where no command is given
        return message
    possible = getattr(error, "possibilities", None)
    if possible and hasattr(error, "option_name"):
        near = " or ".join(sorted(possible))
        message = f"no such option: {error.option_name}; did you mean {near}?"
    context = getattr(error, "ctx", None)
    command = "clausewise" if context is None else context.command_path
    return f"error: {message[:1].lower()}{message[1:].rstrip('.')}; see {command} --help"
