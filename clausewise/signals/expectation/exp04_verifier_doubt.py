"""EXP04: a network that has read many questions beside queries doubts that this one answers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.expectation.verifier_model import CLAUSES
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.verified import verified
from clausewise.signals.reasons import Grade
from clausewise.sql.model import Query
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

LEAST = 1.0
"""Log-odds from which a query is doubted."""
_SAID = {
    Clause.SELECT: "what it selects",
    Clause.FROM: "the tables that it reads",
    Clause.JOIN: "how it joins tables",
    Clause.WHERE: "its conditions",
    Clause.GROUP_BY: "its groups",
    Clause.HAVING: "its condition on groups",
    Clause.ORDER_BY: "its order",
    Clause.LIMIT: "how many rows it keeps",
}
_PLACES = {
    **{clause: (clause,) for clause in (Clause.SELECT, Clause.WHERE, Clause.ORDER_BY)},
    Clause.FROM: (Clause.FROM, Clause.JOIN),
    Clause.JOIN: (Clause.JOIN, Clause.FROM),
    Clause.GROUP_BY: (Clause.GROUP_BY, Clause.SELECT),
    Clause.HAVING: (Clause.HAVING, Clause.GROUP_BY, Clause.SELECT),
    Clause.LIMIT: (Clause.LIMIT, Clause.ORDER_BY),
}
"""The clause of an error to the clauses that are named, the first that the query has."""


@signal(
    code="EXP04",
    name="verifier_doubt",
    group=Group.QUESTION,
    family="verifier",
    clauses={*_SAID, Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        clause.value: (f"Beside the question, {said} is likely wrong.", Grade.MODERATE)
        for clause, said in _SAID.items()
    },
)
def verifier_doubt(case: Case, context: Context) -> Iterator[Finding]:
    """A network that has read right and wrong queries beside questions doubts this one.

    What it measures
    ----------------
    A network of a few hundred thousand weights reads the words of the question and its evidence
    beside the keywords, names and constants of the query, with the columns that the question could
    mean as well. It was trained on gold pairs of many databases, on one natural error made in each
    (another column, a lost condition, another aggregate, bound, direction, value or grain), and on
    right and wrong queries of made-up databases; all other databases were left out. Reported is a
    probability of an error of at least 0.73 at equal odds, with the clause in which such errors
    mostly lie.

    Why it points to an error
    -------------------------
    What a question asks for is said in more ways than rules can list. Pairs show which words go
    with which queries.

    Fires on
    --------
    Singers born after 1980, please: name and year. SELECT name, birth_year FROM singer

    Stays silent on
    ---------------
    Singers born after 1980, please: name and year.
    SELECT name, birth_year FROM singer WHERE birth_year > 1980

    Does not apply when
    -------------------
    The question cannot be read, or the schema has no columns.

    How to repair
    -------------
    Read the question again for what the clause should say; the network does not say what is right.

    Cost
    ----
    Nothing is run.

    References
    ----------
    RED-SQL (a trained detector), SQLDriller (errors made in gold queries).
    """
    found = context.once(verified)
    if found is None:
        raise NotApplicable("the question cannot be read beside this schema")
    if found.log_odds < LEAST:
        return
    clause = CLAUSES[max(range(len(CLAUSES)), key=found.clauses.__getitem__)]
    share = found.clauses[CLAUSES.index(clause)]
    probability = 1.0 / (1.0 + math.exp(-found.log_odds))
    yield Finding(
        clause=_place(context.query, clause),
        reason=clause.value,
        message=(
            "read beside the question, this query likely answers another one; "
            f"most suspicious is {_SAID[clause]}"
        ),
        evidence={
            "p_incorrect_at_equal_odds": round(probability, 3),
            "clause": clause.value,
            "share_of_clause": round(share, 3),
        },
    )


def _place(query: Query, clause: Clause) -> ClauseSpan:
    """Return the clause, or where its lack is shown; the whole query where nothing shows it."""
    found = (
        span
        for wanted in _PLACES[clause]
        for select in query.selects
        if (span := select.clause(wanted)) is not None
    )
    return next(found, query.span)
