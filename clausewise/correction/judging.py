"""The auditor: what the detector says of the current query and of what is proposed instead."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clausewise.sql import same_statement
from clausewise.types import Case, CaseStatus, ScoredCase

_LEAST = 1e-4
"""Probabilities nearer to 0 or 1 than this count as this."""

DOES_NOT_RUN = "the proposed query does not run: "
"""How a refusal begins whose reason follows; any other one is the detector's."""

if TYPE_CHECKING:
    from clausewise.databases import Databases
    from clausewise.models import Detector


class Auditor:
    """A detector and the databases; one thread at a time asks it."""

    def __init__(self, detector: Detector, databases: Databases) -> None:
        self._detector = detector
        self._databases = databases
        self._lock = threading.Lock()

    def score(self, cases: Sequence[Case]) -> list[ScoredCase]:
        """Return each case with its probability and findings."""
        with self._lock:
            return self._detector.score(list(cases), self._databases)


class CaseAuditor:
    """Scores queries for one case; what was scored once is kept.

    Where the case has other candidates, every query is judged with the same ones in view: those
    that were given, the original, and what is judged beside it. Where it has none, a query is
    judged alone. So neither of two queries has more voices against it than the other. On demand
    it is judged alone also where there are others.
    """

    def __init__(self, case: Case, auditor: Auditor) -> None:
        self._case = case
        self._auditor = auditor
        self._known: dict[tuple[str, frozenset[str]], ScoredCase] = {}

    def scores(self, queries: Sequence[str], *, alone: bool = False) -> list[ScoredCase]:
        """Return each query with its probability and findings, in the order given."""
        pool = [] if alone else self._pool(queries)
        in_view = frozenset(map(same_statement, pool))
        keys = [(same_statement(query), in_view) for query in queries]
        missing = {
            key: query for key, query in zip(keys, queries, strict=True) if key not in self._known
        }
        if missing:
            cases = [self._with_query(query, pool) for query in missing.values()]
            self._known.update(zip(missing, self._auditor.score(cases), strict=True))
        return [self._known[key] for key in keys]

    def _pool(self, queries: Sequence[str]) -> list[str]:
        given = list(self._case.candidates)
        if not given:
            return []
        known = set(map(same_statement, given))
        for query in (self._case.predicted_sql, *queries):
            if same_statement(query) not in known:
                known.add(same_statement(query))
                given.append(query)
        return given

    def _with_query(self, query: str, pool: Sequence[str]) -> Case:
        systems = list(self._case.candidate_systems) if pool else []
        if systems:
            systems += [None] * (len(pool) - len(systems))
        changed = {"predicted_sql": query, "candidates": list(pool), "candidate_systems": systems}
        return Case.model_validate({**self._case.bare().carried(), **changed})


def refusal(before: ScoredCase, after: ScoredCase, margin: float | None) -> str:
    """Return why a query is kept, empty where the proposed one is to be taken.

    Parameters
    ----------
    before, after
        The current query and the proposed one, as the detector judges them.
    margin
        How much higher the probability of the proposed one must be, in [0, 1], see
        `least_probability`; None: it only has to run.
    """
    if after.status in (CaseStatus.UNPARSABLE, CaseStatus.NOT_EXECUTABLE):
        return f"{DOES_NOT_RUN}{after.reason}"
    if margin is None:
        return ""
    if before.p_correct is None or after.p_correct is None:
        return "the detector cannot judge both queries"
    least = least_probability(before.p_correct, margin)
    if after.p_correct > least:
        return ""
    return (
        f"the detector does not prefer the proposed query: p(correct) {after.p_correct:.3f} "
        f"after {before.p_correct:.3f}; it takes more than {least:.3f}, margin {margin:g}"
    )


def least_probability(p_correct: float, margin: float) -> float:
    """Return what the probability of a proposal must exceed, in [0, 1].

    A margin m asks for as much in odds as from 0.5 - m / 2 to 0.5 + m / 2, wherever the current
    query stands: near 0.5 the probability must be higher by about m, near 0 and 1 by less. Of two
    queries that are judged independently, one right and one wrong, the difference of the log-odds
    says which is which, so an equal step in odds is equal evidence; one in probability is not. A
    margin of 0 asks for more than the current probability, one of 1 lets nothing pass.
    """
    if margin >= 1.0:
        return 1.0
    kept = min(max(p_correct, _LEAST), 1.0 - _LEAST)
    step = ((1.0 + margin) / (1.0 - margin)) ** 2
    odds = kept / (1.0 - kept) * step
    return max(odds / (1.0 + odds), p_correct)
