"""PRED03: each condition keeps rows, all of them together keep none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from clausewise.errors import NotAllChecked
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import filters, is_plain_query, reaches_rows, relation
from clausewise.signals.units import for_each, required, selects, skip_unless
from clausewise.sql.model import Comparison, Conjunct, Select
from clausewise.types import Clause, Cost, Finding, Group, Need

MOST_PARTS, MOST_PAIRED = 200, 20
"""How many AND parts of one WHERE are run one by one, and how many in pairs."""
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
    reasons={
        "one_column_two_values": "One column is to equal two things: no row can ever meet that.",
        "two_conditions": "Two conditions keep no row together.",
        "many_conditions": "Only three or more conditions together keep no row.",
    },
    sets={"redsql"},
)
@for_each(selects, otherwise="no WHERE has two conditions that can be run alone")
def inconsistent_predicates(select: Select, context: Context) -> Iterator[Finding]:
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
    parts = filters(select)
    skip_unless(len(parts) >= 2)
    if required(_passes(context, select)):
        return
    conflict = _smallest_conflict(context, select, parts)
    if not conflict:
        return
    reason = _reason(conflict)
    texts = [part.piece.text for part in conflict]
    contradiction = reason == "one_column_two_values"
    yield Finding(
        clause=context.span(Clause.WHERE, conflict[0].piece.start, conflict[-1].piece.end),
        reason=reason,
        message=f"each of {'; '.join(texts)} keeps rows, together they keep none",
        evidence={
            "conditions": texts,
            "sql": relation(context, select, conjuncts=conflict),
            "rows": 0,
        },
        suggestion="use OR or IN, or intersect two queries" if contradiction else None,
    )


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
    if len(parts) > MOST_PARTS:
        raise NotAllChecked(f"a WHERE of {len(parts)} conditions is unchecked")
    if not all(reaches_rows(context, select, [part]) for part in parts):
        return ()
    for pair in combinations(parts, 2) if len(parts) <= MOST_PAIRED else ():
        if reaches_rows(context, select, pair) is False:
            return pair
    return parts


def _reason(conflict: tuple[Conjunct, ...]) -> str:
    if len(conflict) > 2:
        return "many_conditions"
    columns = [_equal_column(part) for part in conflict]
    same = columns[0] is not None and columns[0] == columns[1]
    return "one_column_two_values" if same else "two_conditions"


def _equal_column(part: Conjunct) -> tuple[int, str] | None:
    """Return source and name of the column that must equal a constant, if that is all."""
    found = part.predicate
    if not isinstance(found, Comparison) or found.operator not in EQUALITIES or found.negated:
        return None
    return id(found.column.source), found.column.name.casefold()
