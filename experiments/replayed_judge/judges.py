"""Simulated judges: true labels, made wrong at random until they have a given AUC.

Nothing here is a real judge. The errors are drawn independently of the query, of the signals and
of each other; a real judge errs together with the signals on hard queries, and less is gained.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from clausewise.models.probability import sigmoid
from clausewise.types import OutsideVote, Vote


@dataclass(frozen=True)
class Judge:
    """A simulated judge.

    Binary: says the truth with probability `auc`, whatever the truth, which gives that AUC.
    Graded: scores are the posterior, for equally common classes, of a normal measure whose means
    differ by what gives that AUC; the vote says incorrect from 0.5 on.
    """

    auc: float
    graded: bool = False

    @property
    def name(self) -> str:
        """What the judge is called in tables."""
        return f"simulated, {'graded' if self.graded else 'binary'}, AUC {self.auc:.2f}"

    def votes(
        self, labels: Mapping[str | int, bool], questions: Iterable[str | int], seed: str
    ) -> list[OutsideVote]:
        """Return one vote for every question; the same seed and question give the same vote."""
        return [self._vote(question, not labels[question], seed) for question in questions]

    def _vote(self, question: str | int, incorrect: bool, seed: str) -> OutsideVote:
        drawn = _uniform(f"{seed}/{question}")
        if not self.graded:
            says_incorrect = incorrect if drawn < self.auc else not incorrect
            score = None
        else:
            distance = float(np.sqrt(2.0) * norm.ppf(self.auc))
            measure = distance * incorrect + float(norm.ppf(drawn))
            score = float(sigmoid(np.array(distance * measure - distance**2 / 2)))
            says_incorrect = score >= 0.5
        vote = Vote.INCORRECT if says_incorrect else Vote.CORRECT
        return OutsideVote(question, "simulated_judge", vote, score)


def _uniform(text: str) -> float:
    """Return a number in (0, 1) that depends on the text only."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2.0**64


JUDGES = (
    Judge(0.50),
    Judge(0.65),
    Judge(0.70),
    Judge(0.78),
    Judge(0.70, graded=True),
)
"""A coin, as a control, and judges like those that were measured with large models."""
