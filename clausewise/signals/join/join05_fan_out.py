"""JOIN05: a one-to-many join repeats the rows that are counted, summed or listed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import QueryFailed
from clausewise.inflection import singular
from clausewise.naming.expansion import expanded
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import (
    is_look_up,
    key_expression,
    may_repeat,
    relation,
    set_members,
)
from clausewise.signals.units import for_each, required
from clausewise.sql.model import Aggregate, Role, Select, Source
from clausewise.types import Clause, Cost, Finding, Group, Need

_COUNTED = re.compile(
    r"\b(?:how many|number of|count(?: of)?)\s+"
    r"(?:of\s+|our\s+|the\s+|all\s+|different\s+|distinct\s+)*"
    r"([a-z]+)(?:\s+([a-z]+))?",
    re.IGNORECASE,
)
"""The one or two words of a question after `how many` and its like."""


def _units(context: Context) -> Iterator[tuple[Select, Aggregate | None]]:
    """Yield each aggregate of a SELECT with joins, then None for what the SELECT lists."""
    for select in context.query.selects:
        if len(select.sources) >= 2 and select.join_pairs:
            yield from ((select, aggregate) for aggregate in (*select.aggregates, None))


@signal(
    code="JOIN05",
    name="fan_out",
    group=Group.DATABASE,
    family="duplication",
    clauses={Clause.JOIN, Clause.SELECT, Clause.HAVING, Clause.ORDER_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=3,
    reasons={
        "summed": "A sum or an average takes the repeated rows more than once.",
        "key_counted": "The key of the repeated rows is counted.",
        "rows_counted": "The question counts the repeated entities, the query the joined rows.",
        "column_counted": "Another column of the repeated rows is counted.",
        "listed": "The repeated rows are listed.",
        "listed_from_look_up": "Rows are listed of a look-up table, or of one that the question "
        "does not name: one value for each partner may be meant.",
    },
    sets={"sqldriller-patterns"},
)
@for_each(_units, otherwise="no SELECT with joins counts, sums or lists the rows of one table")
def fan_out(unit: tuple[Select, Aggregate | None], context: Context) -> Iterator[Finding]:
    """A one-to-many join repeats the rows that an aggregate counts or sums, or that are listed.

    What it measures
    ----------------
    For SUM, AVG and COUNT without DISTINCT over one source's column (look-up tables of a code and
    its meaning excepted), for COUNT(*) where the question counts one of the sources, and for
    lists of one source's columns: whether a row of that source comes out of the joins more than
    once (within a group, where there are groups).

    Why it points to an error
    -------------------------
    A student with ten pets is counted ten times, and her age weighs ten times in the average.

    Fires on
    --------
    SELECT AVG(s.age) FROM student s JOIN has_pet h ON h.student_id = s.id

    Stays silent on
    ---------------
    SELECT AVG(age) FROM student WHERE id IN (SELECT student_id FROM has_pet)

    Does not apply when
    -------------------
    No SELECT with joined tables counts, sums, averages or lists one table's rows.

    How to repair
    -------------
    Replace the join by IN or EXISTS; count DISTINCT keys.

    Cost
    ----
    None where the joined columns are unique, else one statement over the joined rows.

    References
    ----------
    SQLDriller, section 6.4 (pattern 2).
    """
    select, aggregate = unit
    source = required(
        _listed_source(context, select)
        if aggregate is None
        else _aggregated_source(context, select, aggregate)
    )
    probe = _repeats(context, select, source)
    if probe is None:
        return
    if aggregate is None:
        yield _in_list(context, select, source, probe)
    else:
        yield _in_aggregate(context, source, aggregate, probe)


def _aggregated_source(context: Context, select: Select, aggregate: Aggregate) -> Source | None:
    """Return the source whose rows an aggregate folds, None for look-up tables."""
    if aggregate.distinct or aggregate.function not in ("sum", "avg", "count", "total"):
        return None
    source = None
    if aggregate.star:
        source = _counted_source(context, select)
    elif not aggregate.conditional:  # else joined rows count, whatever the condition reads
        grouped = {id(column.source) for column in select.group_columns}
        sources = {id(column.source): column.source for column in aggregate.columns}
        if len(sources) == 1 and not (aggregate.function == "count" and grouped & set(sources)):
            # counting a column of the group itself is a way to count its rows
            source = next(iter(sources.values()))
    return None if source is None or is_look_up(context, source) else source


def _counted_source(context: Context, select: Select) -> Source | None:
    """Return the one source whose table the question counts by name."""
    found = [
        word
        for match in _COUNTED.finditer(context.case.question)
        for word in match.groups()
        if word
    ]
    spoken = {singular(word.lower()) for word in found}
    named = [s for s in select.sources if s.table and _is_said(context, s.table, spoken)]
    return named[0] if len(named) == 1 else None


def _is_said(context: Context, table: str, spoken: set[str]) -> bool:
    return any(spoken.issuperset(name) for name in expanded(context.schema).table(table).phrases)


def _listed_source(context: Context, select: Select) -> Source | None:
    """Return the source from which a plain list takes all its columns."""
    if select.role in (Role.SUBQUERY, Role.CTE) or select.distinct:
        return None
    if len(set_members(context, select)) > 1:
        return None  # most set operations drop repeats by themselves
    if select.has_aggregate or select.group_by or select.limit is not None:
        return None
    if any(projection.star or not projection.columns for projection in select.projections):
        return None
    columns = [column for projection in select.projections for column in projection.columns]
    sources = {id(column.source): column.source for column in columns}
    return next(iter(sources.values())) if len(sources) == 1 else None


def _repeats(context: Context, select: Select, source: Source) -> str | None:
    """Return the statement that finds a row of `source` more than once, None where none is."""
    table = context.schema.table(source.table or "")
    if table is None or table.is_view or not may_repeat(context, select, source):
        return None
    groups = [column.piece.text for column in select.group_columns]
    if len(groups) != len(select.group_by):
        return None
    keys = ", ".join([*groups, key_expression(context, source, table)])
    probe = relation(context, select, tail=f"GROUP BY {keys} HAVING COUNT(*) > 1 LIMIT 1")
    try:
        return probe if context.keeps_a_row(probe) else None
    except QueryFailed:
        return None


def _in_aggregate(context: Context, source: Source, aggregate: Aggregate, probe: str) -> Finding:
    table = context.schema.table(source.table or "")
    names = {(column.column or "").casefold() for column in aggregate.columns}
    is_key = table is not None and {name.casefold() for name in table.primary_key} == names
    if aggregate.star:
        reason = "rows_counted"
    elif aggregate.function == "count":
        reason = "key_counted" if is_key else "column_counted"
    else:
        reason = "summed"
    return Finding(
        clause=context.span(aggregate.clause, aggregate.piece.start, aggregate.piece.end),
        reason=reason,
        message=f"the joins repeat rows of {source.table}, and {aggregate.piece.text} takes them "
        "more than once",
        evidence={"sql": probe, "table": source.table, "aggregate": aggregate.piece.text},
        suggestion="count DISTINCT keys"
        if aggregate.function == "count"
        else "use IN or EXISTS instead of the join",
    )


def _in_list(context: Context, select: Select, source: Source, probe: str) -> Finding:
    spoken = _is_said(context, source.table or "", {*question_words(context.case.question)})
    named = spoken and not is_look_up(context, source)
    return Finding(
        clause=select.clause(Clause.SELECT) or context.query.span,
        reason="listed" if named else "listed_from_look_up",
        message=f"the joins repeat rows of {source.table}, of which all selected columns are",
        evidence={"sql": probe, "table": source.table},
        suggestion="use IN or EXISTS instead of the join, or DISTINCT",
    )
