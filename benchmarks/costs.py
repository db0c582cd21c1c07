"""What one case costs, stage by stage, and what that makes for a billion cases a day."""

from __future__ import annotations

from pathlib import Path


def costs(benchmark: Path) -> str:
    """Return the tables."""
    return str(benchmark)
