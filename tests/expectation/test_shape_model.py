"""The model of a query's shape: packaged, saved, loaded, refused, and fitted anew."""

from __future__ import annotations

import math
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from clausewise.errors import DetectorError
from clausewise.expectation import ATTRIBUTES, observed, packaged_expectation
from clausewise.expectation.fitting import (
    feature_matrix,
    fitted,
    target_matrix,
    temperatures_of,
    vocabulary_of,
)
from clausewise.expectation.shape import (
    LARGEST_GAP,
    N_CLASSES,
    ShapeModel,
    calibrated,
    quantized,
    softmax,
)
from clausewise.sql import parse

COUNT = "How many books are there?"
MOST_BYTES = 2_000_000


def test_the_probabilities_of_an_attribute_sum_to_one() -> None:
    expected = packaged_expectation().shape("What is the average price of each genre?", None)
    assert expected is not None
    assert list(expected.probabilities) == list(ATTRIBUTES)
    for name, found in expected.probabilities.items():
        assert tuple(found) == ATTRIBUTES[name].classes
        assert sum(found.values()) == pytest.approx(1.0, abs=1e-5)


def test_equal_questions_are_read_once_and_an_expectation_can_be_sent() -> None:
    expectation = packaged_expectation()
    first = expectation.shape(COUNT, None)
    assert first is not None
    assert expectation.shape(COUNT, None) is first
    sent = pickle.loads(pickle.dumps(expectation)).shape(COUNT, None)
    assert sent.values.tolist() == first.values.tolist()


def test_the_gap_is_the_log_ratio_to_the_most_probable_class() -> None:
    expected = packaged_expectation().shape(COUNT, "")
    assert expected is not None
    gaps = expected.gaps(parse("SELECT title FROM books"))
    aggregate = expected.probabilities["aggregate"]
    wanted = math.log(max(aggregate.values()) / aggregate["none"])
    assert gaps["aggregate"] == pytest.approx(min(wanted, LARGEST_GAP), abs=1e-3)
    assert all(0 <= gap <= LARGEST_GAP for gap in gaps.values())
    right = expected.gaps(parse("SELECT COUNT(*) FROM books"))
    assert sum(right.values()) < sum(gaps.values())
    assert right["aggregate"] == 0.0
    assert expected.gaps(parse("DROP TABLE books")) == {}


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Wie viele Kunden gibt es in jeder Stadt?",
        "有多少本书",
        "zibbling quux frob glorps",
    ],
)
def test_nothing_is_expected_of_what_cannot_be_read(question: str) -> None:
    assert packaged_expectation().shape(question, None) is None


@pytest.mark.parametrize("question", [COUNT * 5_000, "'" * 50_000, "a " * 50_000, "(" * 9_999])
def test_long_and_odd_questions_are_read_in_bounds(question: str) -> None:
    packaged_expectation().shape(question, question)


def test_evidence_moves_what_is_expected() -> None:
    question = "Which school has the best ratio?"
    plain, told = (
        packaged_expectation().shape(question, evidence)
        for evidence in (None, "best ratio refers to DIVIDE(COUNT(a), COUNT(b)) * 100")
    )
    assert plain is not None
    assert told is not None
    divided = [of.probabilities["arithmetic"]["none"] for of in (plain, told)]
    assert divided[1] < divided[0]


def test_a_model_is_the_same_after_saving_and_the_file_too(tmp_path: Path) -> None:
    model = packaged_expectation().shape_model
    for name in ("one.npz", "other.npz"):
        model.save(tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()
    assert (tmp_path / "one.npz").stat().st_size < MOST_BYTES
    read = ShapeModel.load(tmp_path / "one.npz")
    before, after = model.expect(COUNT, None), read.expect(COUNT, None)
    assert before is not None
    assert after is not None
    assert np.array_equal(before.values, after.values)
    with zipfile.ZipFile(tmp_path / "one.npz") as archive:
        assert not any(b"pickle" in archive.read(name)[:200] for name in archive.namelist())


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04broken"])
def test_a_file_that_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "shape.npz").write_bytes(content)
    with pytest.raises(DetectorError, match=r"shape\.npz"):
        ShapeModel.load(tmp_path / "shape.npz")


def test_a_model_of_other_attributes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shape.npz"
    packaged_expectation().shape_model.save(path)
    with np.load(path) as held:
        arrays = {name: held[name] for name in held.files}
    arrays["layout"] = np.frombuffer(b"n_selected 1 2", np.uint8)
    np.savez_compressed(path, **arrays)
    with pytest.raises(DetectorError, match="another version"):
        ShapeModel.load(path)


def _cases(n: int) -> tuple[list[list[int]], np.ndarray]:
    """Return features and targets: feature 0 asks for a count, feature 1 for a list."""
    queries = [observed(parse(sql)) for sql in ("SELECT COUNT(*) FROM t", "SELECT a, b FROM t")]
    kinds = [at % 2 for at in range(n)]
    return [[kind, 2] for kind in kinds], target_matrix(queries[kind] for kind in kinds)


def test_fitting_finds_what_features_mean() -> None:
    rows, targets = _cases(40)
    matrix = feature_matrix(rows, 3, 2.0)
    weights, bias = fitted(matrix, targets, np.ones(40, np.float32), penalty=0.001)
    assert weights.shape == (3, N_CLASSES)
    expected = softmax(matrix @ weights + bias)
    assert ((expected * targets).sum(axis=1) / len(ATTRIBUTES)).min() > 0.95


def test_fitting_stays_at_its_center_under_a_large_penalty() -> None:
    rows, targets = _cases(20)
    matrix = feature_matrix(rows, 3, 2.0)
    center = (np.full((3, N_CLASSES), 0.5, np.float32), np.zeros(N_CLASSES, np.float32))
    weights, bias = fitted(
        matrix, targets, np.ones(20, np.float32), penalty=1e4, start=center, bias_penalty=1e4
    )
    assert np.abs(weights - center[0]).max() < 0.01
    assert np.abs(bias).max() < 0.01


def test_temperatures_cool_what_is_too_sure() -> None:
    targets = np.zeros((100, N_CLASSES), np.float32)
    logits = np.zeros((100, N_CLASSES), np.float32)
    place = 0
    for attribute in ATTRIBUTES.values():
        logits[:, place] = 6.0  # right 3 times in 4, sure of it at 0.99
        targets[:75, place] = 1.0
        targets[75:, place + 1] = 1.0
        place += len(attribute.classes)
    found = temperatures_of(logits, np.zeros_like(logits), targets, np.ones(100, np.float32))
    assert found.shape == (len(ATTRIBUTES),)
    assert found.min() > 2.0
    expected = softmax(calibrated(logits, np.zeros_like(logits), found))
    assert expected[:, 0] == pytest.approx(0.75, abs=0.05)


def test_small_weights_are_kept_within_half_a_unit() -> None:
    weights = np.random.default_rng(0).normal(size=(50, N_CLASSES)).astype(np.float32)
    small, scales = quantized(weights)
    assert small.dtype == np.int8
    assert np.abs(small * scales - weights).max() <= scales.max() * 0.51


def test_a_vocabulary_holds_what_several_groups_have() -> None:
    found = vocabulary_of(["a", "a", "b"], [{"x", "y"}, {"y"}, {"x", "z"}], 2, 10)
    assert found == {"x": 0}
    assert list(vocabulary_of(["a", "b"], [{"x", "y"}, {"x"}], 1, 1)) == ["x"]
