"""PRED06: a value also stands in a column that the question names more closely."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.databases.model import ValuePlace
from clausewise.question.reading import read_question
from clausewise.question.words import closeness
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import key_classes
from clausewise.signals.units import for_each
from clausewise.sql.model import Comparison, Literal
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

MARGIN = 0.25
"""How much closer in [0, 1] another column's name must be to the question."""
TABLE_WEIGHT = 0.3
"""Weight in [0, 1] of the table's name beside the column's."""


def _units(context: Context) -> Iterator[tuple[Comparison, Literal]]:
    """Yield each text constant with which a column of a table is compared."""
    for _, comparison in context.comparisons():
        if comparison.column.table is None or comparison.column.column is None:
            continue
        for literal in comparison.literals:
            if isinstance(literal.value, str) and literal.value.strip("%_ "):
                yield comparison, literal


@signal(
    code="PRED06",
    name="value_ambiguity",
    group=Group.DATABASE,
    family="value",
    clauses={
        Clause.WHERE,
        Clause.HAVING,
        Clause.JOIN,
        Clause.SELECT,
        Clause.GROUP_BY,
        Clause.ORDER_BY,
    },
    needs={Need.DATABASE, Need.QUESTION},
    cost=Cost.PROFILE,
    version=2,
    reasons={
        "closer_column": "Another column holds the value, and the question names it more closely; "
        "measured by how much more closely.",
    },
    sets={"sqlens", "sqlens-reference"},
)
@for_each(_units, otherwise="no column is compared with a text constant")
def value_ambiguity(unit: tuple[Comparison, Literal], context: Context) -> Iterator[Finding]:
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
    comparison, literal = unit
    value = str(literal.value)
    used = (comparison.column.table or "", comparison.column.column or "")
    if _is_defined(context.case, used[1], value):
        return
    own = _closeness(*used, context.case.question)
    closer, rival = _closest_rival(context, used, value)
    if rival is None or closer < own + MARGIN:
        return
    other = f"{rival.table}.{rival.column}"
    yield Finding(
        clause=comparison.clause,
        reason="closer_column",
        measure=closer - own,
        message=f"'{rival.value}' also stands in {other}, which the question names more closely "
        f"than {used[0]}.{used[1]}",
        evidence={
            "value": literal.value,
            "used_column": ".".join(used),
            "used_closeness": round(own, 3),
            "other_column": other,
            "other_closeness": round(closer, 3),
            "rows_there": rival.count,
        },
        suggestion=f"compare {other} with '{rival.value}'",
    )


def _closest_rival(
    context: Context, used: tuple[str, str], value: str
) -> tuple[float, ValuePlace | None]:
    """Return the other column with the value that is closest to the question, and how close."""
    classes = key_classes(context.schema)
    places = context.database.find_value(value.strip("%"))
    exact = any((place.table, place.column, place.value) == (*used, value) for place in places)
    rivals = [
        (_closeness(place.table, place.column, context.case.question), place)
        for place in places
        if (place.table, place.column) != used
        and not classes.same(used, (place.table, place.column))
        and (place.value == value or not exact)
    ]
    best = max(rivals, key=lambda rival: (rival[0], rival[1].table, rival[1].column), default=None)
    return (0.0, None) if best is None else best


def _is_defined(case: Case, column: str, value: str) -> bool:
    """Whether the evidence names the column in one statement with the value."""
    said = (statement.text.casefold() for statement in read_question(case).statements)
    name = re.compile(rf"\b{re.escape(column.casefold())}\b")
    return any(value.casefold() in text and name.search(text) is not None for text in said)


def _closeness(table: str, column: str, question: str) -> float:
    return (1 - TABLE_WEIGHT) * closeness(column, question) + TABLE_WEIGHT * closeness(
        table, question
    )
