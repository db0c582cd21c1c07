"""Label models: from votes to the probability of each class, without labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clausewise.errors import InputError
from clausewise.labeling import checked_votes
from clausewise.models.estimator import Parameters, not_fitted
from clausewise.models.label_models.dawid_skene import estimate_class_balance, fit_dawid_skene
from clausewise.models.probability import both_classes, checked_balance, sigmoid
from clausewise.types import Vote


class LabelModel(Protocol):
    """What every label model can do.

    Attributes
    ----------
    accuracies_
        `[m]` in [0, 1]: how often a vote of the function is right, as learned; 0.5 for a
        function that never voted.
    class_balance_
        Share in (0, 1) of incorrect queries; the probability of a case on which nothing votes.
    sums_votes
        Whether it adds votes up as if they were independent, so that its probabilities are too
        sure.
    """

    accuracies_: NDArray[np.float64]
    class_balance_: float

    @property
    def sums_votes(self) -> bool: ...  # noqa: D102

    def fit(self, votes: ArrayLike, class_balance: float | None = None, seed: int = 0) -> Self:
        """Learn from votes `[n, m]` in {-1, 0, 1}.

        `class_balance` is the share of incorrect queries, estimated from the votes where None.
        Raises InputError where the votes cannot be learned from.
        """

    def predict_proba(self, votes: ArrayLike) -> NDArray[np.float64]:
        """Return `[n, 2]` probabilities, columns incorrect and correct, rows summing to 1.

        Raises NotFittedError before `fit`, InputError where `m` is not the one of `fit`.
        """

    def to_json(self) -> dict[str, Any]:
        """Return all that was learned as plain JSON."""

    @classmethod
    def from_json(cls, learned: Mapping[str, Any]) -> Self:
        """Return the model that `to_json` described."""


class VoteEvidence(Parameters):
    """Base of label models in which every vote adds its own weight to the log-odds.

    Abstentions add nothing, so a case on which nothing votes has the prior.
    """

    sums_votes: ClassVar[bool] = True
    accuracies_: NDArray[np.float64]
    class_balance_: float
    log_likelihood_: NDArray[np.float64]
    """`[m, 2, 2]`: log-likelihood of voting correct and of voting incorrect (second axis),
    given an incorrect and given a correct query (third axis)."""

    def predict_proba(self, votes: ArrayLike) -> NDArray[np.float64]:
        """Return `[n, 2]` probabilities, columns incorrect and correct."""
        if not hasattr(self, "log_likelihood_"):
            raise not_fitted("the label model is used before fit")
        checked = _same_functions(votes, len(self.log_likelihood_))
        weights = self.log_likelihood_[:, :, 0] - self.log_likelihood_[:, :, 1]
        evidence = np.where(checked == Vote.CORRECT, weights[:, 0], 0.0)
        evidence += np.where(checked == Vote.INCORRECT, weights[:, 1], 0.0)
        prior = np.log(self.class_balance_ / (1.0 - self.class_balance_))
        return both_classes(sigmoid(evidence.sum(axis=1) + prior))

    def to_json(self) -> dict[str, Any]:
        """Return all that was learned as plain JSON."""
        return {
            "accuracies": self.accuracies_.tolist(),
            "class_balance": self.class_balance_,
            "log_likelihood": self.log_likelihood_.tolist(),
        }

    @classmethod
    def from_json(cls, learned: Mapping[str, Any]) -> Self:
        """Return the model that `to_json` described."""
        model = cls()
        model.accuracies_ = np.array(learned["accuracies"], dtype=np.float64)
        model.class_balance_ = float(learned["class_balance"])
        model.log_likelihood_ = np.array(learned["log_likelihood"], dtype=np.float64)
        return model


class WeightedVote(VoteEvidence):
    """Vote in which each function weighs the log-odds of its accuracy.

    The accuracies come from the two classes of `fit_dawid_skene`: how often a vote is right
    where both classes are equally common. Such an accuracy `a` gives the vote a likelihood ratio
    of `a / (1 - a)`; a function that is wrong more often than right weighs nothing.

    References
    ----------
    A. P. Dawid and A. M. Skene. Maximum likelihood estimation of observer error-rates using the
    EM algorithm. Applied Statistics 28(1), 1979.
    """

    def fit(self, votes: ArrayLike, class_balance: float | None = None, seed: int = 0) -> Self:
        """Learn from votes `[n, m]`; `seed` is not used, nothing here is random."""
        del seed
        checked = checked_votes(votes)
        self.class_balance_ = _balance(checked, class_balance)
        model = fit_dawid_skene(checked, self.class_balance_)
        voted = (checked != Vote.ABSTAIN).any(axis=0)
        trusted = np.where(voted, np.maximum(model.balanced_accuracies, 0.5), 0.5)
        self.accuracies_ = np.where(voted, _accuracies(model.table, self.class_balance_), 0.5)
        wrong, right = np.log1p(-trusted), np.log(trusted)
        self.log_likelihood_ = np.stack(
            [np.column_stack([wrong, right]), np.column_stack([right, wrong])], axis=1
        )
        return self


class MajorityVote(Parameters):
    """Share of the votes that say incorrect, the prior counting as one more vote.

    Its accuracies are those of each function's votes against that majority, for the summary only;
    the votes are not weighted by them.
    """

    sums_votes: ClassVar[bool] = False
    accuracies_: NDArray[np.float64]
    class_balance_: float

    def fit(self, votes: ArrayLike, class_balance: float | None = None, seed: int = 0) -> Self:
        """Learn the prior from votes `[n, m]`; `seed` is not used, nothing here is random."""
        del seed
        checked = checked_votes(votes)
        self.class_balance_ = _balance(checked, class_balance)
        self.accuracies_ = np.full(checked.shape[1], 0.5)
        probability = self.predict_proba(checked)[:, :1]
        voted = checked != Vote.ABSTAIN
        right = np.where(checked == Vote.INCORRECT, probability, 1.0 - probability) * voted
        total = voted.sum(axis=0)
        np.divide(right.sum(axis=0), total, out=self.accuracies_, where=total > 0)
        return self

    def predict_proba(self, votes: ArrayLike) -> NDArray[np.float64]:
        """Return `[n, 2]` probabilities, columns incorrect and correct."""
        if not hasattr(self, "accuracies_"):
            raise not_fitted("the label model is used before fit")
        checked = _same_functions(votes, len(self.accuracies_))
        incorrect = (checked == Vote.INCORRECT).sum(axis=1) + self.class_balance_
        return both_classes(incorrect / ((checked != Vote.ABSTAIN).sum(axis=1) + 1.0))

    def to_json(self) -> dict[str, Any]:
        """Return all that was learned as plain JSON."""
        return {"accuracies": self.accuracies_.tolist(), "class_balance": self.class_balance_}

    @classmethod
    def from_json(cls, learned: Mapping[str, Any]) -> Self:
        """Return the model that `to_json` described."""
        model = cls()
        model.accuracies_ = np.array(learned["accuracies"], dtype=np.float64)
        model.class_balance_ = float(learned["class_balance"])
        return model


def _balance(votes: NDArray[np.int8], class_balance: float | None) -> float:
    if class_balance is None:
        return estimate_class_balance(votes)
    return checked_balance(class_balance)


def _accuracies(table: NDArray[np.float64], class_balance: float) -> NDArray[np.float64]:
    """Return `[m]` how often a vote is right, at the given share of incorrect queries."""
    joint = table[:, 1:] * np.array([class_balance, 1.0 - class_balance])
    return np.asarray((joint[:, 1, 0] + joint[:, 0, 1]) / joint.sum(axis=(1, 2)))


def _same_functions(votes: ArrayLike, n_functions: int) -> NDArray[np.int8]:
    checked = checked_votes(votes)
    if checked.shape[1] != n_functions:
        raise InputError(
            f"the label model was fitted on {n_functions} functions, not {checked.shape[1]}"
        )
    return checked
