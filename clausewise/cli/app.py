"""The command tree and the one place where errors become exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from clausewise._version import __version__
from clausewise.cli.common import ExitCode, print_error, print_text, set_up_output
from clausewise.cli.streams import echo, output_is_gone
from clausewise.errors import ClausewiseError

COMMANDS = (
    "check", "compare", "fit", "feedback", "score", "report", "correct", "audit", "evaluate",
    "ablate", "signals", "index", "serve", "demo",
)  # fmt: skip
"""Every command, in the order in which the help lists them; each has the module of its name."""


def build_app(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """Return the application with the commands of these names."""
    app = typer.Typer(
        name="clausewise",
        help="Is a SQL query that was generated from a question right, and if not, where?",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(common)
    for name in names:
        import_module(f"clausewise.cli.{name}").add_to(app)
    return app


def _show_version(asked: bool) -> None:
    if asked:
        echo(f"clausewise {__version__}")
        raise typer.Exit


def common(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log more.")] = False,
) -> None:
    """Is a SQL query that was generated from a question right, and if not, where?"""
    set_up_output(verbose)


def invoke(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    What is expected to go wrong is reported here. Raises everything else: an error that is a
    defect, KeyboardInterrupt, and BrokenPipeError where standard output or error is closed.
    """
    # The other commands' modules would take longer to import than most commands to run.
    named = next((word for word in arguments if not word.startswith("-")), None)
    command = typer.main.get_command(build_app([named] if named in COMMANDS else COMMANDS))
    try:
        # Typer's own way to run a command turns some errors into the code 1, and into aborts.
        with command.make_context("clausewise", list(arguments)) as context:
            return int(command.invoke(context) or ExitCode.NOTHING_FOUND)
    except typer.Exit as error:
        return int(error.exit_code)
    except typer.TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help, where no command is given
            print_text(str(error))
        else:
            print_error(_usage_message(error))
    except ClausewiseError as error:
        print_error(f"error: {error}")
    except OSError as error:
        if isinstance(error, BrokenPipeError) and output_is_gone():
            raise
        print_error(f"error: {error.filename or 'the system'}: {error.strerror or error}")
    return int(ExitCode.USAGE)


def _usage_message(error: typer.TyperException) -> str:
    """Return the parser's message, with the option that it is about and near misses."""
    # Typer brings a parser of its own since 0.26 and takes click's before; both have these.
    describe = getattr(error, "format_message", None)
    message = str(error) if describe is None else str(describe())
    possible = getattr(error, "possibilities", None)
    if possible and hasattr(error, "option_name"):
        near = " or ".join(sorted(possible))
        message = f"no such option: {error.option_name}; did you mean {near}?"
    context = getattr(error, "ctx", None)
    command = "clausewise" if context is None else context.command_path
    return f"error: {message[:1].lower()}{message[1:].rstrip('.')}; see {command} --help"
