"""The summary table of a label matrix: how much each function says, and how well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clausewise.errors import InputError
from clausewise.labeling.matrix import LabelMatrix
from clausewise.types import Vote

if TYPE_CHECKING:
    import pandas as pd


def summarize(
    matrix: LabelMatrix,
    accuracies: ArrayLike | None = None,
    labels: Mapping[str | int, bool] | None = None,
) -> pd.DataFrame:
    """Return one row a labeling function; every share lies in [0, 1].

    Parameters
    ----------
    matrix
        Votes `[n, m]`.
    accuracies
        `[m]` accuracies that a label model learned (its `accuracies_`).
    labels
        Question id to whether the query is correct, for any part of the cases.

    Returns
    -------
    pandas.DataFrame
        Indexed by function name, in the matrix's order, with the columns `family`; `votes`,
        what it ever says; `coverage`, the share of cases it votes on; `overlaps`, the share on
        which it and another vote; `conflicts`, the share on which it and another disagree; with
        `accuracies` also `learned_accuracy`; with `labels` also `labeled`, the number of its
        votes on labeled cases, and `empirical_accuracy`, the share of them that are right (NaN
        where it has none).

    Raises
    ------
    InputError
        Where `accuracies` do not number `m`.
    """
    import pandas as pd

    votes = matrix.votes
    voted = votes != Vote.ABSTAIN
    n_cases = max(len(votes), 1)
    says_correct = (votes == Vote.CORRECT).sum(axis=1, keepdims=True)
    says_incorrect = (votes == Vote.INCORRECT).sum(axis=1, keepdims=True)
    opposed = np.where(votes == Vote.CORRECT, says_incorrect, says_correct) > 0
    accompanied = voted.sum(axis=1, keepdims=True) > 1
    columns: dict[str, object] = {
        "family": list(matrix.families),
        "votes": [_vocabulary(column) for column in votes.T],
        "coverage": voted.sum(axis=0) / n_cases,
        "overlaps": (voted & accompanied).sum(axis=0) / n_cases,
        "conflicts": (voted & opposed).sum(axis=0) / n_cases,
    }
    if accuracies is not None:
        learned = np.asarray(accuracies, dtype=np.float64)
        if learned.shape != (votes.shape[1],):
            raise InputError(
                f"{votes.shape[1]} functions need as many accuracies, not shape {learned.shape}"
            )
        columns["learned_accuracy"] = learned
    if labels is not None:
        columns["labeled"], columns["empirical_accuracy"] = _against_labels(matrix, labels)
    return pd.DataFrame(columns, index=pd.Index(matrix.names, name="function"))


def _vocabulary(column: NDArray[np.int8]) -> str:
    said = [vote for vote in (Vote.CORRECT, Vote.INCORRECT) if (column == vote).any()]
    return ", ".join(vote.name.lower() for vote in said)


def _against_labels(
    matrix: LabelMatrix, labels: Mapping[str | int, bool]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    known = {str(question_id): bool(correct) for question_id, correct in labels.items()}
    truth = np.array(
        [
            Vote.ABSTAIN
            if str(question_id) not in known
            else Vote.CORRECT
            if known[str(question_id)]
            else Vote.INCORRECT
            for question_id in matrix.question_ids
        ],
        dtype=np.int8,
    ).reshape(-1, 1)
    counted = (matrix.votes != Vote.ABSTAIN) & (truth != Vote.ABSTAIN)
    right = (counted & (matrix.votes == truth)).sum(axis=0)
    total = counted.sum(axis=0)
    share = np.full(total.shape, np.nan)
    np.divide(right, total, out=share, where=total > 0)
    return total.astype(np.int64), share
