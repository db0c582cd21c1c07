"""The report of all that is expected: Markdown made of the CSV files of its commands."""

from __future__ import annotations

from pathlib import Path

from experiments.expectation.shape_measures import shape_report

PARTS = (shape_report,)


def report(out: Path) -> str:
    """Return the Markdown of a folder of results."""
    return "\n".join(text for part in PARTS if (text := part(out)))
