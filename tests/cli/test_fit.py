"""`fit`: the paper's recipe, what it says it learned, conventions, alarms, and the base install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import clausewise
from clausewise.models import Detector

Run = Callable[..., Any]
SIGNALS = "empty_predicate,duplicate_rows,abnormal_result,missing_number"
LEARN = ("snorkel", "autogluon", "torch", "lightgbm", "tensorboard")


@pytest.fixture
def lone_cases(sample: Path) -> Path:
    """The sample's cases without candidates."""
    path = sample / "lone.jsonl"
    lines = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [{**json.loads(line), "candidates": []} for line in lines]
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


@pytest.fixture
def fit(run: Run, sample: Path, tmp_path: Path) -> Callable[..., Any]:
    def made(cases: Path, *options: object) -> Any:
        return run(
            "fit", cases, "--databases", sample / "databases", "--out", tmp_path / "d", *options
        )

    return made


def card(tmp_path: Path) -> str:
    return (tmp_path / "d" / "card.md").read_text(encoding="utf-8")


def manifest(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "d" / "manifest.json").read_text())
    return found


@pytest.mark.learn
def test_the_recipe_is_the_whole_pipeline_and_nothing_else(fit, sample, tmp_path) -> None:
    done = fit(sample / "cases.jsonl", "--recipe", "sqlens", "--seed", 3)
    assert done.code == 0, done.err
    assert "ranking: 100 % autogluon\n" in done.err
    assert "learned from 167 cases" in done.err
    settings = manifest(tmp_path)["settings"]
    assert (settings["label_model"], settings["classifier"]) == ("snorkel", "autogluon")
    assert (settings["start"], settings["conventions"]) == ("alone", "strict")
    assert (settings["calibration"], settings["seed"]) == ("balance", 3)
    assert manifest(tmp_path)["selector"] == "sqlens"
    assert manifest(tmp_path)["training"]["parts"] == {"learned here": 1.0}
    assert "- Recipe: sqlens, and nothing else." in card(tmp_path)
    loaded = Detector.load(tmp_path / "d")
    assert loaded.get_params()["start"] == "alone"
    sets = {"sqlens" in spec.sets for spec in loaded.specs()}
    assert sets == {True}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--label-model", "weighted"), "--label-model': the recipe 'sqlens' sets label model to"),
        (("--classifier", "logistic"), "'--classifier': the recipe 'sqlens' sets classifier to"),
        (("--calibration", "platt"), "'--calibration': the recipe"),
        (("--signals", "all"), "'--signals': the recipe 'sqlens' sets signals to sqlens, not all"),
        (("--start", "packaged"), "'--start': the recipe"),
        (("--conventions", "relaxed"), "sets conventions to strict, not relaxed"),
        (("--gold", "gold.jsonl"), "'--gold': the recipe 'sqlens' expects nothing of queries"),
    ],
)
def test_what_contradicts_the_recipe_is_a_usage_error(
    fit, sample, tmp_path, options, message
) -> None:
    done = fit(sample / "cases.jsonl", "--recipe", "sqlens", *options)
    assert (done.code, message in done.err) == (2, True), done.err
    assert not (tmp_path / "d").exists()


def test_an_unknown_recipe_is_a_usage_error(fit, sample) -> None:
    done = fit(sample / "cases.jsonl", "--recipe", "paper")
    assert (done.code, "no recipe 'paper'; known: sqlens" in done.err) == (2, True)


@pytest.mark.learn
def test_without_labels_and_candidates_it_claims_no_learning(fit, lone_cases, tmp_path) -> None:
    done = fit(lone_cases, "--signals", SIGNALS)
    assert done.code == 0, done.err
    ranking, moved, idle = done.err.splitlines()[:3]
    assert ranking == (
        "ranking: 100 % packaged detector, 0 % autogluon (no labels or candidates to learn from)"
    )
    assert moved.startswith("moved: probabilities to a share of 0.")
    assert moved.endswith("incorrect (estimated); nothing else")
    assert idle == "autogluon learned nothing from these cases and has no share"
    assert "learned from" not in done.err
    assert manifest(tmp_path)["training"]["parts"] == {"start": 1.0, "learned here": 0.0}
    assert idle[1:] in card(tmp_path)


@pytest.mark.parametrize(("label_model", "learns"), [("majority", False), ("weighted", True)])
def test_a_label_model_that_only_counts_has_learned_nothing(
    fit, lone_cases, label_model, learns
) -> None:
    options = ("--signals", SIGNALS, "--start", "none", "--classifier", "none")
    done = fit(lone_cases, *options, "--label-model", label_model)
    assert done.code == 0, done.err
    assert "ranking: 100 % label model\n" in done.err
    assert ("learned from 167 cases" in done.err) == learns


def test_candidates_and_votes_have_shares(fit, sample, tmp_path) -> None:
    votes = tmp_path / "votes.jsonl"
    lines = (sample / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    with votes.open("w", encoding="utf-8") as file:
        for label in map(json.loads, lines):
            vote = "correct" if label["correct"] else "incorrect"
            record = {"question_id": label["question_id"], "signal": "review", "vote": vote}
            file.write(json.dumps(record) + "\n")
    done = fit(
        sample / "cases.jsonl", "--signals", f"{SIGNALS},candidate_disagreement",
        "--classifier", "logistic", "--label-model", "weighted", "--votes", votes,
    )  # fmt: skip
    assert done.code == 0, done.err
    parts = manifest(tmp_path)["training"]["parts"]
    assert {"start", "learned here", "judges", "candidates"} <= set(parts)
    assert sum(parts.values()) == pytest.approx(1.0)
    assert "weights of judges (review)" in done.err
    assert "learned from 167 cases" in done.err


def test_conventions_choose_the_start_and_what_counts(fit, lone_cases, tmp_path) -> None:
    options = ("--signals", SIGNALS, "--label-model", "weighted", "--classifier", "additive")
    points = {}
    for conventions in ("relaxed", "strict"):
        done = fit(lone_cases, *options, "--conventions", conventions)
        assert done.code == 0, done.err
        points[conventions] = manifest(tmp_path)["points"]
        assert f"- Conventions: {conventions}: " in card(tmp_path)
        assert Detector.load(tmp_path / "d").conventions == conventions
    assert points["relaxed"] != points["strict"]


def test_alarms_settle_the_threshold(fit, lone_cases, tmp_path) -> None:
    options = ("--signals", SIGNALS, "--label-model", "weighted", "--classifier", "additive")
    thresholds = []
    for share in (0.02, 0.1):
        done = fit(lone_cases, *options, "--alarms", share)
        assert done.code == 0, done.err
        saved = manifest(tmp_path)
        (row,) = [point for point in saved["points"] if point["alarms"] == share]
        assert saved["threshold"] == pytest.approx(row["threshold"], abs=1e-5)
        assert f"p_incorrect = {row['threshold']:.3f} on" in done.out
        assert Detector.load(tmp_path / "d").threshold_ == saved["threshold"]
        thresholds.append(saved["threshold"])
    assert thresholds[0] > thresholds[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--alarms", "0.1", "--threshold", "0.3"), "not several of them"),
        (("--alarms", "0.1", "--cost-miss", "2"), "not several of them"),
        (("--alarms", "0.5"), "between 0.01 and 0.3, got 0.5"),
        (("--alarms", "nan"), "between 0.01 and 0.3"),
        (("--conventions", "loose"), "loose"),
    ],
)
def test_a_share_without_meaning_is_refused_before_the_first_query(
    fit, tmp_path, options, message
) -> None:
    done = fit(tmp_path / "there-is-no-such-file.jsonl", *options)
    assert (done.code, message in done.err) == (2, True), done.err


def base_install(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where everything is installed but the libraries of the extra `learn`."""
    site = tmp_path / "site"
    if not site.exists():
        site.mkdir()
        for entry in Path(sysconfig.get_path("purelib")).iterdir():
            if not entry.name.startswith(LEARN):
                (site / entry.name).symlink_to(entry)
    root = Path(clausewise.__file__).parent.parent
    # -S: only what PYTHONPATH names is there
    return subprocess.run(
        [sys.executable, "-S", *arguments],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(site)])},
    )  # fmt: skip


def test_the_base_install_fits_with_what_it_has(sample: Path, tmp_path: Path) -> None:
    def fit(*options: str) -> subprocess.CompletedProcess[str]:
        where = ("--databases", str(sample / "databases"), "--out", str(tmp_path / "d"))
        cases = str(sample / "cases.jsonl")
        return base_install(tmp_path, "-m", "clausewise", "fit", cases, *where, *options)

    done = fit("--signals", SIGNALS)
    assert done.returncode == 0, done.stderr
    first = done.stderr.splitlines()[0]
    assert first.startswith("snorkel and autogluon are not installed (pip install ")
    assert first.endswith("taking the label model weighted and the classifier additive")
    settings = manifest(tmp_path)["settings"]
    assert (settings["label_model"], settings["classifier"]) == ("weighted", "additive")

    some = fit("--signals", SIGNALS, "--label-model", "majority", "--classifier", "additive")
    assert (some.returncode, "not installed" in some.stderr) == (0, False), some.stderr
    for named in (("--classifier", "autogluon"), ("--recipe", "sqlens")):
        refused = fit(*named)
        assert (refused.returncode, "pip install" in refused.stderr) == (2, True), refused.stderr
    assert "the recipe 'sqlens' needs them" in refused.stderr


def test_the_base_install_fits_from_python_and_warns(sample: Path, tmp_path: Path) -> None:
    script = (
        "import warnings\n"
        "from clausewise.datasets import read_cases\n"
        "from clausewise.models import Detector\n"
        f"cases = read_cases({str(sample / 'cases.jsonl')!r})\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        f"    made = Detector(signals={SIGNALS!r}).fit(cases, {str(sample / 'databases')!r})\n"
        f"    made.save({str(tmp_path / 'd')!r})\n"
        "print([str(w.message) for w in caught if w.category.__name__ == 'DetectorWarning'])\n"
    )
    done = base_install(tmp_path, "-c", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("taking the label model weighted and the classifier additive") == 1
    settings = manifest(tmp_path)["settings"]
    assert (settings["label_model"], settings["classifier"]) == ("weighted", "additive")
