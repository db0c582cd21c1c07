"""PRED05: two things of different types are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from clausewise.databases.affinity import (
    affinity,
    holds_numbers,
    holds_numeric_text,
    holds_words,
    reads_as_number,
)
from clausewise.databases.model import ColumnProfile
from clausewise.errors import QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.blanks import meets_blanks
from clausewise.signals.probes.relations import subquery_text
from clausewise.signals.units import for_each
from clausewise.sql import replaced, with_prefix
from clausewise.sql.model import (
    ColumnUse,
    Comparison,
    Conjunct,
    JoinPair,
    Literal,
    SubqueryFilter,
)
from clausewise.types import Clause, ClauseSpan, Cost, Finding, Group, Json, Need

ORDERING = frozenset({"<", "<=", ">", ">=", "BETWEEN"})
COMPARING = ORDERING | {"=", "<>", "IN"}
_BARE_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME_OF_DAY = re.compile(r"\d{4}-\d{2}-\d{2}[ T](?!00:00(:00)?$)\d")
SCALAR = COMPARING - {"IN", "BETWEEN"}


_Unit: TypeAlias = Comparison | Conjunct | JoinPair | SubqueryFilter


def _units(context: Context) -> Iterator[_Unit]:
    """Yield what compares a column of a table with anything, by kind, in each SELECT."""
    for select in context.query.selects:
        for comparison in select.comparisons:
            if comparison.operator in COMPARING and _profile(context, comparison.column):
                yield comparison
        for part in select.conjuncts:
            if part.column is not None and _profile(context, part.column):
                yield part
        for pair in (*select.join_pairs, *select.outer_pairs):
            if _profile(context, pair.left) and _profile(context, pair.right):
                yield pair
        for item in select.subquery_filters:
            if item.column is not None and item.operator in COMPARING:
                yield item


@signal(
    code="PRED05",
    name="incompatible_comparison",
    group=Group.DATABASE,
    family="type",
    clauses={
        Clause.WHERE,
        Clause.HAVING,
        Clause.JOIN,
        Clause.SELECT,
        Clause.GROUP_BY,
        Clause.ORDER_BY,
    },
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=3,
    reasons={
        "constant_of_other_type": "A column of numbers is compared with a word, or the reverse.",
        "column_of_other_type": "A column of numbers is compared with a column of words.",
        "not_boolean": "A column that does not hold booleans is a condition by itself.",
        "ordered_as_text": "The order of texts keeps other rows than the order of numbers would.",
        "scalar_is_null": "The sub-query returns NULL or no row.",
        "day_against_time": (
            "An upper bound is a bare day, and the column holds times: the day itself is lost.",
            "strong",
        ),
        "stored_blanks": "The same, since a stored value has blanks around it.",
    },
    sets={"redsql"},
)
@for_each(_units, otherwise="no column of a table is compared with anything")
def incompatible_comparison(unit: _Unit, context: Context) -> Iterator[Finding]:
    """Two things are compared whose types do not go together.

    What it measures
    ----------------
    What the columns really store, against the constants, columns and sub-queries that they are
    compared with: numbers against words, numbers kept as text that are ordered as text, times of
    day against a bare day, and a value against a sub-query that returns NULL. A column that stands
    alone as a condition is compared with true and false: it should hold nothing but 0 and 1.

    Why it points to an error
    -------------------------
    SQLite compares anything with anything: a number is less than every text, '9' is greater than
    '10', and nothing equals NULL. The query runs and answers something else.

    Fires on
    --------
    SELECT surname FROM drivers WHERE driverId = 'hamilton'

    Stays silent on
    ---------------
    SELECT surname FROM drivers WHERE driverId = '1'; texts whose order is that of their numbers.

    Does not apply when
    -------------------
    The query compares no column of a table with a constant, a column or a sub-query.

    How to repair
    -------------
    Compare the column that holds such values; CAST text that holds numbers before ordering it.

    Cost
    ----
    Profiles; one statement for each ordering comparison of text and for each scalar sub-query.

    References
    ----------
    RED-SQL, table 1 (wrong comparison, level ERROR).
    """
    match unit:
        case Comparison():
            yield from _with_constants(context, unit)
        case Conjunct():
            yield from _as_truth(context, unit)
        case JoinPair():
            yield from _with_column(context, unit)
        case SubqueryFilter():
            yield from _with_subquery(context, unit)


def _profile(context: Context, column: ColumnUse) -> ColumnProfile | None:
    if column.table is None or column.column is None or column.in_aggregate:
        return None
    return context.database.profile(column.table, column.column)


def _name(column: ColumnUse) -> str:
    return f"{column.table}.{column.column}"


def _as_truth(context: Context, part: Conjunct) -> Iterator[Finding]:
    profile = None if part.column is None else _profile(context, part.column)
    if profile is None or not profile.distinct:
        return
    if {value for value, _ in profile.frequent} <= {0, 1}:
        return
    name = f"{profile.table}.{profile.column}"
    yield Finding(
        clause=context.span(part.clause, part.piece.start, part.piece.end),
        reason="not_boolean",
        message=f"{name} stands alone as a condition and holds no booleans",
        evidence=_stored(profile),
        suggestion="compare the column with the value that is meant",
    )


def _with_constants(context: Context, comparison: Comparison) -> Iterator[Finding]:
    profile = _profile(context, comparison.column)
    if profile is None or comparison.wrapped:
        return
    name = _name(comparison.column)
    for literal in comparison.literals:
        if isinstance(literal.value, bool) or literal.value is None:
            continue
        if isinstance(literal.value, str):
            if not _number_equals(context, comparison.column, profile, literal.value):
                message = f"{name} holds numbers, {literal.piece.text} is text"
                yield _mismatch(comparison.clause, message, profile)
                return
        elif holds_words(profile):
            message = f"{name} holds text, {literal.piece.text} is a number"
            yield _mismatch(comparison.clause, message, profile)
            return
        if comparison.operator in ORDERING and holds_numeric_text(profile):
            yield from _ordered_as_text(context, comparison, literal, profile)
            return
    yield from _day_against_time(comparison, profile)


def _day_against_time(comparison: Comparison, profile: ColumnProfile) -> Iterator[Finding]:
    """A text that begins with a day is after that day's bare date, at any time of it."""
    last = comparison.literals[-1].value
    bounds = comparison.operator in ("<=", "BETWEEN") and not comparison.negated
    if not bounds or not isinstance(last, str) or not _BARE_DAY.fullmatch(last):
        return
    if not (isinstance(profile.maximum, str) and _TIME_OF_DAY.match(profile.maximum)):
        return
    yield Finding(
        clause=comparison.clause,
        reason="day_against_time",
        message=f"{_name(comparison.column)} holds times of day: {comparison.clause.text} leaves "
        f"out what happened on {last}",
        evidence=_stored(profile),
        suggestion="compare by < with the day after",
    )


def _number_equals(context: Context, column: ColumnUse, profile: ColumnProfile, text: str) -> bool:
    """Whether a text constant can be compared with the numbers in a column."""
    if not holds_numbers(profile):
        return True
    table = context.schema.table(profile.table)
    declared = table.column(profile.column) if table else None
    converts = declared is None or affinity(declared.declared_type) not in ("blob", "text")
    return converts and reads_as_number(text)


def _mismatch(clause: ClauseSpan, message: str, profile: ColumnProfile) -> Finding:
    return Finding(
        clause=clause,
        reason="constant_of_other_type",
        message=message,
        evidence=_stored(profile),
        suggestion="compare the column that holds such values",
    )


def _stored(*profiles: ColumnProfile) -> Mapping[str, Json]:
    return {
        f"{profile.table}.{profile.column}": {
            "stored_types": dict(sorted(profile.stored_types.items())),
            "texts_that_read_as_numbers": profile.numeric_text,
            "examples": [str(value) for value, _ in profile.frequent[:3]],
        }
        for profile in profiles
    }


def _ordered_as_text(
    context: Context, comparison: Comparison, literal: Literal, profile: ColumnProfile
) -> Iterator[Finding]:
    table = context.schema.table(profile.table)
    declared = table.column(profile.column) if table else None
    is_text = declared is not None and affinity(declared.declared_type) == "text"
    if not is_text and not isinstance(literal.value, str):
        return  # numeric affinity would have stored such texts as numbers
    column = comparison.column
    texts = [item for item in comparison.literals if isinstance(item.value, str)]
    if column.source is None or not all(reads_as_number(str(item.value)) for item in texts):
        return
    changes = [(item.piece, str(item.value).strip()) for item in texts]
    changes.append((column.piece, context.words.as_real(column.piece.text)))
    numeric = replaced(comparison.clause, changes)
    differ = context.words.differ(f"({comparison.clause.text})", f"({numeric})")
    probe = context.row_probe(column.source, differ)
    try:
        if not context.keeps_a_row(probe):
            return  # such as years: texts of one length are in the order of their numbers
    except QueryFailed:
        return
    name = _name(column)
    yield Finding(
        clause=comparison.clause,
        reason="ordered_as_text",
        message=f"{name} holds numbers as text, and {comparison.clause.text} orders them as text",
        evidence={"sql": probe, **_stored(profile)},
        suggestion=f"compare {context.words.as_real(column.piece.text)}",
    )


def _with_column(context: Context, pair: JoinPair) -> Iterator[Finding]:
    left, right = _profile(context, pair.left), _profile(context, pair.right)
    if left is not None and right is not None and _differ(left, right):
        yield _different_types(pair.clause, left, right)


def _differ(left: ColumnProfile, right: ColumnProfile) -> bool:
    """Whether one column holds numbers and the other words."""
    return (holds_numbers(left) and holds_words(right)) or (
        holds_words(left) and holds_numbers(right)
    )


def _different_types(clause: ClauseSpan, left: ColumnProfile, right: ColumnProfile) -> Finding:
    numbers, words = (left, right) if holds_numbers(left) else (right, left)
    return Finding(
        clause=clause,
        reason="column_of_other_type",
        message=f"{numbers.table}.{numbers.column} holds numbers, {words.table}.{words.column} "
        "words",
        evidence=_stored(left, right),
        suggestion="compare columns that hold the same thing",
    )


def _with_subquery(context: Context, item: SubqueryFilter) -> Iterator[Finding]:
    own = None if item.column is None else _profile(context, item.column)
    first = item.subquery.projections[0].column if item.subquery.projections else None
    other = None if first is None else _profile(context, first)
    if own is not None and other is not None and _differ(own, other):
        yield _different_types(item.clause, own, other)
    elif item.operator in SCALAR and not item.subquery.correlated:
        yield from _with_null(context, item)


def _with_null(context: Context, item: SubqueryFilter) -> Iterator[Finding]:
    probe = f"{with_prefix(context.query)}{subquery_text(context, item)}"
    try:
        rows = context.run(probe, rows=50).rows
    except QueryFailed:
        return
    if rows and rows[0][0] is not None:
        return
    what = "NULL" if rows else "no row"
    yield Finding(
        clause=item.clause,
        reason="stored_blanks" if meets_blanks(context) else "scalar_is_null",
        message=f"compares with a sub-query that returns {what}",
        evidence={"sql": probe, "rows": len(rows)},
        suggestion="check the conditions of the sub-query",
    )
