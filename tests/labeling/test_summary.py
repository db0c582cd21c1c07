import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clausewise.errors import InputError
from clausewise.labeling import LabelMatrix, summarize


@pytest.fixture
def matrix():
    votes = np.array([[1, 0, -1], [1, -1, -1], [-1, 0, -1], [1, 1, -1]])
    return LabelMatrix(votes, ("a", "b", "c"), ("x", "y", "z"), (1, 2, 3, 4))


def test_coverage_overlaps_and_conflicts(matrix):
    table = summarize(matrix)
    assert list(table.columns) == ["family", "votes", "coverage", "overlaps", "conflicts"]
    assert table["coverage"].tolist() == [0.75, 0.75, 0.0]
    assert table["overlaps"].tolist() == [0.5, 0.5, 0.0]
    assert table["conflicts"].tolist() == [0.25, 0.25, 0.0]
    assert table["votes"].tolist() == ["incorrect", "correct, incorrect", ""]


def test_accuracies_learned_and_true(matrix):
    table = summarize(matrix, [0.9, 0.6, 0.5], {"1": True, 2: False, 3: True})
    assert table["learned_accuracy"].tolist() == [0.9, 0.6, 0.5]
    assert table["labeled"].tolist() == [2, 2, 0]
    assert table["empirical_accuracy"].tolist()[:2] == [0.5, 1.0]
    assert table["empirical_accuracy"].isna().to_dict() == {"a": False, "b": False, "c": True}


def test_accuracies_must_number_the_functions(matrix):
    with pytest.raises(InputError, match="3 functions"):
        summarize(matrix, [0.9, 0.6])


@given(
    hnp.arrays(
        np.int8, st.tuples(st.integers(0, 8), st.integers(1, 5)), elements=st.integers(-1, 1)
    )
)
def test_shares_are_ordered(votes):
    names = tuple(f"f{j}" for j in range(votes.shape[1]))
    table = summarize(LabelMatrix(votes, names, names, tuple(range(len(votes)))))
    assert (table["coverage"] <= 1).all()
    assert (table["overlaps"] <= table["coverage"]).all()
    assert (table["conflicts"] <= table["overlaps"]).all()
    assert (table["conflicts"] >= 0).all()
