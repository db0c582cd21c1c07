"""Which repairs are chosen for a benchmark: by the others alone."""

from __future__ import annotations

from clausewise.correction.rules import REPAIRS
from experiments.rules.run import chosen


def _row(
    benchmark: str, repair: str, fixed: int, broken: int, margin: str = "none"
) -> dict[str, str]:
    row = {"benchmark": benchmark, "repair": repair, "margin": margin}
    return row | {"fixed": str(fixed), "broken": str(broken)}


def test_risky_repairs_are_chosen_by_the_other_benchmark() -> None:
    rows = [
        _row("spider", "other_end", 30, 3),
        _row("spider", "asked_operator", 29, 3),
        _row("spider", "unasked_column", 2, 0),
        _row("spider", "distinct_rows", 9, 0, margin="0"),
        _row("bird", "distinct_count", 90, 0),
    ]
    on = {name for name, spec in REPAIRS.items() if not spec.risky}
    assert set(chosen(rows, "bird")) == on | {"other_end"}
    assert set(chosen(rows, "spider")) == on | {"distinct_count"}
