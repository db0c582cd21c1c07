"""`clausewise index`: profiles and value indexes ahead of time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clausewise.cli.common import ExitCode, QuietOption, notify, open_databases, tracked
from clausewise.cli.output_options import refuse_overwriting
from clausewise.cli.streams import echo, safe_line


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(index)


def index(
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database, as a file or a URL.")] = None,
    schema_out: Annotated[
        Path | None,
        typer.Option(help="Also write the schemas, keys and descriptions as JSON: for --schema."),
    ] = None,
    profile_seconds: Annotated[
        float | None,
        typer.Option(min=1.0, help="Time for each database; what is not read by then is left out."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Build again what is there: rows on a server changed.")
    ] = False,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Build profiles and value indexes, so that scoring finds them ready."""
    from clausewise.databases import index as build
    from clausewise.databases import write_schema_file
    from clausewise.errors import DatabaseError

    refuse_overwriting(schema_out, {"--databases": databases, "--db": db})
    opened = open_databases(databases, db)
    failed = 0
    read = []
    names = opened.names()
    for name in tracked(names, "indexing", len(names)):
        try:
            database = opened.get(name)
            if profile_seconds is not None:
                database.profile_seconds = profile_seconds
            built = build(database, fresh=fresh)
        except DatabaseError as error:
            failed += 1
            notify(f"not indexed: {error}")
            continue
        read.append(database)
        echo(
            f"{safe_line(built.name)}: {built.tables} tables, {built.columns} columns, "
            f"{built.values} values, "
            + (f"built in {built.seconds:.2f} s" if built.built else "already there")
        )
        for table, rows in built.sampled.items():
            typer.echo(f"{built.name}: {table}: {rows}")
        for part, reason in built.left_out.items():
            typer.echo(f"{built.name}: left out {part}: {reason}")
    if schema_out is not None and read:
        count = write_schema_file(schema_out, read)
        notify(f"{count} schema{'s' * (count != 1)} written to {schema_out}")
    return ExitCode.SOME_UNCHECKED if failed else ExitCode.NOTHING_FOUND
