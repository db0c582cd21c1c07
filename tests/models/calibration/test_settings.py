import numpy as np

from clausewise.models.calibration.fit import Uncalibrated, calibrate
from clausewise.models.calibration.maps import (
    LinearCalibration,
    NoCalibration,
    calibrator_from_json,
)
from clausewise.models.calibration.settings import SettingCalibrators
from clausewise.models.probability import logit, sigmoid

USUAL, UNREAD, JUDGED = NoCalibration(), LinearCalibration(1.0, 1.0), LinearCalibration(1.0, -1.0)


def test_each_case_gets_the_map_of_its_setting() -> None:
    maps = SettingCalibrators(USUAL, {2: UNREAD, 4: JUDGED})
    incorrect = np.full(4, 0.5)
    found = logit(maps.apply(incorrect, np.array([0, 2, 4, 1], np.int8)))
    np.testing.assert_allclose(found, [0.0, 1.0, -1.0, 0.0], atol=1e-9)
    assert maps.of(2 | 1) is UNREAD
    again = SettingCalibrators.from_json(maps.to_json(), calibrator_from_json)
    assert again == maps


def test_settings_with_enough_labels_are_calibrated_by_themselves() -> None:
    rng = np.random.default_rng(1)
    settings = np.repeat(np.array([0, 2], np.int8), 2_000)
    truth = rng.normal(0.0, 1.5, 4_000)
    labels = (rng.random(4_000) < sigmoid(truth)).astype(float)
    raw = sigmoid(np.where(settings == 2, 0.5 * truth - 1.0, truth))
    calibrators = calibrate("platt", Uncalibrated(raw, labels, settings, 0.5), None).calibrators
    for setting in (0, 2):
        rows = settings == setting
        found = logit(calibrators.apply(raw[rows], settings[rows]))
        assert np.abs(found - truth[rows]).mean() < 0.15


def test_few_cases_of_a_setting_share_the_usual_map() -> None:
    settings = np.array([0] * 300 + [2] * 20, np.int8)
    raw = np.linspace(0.1, 0.9, 320)
    labels = (np.arange(320) % 3 == 0).astype(float)
    calibrators = calibrate("platt", Uncalibrated(raw, labels, settings, 0.3), None).calibrators
    assert calibrators.others == {}
