"""Snorkel's label model, wrapped: no side effects, no NaN, and no Snorkel needed to predict."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clausewise.errors import InputError, MissingExtraError
from clausewise.labeling import checked_votes
from clausewise.models.label_models.dawid_skene import estimate_class_balance
from clausewise.models.label_models.votes import VoteEvidence
from clausewise.models.probability import checked_balance
from clausewise.models.randomness import undisturbed_randomness
from clausewise.types import Vote

MINIMUM_FUNCTIONS = 3
"""Fewer make Snorkel's moment equations unsolvable; it refuses them."""

_TRAINING = {"n_epochs": 500, "lr": 0.01, "l2": 0.1, "optimizer": "sgd"}
"""Five times Snorkel's default epochs, and a pull toward its first guess, right seven times in
ten: without it functions that say CORRECT are trusted without limit, because nothing but the other
functions' silence stands against them."""


class SnorkelLabelModel(VoteEvidence):
    """Generative label model of Snorkel, the aggregator of SQLens (section 3.2).

    What it learns, P(vote | class) for each function, is kept as a table, and the posterior is
    computed from it here: predicting and loading need neither Snorkel nor torch. A function that
    never votes while fitting carries no weight later.

    Its probabilities rank well but are not calibrated: they depend wholly on what silence is
    taken to mean. A `Detector` calibrates them.

    References
    ----------
    A. Ratner et al. Training complex models with multi-task weak supervision. AAAI 2019.
    """

    requires: ClassVar[str] = "snorkel"

    def fit(self, votes: ArrayLike, class_balance: float | None = None, seed: int = 0) -> Self:
        """Learn from votes `[n, m]` in {-1, 0, 1}.

        The global random generators are left as they were.

        Raises
        ------
        InputError
            Where fewer than three functions vote, or values are not votes (NaN among them).
        MissingExtraError
            Where Snorkel is not installed.
        """
        checked = checked_votes(votes)
        voted = (checked != Vote.ABSTAIN).any(axis=0)
        if voted.sum() < MINIMUM_FUNCTIONS:
            raise InputError(
                f"Snorkel needs {MINIMUM_FUNCTIONS} functions that vote, and {voted.sum()} of "
                f"{len(voted)} do: select more signals, add votes from outside, or choose the "
                "label model 'majority' or 'weighted'"
            )
        if class_balance is None:
            self.class_balance_ = estimate_class_balance(checked)
        else:
            self.class_balance_ = checked_balance(class_balance)
        table, accuracies = _fit_snorkel(checked[:, voted], self.class_balance_, seed)
        self.accuracies_ = np.full(len(voted), 0.5)
        self.accuracies_[voted] = accuracies
        self.log_likelihood_ = np.zeros((len(voted), 2, 2))
        self.log_likelihood_[voted] = table
        return self


def _fit_snorkel(
    votes: NDArray[np.int8], class_balance: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-likelihoods `[m, 2, 2]` of `VoteEvidence` and `[m]` accuracies."""
    with undisturbed_randomness():
        model = _snorkel_model()
        # Snorkel numbers the classes as votes are numbered: 0 correct, 1 incorrect
        model.fit(
            votes.astype(np.int64),
            class_balance=[1.0 - class_balance, class_balance],
            progress_bar=False,
            seed=seed,
            **_TRAINING,
        )
        conditional = model.mu.detach().numpy().reshape(votes.shape[1], 2, 2)
        accuracies = np.asarray(model.get_weights(), dtype=np.float64)
    # the logarithm is taken in Snorkel's own single precision, to give its own posterior
    table = np.log(conditional).astype(np.float64)[:, :, ::-1]
    return np.ascontiguousarray(table), np.clip(accuracies, 0.0, 1.0)


def _snorkel_model() -> Any:
    try:
        from snorkel.labeling.model import LabelModel
    except ImportError as error:
        raise MissingExtraError("Snorkel's label model", "learn") from error
    return LabelModel(cardinality=2, verbose=False)
