"""`clausewise signals`: the registry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise.cli.common import ExitCode
from clausewise.cli.streams import echo

if TYPE_CHECKING:
    from clausewise.signals import SignalSpec

COLUMNS = ("code", "name", "group", "family", "cost", "points at")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(signals)


def signals(
    name: Annotated[
        str | None, typer.Argument(help="A name: its whole description; or a selector: a list.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> ExitCode:
    """List the signals, or describe one."""
    from clausewise.signals import SIGNALS, load_signals, select_signals

    load_signals()
    chosen = select_signals(name or "all", models=True)
    if as_json:
        echo(json.dumps([_record(spec) for spec in chosen], indent=2))
    elif name is not None and name in SIGNALS:
        _describe(chosen[0])
    else:
        _list(chosen)
    return ExitCode.NOTHING_FOUND


def _record(spec: SignalSpec) -> dict[str, object]:
    return {
        "code": spec.code,
        "name": spec.name,
        "group": spec.group.value,
        "family": spec.family,
        "cost": spec.cost.name.lower(),
        "clauses": sorted(clause.value for clause in spec.clauses),
        "needs": sorted(need.value for need in spec.needs),
        "sets": sorted(spec.sets),
        "version": spec.version,
        "description": spec.description,
    }


def _list(chosen: tuple[SignalSpec, ...]) -> None:
    """Print a table on a terminal, and lines of fields with tabs between them in a pipe."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        for row in (COLUMNS, *map(_row, chosen)):
            echo("\t".join(row))
        return
    table = Table(*COLUMNS, box=None, pad_edge=False)
    for spec in chosen:
        table.add_row(*_row(spec))
    console.print(table)


def _row(spec: SignalSpec) -> tuple[str, ...]:
    points_at = sorted(clause.value for clause in spec.clauses)
    return (
        spec.code,
        spec.name,
        spec.group.value,
        spec.family,
        spec.cost.name.lower(),
        "any" if len(points_at) > 6 else ", ".join(points_at),
    )


def _describe(spec: SignalSpec) -> None:
    from clausewise.signals import HEADINGS

    echo(f"{spec.code} {spec.name} (version {spec.version}): {spec.description}")
    record = _record(spec)
    for field in ("group", "family", "cost", "clauses", "needs", "sets"):
        value = record[field]
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        echo(f"  {field}: {shown or '-'}")
    for heading in HEADINGS:
        body = spec.sections.get(heading, "").replace("\n", "\n  ")
        echo(f"\n{heading}\n  {body}")
