"""The strategy `select`: the candidate for which the detector's probabilities speak most.

The detector judges each candidate by itself. Candidates with one result on the database are
together, and each votes with its probability of being correct; the result with the highest sum
leads. Its candidates may still differ on other rows: small instances are made on which they do,
and among those that no instance tells apart the probabilities add up again. A query that nothing
tells from the leader stays as it is.

References
----------
Wang et al., 2023 (self-consistency: the most frequent answer); SQLDriller, section 4.3 (instances
that tell candidates apart).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clausewise.correction.base import CorrectionTask, Proposal, StrategyOptions, strategy
from clausewise.correction.offered import offered_queries
from clausewise.databases.model import QueryResult
from clausewise.equivalence.differing import difference
from clausewise.equivalence.model import Conventions, OrderRule
from clausewise.equivalence.results import QueryOutcome
from clausewise.equivalence.selection import SELECTION_LIMITS
from clausewise.equivalence.suites import Suite, suite
from clausewise.sql import same_statement
from clausewise.types import Json

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol

ANY_ORDER = Conventions(order=OrderRule.NEVER)
"""When results are one: the same rows as many times each, in any order. The columns' order counts,
since some benchmarks and readers take notice of it."""
_DIGITS = 6

Behaviors: TypeAlias = Callable[[Sequence[int]], Sequence[Sequence[int]]]
"""Splits positions of queries with one result into those that nothing tells apart."""


class SelectOptions(StrategyOptions):
    """What can be set of `select`."""

    instances: bool = True
    """Whether candidates with the leading result are compared on made-up instances, too."""


@dataclass(frozen=True, slots=True)
class CandidateVotes:
    """Which query was chosen, and what spoke for each."""

    chosen: int
    """Position of the chosen query."""
    by_result: tuple[float, ...]
    """For each query, the sum of the probabilities of those with its result, 0 or more."""
    by_behavior: tuple[float, ...]
    """The same of those that nothing tells from it, where it has the leading result; else 0."""


@strategy(
    name="select",
    description="Takes the candidate whose result, and whose behavior on made-up instances, the "
    "detector's probabilities speak for most, without a language model.",
    margin=0.0,
    options=SelectOptions,
)
def select(task: CorrectionTask) -> Proposal:
    """Propose the best candidate; the query stays where nothing tells it from the best.

    Raises DatabaseError where the database cannot be read.
    """
    options = task.options
    assert isinstance(options, SelectOptions)
    queries, systems = offered_queries(task.case)
    texts = [same_statement(query) for query in queries]
    if len(set(texts)) < 2:
        return Proposal(None, "the case has no other candidate")
    probabilities = [judged.p_correct for judged in task.scores(queries, alone=True)]
    groups = result_groups(queries, lambda query: task.run(query, SELECTION_LIMITS).result)
    if all(group is None for group in groups):
        return Proposal(None, "no candidate runs")
    compared = InstanceComparison(queries, task.database, task.seed)
    found = voted(probabilities, groups, compared if options.instances else _together)
    chosen = found.chosen
    changed = texts[chosen] != texts[0]
    reason = _reason(found, changed)
    evidence: dict[str, Json] = {
        "candidates": [
            {
                "sql": query,
                "system": systems[place],
                "p_correct": _rounded(probabilities[place]),
                "result": groups[place],
                "votes_by_result": found.by_result[place],
                "votes_by_behavior": found.by_behavior[place],
            }
            for place, query in enumerate(queries)
        ],
        "chosen": chosen,
        **compared.evidence(chosen),
    }
    sql = queries[chosen] if changed else None
    task.record("select", reason, sql=sql, evidence=evidence)
    return Proposal(sql, reason)


def voted(
    probabilities: Sequence[float | None],
    groups: Sequence[int | None],
    behaviors: Behaviors,
    original: int = 0,
) -> CandidateVotes:
    """Return which query is chosen by the probabilities of all.

    The original stays where no other result, nor behavior, has a higher sum; else the most
    probable query with the best behavior is chosen, the first of equal ones.

    Parameters
    ----------
    probabilities
        Of each query, of being correct, in [0, 1], None where it could not be judged.
    groups
        Of each query, the number of its result, None where it does not run; one of them has one.
    behaviors
        Called with the positions of the queries with the leading result.
    """
    votes = [
        0.0 if p is None or group is None else p
        for p, group in zip(probabilities, groups, strict=True)
    ]
    results: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        if group is not None:
            results.setdefault(group, []).append(place)
    by_result, members = _spread(votes, list(results.values()), original)
    by_behavior, alike = _spread(votes, behaviors(members), original)
    best = max(alike, key=lambda place: (votes[place], -place))
    return CandidateVotes(original if original in alike else best, by_result, by_behavior)


def _spread(
    votes: Sequence[float], sets: Sequence[Sequence[int]], original: int
) -> tuple[tuple[float, ...], Sequence[int]]:
    """Return each position's sum of the votes in its set, and the set with the highest one."""
    sums = [round(math.fsum(votes[place] for place in members), _DIGITS) for members in sets]
    of_place = [0.0] * len(votes)
    for total, members in zip(sums, sets, strict=True):
        for place in members:
            of_place[place] = total
    ranked = zip(sums, sets, strict=True)
    best = max(ranked, key=lambda of: (of[0], original in of[1], -min(of[1])))
    return tuple(of_place), best[1]


def result_groups(
    queries: Sequence[str], run: Callable[[str], QueryResult | None]
) -> list[int | None]:
    """Return the number of each query's result, None where `run` says that it does not run."""
    results: list[QueryResult] = []
    known: dict[str, int | None] = {}
    for query in queries:
        text = same_statement(query)
        if text in known:
            continue
        result = run(query)
        if result is None:
            known[text] = None
            continue
        alike = (number for number, other in enumerate(results) if _same(result, other))
        known[text] = next(alike, len(results))
        if known[text] == len(results):
            results.append(result)
    return [known[same_statement(query)] for query in queries]


def _together(members: Sequence[int]) -> Sequence[Sequence[int]]:
    return [members]


def _same(a: QueryResult, b: QueryResult) -> bool:
    if a.truncated or b.truncated:  # of these nothing could be said to differ
        return a.rows == b.rows
    outcomes = [QueryOutcome((result,), ordered=False) for result in (a, b)]
    return difference(outcomes[0], outcomes[1], ANY_ORDER) is None


class InstanceComparison:
    """Splits queries with one result by made-up instances, and keeps what told them apart."""

    def __init__(self, queries: Sequence[str], database: DatabaseProtocol, seed: int = 0) -> None:
        self._queries = queries
        self._texts = [same_statement(query) for query in queries]
        self._database = database
        self._seed = seed
        self._found: Suite | None = None
        self._places: list[int] = []
        """Of the queries of the suite; of equal ones the first."""

    def __call__(self, members: Sequence[int]) -> Sequence[Sequence[int]]:
        """Return the positions in sets that no instance tells apart.

        Raises DatabaseError where the database cannot be read.
        """
        first: dict[str, list[int]] = {}
        for place in members:
            first.setdefault(self._texts[place], []).append(place)
        if len(first) < 2:
            return [members]
        same = list(first.values())
        self._places = [places[0] for places in same]
        queries = [self._queries[place] for place in self._places]
        found = suite(queries, self._database, conventions=ANY_ORDER, seed=self._seed)
        self._found = found
        return [
            sorted(place for number in group for place in same[number])
            for group in (*found.groups, *((number,) for number in found.left_out))
        ]

    def evidence(self, chosen: int) -> dict[str, Json]:
        """Return what a step says of the instances, with one that tells the choice from the query.

        Nothing where no instance was made.
        """
        found = self._found
        if found is None:
            return {}
        evidence: dict[str, Json] = {"instances_tried": found.tried}
        if chosen != 0 and 0 in self._places and chosen in self._places:
            told = found.counterexample(self._places.index(0), self._places.index(chosen))
            if told is not None:
                evidence["counterexample"] = told.to_dict()
                evidence["result_names"] = ["the predicted query", "the corrected query"]
        return evidence


def _reason(found: CandidateVotes, changed: bool) -> str:
    best, own = found.by_result[found.chosen], found.by_result[0]
    if not changed:
        return (
            f"no other result, nor behavior, has more votes: p(correct) of those with its "
            f"result adds up to {own:.3g}"
        )
    if best != own or not found.by_behavior[0]:
        return (
            f"p(correct) of the candidates with its result adds up to {best:.3g}, "
            f"with that of the original to {own:.3g}"
        )
    best, own = found.by_behavior[found.chosen], found.by_behavior[0]
    return (
        "the results are equal on the database, not on made-up instances: p(correct) of the "
        f"candidates that behave the same adds up to {best:.3g}, like the original to {own:.3g}"
    )


def _rounded(p_correct: float | None) -> float | None:
    return None if p_correct is None else round(p_correct, _DIGITS)
