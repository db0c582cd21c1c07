"""The detector that ships: small, readable, better than its parts and than the baselines."""

import importlib.util
import json

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from clausewise.databases import Databases
from clausewise.datasets import read_cases, read_labels, sample_dir
from clausewise.errors import MissingExtraError
from clausewise.models import packaged_detector
from clausewise.models.registries import PACKAGED, require_extras
from clausewise.signals import inspect_cases, select_signals
from clausewise.types import CaseStatus


@pytest.fixture(scope="module")
def judged():
    """Inspections and truth of the sample's executable cases."""
    labels = read_labels(sample_dir() / "labels.jsonl")
    cases = read_cases(sample_dir() / "cases.jsonl")
    databases = Databases(sample_dir() / "databases")
    inspections = [
        item
        for item in inspect_cases(cases, databases, packaged_detector().specs())
        if item.status is CaseStatus.OK
    ]
    databases.close()
    return inspections, np.array([not labels[item.case.question_id] for item in inspections])


RISING = ("score.", "reason.", "expected.")


def test_it_is_a_few_readable_kilobytes() -> None:
    files = [path for path in PACKAGED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 100_000
    assert {path.suffix for path in files} == {".json", ".md"}
    weights = json.loads((PACKAGED / "classifier" / "additive.json").read_text())["weights"]
    assert all(weight >= 0 for name, weight in weights.items() if name.startswith(RISING))


def test_it_knows_every_signal_in_its_version() -> None:
    # a version that differs warns, and warnings are errors here
    assert {spec.name for spec in packaged_detector().specs()} == {
        spec.name for spec in select_signals()
    }


def test_it_is_not_worse_than_its_best_signal_nor_than_the_baselines(judged) -> None:
    inspections, incorrect = judged
    scored = packaged_detector().score_inspections(inspections)
    auc = roc_auc_score(incorrect, [1 - case.p_correct for case in scored])
    rivals = {
        name: [item.outcomes[name].score for item in inspections]
        for name in inspections[0].outcomes
    }
    rivals["length"] = [len(item.case.predicted_sql) for item in inspections]
    rivals["votes"] = [len(item.findings) for item in inspections]
    best = max(rivals, key=lambda name: roc_auc_score(incorrect, rivals[name]))
    assert auc >= roc_auc_score(incorrect, rivals[best]) - 0.01, best


def test_the_explanation_adds_up_to_the_probability(judged) -> None:
    inspections, _ = judged
    for case in packaged_detector().score_inspections(inspections):
        if case.explanation is None:
            assert case.status is not CaseStatus.OK
            continue
        moved = sum(finding.contribution or 0.0 for finding in case.findings)
        parts = sum(case.explanation.to_dict().values())
        assert parts + moved == pytest.approx(np.log(1 / case.p_correct - 1), abs=1e-3)


@pytest.mark.parametrize(
    ("label_model", "classifier", "absent"),
    [("snorkel", "additive", "snorkel"), ("weighted", "autogluon", "autogluon")],
)
def test_an_absent_library_is_told_before_any_work(
    monkeypatch, label_model, classifier, absent
) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == absent else known(name)
    )
    with pytest.raises(MissingExtraError, match=r"pip install .*\[learn\]"):
        require_extras(label_model, classifier)
    require_extras("majority", "logistic")
