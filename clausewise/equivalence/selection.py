"""`select`: which of several candidates for one question to take.

Candidates are scored on instances that tell them apart. Where the question itself can be executed
on an instance, by a person or a language model, a candidate's score is the number of instances on
which its result is the one of the question; leaders with equal scores are compared on further
instances that tell them apart. Where it cannot, a candidate's score is the share of independent
candidates whose result it has on the database and whose results it has on the instances.

References
----------
SQLDriller, section 4.3 (execution result scoring); Wang et al., 2023 (self-consistency).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from clausewise.databases import DatabaseProtocol, Limits, QueryResult, open_database
from clausewise.databases.instances import Instance
from clausewise.equivalence.execution import gives_answer
from clausewise.equivalence.independence import independence
from clausewise.equivalence.model import AS_ASKED
from clausewise.equivalence.outcomes import QueryOutcome, difference
from clausewise.equivalence.suites import Suite, suite
from clausewise.errors import QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge

Execute: TypeAlias = Callable[[Instance], QueryResult | None]
"""Returns the result of the executed question on an instance, None where there is none."""

MOST_ROUNDS = 3
"""Times that leaders with equal scores are compared on further instances."""
DATABASE_SHARE = 0.5
"""What agreement on the database counts beside agreement on the instances, in [0, 1]."""
SELECTION_LIMITS = Limits(steps=20_000_000, seconds=20.0)
"""What one candidate may spend on the database."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class SelectedCandidate:
    """The candidate that was chosen, and why."""

    chosen: int
    """Position of the chosen query."""
    scores: tuple[float, ...]
    """Of each query, high = better: instances on which it gives the executed question's result,
    or, where no question was executed, the share in [0, 1] of voices that agree with it."""
    suite: Suite
    """The instances that the queries were compared on first, and their groups."""
    changed: bool
    """Whether another query than the original was chosen."""
    reason: str
    """Why, in a sentence."""
    rounds: int
    """Times that the question was executed on further instances, 0 without `execute`."""


def select(
    queries: Sequence[str],
    database: str | Path | DatabaseProtocol,
    *,
    original: int = 0,
    weights: Sequence[float] | None = None,
    execute: Execute | None = None,
    seed: int = 0,
) -> SelectedCandidate:
    """Choose one of several queries for a question; the original unless another scores higher.

    Parameters
    ----------
    queries : sequence of str
        The candidates, the original query among them.
    database : path, URL or Database
        What they run on.
    original : int
        The position of the query that stays unless another one scores strictly higher.
    weights : sequence of float, optional
        What each candidate counts as, 0 or more; by default as independent as its text is.
    execute : callable, optional
        Returns the executed question's result on an instance, None where there is none.
    seed : int
        Seeds the generated instances.

    Raises
    ------
    ValueError
        Where there are no queries, `original` is no position of one, or the weights do not fit.
    DatabaseError
        Where the database cannot be opened or read.
    """
    counted = _weights(queries, original, weights)
    opened = open_database(database)
    # What only the order of rows or columns tells apart, no executed question can judge.
    found = suite(queries, opened, conventions=AS_ASKED, seed=seed)
    if execute is None:
        return _by_agreement(queries, opened, original, counted, found)
    return _by_question(queries, opened, original, counted, found, execute, seed)


def _weights(
    queries: Sequence[str], original: int, weights: Sequence[float] | None
) -> tuple[float, ...]:
    if not 0 <= original < len(queries):
        raise ValueError(f"original {original} is no position of {len(queries)} queries")
    if weights is None:
        return independence(queries).weights
    if len(weights) != len(queries) or not all(math.isfinite(w) and w >= 0 for w in weights):
        raise ValueError("there must be a weight of 0 or more for each query")
    return tuple(weights)


def _by_agreement(
    queries: Sequence[str],
    database: DatabaseProtocol,
    original: int,
    weights: Sequence[float],
    found: Suite,
) -> SelectedCandidate:
    """Choose by the voices that agree on the database and on the instances."""
    on_data = _database_outcomes(queries, database)
    total = math.fsum(weights[place] for place in on_data)
    scores = [0.0] * len(queries)
    for place, outcome in on_data.items():
        alike = [o for o, of in on_data.items() if difference(outcome, of, AS_ASKED) is None]
        agree = math.fsum(weights[o] for o in alike)
        together = math.fsum(weights[o] for o in alike if not found.tells_apart(place, o))
        share = DATABASE_SHARE * agree + (1.0 - DATABASE_SHARE) * together
        scores[place] = round(share / total, _DIGITS) if total else 0.0
    chosen = _best(scores, weights, original)
    reason = _told(chosen, original, scores, "share of the voices that agree")
    return SelectedCandidate(chosen, tuple(scores), found, chosen != original, reason, 0)


def _by_question(
    queries: Sequence[str],
    database: DatabaseProtocol,
    original: int,
    weights: Sequence[float],
    found: Suite,
    execute: Execute,
    seed: int,
) -> SelectedCandidate:
    """Choose by the instances on which a query gives what the executed question gives."""
    scores = [0.0] * len(queries)
    places = range(len(queries))
    executed = _score(scores, places, found, (), execute)
    known = list(found.instances)
    rounds = 0
    while executed and rounds < MOST_ROUNDS:
        leaders = [place for place in places if scores[place] == max(scores)]
        if original in leaders or len(leaders) == 1:
            break
        rounds += 1
        further = suite(
            [queries[place] for place in leaders],
            database,
            conventions=AS_ASKED,
            seed=seed + rounds,
        )
        _score(scores, leaders, further, known, execute)
        known += further.instances
        # Instances that are known already end a round, not the search: another seed has others.
        if not further.instances:
            break
    if not executed:
        reason = "the question could not be executed on any instance that tells candidates apart"
        return SelectedCandidate(original, tuple(scores), found, False, reason, rounds)
    chosen = _best(scores, weights, original)
    reason = _told(chosen, original, scores, "instances with the result of the question")
    return SelectedCandidate(chosen, tuple(scores), found, chosen != original, reason, rounds)


def _score(
    scores: list[float],
    places: Sequence[int],
    found: Suite,
    without: Sequence[Instance],
    execute: Execute,
) -> int:
    """Add 1 for each instance on which a query gives the executed result; return how many were.

    `places` has the positions in `scores` of the queries of `found`.
    """
    executed = 0
    for instance, outcomes in zip(found.instances, found.outcomes, strict=True):
        answer = None if instance in without else execute(instance)
        if answer is None:
            continue
        executed += 1
        for place, outcome in zip(places, outcomes, strict=True):
            if gives_answer(outcome, answer):
                scores[place] += 1
    return executed


def _database_outcomes(
    queries: Sequence[str], database: DatabaseProtocol
) -> dict[int, QueryOutcome]:
    """Return what each query gives on the database itself; those that do not run are left out."""
    known: dict[str, QueryOutcome | None] = {}
    for text in dict.fromkeys(queries):
        try:
            result = database.run(text, SELECTION_LIMITS)
        except (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge):
            known[text] = None
        else:
            known[text] = QueryOutcome((result,), ordered=False)
    outcomes = ((place, known[text]) for place, text in enumerate(queries))
    return {place: outcome for place, outcome in outcomes if outcome is not None}


def _best(scores: Sequence[float], weights: Sequence[float], original: int) -> int:
    """Return the original unless others score higher: then of these the heaviest, then first."""
    highest = max(scores)
    if scores[original] == highest:
        return original
    leaders = [place for place, score in enumerate(scores) if score == highest]
    return max(leaders, key=lambda place: (weights[place], -place))


def _told(chosen: int, original: int, scores: Sequence[float], what: str) -> str:
    if chosen == original:
        return f"no other candidate scores higher than the original, {scores[original]:g}: {what}"
    return (
        f"candidate {chosen} scores {scores[chosen]:g}, the original {scores[original]:g}: {what}"
    )
