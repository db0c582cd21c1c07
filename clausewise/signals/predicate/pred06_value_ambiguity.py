"""PRED06: a value also stands in a column that the question names more closely."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.databases.model import ValuePlace
from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.question.words import closeness
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import key_classes
from clausewise.sql.model import Comparison, Literal
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

MARGIN = 0.25
"""How much closer in [0, 1] another column's name must be to the question."""
CLOSER, CLOSENESS_WEIGHT = 0.1, 0.5
"""Score of a column that is no closer, and what a difference of 1 in closeness adds."""
TABLE_WEIGHT = 0.3
"""Weight in [0, 1] of the table's name beside the column's."""


@signal(
    code="PRED06",
    name="value_ambiguity",
    group=Group.DATABASE,
    family="value",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.SELECT},
    needs={Need.DATABASE, Need.QUESTION},
    cost=Cost.PROFILE,
    version=2,
    sets={"sqlens", "sqlens-reference"},
)
def value_ambiguity(case: Case, context: Context) -> Iterator[Finding]:
    """The value of a comparison also stands in a column that is closer to the question.

    What it measures
    ----------------
    For each text constant compared with a column: the other columns that hold the same value
    (inverted index over the database), and whether the words of one of their names are said in
    the question clearly more than those of the column used. Columns that hold the same key are
    not alternatives, nor are other spellings where the column used holds the value as written, nor
    any where the evidence names that column with the value.

    Why it points to an error
    -------------------------
    "New York" is a city and a state; the query may filter the right value in the wrong column.

    Fires on
    --------
    Which offices are in the city of New York? ... WHERE state = 'New York'

    Stays silent on
    ---------------
    Which offices are in the city of New York? ... WHERE city = 'New York'

    Does not apply when
    -------------------
    The query compares no column of a table with a text constant.

    How to repair
    -------------
    Compare the value with the column that the question names.

    Cost
    ----
    One look-up in the value index for each constant; the index is built once per database.

    References
    ----------
    SQLens, appendix A.1 (value ambiguity).
    """
    looked_at = False
    for _, comparison in context.comparisons():
        column = comparison.column
        if column.table is None or column.column is None:
            continue
        for literal in comparison.literals:
            if not isinstance(literal.value, str) or not literal.value.strip("%_ "):
                continue
            looked_at = True
            finding = _ambiguity(case, context, comparison, literal, literal.value)
            if finding is not None:
                yield finding
    if not looked_at:
        raise NotApplicable("no column is compared with a text constant")


def _ambiguity(
    case: Case, context: Context, comparison: Comparison, literal: Literal, value: str
) -> Finding | None:
    used = (comparison.column.table or "", comparison.column.column or "")
    if _is_defined(case, used[1], value):
        return None
    classes = key_classes(context.schema)
    own = _closeness(*used, case.question)
    places = context.database.find_value(value.strip("%"))
    exact = any((place.table, place.column, place.value) == (*used, value) for place in places)
    rivals = [
        (_closeness(place.table, place.column, case.question), place)
        for place in places
        if (place.table, place.column) != used
        and not classes.same(used, (place.table, place.column))
        and (place.value == value or not exact)
    ]
    best = max(rivals, key=lambda rival: (rival[0], rival[1].table, rival[1].column), default=None)
    if best is None or best[0] < own + MARGIN:
        return None
    return _finding(comparison, literal, used, own, best[1], best[0])


def _is_defined(case: Case, column: str, value: str) -> bool:
    """Whether the evidence names the column in one statement with the value."""
    said = (statement.text.casefold() for statement in read_question(case).statements)
    name = re.compile(rf"\b{re.escape(column.casefold())}\b")
    return any(value.casefold() in text and name.search(text) is not None for text in said)


def _closeness(table: str, column: str, question: str) -> float:
    return (1 - TABLE_WEIGHT) * closeness(column, question) + TABLE_WEIGHT * closeness(
        table, question
    )


def _finding(
    comparison: Comparison,
    literal: Literal,
    used: tuple[str, str],
    own: float,
    rival: ValuePlace,
    rival_closeness: float,
) -> Finding:
    other = f"{rival.table}.{rival.column}"
    return Finding(
        clause=comparison.clause,
        score=round(CLOSER + CLOSENESS_WEIGHT * (rival_closeness - own), 3),
        message=f"'{rival.value}' also stands in {other}, which the question names more closely "
        f"than {used[0]}.{used[1]}",
        evidence={
            "value": literal.value,
            "used_column": ".".join(used),
            "used_closeness": round(own, 3),
            "other_column": other,
            "other_closeness": round(rival_closeness, 3),
            "rows_there": rival.count,
        },
        suggestion=f"compare {other} with '{rival.value}'",
        level=Level.WARNING,
    )
