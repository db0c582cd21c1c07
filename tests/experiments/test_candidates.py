"""Learning what agreement adds: known numbers are found again, and the committed ones are used."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest

from clausewise.models.agreement import LEARNED, AgreementWeights, added
from clausewise.models.probability import sigmoid
from experiments.candidates.learning import Rows, learned, line_of
from experiments.common.results import number, read_csv

RESULTS = Path(__file__).parents[2] / "experiments" / "candidates" / "results"
TRUE = AgreementWeights(scale=1.5, against=1.2, with_it=0.8, center=-0.4, overlap=0.2)


def _rows(n: int, seed: int = 0) -> Rows:
    generator = np.random.default_rng(seed)
    alone = generator.normal(-1.0, 1.5, n)
    voices = generator.uniform(1.0, 8.0, n)
    disagreement = generator.beta(0.7, 0.9, n)
    total = alone + added(alone, disagreement, voices, weights=TRUE)
    return Rows(
        incorrect=generator.random(n) < sigmoid(total),
        alone=alone,
        disagreement=disagreement,
        voices=voices,
        database=np.array(["a", "b"] * (n // 2)),
        system=np.array(["s"] * n),
        group=np.array(["bench: setting"] * n),
        empty=np.zeros(n, bool),
    )


def test_the_numbers_of_the_formula_are_recovered() -> None:
    rows = _rows(40_000)
    found = learned(rows, rows.alone)
    generator = np.random.default_rng(1)
    disagreement, voices = generator.random(200), generator.uniform(1.0, 8.0, 200)
    alone = generator.normal(-1.0, 1.5, 200)
    said = [added(alone, disagreement, voices, weights=of) for of in (found, TRUE)]
    assert np.abs(said[0] - said[1]).mean() < 0.1


def test_empty_results_and_cases_without_candidates_teach_nothing() -> None:
    rows = _rows(4_000)
    columns = list(astuple(rows))
    columns[3] = np.where(np.arange(4_000) % 3 == 0, 0.0, columns[3])
    columns[7] = np.arange(4_000) % 3 == 1
    spoilt = Rows(*columns)
    columns[0] = np.where(np.arange(4_000) % 3 == 2, columns[0], ~columns[0])
    assert learned(Rows(*columns), rows.alone) == learned(spoilt, rows.alone)


def test_a_line_brings_log_odds_to_scale() -> None:
    rows = _rows(20_000)
    good, other = line_of(rows, rows.alone), line_of(rows, 3.0 + 2.0 * rows.alone)
    assert other[0] + other[1] * (3.0 + 2.0 * rows.alone) == pytest.approx(
        good[0] + good[1] * rows.alone, abs=0.01
    )


def test_the_packaged_numbers_are_those_that_were_learned() -> None:
    (row,) = (
        row for row in read_csv(RESULTS / "weights.csv") if row["learned without"] == "nothing"
    )
    names = ("scale", "against", "with_it", "center", "overlap")
    assert tuple(number(row, name) for name in names) == astuple(LEARNED)
