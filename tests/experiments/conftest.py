"""A folder of data like the experiments' own, made of hand-made cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.independent.cases import make_databases, read_hand_made


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "spider"
    made = tmp_path / "made"
    for path in (made, folder / "predictions", folder / "labels", folder / "databases/fitloop"):
        path.mkdir(parents=True)
    make_databases(made)
    (made / "fitloop.sqlite").rename(folder / "databases/fitloop/fitloop.sqlite")
    cases = [item for item in read_hand_made(["dev"]) if item.case.db_id == "fitloop"]
    predictions, labels, golds = [], [], []
    for item in cases:
        record = {"question_id": item.case.question_id, "db_id": "fitloop"}
        record["question"] = item.case.question
        predictions.append(record | {"predicted_sql": item.case.predicted_sql})
        golds.append(record | {"gold_sql": item.gold_sql})
        label = {"question_id": item.case.question_id, "executable": True}
        vacuous = item is cases[0]
        labels.append(label | {"correct": item.correct, "vacuous": vacuous})
    for name, records in (
        ("predictions/a.jsonl", predictions),
        ("labels/a.jsonl", labels),
        ("questions.jsonl", golds),
    ):
        (folder / name).write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    return folder.parent
