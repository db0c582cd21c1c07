"""The corpus: what its files hold, and that the same file makes the same database."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
import yaml

from experiments.world.corpus.build import build, fill
from experiments.world.corpus.generators import Column
from experiments.world.corpus.pairs import FOLDER, LEARN, REPORT, schema_of, uses

DOMAINS = sorted((FOLDER / "domains").glob("*.yaml"))
SETS = sorted((FOLDER / "pairs").glob("*.tsv"))
SMALL = """
db: shop
tables:
  item:
    rows: 40
    columns: {id: INTEGER pk, name: TEXT phrase, price: "REAL float 1 90 2", sold: "TEXT date
      2023-01-01 2023-12-31 null 0.2"}
questions:
- q: How many items were sold?
  gold: SELECT COUNT(*) FROM item WHERE sold IS NOT NULL
  also: [SELECT COUNT(sold) FROM item, SELECT COUNT(*) FROM item]
  wrong:
  - {sql: SELECT COUNT(*) FROM item, err: missing_condition, clause: where}
  - {sql: SELECT COUNT(sold) FROM item, err: wrong_aggregate, clause: select}
- q: Which are unsold and cost nothing?
  gold: SELECT name FROM item WHERE price < 0
  wrong: []
"""


def test_every_database_has_a_maker_and_a_use() -> None:
    names = [path.stem for path in (*DOMAINS, *SETS)]
    assert len(names) == len(set(names))
    assert set(names) <= set(uses())
    assert set(uses().values()) == {LEARN, REPORT}


@pytest.mark.parametrize("path", DOMAINS[::25], ids=lambda path: path.stem)
def test_a_domain_is_built_as_its_file_says(path: Path, tmp_path: Path) -> None:
    domain = yaml.safe_load(path.read_text(encoding="utf-8"))
    cases, problems = build(domain, tmp_path / "one.sqlite")
    assert problems == []
    assert len({case["question"] for case in cases}) == len(domain["questions"]) == 30
    assert len({case["question_id"] for case in cases}) == len(cases)


def test_the_same_file_makes_the_same_database() -> None:
    domain = yaml.safe_load(SMALL)
    dumps = []
    for _ in range(2):
        connection = sqlite3.connect(":memory:")
        fill(connection, domain)
        dumps.append(list(connection.iterdump()))
    assert dumps[0] == dumps[1]


def test_a_query_that_is_not_what_its_file_says_is_left_out_and_told(tmp_path: Path) -> None:
    cases, problems = build(yaml.safe_load(SMALL), tmp_path / "shop.sqlite")
    assert [(case["correct"], case["error"]) for case in cases] == [
        (True, None),
        (True, None),
        (False, "missing_condition"),
    ]
    assert [problem.split(":")[0] for problem in problems] == [
        "shop-001 also differs",
        "shop-001 wrong agrees",
        "shop-002 gold gives nothing",
    ]


@pytest.mark.parametrize("path", SETS[::25], ids=lambda path: path.stem)
def test_pairs_are_three_fields_that_run_on_their_schema(path: Path) -> None:
    connection = sqlite3.connect(":memory:")
    script = path.with_suffix(".sql").read_text(encoding="utf-8")
    connection.executescript(script)
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    assert len(lines) >= 50
    for _, _, sql in lines:
        connection.execute(sql)
    assert schema_of(script).tables


def test_generators_keep_to_their_bounds() -> None:
    rng = random.Random(1)

    def values(spec: str) -> list[object]:
        return Column.of(spec, {"a": ["2024-01-01"] * 200}, {"t": {"x": [1, None, 3]}}, rng).values(
            200
        )

    assert set(values("INTEGER fk t.x")) == {1, 3}
    assert set(values("TEXT choice A:1 'On hold':1")) == {"A", "On hold"}
    assert all(5 <= int(str(value)) <= 9 for value in values("INTEGER int 5 9 skew"))
    assert all("2024-01-02" <= str(value) <= "2024-01-03" for value in values("TEXT after a 1 2"))
    assert len(set(values("TEXT code AB-### unique"))) == 200
    assert None in values("TEXT city null 0.5")
