"""Drawing what is to be read by hand: which cases, and what of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from clausewise.models import Detector
from clausewise.models.registries import PACKAGED
from experiments.common.data import Benchmark
from experiments.common.results import read_csv
from experiments.error_reading import count, sample


@pytest.mark.parametrize("ranking", sample.RANKINGS)
def test_misses_and_false_alarms_are_drawn_and_written(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranking: str
) -> None:
    out = tmp_path / "drawn"
    arguments = ["sample", str(data), "--out", str(out), "--benchmarks", "spider"]
    monkeypatch.setattr(sys, "argv", [*arguments, "--ranking", ranking])
    sample.main()
    records = [json.loads(line) for line in (out / "cases.jsonl").read_text("utf-8").splitlines()]
    labels = (data / "spider" / "labels" / "a.jsonl").read_text("utf-8").splitlines()
    correct = {label["question_id"]: label["correct"] for label in map(json.loads, labels)}
    assert {record["kind"] for record in records} == set(sample.KINDS)
    for record in records:
        assert correct[record["question_id"]] == (record["kind"] == "false_alarm")
    assert "fitloop-01" not in {record["question_id"] for record in records}  # it is vacuous
    text = (out / "cases.txt").read_text("utf-8")
    assert text.count("\nQ  ") == text.count("\nG  ") == len(records)
    assert "rows: " in text
    assert [row["question_id"] for row in read_csv(out / "readings.csv")] == [
        record["question_id"] for record in records
    ]


def test_the_verdict_decides_what_a_miss_is(data: Path) -> None:
    benchmark = Benchmark(data / "spider")
    rows = sample.by_detector(benchmark, Detector.load(PACKAGED), jobs=1)
    assert len(rows) == 49
    assert all(row.called is not None for row in rows)
    drawn = [row for row in rows if row.is_a("miss")]
    assert 0 < len(drawn) < sum(not row.correct for row in rows)
    assert not any(row.correct or row.called for row in drawn)


def test_filled_in_readings_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "readings.csv"
    path.write_text(
        "benchmark,system,question_id,kind,cause,reading,fired\n"
        "spider,a,1,miss,wrong_column,wrong,\nbird,a,2,miss,wrong_column,wrong,fan_out\n",
        "utf-8",
    )
    monkeypatch.setattr(sys, "argv", ["count", "--readings", str(path)])
    count.main()
    printed = capsys.readouterr().out
    assert "| wrong | wrong_column | 1 | 1 | 2 |" in printed
    assert "wrong: 2, with no finding at all: 1" in printed
