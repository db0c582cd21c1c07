"""SUBQ02: three or more sub-queries."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Role
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

THRESHOLD = 3
"""Sub-queries from which the signal fires (SQLens A.1)."""
MANY = 9
"""Sub-queries from which more of them say no more."""
NESTED_ROLES = frozenset({Role.SUBQUERY, Role.DERIVED, Role.CTE})


@signal(
    code="SUBQ02",
    name="unnecessary_subquery",
    group=Group.DATABASE,
    family="subquery",
    clauses=set(Clause),
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
    reasons={"many_subqueries": "Three or more SELECTs are nested in the query."},
    sets={"sqlens", "sqlens-reference"},
)
def unnecessary_subquery(case: Case, context: Context) -> Iterator[Finding]:
    """The query holds three or more sub-queries.

    What it measures
    ----------------
    The number of SELECTs inside expressions, in FROM and in WITH.

    Why it points to an error
    -------------------------
    Every nesting is one more chance to go wrong, and few questions need so many.

    Fires on
    --------
    ... WHERE a = (SELECT ...) AND b IN (SELECT ... WHERE c = (SELECT ...))

    Stays silent on
    ---------------
    ... WHERE a = (SELECT MAX(a) FROM t)

    Does not apply when
    -------------------
    The query has no sub-query.

    How to repair
    -------------
    Write the query with joins, or with fewer steps; check each step against the question.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLens, appendix A.1 (unnecessary subquery).
    """
    nested = [select for select in context.query.selects if select.role in NESTED_ROLES]
    if not nested:
        raise NotApplicable("the query has no sub-query")
    if len(nested) < THRESHOLD:
        return
    first = nested[0].piece
    yield Finding(
        clause=context.enclosing_clause(first.start - 1, first.end),
        reason="many_subqueries",
        measure=(min(len(nested), MANY) - THRESHOLD) / (MANY - THRESHOLD),
        message=f"{len(nested)} sub-queries",
        evidence={
            "count": len(nested),
            "threshold": THRESHOLD,
            "positions": [select.piece.start for select in nested],
        },
        suggestion="try to write it with joins",
    )
