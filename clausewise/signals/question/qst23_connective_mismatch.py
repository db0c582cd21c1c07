"""QST23: `both` or `neither` ties things otherwise than the query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Comparison, Query
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

_BOTH = re.compile(r"(?i)\bboth\b(?P<rest>[^.;?]{3,80}?)\band\b")
_NEITHER = re.compile(r"(?i)\bneither\b.{2,80}?\bn?or\b")
_TWO = 2


@signal(
    code="QST23",
    name="connective_mismatch",
    group=Group.QUESTION,
    family="logic",
    clauses={Clause.WHERE, Clause.HAVING, Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "both": ("`both ... and`: a row with one of the values is enough in the query.", "strong"),
        "neither": ("`neither ... nor`: a row that lacks one of them is enough.", "strong"),
    },
)
def connective_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """`both ... and` or `neither ... nor` ties things otherwise than the query.

    What it measures
    ----------------
    `both A and B` beside one condition that takes either value (IN, or OR of one column), with
    nothing that looks for the second one; `neither ... nor` beside an OR of two denials.

    Why it points to an error
    -------------------------
    Who bought milk or bread is not who bought both. Without a phone or without a mail is not
    without either.

    Fires on
    --------
    Which dishes hold both milk and gluten?
    SELECT dish_id FROM allergen WHERE kind IN ('milk', 'gluten')

    Stays silent on
    ---------------
    Which dishes hold both milk and gluten? SELECT dish_id FROM allergen
    WHERE kind IN ('milk', 'gluten') GROUP BY dish_id HAVING COUNT(DISTINCT kind) = 2

    Does not apply when
    -------------------
    The question says neither.

    How to repair
    -------------
    Count distinct values per group, use two EXISTS or INTERSECT; tie denials by AND.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    question = read_question(case).question
    query = context.query
    both, neither = _BOTH.search(question), _NEITHER.search(question)
    if both is None and neither is None:
        raise NotApplicable("the question says neither `both` nor `neither`")
    if both is not None:
        place = _either(query)
        if place is not None:
            yield Finding(
                clause=place,
                reason="both",
                message=f"the question asks for both, {place.text} takes either",
                suggestion="count the distinct values of each, or use INTERSECT",
            )
    if neither is not None:
        place = _denials(query)
        if place is not None:
            yield Finding(
                clause=place,
                reason="neither",
                message="the question asks for neither, the query takes what lacks one of them",
                suggestion="tie the two conditions by AND",
            )


def _either(query: Query) -> ClauseSpan | None:
    """Return the one condition of a plain list that takes either of two values."""
    select = query.root
    nested = len(query.selects) > 1 or query.set_operations
    tables = {source.table for source in select.sources}
    if nested or select.has_aggregate or select.group_by or len(tables) < len(select.sources):
        return None
    if query.has_keyword("CASE", "HAVING"):
        return None
    listed = (one for one in select.comparisons if _takes_two(one))
    tied = (left for left, right in pairwise(select.comparisons) if _is_or_of(left, right, query))
    return next((one.clause for one in chain(listed, tied)), None)


def _takes_two(one: Comparison) -> bool:
    plain = one.operator == "IN" and not one.negated and one.clause.kind is Clause.WHERE
    return plain and len(one.literals) == _TWO


def _is_or_of(left: Comparison, right: Comparison, query: Query) -> bool:
    same = left.column.source is right.column.source and (
        left.column.name.casefold() == right.column.name.casefold()
    )
    if not same or not {left.operator, right.operator} <= {"=", "LIKE"}:
        return False
    between = query.text[left.clause.end : right.clause.start].strip()
    return between.upper() == "OR"


def _denials(query: Query) -> ClauseSpan | None:
    """Return the clause in which OR ties two denials: NOT, `<>` or IS NULL."""
    for select in query.selects:
        for part in select.conjuncts:
            if part.predicate is not None or " OR " not in part.piece.text.upper():
                continue
            text = part.piece.text.upper()
            sides = re.split(r"\bOR\b", text)
            denied = ("IS NULL", "NOT ", "<>", "!=", "= 0")
            if (
                not text.startswith("NOT")
                and len(sides) == 2
                and all(any(word in side for word in denied) for side in sides)
            ):
                where = select.clause(part.clause)
                if where is not None:
                    return where
    return None
