"""`clausewise compare`: do two queries always give the same result?"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from clausewise.cli.common import ExitCode, QuietOption
from clausewise.cli.streams import echo, for_output
from clausewise.errors import InputError
from clausewise.types import Strictness


class ComparisonFormat(StrEnum):
    """How the comparison is shown."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


class OrderChoice(StrEnum):
    """When the order of rows counts."""

    EITHER = "either"
    FIRST = "first"
    NEVER = "never"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


def compare(
    sql_a: Annotated[str, typer.Argument(help="The first query; - reads it.")],
    sql_b: Annotated[str, typer.Argument(help="The second query; - reads it.")],
    db: Annotated[str, typer.Option("--db", help="A database file or a SQLAlchemy URL.")],
    dialect: Annotated[str, typer.Option(help="The dialect of both queries.")] = "sqlite",
    output: Annotated[
        ComparisonFormat, typer.Option("--format", "-f", help="How to show it.")
    ] = ComparisonFormat.TEXT,
    conventions: Annotated[
        Strictness,
        typer.Option(
            help="relaxed: the orders of rows and of columns do not count; strict: as SQL has it."
        ),
    ] = Strictness.RELAXED,
    order: Annotated[
        OrderChoice | None,
        typer.Option(
            help="The order of rows counts where either, or the first, query asks for it, "
            "whatever --conventions says."
        ),
    ] = None,
    any_column_order: Annotated[
        bool, typer.Option("--any-column-order", help="The order of columns does not count.")
    ] = False,
    instances: Annotated[
        int | None, typer.Option(help="Made-up databases that are tried at most.", min=0)
    ] = None,
    no_values: Annotated[
        bool, typer.Option("--no-values", help="Make up all values; show none of the database's.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seeds the made-up databases.")] = 0,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Compare two queries: a proof that they are equivalent, or few rows that tell them apart.

    Exit code 0: equivalent; 1: not equivalent; 2: usage or input error; 3: not known.
    """
    import shutil
    import sys

    from clausewise.equivalence import Conventions, OrderRule
    from clausewise.equivalence import compare as compare_queries
    from clausewise.equivalence.comparing import MOST_INSTANCES
    from clausewise.reporting import render_comparison

    queries = _read(sql_a, sql_b)
    rules = Conventions.named(conventions)
    if order is not None:
        rules = replace(rules, order=OrderRule(order.value))
    if any_column_order:
        rules = replace(rules, any_column_order=True)
    result = compare_queries(
        *queries,
        db,
        dialect=dialect,
        conventions=rules,
        instances_tried=MOST_INSTANCES if instances is None else instances,
        seed=seed,
        real_values=not no_values,
    )
    width = shutil.get_terminal_size((100, 24)).columns
    shown = render_comparison(
        result,
        queries,
        output.value,
        dialect=dialect,
        color=sys.stdout.isatty(),
        width=width,
    )
    echo(for_output(shown, output.value), end="")
    return _EXIT_CODES[result.verdict.value]


_EXIT_CODES = {
    "EQUIVALENT": ExitCode.NOTHING_FOUND,
    "NOT_EQUIVALENT": ExitCode.FOUND,
    "UNKNOWN": ExitCode.SOME_UNCHECKED,
}


def _read(sql_a: str, sql_b: str) -> tuple[str, str]:
    """Return both queries, one of them read from standard input where it is `-`."""
    import sys

    if sql_a == sql_b == "-":
        raise InputError("only one of the queries can be read from standard input")
    queries = tuple(sys.stdin.read() if text == "-" else text for text in (sql_a, sql_b))
    for name, text in zip(("SQL_A", "SQL_B"), queries, strict=True):
        if not text.strip():
            raise InputError("is empty", field=name)
    return queries[0], queries[1]
