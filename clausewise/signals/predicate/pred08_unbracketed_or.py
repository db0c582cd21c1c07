"""PRED08: AND and OR stand side by side without brackets."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import for_each
from clausewise.sql.connectives import unbracketed
from clausewise.sql.model import Comparison, Select
from clausewise.types import Clause, ClauseSpan, Cost, Finding, Group

_CONDITIONS = (Clause.WHERE, Clause.HAVING, Clause.JOIN)
_ALTERNATIVES = frozenset({"=", "LIKE", "IN", "GLOB"})


def _conditions(context: Context) -> Iterator[tuple[Select, ClauseSpan]]:
    """Yield each clause of conditions in which OR stands."""
    for select in context.query.selects:
        for clause in select.clauses:
            if clause.kind in _CONDITIONS and " or " in f" {' '.join(clause.text.lower().split())}":
                yield select, clause


@signal(
    code="PRED08",
    name="unbracketed_or",
    group=Group.DATABASE,
    family="logic",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN},
    needs=set(),
    cost=Cost.PARSE,
    version=1,
    reasons={
        "same_column": (
            "Values of one column are alternatives, and a condition beside them binds to one of "
            "them alone.",
            "strong",
        ),
        "different_columns": "The alternatives are conditions on different columns.",
    },
)
@for_each(_conditions, otherwise="no clause of conditions holds OR")
def unbracketed_or(unit: tuple[Select, ClauseSpan], context: Context) -> Iterator[Finding]:
    """AND and OR stand side by side without brackets, so that AND binds first.

    What it measures
    ----------------
    Whether an AND and an OR of one clause stand on the same level of brackets, the AND of BETWEEN
    aside; and whether the conditions on both sides of the OR are on the same column.

    Why it points to an error
    -------------------------
    `a AND b OR c` is `(a AND b) OR c`: rows of the last alternative need not meet the first
    condition. People who list alternatives mostly mean the condition for all of them.

    Fires on
    --------
    SELECT pubno FROM patent WHERE status = 'PENDING' AND office = 'EP' OR office = 'DE'

    Stays silent on
    ---------------
    SELECT pubno FROM patent WHERE status = 'PENDING' AND (office = 'EP' OR office = 'DE')

    Does not apply when
    -------------------
    No condition of the query holds OR.

    How to repair
    -------------
    Put brackets around the alternatives, or use IN where they are values of one column.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None: SQL's precedence of operators.
    """
    select, clause = unit
    place = unbracketed(clause, context.query.dialect)
    if place is None:
        return
    same = _alternatives(select, place)
    yield Finding(
        clause=clause,
        reason="same_column" if same else "different_columns",
        message="AND binds before OR"
        + (f": {same[1].clause.text} is an alternative to all that is before it" if same else "")
        + "; there are no brackets around the alternatives",
        evidence={"condition": clause.text},
        suggestion="put brackets around what OR ties together",
    )


def _alternatives(select: Select, place: int) -> tuple[Comparison, Comparison] | None:
    """Return the comparisons on both sides of an OR, where they are of one column."""
    before = [one for one in select.comparisons if one.clause.end <= place]
    after = [one for one in select.comparisons if one.clause.start >= place]
    if not before or not after:
        return None
    left = max(before, key=lambda one: one.clause.end)
    right = min(after, key=lambda one: one.clause.start)
    same = (left.column.table, left.column.name.casefold()) == (
        right.column.table,
        right.column.name.casefold(),
    )
    plain = left.operator in _ALTERNATIVES and right.operator in _ALTERNATIVES
    return (left, right) if same and plain else None
