"""The documentation lists every repair with what it settles, the risky ones in the second table."""

from __future__ import annotations

import re
from pathlib import Path

from clausewise.correction.rules import REPAIRS

PAGE = Path(__file__).parents[3] / "docs" / "correction" / "rules.md"


def test_the_page_lists_every_repair_with_what_it_settles() -> None:
    safe, risky = PAGE.read_text(encoding="utf-8").split("These may change", 1)
    for is_risky, text in ((False, safe), (True, risky)):
        rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE)
        listed = {name: _settled(cell) for name, cell in rows}
        known = {
            name: {signal: set(reasons) for signal, reasons in spec.settles.items()}
            for name, spec in REPAIRS.items()
            if spec.risky is is_risky
        }
        assert listed == known


def _settled(cell: str) -> dict[str, set[str]]:
    parts = (part.strip().partition(": ") for part in cell.split(";"))
    return {signal.strip("`"): set(reasons.split(", ")) for signal, _, reasons in parts}
