"""The label matrix: every function's vote on every case, and what must hold before it is fitted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clausewise.errors import InputError
from clausewise.labeling.functions import LabelingFunction
from clausewise.labeling.outside import LabelMatrixWarning, OutsideVotes
from clausewise.types import Inspection, OutsideVote, Vote

MINIMUM_FUNCTIONS = 3
"""Fewer functions that vote leave their accuracies undetermined without labels."""


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """Votes of `m` labeling functions on `n` cases.

    Attributes
    ----------
    votes
        `[n, m]` int8: -1 abstains, 0 says correct, 1 says incorrect.
    names
        `m` names of the functions.
    families
        `m` family names; functions of one family overlap in what they look at.
    question_ids
        `n` ids, in the order of the cases.
    """

    votes: NDArray[np.int8]
    names: tuple[str, ...]
    families: tuple[str, ...]
    question_ids: tuple[str | int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "votes", checked_votes(self.votes))
        expected = (len(self.question_ids), len(self.names))
        if self.votes.shape != expected or len(self.families) != len(self.names):
            raise InputError(
                f"votes of shape {self.votes.shape} do not fit {expected[0]} question ids, "
                f"{expected[1]} names and {len(self.families)} families"
            )
        if len(set(self.names)) != len(self.names):
            repeated = sorted({name for name in self.names if self.names.count(name) > 1})
            raise InputError(f"two labeling functions share the name '{repeated[0]}'")

    @property
    def abstaining(self) -> NDArray[np.bool_]:
        """`[n]` whether no function votes on the case."""
        abstaining: NDArray[np.bool_] = (self.votes == Vote.ABSTAIN).all(axis=1)
        return abstaining

    @property
    def voting(self) -> NDArray[np.bool_]:
        """`[m]` whether the function votes on any case."""
        voting: NDArray[np.bool_] = (self.votes != Vote.ABSTAIN).any(axis=0)
        return voting


def checked_votes(votes: ArrayLike) -> NDArray[np.int8]:
    """Return votes as an `[n, m]` int8 array.

    Raises
    ------
    InputError
        Where they are not two-dimensional, or hold NaN or a value other than -1, 0 and 1.
    """
    array = np.asarray(votes)
    if array.ndim != 2:
        raise InputError(f"votes must have two dimensions [n, m], not {array.ndim}")
    if not np.issubdtype(array.dtype, np.number):
        raise InputError(f"votes must be numbers, not {array.dtype}")
    wrong = (array != Vote.ABSTAIN) & (array != Vote.CORRECT) & (array != Vote.INCORRECT)
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        raise InputError(
            f"votes must be -1 (abstain), 0 (correct) or 1 (incorrect): "
            f"row {row}, column {column} holds {array[row, column]}"
        )
    return array.astype(np.int8, copy=False)


def build_label_matrix(
    inspections: Sequence[Inspection],
    functions: Sequence[LabelingFunction],
    outside: Iterable[OutsideVote] | OutsideVotes = (),
) -> LabelMatrix:
    """Let every function vote on every inspection.

    Each source of `outside` votes becomes one more column, after the functions; it votes both
    ways. Votes on questions that no inspection has are reported by a LabelMatrixWarning, unless
    they come as an `OutsideVotes`, whose owner has asked already.

    Raises
    ------
    InputError
        Where an inspection lacks the outcome of a signal that a function reads, or an outside
        source has the name of a function.
    """
    question_ids = tuple(inspection.case.question_id for inspection in inspections)
    if not isinstance(outside, OutsideVotes):
        outside = OutsideVotes(outside)
        outside.warn_of_unknown(question_ids)
    _require_outcomes(inspections, functions)
    names = tuple(function.name for function in functions)
    own = np.array(
        [[function.decide(inspection) for function in functions] for inspection in inspections],
        dtype=np.int8,
    ).reshape(len(inspections), len(names))
    columns = [outside.votes(signal, question_ids) for signal in outside.signals]
    return LabelMatrix(
        votes=np.column_stack([own, *columns]) if columns else own,
        names=names + outside.signals,
        families=tuple(function.family for function in functions) + outside.signals,
        question_ids=question_ids,
    )


def check_label_matrix(matrix: LabelMatrix) -> None:
    """Report what makes a matrix unfit or weak, before anything is learned from it.

    Warns
    -----
    LabelMatrixWarning
        Cases on which nothing votes (with their count); fewer than three functions that vote;
        votes of one class only.

    Raises
    ------
    InputError
        Where there is no case, no function, or no vote at all.
    """
    n_cases, n_functions = matrix.votes.shape
    if n_cases == 0 or n_functions == 0:
        raise InputError(f"nothing to learn from: {n_cases} cases, {n_functions} functions")
    n_abstaining = int(matrix.abstaining.sum())
    if n_abstaining == n_cases:
        raise InputError(
            f"no labeling function votes on any of the {n_cases} cases: select more signals, "
            "or give votes from outside (--votes)"
        )
    if n_abstaining:
        _warn(f"no function votes on {n_abstaining} of {n_cases} cases; they get the prior")
    n_voting = int(matrix.voting.sum())
    if n_voting < MINIMUM_FUNCTIONS:
        _warn(
            f"only {n_voting} of {n_functions} functions vote; with fewer than "
            f"{MINIMUM_FUNCTIONS} their accuracies cannot be learned without labels"
        )
    said = np.unique(matrix.votes[matrix.votes != Vote.ABSTAIN])
    if said.size == 1:
        _warn(f"every vote says {Vote(int(said[0])).name.lower()}: the classes are not separable")


def _warn(message: str) -> None:
    warnings.warn(message, LabelMatrixWarning, stacklevel=3)


def _require_outcomes(
    inspections: Sequence[Inspection], functions: Sequence[LabelingFunction]
) -> None:
    needed = {signal for function in functions for signal in function.signals}
    for inspection in inspections:
        if not needed <= inspection.outcomes.keys():
            missing = ", ".join(sorted(needed - inspection.outcomes.keys()))
            raise InputError(
                f"question {inspection.case.question_id!r} was inspected without these signals: "
                f"{missing}"
            )
