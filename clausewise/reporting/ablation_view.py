"""An ablation as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from clausewise.reporting.console_tables import new_table, number, printed, ranged
from clausewise.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType


def ablation_text(figures: Mapping[str, Any], *, color: bool = False, width: int = 100) -> str:
    """Return the object of `ablate --json` as a table of at most `width` columns.

    The parts stand in the order of what leaving them out costs; those that fired on no case and
    change nothing are named in one line. With `color` the text holds ANSI codes.
    """
    return printed(_parts(figures), color=color, width=width)


def _parts(figures: Mapping[str, Any]) -> Iterator[RenderableType]:
    databases = figures["n_databases"]
    held_out = (
        f"each of {databases} databases scored by detectors fitted on others"
        if databases > 1
        else "fitted on the cases that are scored (one database)"
    )
    yield (
        f"{figures['n']} labeled queries that run, {figures['n_incorrect']} of them incorrect; "
        f"no label is learned from; {held_out}"
    )
    yield f"AUC of the whole detector: {ranged(figures['auc'], figures['auc_interval'])}"
    ranked = sorted(
        figures["parts"], key=lambda part: (part["change"] is None, part["change"] or 0.0)
    )
    idle = [part for part in ranked if part["signals"] and not part["fired"] and not part["change"]]
    table = new_table(
        f"By {figures['by']}: without it, and alone",
        figures["by"], "fired", "AUC without", "change", "AUC alone",
    )  # fmt: skip
    for part in ranked:
        if part not in idle:
            intervals = part["intervals"]
            table.add_row(
                one_line(part["name"]),
                str(part["fired"]) if part["signals"] else "-",
                number(part["without"]),
                ranged(part["change"], intervals["change"]),
                ranged(part["alone"], intervals["alone"]),
            )
    yield table
    if idle:
        names = ", ".join(one_line(part["name"]) for part in idle)
        yield f"Fired on no case and changed nothing: {names}"
