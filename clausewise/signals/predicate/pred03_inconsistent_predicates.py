"""PRED03: each condition keeps rows, all of them together keep none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from clausewise.errors import NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import filters, is_plain_query, reaches_rows, relation
from clausewise.sql.model import Conjunct, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

CONTRADICTION = 0.95
"""Score where one column is to equal two things: no row can ever meet that."""
TWO_CONDITIONS = 0.5
MANY_CONDITIONS = 0.5
"""Score where only three or more conditions together keep nothing."""
EQUALITIES = frozenset({"=", "IN", "LIKE", "IS"})


@signal(
    code="PRED03",
    name="inconsistent_predicates",
    group=Group.DATABASE,
    family="value",
    clauses={Clause.WHERE},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    sets={"redsql"},
)
def inconsistent_predicates(case: Case, context: Context) -> Iterator[Finding]:
    """Every condition keeps rows by itself, all of them together keep none.

    What it measures
    ----------------
    The AND parts of each WHERE, on the rows that its FROM gives: whether each alone, each pair,
    and all together keep a row. The smallest group that keeps none is named.

    Why it points to an error
    -------------------------
    Two demands on one column (`colour = 'red' AND colour = 'blue'`) no row can meet: OR, IN or
    two sub-queries were meant. Elsewhere one of the values mostly belongs to another column.

    Fires on
    --------
    SELECT name FROM student WHERE pet = 'cat' AND pet = 'dog'

    Stays silent on
    ---------------
    SELECT name FROM student WHERE pet = 'cat' AND age > 20

    Does not apply when
    -------------------
    No WHERE has two AND parts, or the SELECT refers to an enclosing one.

    How to repair
    -------------
    Where both demands are on one column, ask for either (OR, IN) or intersect two queries;
    otherwise check which of the conditions names the wrong column or value.

    Cost
    ----
    One statement, and only where nothing passes one more for each condition and pair.

    References
    ----------
    RED-SQL, table 1 (predicates inconsistent, level ERROR).
    """
    looked_at = False
    for select in context.query.selects:
        parts = filters(select)
        if len(parts) < 2:
            continue
        passes = _passes(context, select)
        if passes is None:
            continue
        looked_at = True
        if not passes:
            conflict = _smallest_conflict(context, select, parts)
            if conflict:
                yield _finding(context, select, conflict)
    if not looked_at:
        raise NotApplicable("no WHERE has two conditions that can be run alone")


def _passes(context: Context, select: Select) -> bool | None:
    result = context.result
    is_root = select is context.query.root
    if is_root and result is not None and result.rows and is_plain_query(context):
        return True
    return reaches_rows(context, select)


def _smallest_conflict(
    context: Context, select: Select, parts: tuple[Conjunct, ...]
) -> tuple[Conjunct, ...]:
    """Return the conditions that keep rows one by one but not together; none where one does."""
    if not all(reaches_rows(context, select, [part]) for part in parts):
        return ()
    for pair in combinations(parts, 2):
        if reaches_rows(context, select, pair) is False:
            return pair
    return parts


def _finding(context: Context, select: Select, conflict: tuple[Conjunct, ...]) -> Finding:
    score = _score(select, conflict)
    texts = [part.piece.text for part in conflict]
    start, end = conflict[0].piece.start, conflict[-1].piece.end
    return Finding(
        clause=context.span(Clause.WHERE, start, end),
        score=score,
        message=f"each of {'; '.join(texts)} keeps rows, together they keep none",
        evidence={
            "conditions": texts,
            "sql": relation(context, select, conjuncts=conflict),
            "rows": 0,
        },
        suggestion="use OR or IN, or intersect two queries" if score == CONTRADICTION else None,
        level=Level.ERROR,
    )


def _score(select: Select, conflict: Sequence[Conjunct]) -> float:
    if len(conflict) > 2:
        return MANY_CONDITIONS
    places = {(part.piece.start, part.piece.end) for part in conflict}
    equalities = [
        comparison.column
        for comparison in select.comparisons
        if (comparison.clause.start, comparison.clause.end) in places
        and comparison.operator in EQUALITIES
        and not comparison.negated
    ]
    columns = {(id(column.source), column.name.casefold()) for column in equalities}
    return CONTRADICTION if len(equalities) == 2 and len(columns) == 1 else TWO_CONDITIONS
