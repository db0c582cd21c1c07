"""The strategy without one of its parts: GBV-SQL's table 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from clausewise.types import Json
from experiments.common.results import Cell, Row
from experiments.correction.figures import system_rows
from experiments.correction.figures import table as figures_table
from experiments.correction.trials import Corrected, Trial

FILE = "ablation.csv"
KEYS = ("model", "variant", "benchmark", "system")
FULL = "gbv"
VARIANTS: Mapping[str, Mapping[str, Json]] = {
    FULL: {},
    "without SQL2TextValidator": {"validator": False},
    "without selector": {"selector": False},
    "without SQLChecker": {"format": False, "checker": False},
    "without rules of form": {"format": False},
    "without checks of the result": {"checker": False},
}
"""What is left out, to the strategy's options; the paper has the second and the fourth."""


def ablated(
    trial: Trial, model: str, run: Callable[[Trial], list[Corrected]], variants: Sequence[str]
) -> tuple[dict[str, list[Corrected]], list[dict[str, Cell]]]:
    """Return the corrections of each variant, and the lines of the table."""
    found: dict[str, list[Corrected]] = {}
    rows: list[dict[str, Cell]] = []
    for variant in variants:
        options = {**trial.options, **VARIANTS[variant]}
        found[variant] = run(replace(trial, options=options))
        rows += system_rows(found[variant], model=model, variant=variant)
    return found, rows


def table(rows: Sequence[Row]) -> str:
    """Return lines of the CSV file as a Markdown table."""
    return figures_table(rows, KEYS)
