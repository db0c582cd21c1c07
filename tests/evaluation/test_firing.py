"""Firing rates over inspections."""

from __future__ import annotations

import pytest

from clausewise.evaluation import firing_rates
from clausewise.types import Case, CaseStatus, Inspection, Outcome, OutcomeStatus


def inspection(status: OutcomeStatus) -> Inspection:
    case = Case(question_id=1, db_id="shop", question="?", predicted_sql="SELECT 1")
    return Inspection(case, CaseStatus.OK, None, {"s": Outcome("s", status)}, {})


def test_the_rate_is_over_the_cases_that_the_signal_could_look_at():
    statuses = [
        OutcomeStatus.FIRED,
        OutcomeStatus.SILENT,
        OutcomeStatus.SILENT,
        OutcomeStatus.SILENT,
        OutcomeStatus.NOT_APPLICABLE,
        OutcomeStatus.FAULT,
    ]
    (rate,) = firing_rates(map(inspection, statuses))
    assert (rate.fired, rate.answered, rate.not_applicable, rate.faults) == (1, 4, 1, 1)
    assert rate.rate == 0.25
    assert rate.interval == pytest.approx((0.0456, 0.6994), abs=1e-4)
    assert rate.to_dict()["interval"] == list(rate.interval or ())


def test_a_signal_that_never_could_look_has_no_rate():
    (rate,) = firing_rates([inspection(OutcomeStatus.NOT_APPLICABLE)])
    assert (rate.rate, rate.interval) == (None, None)
