"""The card of a detector: what it says of shares, verdicts and where they were measured."""

import json
import re

import pytest

from clausewise.models import Detector
from clausewise.models.calibration.alarms import OperatingPoint
from clausewise.models.card import card_text, change_lines
from clausewise.models.recipes import recipe
from clausewise.models.registries import packaged_folder


@pytest.fixture
def fit(signals, make_inspections, tmp_path):
    """Fit on inspected cases and save; returns the card and the manifest."""

    def made(labels: int = 0, alarms: float | None = None, **params):
        inspections, incorrect = make_inspections(n=300, seed=12)
        chosen = {"signals": signals, "label_model": "weighted", "classifier": "additive"}
        detector = Detector(**{**chosen, **params})
        known = {
            item.case.question_id: not wrong
            for item, wrong in list(zip(inspections, incorrect, strict=True))[:labels]
        }
        detector.fit_inspections(inspections, known or None)
        if alarms is not None:
            detector.set_alarms(alarms)
        detector.save(tmp_path / "detector")
        manifest = json.loads((tmp_path / "detector" / "manifest.json").read_text())
        return (tmp_path / "detector" / "card.md").read_text(), manifest

    return made


def rows_of(card: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in card.splitlines()
        if re.match(r"\| \d+ % \|", line)
    ]


def test_the_table_is_that_of_the_operating_points(fit) -> None:
    card, manifest = fit()
    points = [OperatingPoint.from_json(point) for point in manifest["points"]]
    expected = [
        [
            f"{point.alarms:.0%}".replace("%", " %"),
            f"{point.threshold:.3f}",
            f"{point.recall:.2f}",
            *(f"{point.precision(share):.2f}" for share in (0.03, 0.1, 0.3)),
        ]
        for point in points
    ]
    assert len(points) == 7
    assert rows_of(card) == expected
    assert "| recall | precision at 3 % errors | precision at 10 % errors |" in card


@pytest.mark.parametrize(
    ("labels", "params", "measured"),
    [
        (0, {}, "Measured where the start was, on databases that it had not seen"),
        (0, {"start": "none"}, "Not measured: what the probabilities lead one to expect"),
        (60, {}, "Measured on labels of these cases, and drawn to"),
        (60, {"start": "none"}, "Measured on labels of these cases. At most"),
        (300, {"start": "none"}, "cases, by classifiers that had not seen the case. At most"),
    ],
)
def test_it_says_where_the_thresholds_were_measured(fit, labels, params, measured) -> None:
    assert measured in fit(labels, **params)[0]


def test_the_packaged_detector_was_measured_on_databases_left_out() -> None:
    manifest = json.loads((packaged_folder() / "manifest.json").read_text())
    card = card_text(manifest)
    assert "Measured on databases that were left out" in card
    assert len(rows_of(card)) == len(manifest["points"])
    assert change_lines(manifest) == []
    assert "What ranks the queries" not in card


@pytest.mark.learn
def test_what_is_named_and_learned_nothing_has_no_share(fit) -> None:
    card, _ = fit(classifier="autogluon")
    assert "- Classifier: autogluon, on" in card
    assert (
        "- Ranking: 100 % packaged detector, 0 % autogluon (no labels or candidates to learn from)."
    ) in card
    assert re.search(r"- Moved: probabilities to a share of 0\.\d+ incorrect \(estimated\); "
                     r"nothing else\.", card)  # fmt: skip
    assert "- Autogluon learned nothing from these cases and has no share." in card


def test_few_labels_move_calibration_and_threshold_only(fit) -> None:
    lines = change_lines(fit(30)[1])
    assert lines[0].endswith("(the 30 labels do not move it, and there are no candidates)")
    assert lines[1].endswith("(labels); the threshold by labels; nothing else")


def test_it_names_the_conventions_and_a_stated_share(fit) -> None:
    card, manifest = fit(alarms=0.1, conventions="strict")
    assert "- Conventions: strict: they count as in the benchmarks." in card
    assert "or more: at most 10 % of the right ones." in card
    assert "the threshold as stated" in card
    assert manifest["training"]["alarms"] == 0.1
    assert manifest["threshold"] == pytest.approx(manifest["points"][4]["threshold"], abs=1e-5)
    assert "or more, as stated." in fit(threshold=0.4)[0]


@pytest.mark.learn
def test_it_names_the_recipe(fit, signals) -> None:
    card, manifest = fit(**{**recipe("sqlens"), "signals": signals})
    assert "- Recipe:" not in card  # these are no signals of the paper
    card = card_text({**manifest, "selector": "sqlens"})
    assert "- Recipe: sqlens, and nothing else." in card
    assert "- Ranking: 100 % autogluon." in card
    assert re.search(r"autogluon, on the votes of \d+ labeling functions alone", card)
