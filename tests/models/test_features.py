import dataclasses

import numpy as np
import pytest

from clausewise.datasets import sample_dir
from clausewise.errors import InputError
from clausewise.labeling import OutsideVotes
from clausewise.models import packaged_detector
from clausewise.models.features import MOST_SURPRISE, FeatureSpace, SignalRecord
from clausewise.types import Case, OutcomeStatus, OutsideVote, Vote


@pytest.fixture
def records(signals):
    return [SignalRecord.of(signal) for signal in signals]


@pytest.fixture
def space(records):
    return FeatureSpace(records, ("judge",), ("tokens", "joins"))


@pytest.fixture
def table_of(space):
    def make(inspections, votes=()):
        outside = OutsideVotes(votes).of_sources(space.outside)
        matrix = space.label_matrix(inspections, outside)
        return space.table(inspections, matrix, outside)

    return make


def column(space, table, name):
    return table.values[:, space.names.index(name)]


def test_columns_hold_what_their_names_say(space, table_of, make_inspections):
    inspections, _ = make_inspections(n=60)
    table = table_of(inspections, [OutsideVote("q1", "judge", Vote.CORRECT, 0.25)])
    outcomes = [inspection.outcomes["question_3"] for inspection in inspections]
    fired = [outcome.status is OutcomeStatus.FIRED for outcome in outcomes]
    assert any(fired)
    assert column(space, table, "vote.question_3").tolist() == [float(value) for value in fired]
    assert column(space, table, "score.question_3").tolist() == [o.score for o in outcomes]
    assert column(space, table, "vote.judge").tolist()[:3] == [0, -1, 0]
    assert column(space, table, "score.judge").tolist()[:3] == [0, -0.5, 0]
    np.testing.assert_allclose(
        column(space, table, "shape.tokens"), np.log1p([i.shape["tokens"] for i in inspections])
    )
    totals = column(space, table, "fired.database") + column(space, table, "fired.question")
    assert totals.tolist() == [
        sum(o.status is OutcomeStatus.FIRED for o in i.outcomes.values()) for i in inspections
    ]
    levels = sum(
        column(space, table, f"findings.{level}") for level in ("info", "warning", "error")
    )
    assert levels.tolist() == [len(inspection.findings) for inspection in inspections]


def test_silencing_everything_is_like_never_having_fired(space, table_of, make_inspections):
    inspections, _ = make_inspections(n=40)
    inspection = max(inspections, key=lambda item: len(item.findings))
    fired = [n for n, o in inspection.outcomes.items() if o.status is OutcomeStatus.FIRED]
    assert len(fired) > 1
    table = table_of([inspection])
    space.silence(table, 0, inspection, fired)
    silent = dataclasses.replace(
        inspection,
        outcomes={
            name: dataclasses.replace(outcome, status=OutcomeStatus.SILENT, findings=())
            if name in fired
            else outcome
            for name, outcome in inspection.outcomes.items()
        },
    )
    expected = table_of([silent])
    says_correct = [name.startswith("no_") for name in space.function_names]
    own = [k for k, name in enumerate(space.names) if "no_" not in name]
    np.testing.assert_array_equal(table.values[0, own], expected.values[0, own])
    # the functions that say correct keep their votes: they are no signal's own
    assert (table.votes[0, says_correct] == -1).any()


def test_a_family_falls_silent_with_its_last_member(records, make_inspections):
    space = FeatureSpace(records, by="family")
    inspections, _ = make_inspections(n=2000)
    both = next(
        inspection
        for inspection in inspections
        if all(
            inspection.outcomes[name].status is OutcomeStatus.FIRED
            for name in ("database_0", "database_1")
        )
    )
    outside = OutsideVotes()
    table = space.table([both], space.label_matrix([both], outside), outside)
    vote = space.names.index("vote.family:family_0")
    space.silence(table, 0, both, ["database_0"])
    assert table.values[0, vote] == 1
    space.silence(table, 0, both, ["database_0", "database_1"])
    assert table.values[0, vote] == 0


def test_the_space_survives_json(space):
    again = FeatureSpace.from_json(space.to_json())
    assert again.names == space.names
    assert again.signals == space.signals
    assert again.signals[-1].version == 2


def test_missing_signals_and_measures_are_named(space, table_of, make_inspections):
    (inspection,), _ = make_inspections(n=1)
    fewer = {n: o for n, o in inspection.outcomes.items() if not n.startswith("question")}
    with pytest.raises(InputError, match="'q0' was inspected without these signals: question_0, "):
        table_of([dataclasses.replace(inspection, outcomes=fewer)])
    with pytest.raises(InputError, match=r"'q0' .* measures of shape joins"):
        table_of([dataclasses.replace(inspection, shape={"tokens": 3.0})])


def test_outside_sources_are_those_of_fit(space, records, make_inspections):
    inspections, _ = make_inspections(n=2)
    with pytest.raises(InputError, match="without votes of 'stranger'"):
        space.label_matrix(inspections, OutsideVotes([OutsideVote("q0", "stranger", Vote.CORRECT)]))
    with pytest.raises(InputError, match="the name 'no_signal'"):
        FeatureSpace(records, ("no_signal",))


def test_what_was_expected_has_columns_of_its_own(records, make_inspections):
    space = FeatureSpace(records, shape=("tokens",), expected=("limit", "order"))
    first, second = (
        dataclasses.replace(item, expectation=expectation)
        for item, expectation in zip(
            make_inspections(n=2)[0], ({"limit": 1.5, "unheard": 4.0}, {}), strict=True
        )
    )
    none = OutsideVotes(())
    table = space.table([first, second], space.label_matrix([first, second], none), none)
    assert column(space, table, "expected.limit").tolist() == [1.5, 0.0]
    assert column(space, table, "expected.order").tolist() == [0.0, 0.0]
    assert FeatureSpace.from_json(space.to_json()).names == space.names


def test_a_distance_belongs_to_the_finding_that_tells_of_it():
    case = Case(
        question_id=1,
        db_id="bookshop",
        question="Which customers have never placed an order? Names.",
        predicted_sql="SELECT name FROM customers",
    )
    detector = packaged_detector()
    (scored,) = detector.score([case], sample_dir() / "databases")
    (told,) = [finding for finding in scored.findings if finding.signal == "verifier_doubt"]
    column = detector.learned_.space.names.index(f"expected.{told.signal}")
    usual = detector.learned_.reference[detector.learned_.space.names[column]]
    assert 0.0 < usual < MOST_SURPRISE
    assert told.contribution is not None
    assert told.contribution > 0.5
    assert scored.explanation is not None
    parts = dataclasses.asdict(scored.explanation)
    found = sum(finding.contribution or 0.0 for finding in scored.findings)
    assert scored.p_correct is not None
    log_odds = float(np.log((1.0 - scored.p_correct) / scored.p_correct))
    assert sum(parts.values()) + found == pytest.approx(log_odds, abs=1e-3)
