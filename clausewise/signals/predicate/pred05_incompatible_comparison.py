"""PRED05: two things of different types are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clausewise.databases.affinity import (
    affinity,
    holds_numbers,
    holds_numeric_text,
    holds_words,
    reads_as_number,
)
from clausewise.databases.model import ColumnProfile
from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.blanks import meets_blanks
from clausewise.signals.probes.relations import subquery_text
from clausewise.sql import with_prefix
from clausewise.sql.model import (
    ColumnUse,
    Comparison,
    Conjunct,
    JoinPair,
    Literal,
    SubqueryFilter,
)
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Json, Level, Need

NEVER_COMPARABLE = 0.95
NOT_BOOLEAN = 0.8
"""Score of a column without booleans that is a condition by itself."""
ORDERED_AS_TEXT = 0.3
"""Score where the order of texts keeps other rows than the order of numbers would."""
SCALAR_IS_NULL = 0.85
STORED_BLANKS = 0.2
"""Score of a sub-query that finds nothing since a stored value has blanks around it."""
ORDERING = frozenset({"<", "<=", ">", ">=", "BETWEEN"})
COMPARING = ORDERING | {"=", "<>", "IN"}
_NEGATION = re.compile(r"^(?:\s|\(|not\b)+", re.IGNORECASE)
SCALAR = COMPARING - {"IN", "BETWEEN"}


@signal(
    code="PRED05",
    name="incompatible_comparison",
    group=Group.DATABASE,
    family="type",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    sets={"redsql"},
)
def incompatible_comparison(case: Case, context: Context) -> Iterator[Finding]:
    """Two things are compared whose types do not go together.

    What it measures
    ----------------
    What the columns really store, against the constants, columns and sub-queries that they are
    compared with: numbers against words, numbers kept as text that are ordered as text, and a
    value against a sub-query that returns NULL. A column that stands alone as a condition is
    compared with true and false: it should hold nothing but 0 and 1.

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
    looked_at = False
    for select in context.query.selects:
        for comparison in select.comparisons:
            if comparison.operator in COMPARING and _profile(context, comparison.column):
                looked_at = True
                yield from _with_constants(context, comparison)
        for part in select.conjuncts:
            truth = _truth_value(context, part)
            if truth is not None:
                looked_at = True
                yield from _as_truth(context, part, truth)
        for pair in (*select.join_pairs, *select.outer_pairs):
            if _profile(context, pair.left) and _profile(context, pair.right):
                looked_at = True
                yield from _with_column(context, pair)
        for item in select.subquery_filters:
            if item.column is not None and item.operator in COMPARING:
                looked_at = True
                yield from _with_subquery(context, item)
    if not looked_at:
        raise NotApplicable("no column of a table is compared with anything")


def _profile(context: Context, column: ColumnUse) -> ColumnProfile | None:
    if column.table is None or column.column is None or column.in_aggregate:
        return None
    return context.database.profile(column.table, column.column)


def _name(column: ColumnUse) -> str:
    return f"{column.table}.{column.column}"


def _truth_value(context: Context, part: Conjunct) -> ColumnProfile | None:
    """Return the profile of a column that is a whole condition by itself."""
    if len(part.columns) != 1 or part.has_subquery:
        return None
    column = part.columns[0]
    text = _NEGATION.sub("", part.piece.text).rstrip(") ")
    return _profile(context, column) if text == column.piece.text else None


def _as_truth(context: Context, part: Conjunct, profile: ColumnProfile) -> Iterator[Finding]:
    held = {value for value, _ in profile.frequent}
    if not profile.distinct or held <= {0, 1}:
        return
    clause = context.span(part.clause, part.piece.start, part.piece.end)
    message = f"{profile.table}.{profile.column} stands alone as a condition and holds no booleans"
    yield Finding(
        clause=clause,
        score=NOT_BOOLEAN,
        message=message,
        evidence=_stored(profile),
        suggestion="compare the column with the value that is meant",
        level=Level.ERROR,
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
        score=NEVER_COMPARABLE,
        message=message,
        evidence=_stored(profile),
        suggestion="compare the column that holds such values",
        level=Level.ERROR,
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
    numeric = comparison.clause.text.replace(
        column.piece.text, f"CAST({column.piece.text} AS REAL)", 1
    )
    for constant in comparison.literals:
        if isinstance(constant.value, str):
            if not reads_as_number(constant.value):
                return
            numeric = numeric.replace(constant.piece.text, constant.value.strip(), 1)
    if column.source is None:
        return
    probe = context.row_probe(column.source, f"({comparison.clause.text}) IS NOT ({numeric})")
    try:
        if not context.keeps_a_row(probe):
            return  # such as years: texts of one length are in the order of their numbers
    except QueryFailed:
        return
    name = _name(column)
    yield Finding(
        clause=comparison.clause,
        score=ORDERED_AS_TEXT,
        message=f"{name} holds numbers as text, and {comparison.clause.text} orders them as text",
        evidence={"sql": probe, **_stored(profile)},
        suggestion=f"compare CAST({column.piece.text} AS REAL)",
        level=Level.ERROR,
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
        score=NEVER_COMPARABLE,
        message=f"{numbers.table}.{numbers.column} holds numbers, {words.table}.{words.column} "
        "words",
        evidence=_stored(left, right),
        suggestion="compare columns that hold the same thing",
        level=Level.ERROR,
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
        score=STORED_BLANKS if meets_blanks(context) else SCALAR_IS_NULL,
        message=f"compares with a sub-query that returns {what}",
        evidence={"sql": probe, "rows": len(rows)},
        suggestion="check the conditions of the sub-query",
        level=Level.ERROR,
    )
