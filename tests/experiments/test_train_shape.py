"""Training the expected shape on a small folder of gold pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clausewise.datasets import sample_dir
from clausewise.expectation.shape import ShapeModel
from experiments.common.results import read_csv
from experiments.expectation import shape_training, train_shape
from experiments.expectation.common import case_weights, folds_of, sampled
from experiments.expectation.pairs import read_pairs

PAIRS = (
    ("How many {} are there?", "SELECT COUNT(*) FROM t"),
    ("What is the name of each of the {}?", "SELECT name FROM t"),
    ("List the name and the id of all {}.", "SELECT name, id FROM t"),
    ("How many {} are there? Count them.", "SELECT COUNT(id) FROM t"),
    ("Show the {} that cannot be parsed", "SELECT FROM WHERE ("),
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "gold_pairs" / "small"
    folder.mkdir(parents=True)
    (tmp_path / "data" / "spider_train").mkdir()
    (tmp_path / "data" / "spider_train" / "databases").symlink_to(sample_dir() / "databases")
    (tmp_path / "data" / "spider_train" / "questions.jsonl").write_text("", encoding="utf-8")
    lines = [
        {"question_id": f"{n}.{at}", "db_id": f"db{n}", "evidence": None,
         "question": text.format(f"zq{chr(97 + n)}s"), "gold_sql": sql, "dialect": "sqlite"}
        for n in range(15)
        for at, (text, sql) in enumerate(PAIRS)
    ]  # fmt: skip
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "questions.jsonl").write_text(text, encoding="utf-8")
    columns = [{"name": name, "type": "text", "description": None} for name in ("id", "name")]
    schema = {"tables": {"t": {"columns": columns, "primary_key": []}}, "foreign_keys": []}
    schemas = {f"db{n}": schema for n in range(15)}
    (folder / "schemas.json").write_text(json.dumps(schemas), encoding="utf-8")
    return tmp_path / "data"


def test_the_command_writes_a_model_and_what_it_is_worth(data: Path, tmp_path: Path) -> None:
    out, results = tmp_path / "weights", tmp_path / "results"
    command = [str(data), "--out", str(out), "--results", str(results), "--no-corpus"]
    train_shape.main(command)
    written = (out / "shape.npz").read_bytes()
    model = ShapeModel.load(out / "shape.npz")
    expected = model.expect("How many houses are there?", None)
    assert expected is not None
    assert expected.probabilities["aggregate"]["count"] > 0.5
    assert not any(word.startswith("zq") for word in model.known)
    read = read_csv(results / "shape.csv")
    rows = {row["attribute"]: row for row in read if row["source"] == "all"}
    assert float(rows["aggregate"]["log_loss"]) < float(rows["aggregate"]["log_loss_base"])
    assert int(rows["aggregate"]["n"]) == 15 * (len(PAIRS) - 1)
    assert "| aggregate |" in (results / "results.md").read_text(encoding="utf-8")
    train_shape.main([*command, "--no-curve"])
    assert (out / "shape.npz").read_bytes() == written


def test_no_group_is_sampled_or_weighs_more_than_it_should(data: Path) -> None:
    pairs = read_pairs(data)
    few = sampled(pairs, 2)
    assert len(few) == 2 * 15
    assert few == sampled(pairs, 2)
    weights = case_weights(["a"] * 4 + ["b"])
    assert weights.mean() == pytest.approx(1.0)
    assert weights[:4].sum() == pytest.approx(2 * weights[4])
    folds = folds_of([pair.group for pair in pairs])
    assert len({(pair.group, fold) for pair, fold in zip(pairs, folds, strict=True)}) == 15


def test_what_does_not_parse_is_left_out(data: Path) -> None:
    examples = shape_training.examples_of(read_pairs(data))
    assert len(examples) == 15 * (len(PAIRS) - 1)
