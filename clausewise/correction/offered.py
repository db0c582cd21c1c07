"""The queries that a case offers to choose from."""

from __future__ import annotations

from clausewise.signals.consistency.agreement import other_candidates
from clausewise.sql import same_statement
from clausewise.sql.unwrapping import bare_sql, bare_statement
from clausewise.types import Case

MOST_CANDIDATES = 50
"""Candidates that are compared, the predicted query among them."""


def offered_queries(case: Case) -> tuple[list[str], list[str | None]]:
    """Return the predicted query, then the other candidates, and their systems, None unknown.

    Candidates with one text stay apart: each is a voice. There are `MOST_CANDIDATES` at most.
    """
    others = other_candidates(case)
    systems = case.candidate_systems or (None,) * len(case.candidates)
    own = same_statement(case.predicted_sql)
    known = zip(case.candidates, systems, strict=True)
    of_own = next((name for text, name in known if same_statement(text) == own), None)
    queries = [bare_sql(case.predicted_sql) or case.predicted_sql]
    queries += [bare_statement(text) for text, _ in others]
    return queries[:MOST_CANDIDATES], [of_own, *(name for _, name in others)][:MOST_CANDIDATES]
