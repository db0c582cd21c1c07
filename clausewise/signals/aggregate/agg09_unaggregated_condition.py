"""AGG09: a bound on a total or a mean is set to the single rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Aggregate, Conjunct, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_BOUND = re.compile(r"\s*(?:<=|>=|<|>)\s*(?![01]\s*$)\S")
"""A bound that tells more than whether there is anything."""
_LEFT_OUT = frozenset({"out", "excluding", "excluded", "without", "ignoring", "ignored", "not"})
_FOLDING = frozenset({"sum", "avg", "total"})


@signal(
    code="AGG09",
    name="unaggregated_condition",
    group=Group.QUESTION,
    family="question_aggregate",
    clauses={Clause.WHERE},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "aggregated_beside": (
            "The query folds the very thing that WHERE bounds row by row.",
            "strong",
        ),
    },
)
def unaggregated_condition(case: Case, context: Context) -> Iterator[Finding]:
    """WHERE bounds single rows of what the question wants totaled or averaged first.

    What it measures
    ----------------
    Where the question asks for a total or a mean, and the query groups and has no HAVING: a bound
    (`<`, `>`) in WHERE on the same expression that SUM or AVG takes.

    Why it points to an error
    -------------------------
    "Customers who spent over 1500 in total" are not those with one line over 1500, and rows below
    the bound are missing from the total.

    Fires on
    --------
    Programmes that average over 1200?
    SELECT prog, AVG(paid) FROM enr WHERE paid > 1200 GROUP BY prog

    Stays silent on
    ---------------
    Programmes that average over 1200? SELECT prog FROM enr GROUP BY prog HAVING AVG(paid) > 1200

    Does not apply when
    -------------------
    The question asks for no total and no mean, or the query does not group.

    How to repair
    -------------
    Move the bound to HAVING, over the aggregate.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    cues = word_set("cues", "average") | word_set("cues", "sum") | {"accumulated", "averages"}
    grouped = [one for one in context.query.selects if one.group_by]
    if not cues & reading.words or not grouped:
        raise NotApplicable("the question asks for no total or mean of groups")
    if _LEFT_OUT & set(reading.lowers):
        return
    for select in grouped:
        if select.clause(Clause.HAVING) is not None:
            continue
        for part, aggregate in _bounded(select):
            yield Finding(
                clause=context.span(Clause.WHERE, part.piece.start, part.piece.end),
                reason="aggregated_beside",
                message=f"{part.piece.text} bounds single rows, and {aggregate.piece.text} folds "
                "what is left",
                evidence={"aggregate": aggregate.piece.text},
                suggestion="bound the aggregate in HAVING",
            )
            return


def _bounded(select: Select) -> Iterator[tuple[Conjunct, Aggregate]]:
    conditions = [
        (part, _plain(part.piece.text)) for part in select.conjuncts if part.clause is Clause.WHERE
    ]
    for aggregate in select.aggregates:
        if aggregate.function not in _FOLDING or aggregate.conditional:
            continue
        inner = _plain(aggregate.piece.text.partition("(")[2].rstrip().removesuffix(")"))
        for part, text in conditions:
            if inner and text.startswith(inner):
                rest = text[len(inner) :]
                if _BOUND.match(rest) and "select" not in rest:
                    yield part, aggregate


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
