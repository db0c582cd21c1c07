"""Ablation on votes whose worth is known, and on the packaged sample."""

import dataclasses
from contextlib import closing

import numpy as np
import pytest

from clausewise.databases import Databases
from clausewise.datasets import read_cases, read_labels, sample_dir
from clausewise.errors import InputError
from clausewise.evaluation import ablate
from clausewise.evaluation.ablation import SHAPE, parts_of
from clausewise.evaluation.measuring import Sample, auc_of_resamples, measure
from clausewise.evaluation.results import Ablation
from clausewise.reporting.ablation_view import ablation_text
from clausewise.signals import inspect_cases, select_signals
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    Inspection,
    Outcome,
    OutcomeStatus,
)

SQL = "SELECT name FROM people"


@pytest.fixture(scope="module")
def specs():
    wanted = ("empty_predicate", "near_miss_value", "fan_out", "missing_number")
    return [spec for spec in select_signals() if spec.name in wanted]


@pytest.fixture(scope="module")
def made(specs):
    """Cases on which one signal knows much, two know little, and one fires by chance."""
    rates = {
        "empty_predicate": (0.8, 0.05),
        "near_miss_value": (0.3, 0.1),
        "missing_number": (0.3, 0.1),
        "fan_out": (0.2, 0.2),
    }
    rng = np.random.default_rng(0)
    cases, labels = [], {}
    for row in range(600):
        wrong = bool(rng.random() < 0.35)
        outcomes = {}
        for spec in specs:
            fired = rng.random() < rates[spec.name][0 if wrong else 1]
            span = ClauseSpan(Clause.SELECT, SQL, 0, len(SQL))
            findings = (Finding(span, 0.8, "odd", signal=spec.name),) if fired else ()
            status = OutcomeStatus.FIRED if fired else OutcomeStatus.SILENT
            outcomes[spec.name] = Outcome(spec.name, status, findings)
        case = Case(question_id=row, db_id=f"db{row % 4}", question="Q?", predicted_sql=SQL)
        cases.append(Inspection(case, CaseStatus.OK, None, outcomes, {"characters": 23.0}))
        labels[row] = not wrong
    return cases, labels


def _ablate(made, specs, **options) -> Ablation:
    inspections, labels = made
    return ablate(inspections, labels, specs, **options)


def by_name(found):
    return {row.name: row for row in found.rows}


def test_the_signal_that_knows_most_is_missed_most(made, specs):
    found = _ablate(made, specs, bootstrap=100)
    rows = by_name(found)
    assert found.n_databases == 4
    assert min(rows.values(), key=lambda row: row.change.value).name == "empty_predicate"
    assert rows["empty_predicate"].change.value < -0.1
    assert rows["empty_predicate"].change.high < 0
    assert rows["empty_predicate"].alone.value == pytest.approx(0.875, abs=0.03)
    assert rows["fan_out"].alone.value == pytest.approx(0.5, abs=0.03)
    assert rows["fan_out"].change.value > 0
    for row in found.rows:
        gap = row.without.value - found.full.value
        assert row.change.value == pytest.approx(gap)
        assert row.change.low <= row.change.value <= row.change.high
    assert rows[SHAPE].change.value == pytest.approx(0, abs=0.01)
    assert rows[SHAPE].alone.value == 0.5


def test_families_and_groups_are_left_out_whole(made, specs):
    groups = by_name(_ablate(made, specs, by="group", bootstrap=20))
    assert set(groups) == {"database", "question", SHAPE}
    assert set(groups["database"].signals) == {"empty_predicate", "near_miss_value", "fan_out"}
    alone = groups["question"].alone.value
    assert groups["database"].without.value == pytest.approx(alone, abs=0.02)
    families = {part.name: part.signals for part in parts_of(specs, "family")}
    assert {name for names in families.values() for name in names} == {s.name for s in specs}


def test_a_single_part_cannot_be_left_out(made, specs):
    only = [spec for spec in specs if spec.name == "empty_predicate"]
    found = _ablate(made, only, bootstrap=20)
    assert by_name(found)["empty_predicate"].without.value is None
    assert found.full.value > 0.8
    assert "empty_predicate" in ablation_text(found.to_dict())


def test_one_database_is_fitted_on_itself(made, specs):
    cases, labels = made
    one = [
        dataclasses.replace(item, case=item.case.model_copy(update={"db_id": "db"}))
        for item in cases
    ]
    found = ablate(one, labels, specs, bootstrap=20)
    assert found.n_databases == 1
    assert "one database" in ablation_text(found.to_dict())


def test_what_cannot_be_measured_is_refused(made, specs):
    cases, labels = made
    with pytest.raises(InputError, match="both classes"):
        ablate(cases, dict.fromkeys(labels, True), specs)
    with pytest.raises(InputError, match="signal, family, group"):
        ablate(cases, labels, specs, by="code")


def test_the_resampled_aucs_are_those_of_measure():
    rng = np.random.default_rng(1)
    sample = Sample(rng.random(80) < 0.4, rng.integers(0, 9, 80) / 8)
    values = auc_of_resamples(sample, 200, 3)
    figure = measure(sample, bootstrap=200, seed=3)["auc"]
    assert values[0] == figure.value
    assert np.percentile(values[1:], [2.5, 97.5]) == pytest.approx([figure.low, figure.high])


def test_on_the_packaged_sample_the_signals_earn_their_place():
    sample = sample_dir()
    specs = select_signals("all")
    with closing(Databases(sample / "databases")) as databases:
        inspections = inspect_cases(read_cases(sample / "cases.jsonl"), databases, specs)
    labels = read_labels(sample / "labels.jsonl")
    found = ablate(inspections, labels, specs, by="group", bootstrap=50)
    rows = by_name(found)
    assert found.n_databases == 3
    assert found.full.value > 0.8
    assert rows["database"].change.value < 0
    again = ablate(inspections, labels, specs, by="group", bootstrap=50)
    assert again.to_dict() == found.to_dict()
