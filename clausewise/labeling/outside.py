"""Votes that clausewise did not make: a person's review, someone's own judge (`--votes`)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.types import (
    Case,
    Clause,
    ClauseSpan,
    Finding,
    Outcome,
    OutcomeStatus,
    OutsideVote,
    Vote,
)

OUTSIDE_CODE = "VOTE01"
"""Code of a finding that an outside vote becomes."""

_SHOWN = 5
"""How many unknown ids a message lists."""

_SCORE_OF_VOTE = {Vote.INCORRECT: 1.0, Vote.CORRECT: 0.0, Vote.ABSTAIN: 0.5}
"""Score in [0, 1], high = likely wrong, of a vote that came without one."""


class LabelMatrixWarning(UserWarning):
    """The votes can be used, but something about them weakens what is learned from them."""


class OutsideVotes:
    """The votes of all outside sources, found by source and question.

    Question ids are compared by their text, because a spreadsheet turns 7 into "7".

    Parameters
    ----------
    votes
        At most one vote for each pair of source and question; the same vote twice is ignored.

    Raises
    ------
    InputError
        Where one source votes twice on a question and differs, or a score is outside [0, 1].
    """

    def __init__(self, votes: Iterable[OutsideVote] = ()) -> None:
        self._votes: dict[str, dict[str, OutsideVote]] = {}
        for vote in votes:
            if vote.score is not None and not 0.0 <= vote.score <= 1.0:
                raise InputError(
                    f"'{vote.signal}' gives question {vote.question_id!r} the score "
                    f"{vote.score}; scores lie in [0, 1], high = likely wrong",
                    field="score",
                )
            known = self._votes.setdefault(vote.signal, {})
            earlier = known.setdefault(str(vote.question_id), vote)
            if (earlier.vote, earlier.score) != (vote.vote, vote.score):
                raise InputError(
                    f"'{vote.signal}' votes twice, and differently, on question "
                    f"{vote.question_id!r}",
                    field="question_id",
                )

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the sources, in the order of their first vote."""
        return tuple(self._votes)

    def of_sources(self, names: Sequence[str]) -> OutsideVotes:
        """Return these votes with exactly the sources `names`; one without votes abstains.

        Raises InputError where there are votes of any other source.
        """
        unknown = [name for name in self._votes if name not in names]
        if unknown:
            raise InputError(
                f"the detector was fitted without votes of {', '.join(map(repr, unknown))}; "
                "give them when fitting, too",
                field="signal",
            )
        chosen = OutsideVotes()
        chosen._votes = {name: self._votes.get(name, {}) for name in names}
        return chosen

    def has_votes(self, question_id: str | int | None) -> bool:
        """Whether any source voted on a question."""
        return any(str(question_id) in known for known in self._votes.values())

    def votes(self, signal: str, question_ids: Sequence[str | int]) -> NDArray[np.int8]:
        """Return `[n]` votes of one source, -1 where it did not vote."""
        known = self._votes.get(signal, {})
        found = (known.get(str(question_id)) for question_id in question_ids)
        return np.array([Vote.ABSTAIN if vote is None else vote.vote for vote in found], np.int8)

    def scores(self, signal: str, question_ids: Sequence[str | int]) -> NDArray[np.float64]:
        """Return `[n]` scores in [0, 1], high = likely wrong; 0.5 where nothing is known."""
        known = self._votes.get(signal, {})
        return np.array([_score(known.get(str(question_id))) for question_id in question_ids])

    def outcomes(self, case: Case) -> dict[str, Outcome]:
        """Return what every source says of a case, in the form of signals' outcomes.

        A vote of INCORRECT becomes a finding on the whole query; a source that did not vote on
        the case is not applicable.
        """
        key = str(case.question_id)
        return {name: _outcome(name, known.get(key), case) for name, known in self._votes.items()}

    def warn_of_unknown(self, question_ids: Iterable[str | int]) -> None:
        """Warn (LabelMatrixWarning) of votes on questions that are not among `question_ids`."""
        unseen = {key for known in self._votes.values() for key in known}
        for question_id in question_ids:
            unseen.discard(str(question_id))
        for signal, known in self._votes.items():
            unknown = [vote.question_id for key, vote in known.items() if key in unseen]
            if unknown:
                shown = ", ".join(repr(question_id) for question_id in unknown[:_SHOWN])
                more = ", ..." if len(unknown) > _SHOWN else ""
                warnings.warn(
                    f"{len(unknown)} votes of '{signal}' are on question ids that no case has: "
                    f"{shown}{more}",
                    LabelMatrixWarning,
                    stacklevel=3,
                )


def _score(vote: OutsideVote | None) -> float:
    if vote is None:
        return _SCORE_OF_VOTE[Vote.ABSTAIN]
    return _SCORE_OF_VOTE[vote.vote] if vote.score is None else vote.score


def _outcome(signal: str, vote: OutsideVote | None, case: Case) -> Outcome:
    if vote is None or vote.vote is Vote.ABSTAIN:
        reason = "no vote on this question" if vote is None else "the source abstained"
        return Outcome(signal, OutcomeStatus.NOT_APPLICABLE, reason=reason)
    if vote.vote is Vote.CORRECT:
        return Outcome(signal, OutcomeStatus.SILENT)
    sql = case.predicted_sql
    finding = Finding(
        clause=ClauseSpan(Clause.QUERY, sql, 0, len(sql)),
        score=_score(vote),
        message=vote.message or f"'{signal}' says that this query is incorrect",
        signal=signal,
        code=OUTSIDE_CODE,
    )
    return Outcome(signal, OutcomeStatus.FIRED, (finding,))
