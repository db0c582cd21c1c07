"""What rows show of gold queries' constants, and DART-SQL's table 1, on the hand-made cases."""

from __future__ import annotations

from pathlib import Path

from clausewise.databases.model import QueryResult
from experiments.common.workspace import Workspace
from experiments.dart import rows
from experiments.dart.run import AFRESH, GIVEN, VARIANTS


def test_each_way_shows_its_rows() -> None:
    found = [(number, "Lettice" if number == 40 else "ship") for number in range(50)]
    result = QueryResult(("id", "name"), tuple(found))
    shown = {name: way(result, "the Lettice") for name, way in rows.WAYS.items()}
    assert [len(of) for of in shown.values()] == [15, 15, 15, 15, 7, 3, 1]
    assert shown["1 row, the nearest"] == ((40, "Lettice"),)
    assert shown["15 first rows"] == tuple(found[:15])


def test_constants_that_are_stored_are_counted(data: Path, tmp_path: Path) -> None:
    benchmark = Workspace(data, tmp_path, ("spider",)).benchmark("spider")
    found = rows.measured(benchmark)
    assert set(found) == {*rows.WAYS, rows.IN_LIMIT, rows.SCHEMA, rows.BOTH}
    assert all(0 <= shown <= wanted for of in found.values() for shown, wanted, _ in of)
    lines = rows.lines("spider", found)
    assert {line["constants"] for line in lines} == {lines[0]["constants"]}


def test_the_lines_are_those_of_the_paper() -> None:
    assert AFRESH == {"rewrite": False, "rows": 0, "refinements": 0, "regenerate": True}
    assert VARIANTS["given, all (the default)"] == GIVEN | {
        "rewrite": True, "rows": 15, "refinements": 3,
    }  # fmt: skip
