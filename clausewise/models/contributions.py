"""How the probability comes about: a prior, what nothing was found in, and each finding's part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clausewise.explanation import Explanation
from clausewise.models.features import FeatureSpace
from clausewise.models.probability import logit
from clausewise.models.table import QUESTION_UNREAD, FeatureTable
from clausewise.types import Inspection, Outcome, OutcomeStatus

_DIGITS = 6
"""Contributions are rounded, so that the last bit of a sum never shows."""
_REST_STATES = 3
"""Answers, expectation and shape, put to their reference one after the other."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One case's log-odds in parts: those of its sources that fired, and the rest."""

    log_odds: float
    """Calibrated, of being incorrect."""
    parts: Mapping[str, float]
    rest: Explanation


def explanations(
    space: FeatureSpace,
    table: FeatureTable,
    inspections: Sequence[Inspection],
    fired: Sequence[Sequence[str]],
    log_odds: Callable[[FeatureTable], NDArray[np.float64]],
    reference: Mapping[str, float],
    prior: float,
) -> list[Explained]:
    """Return, for every case, what its log-odds of being incorrect are made of.

    A source's part is by how much the log-odds fall when it turns silent. It depends on which
    others are silent already: the sources are silenced one after the other, in their order and
    in the reverse, and the two parts averaged. Then the answers that were no findings, the
    question's expectation and the query's shape are put to their reference one after the other;
    what is left against the prior is what the silence of all signals says. So the parts of one
    case always add up to its log-odds, for every classifier; where the log-odds are linear in
    the features a part is simply weight times value of the source's own features.

    Parameters
    ----------
    space
        Definition of the columns of `table`.
    table
        Features of the `n` cases.
    inspections
        The `n` inspected cases.
    fired
        For each case the names of the sources that fired.
    log_odds
        Returns `[k]` calibrated log-odds of being incorrect.
    reference
        Column of shape or expectation to the value that says nothing; 0 for others.
    prior
        Probability in (0, 1) of being incorrect before anything is known of a case.
    """
    states: list[tuple[int, Sequence[str]]] = []
    ends = []
    for row, names in enumerate(fired):
        count = len(names)
        states.extend((row, names[:k]) for k in range(count + 1))
        states.extend((row, names[count - k :]) for k in range(1, count))
        ends.append(len(states))
        states.extend([(row, names)] * _REST_STATES)
    silenced = table.rows(np.array([row for row, _ in states], dtype=np.int64))
    for position, (row, names) in enumerate(states):
        space.silence(silenced, position, inspections[row], names, reference)
    referred = _with_references(space, silenced, np.array(ends, dtype=np.int64), reference)
    # One call for all states: a classifier's overhead for a call is that of many rows.
    values = iter(log_odds(referred).tolist())
    base = float(logit(np.array([prior]))[0])
    return [_explained_case(names, values, base) for names in fired]


def _with_references(
    space: FeatureSpace,
    states: FeatureTable,
    ends: NDArray[np.int64],
    reference: Mapping[str, float],
) -> FeatureTable:
    """Return the states with, from `ends[i]` on, one more part put to its reference in each."""
    read = (states.settings & QUESTION_UNREAD) == 0
    for step, columns in enumerate(
        (space.answer_columns, space.expectation_columns, space.shape_columns)
    ):
        rows = np.zeros(len(states.values), dtype=np.bool_)
        for later in range(step, _REST_STATES):
            rows[ends + later] = True
        if columns is space.expectation_columns:
            # Of a question that was not read nothing was expected: its expectation moves nothing.
            rows &= read
        values = {column: reference.get(space.names[column], 0.0) for column in columns}
        states = states.with_values(values, rows)
    return states


def _explained_case(names: Sequence[str], values: Iterator[float], base: float) -> Explained:
    """Take one case's log-odds off `values`, in the order of its states, and explain it.

    `base` is the log-odds of the prior.
    """
    count = len(names)
    forward = [next(values) for _ in range(count + 1)]
    backward = [forward[0], *(next(values) for _ in range(1, count)), forward[-1]]
    parts = {
        name: ((forward[k] - forward[k + 1]) + (backward[count - k - 1] - backward[count - k])) / 2
        for k, name in enumerate(names)
    }
    answers, expectation, shape = (next(values) for _ in range(_REST_STATES))
    rest = Explanation(
        prior=round(base, _DIGITS),
        silence=round(shape - base, _DIGITS),
        shape=round(expectation - shape, _DIGITS),
        expectation=round(answers - expectation, _DIGITS),
        answers=round(forward[-1] - answers, _DIGITS),
    )
    return Explained(forward[0], parts, rest)


def with_contributions(
    outcomes: Mapping[str, Outcome], parts: Mapping[str, float]
) -> dict[str, Outcome]:
    """Return a case's outcomes, each one's part shared equally among its findings."""
    return {
        name: _explained(outcome, parts[name]) if name in parts else outcome
        for name, outcome in outcomes.items()
    }


def _explained(outcome: Outcome, part: float) -> Outcome:
    share = round(part / len(outcome.findings), _DIGITS)
    findings = tuple(replace(finding, contribution=share) for finding in outcome.findings)
    return replace(outcome, findings=findings)


def fired_sources(outcomes: Mapping[str, Outcome], sources: Sequence[str]) -> tuple[str, ...]:
    """Return which of `sources` fired, in their order."""
    return tuple(name for name in sources if outcomes[name].status is OutcomeStatus.FIRED)
