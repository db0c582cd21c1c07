"""A detector whose label model also hears the shape of the query."""

from functools import partial

import numpy as np

from clausewise.labeling import shape_levels
from clausewise.models import Detector


def fitted(signals, inspections, **options):
    detector = Detector(
        signals=signals, label_model="weighted", classifier="none", start="none", **options
    )
    return detector.fit_inspections(inspections)


def test_the_levels_are_learned_at_fit_and_kept(signals, make_inspections, tmp_path):
    inspections, incorrect = make_inspections(n=800)
    plain = fitted(signals, inspections)
    shaped = fitted(signals, inspections, shape_functions=True)
    added = set(shaped.columns_) - set(plain.columns_)
    assert added == {"vote.shape.tokens<q0.1", "vote.shape.tokens>q0.9"}
    # the made cases are longer where they are incorrect, so hearing it helps
    ranks = {
        name: np.array([1 - case.p_correct for case in detector.score_inspections(inspections)])
        for name, detector in (("plain", plain), ("shaped", shaped))
    }
    gaps = {name: of[incorrect].mean() - of[~incorrect].mean() for name, of in ranks.items()}
    assert gaps["shaped"] > gaps["plain"]
    shaped.save(tmp_path / "detector")
    loaded = Detector.load(tmp_path / "detector")
    again = [1 - case.p_correct for case in loaded.score_inspections(inspections[:50])]
    np.testing.assert_array_equal(again, ranks["shaped"][:50])


def test_other_levels_can_be_given(signals, make_inspections):
    inspections, _ = make_inspections(n=200)
    levels = partial(shape_levels, lower=(), upper=(0.5, 0.9))
    shaped = fitted(signals, inspections, shape_functions=levels)
    added = set(shaped.columns_) - set(fitted(signals, inspections).columns_)
    assert added == {"vote.shape.tokens>q0.5", "vote.shape.tokens>q0.9"}


def test_the_shape_is_never_a_finding(signals, make_inspections):
    inspections, _ = make_inspections(n=200)
    shaped = fitted(signals, inspections, shape_functions=True, by="family")
    scored = shaped.score_inspections(inspections[:50])
    assert {finding.signal for case in scored for finding in case.findings} <= {
        signal.name for signal in signals
    }
