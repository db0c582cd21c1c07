"""Reading gold pairs from a folder of sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clausewise.datasets import sample_dir
from experiments.expectation.pairs import SPIDER, fold_of, read_pairs


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one source of each kind, and a benchmark that has the database `judged`."""
    spider = tmp_path / SPIDER
    spider.mkdir()
    (spider / "databases").symlink_to(sample_dir() / "databases")
    _write(spider / "questions.jsonl", [_pair(1, "bookshop")])
    for name, records in (
        ("ehrsql", [_pair(2, "icu_a"), _pair(3, "icu_b")]),
        ("later", [_pair(4, "Judged"), _pair(5, "Other", dialect="db2", evidence="a means b")]),
    ):
        folder = tmp_path / "gold_pairs" / name
        folder.mkdir(parents=True)
        _write(folder / "questions.jsonl", records)
        table = {"columns": [{"name": "id", "type": "int", "description": "its number"}]}
        entry = {"tables": {"t": table | {"primary_key": ["id"]}}, "foreign_keys": []}
        schemas = {str(record["db_id"]): entry for record in records}
        (folder / "schemas.json").write_text(json.dumps(schemas), encoding="utf-8")
    (tmp_path / "bird" / "databases" / "judged").mkdir(parents=True)
    return tmp_path


def _pair(number: int, db_id: str, **more: str) -> dict[str, object]:
    pair = {"question_id": number, "db_id": db_id, "question": "How many?", "gold_sql": "SELECT 1"}
    return pair | {"evidence": None, "dialect": "sqlite"} | more


def _write(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_pairs_of_every_source_are_read_without_databases_that_are_evaluated(data: Path) -> None:
    pairs = read_pairs(data)
    assert [(pair.source, pair.db_id) for pair in pairs] == [
        (SPIDER, "bookshop"),
        ("ehrsql", "icu_a"),
        ("ehrsql", "icu_b"),
        ("later", "Other"),
    ]
    assert pairs[0].schema.table("books") is not None
    assert pairs[-1].evidence == "a means b"
    assert pairs[-1].dialect == "postgres"
    column = pairs[-1].schema.tables[0].columns[0]
    assert (column.primary_key, column.description) == (1, "its number")
    assert [pair.db_id for pair in read_pairs(data, ["later"])] == ["Other"]


def test_versions_of_one_domain_are_left_out_together(data: Path) -> None:
    groups = [pair.group for pair in read_pairs(data)]
    assert groups == ["bookshop", "ehrsql", "ehrsql", "other"]
    assert {fold_of(group, 3) for group in map(str, range(50))} == {0, 1, 2}
    assert fold_of("ehrsql", 5) == fold_of("ehrsql", 5)
