import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.errors import InputError
from clausewise.models.calibration.alarms import (
    DEFAULT_ALARMS,
    SHARES,
    blended,
    operating_points,
    point_at,
)


def scored(n: int = 4_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    wrong = rng.random(n) < 0.3
    return 1.0 / (1.0 + np.exp(-rng.normal(np.where(wrong, 1.0, -1.5), 1.0))), wrong


@pytest.mark.parametrize("share", SHARES)
def test_no_more_right_queries_are_called_than_allowed_and_hardly_fewer(share: float) -> None:
    p, wrong = scored()
    point = point_at(operating_points(p, wrong.astype(float)), share)
    called = (p >= point.threshold) & ~wrong
    assert share - 0.002 <= called.sum() / (~wrong).sum() <= share
    assert point.recall == pytest.approx(((p >= point.threshold) & wrong).sum() / wrong.sum())


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans()), min_size=1))
def test_ties_are_never_split(cases: list[tuple[float, bool]]) -> None:
    p = np.array([one for one, _ in cases])
    wrong = np.array([float(is_wrong) for _, is_wrong in cases])
    for point in operating_points(p, wrong):
        called = p >= point.threshold
        right = (1.0 - wrong).sum()
        assert (called & (wrong < 0.5)).sum() <= point.alarms * right + 1e-9


def test_thresholds_fall_with_the_share_and_what_lies_between_is_interpolated() -> None:
    p, wrong = scored()
    points = operating_points(p, wrong.astype(float))
    thresholds = [point_at(points, share).threshold for share in (0.02, 0.025, 0.03, 0.05, 0.07)]
    assert thresholds == sorted(thresholds, reverse=True)
    assert len(set(thresholds)) == len(thresholds)


@pytest.mark.parametrize("share", [0.001, 0.5])
def test_a_share_beyond_what_was_measured_is_refused(share: float) -> None:
    p, wrong = scored()
    with pytest.raises(InputError, match=r"between 0\.01 and 0\.3"):
        point_at(operating_points(p, wrong.astype(float)), share)


def test_precision_follows_from_the_share_of_errors() -> None:
    p, wrong = scored()
    point = point_at(operating_points(p, wrong.astype(float)), DEFAULT_ALARMS)
    assert point.precision(0.03) < point.precision(0.1) < point.precision(0.3) < 1.0
    share = 0.3 * point.recall / (0.3 * point.recall + 0.7 * 0.05)
    assert point.precision(0.3) == pytest.approx(share)


def test_few_labels_stay_near_what_is_known_elsewhere() -> None:
    p, wrong = scored(seed=1)
    here = operating_points(p, wrong.astype(float))
    elsewhere = tuple(point.moved(1.0, 2.0) for point in here)
    middle = blended(here, elsewhere, 0.5)
    for own, between, other in zip(here, middle, elsewhere, strict=True):
        assert own.threshold < between.threshold < other.threshold
