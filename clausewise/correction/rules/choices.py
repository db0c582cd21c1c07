"""Repairs of `or` and `both`."""

from __future__ import annotations

from itertools import pairwise

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit, replacing
from clausewise.types import Clause, Finding


@repair(
    name="union_for_or",
    description="Writes UNION for INTERSECT where the question offers a choice.",
    settles={"missing_disjunction": ("intersect_for_or",)},
    risky=True,
)
def union_for_or(finding: Finding, _context: RepairContext) -> tuple[TextEdit, ...]:
    """Take the rows of either set."""
    return (replacing(finding.clause, "UNION"),)


@repair(
    name="intersect_for_both",
    description="Writes INTERSECT for UNION where the question wants both.",
    settles={"missing_disjunction": ("union_for_both",)},
    risky=True,
)
def intersect_for_both(finding: Finding, _context: RepairContext) -> tuple[TextEdit, ...]:
    """Take the rows of both sets."""
    return (replacing(finding.clause, "INTERSECT"),)


@repair(
    name="either_value",
    description="Joins two values of one column by OR where the question offers a choice.",
    settles={"missing_disjunction": ("two_values",)},
    risky=True,
)
def either_value(_finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Write OR between two equalities of one column that AND joins, neighbors in WHERE."""
    for select in context.query.selects:
        parts = [part for part in select.conjuncts if part.clause is Clause.WHERE]
        for one, next_one in pairwise(parts):
            found = [
                comparison
                for part in (one, next_one)
                for comparison in select.comparisons
                if part.predicate is comparison and comparison.operator == "="
            ]
            if len(found) != 2 or found[0].negated or found[1].negated:
                continue
            columns = {(id(each.column.source), each.column.name.casefold()) for each in found}
            joined = [
                word.start
                for word in context.query.keywords
                if word.word == "AND" and one.piece.end <= word.start < next_one.piece.start
            ]
            if len(columns) != 1 or len(joined) != 1:
                continue
            start, end = one.piece.start, next_one.piece.end
            return (
                TextEdit(start, start, "("),
                TextEdit(joined[0], joined[0] + len("AND"), "OR"),
                TextEdit(end, end, ")"),
            )
    return ()
