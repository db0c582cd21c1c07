"""JOIN06: two sources of one SELECT have no condition between them."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import gives_one_row
from clausewise.signals.units import for_each, selects, skip_unless
from clausewise.sql.model import Select, Source
from clausewise.types import Clause, Cost, Finding, Group, Need


@signal(
    code="JOIN06",
    name="cartesian_product",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.FROM, Clause.JOIN},
    needs={Need.DATABASE},
    cost=Cost.PROFILE,
    version=1,
    reasons={
        "every_pair": "Every row of the one source is paired with every row of the other.",
        "one_row_today": "A source holds one row today, so that nothing is multiplied yet.",
    },
)
@for_each(selects, otherwise="no SELECT reads more than one source")
def cartesian_product(select: Select, context: Context) -> Iterator[Finding]:
    """Two sources are combined without any condition between them.

    What it measures
    ----------------
    The sources of each SELECT and whether ON, USING, NATURAL or WHERE ties them all together,
    directly or over others. A source that gives one row by its form (an aggregate without GROUP
    BY, LIMIT 1) needs no condition.

    Why it points to an error
    -------------------------
    Every row of the one is paired with every row of the other: counts, sums and lists are
    multiplied, or rows that have nothing to do with each other stand side by side.

    Fires on
    --------
    SELECT c.name, o.total FROM customer c, orders o

    Stays silent on
    ---------------
    SELECT c.name, o.total FROM customer c, orders o WHERE o.customer_id = c.id

    Does not apply when
    -------------------
    No SELECT reads more than one source.

    How to repair
    -------------
    Add the condition that ties the two, or leave the source out where nothing of it is used.

    Cost
    ----
    No statement is run, but for the number of rows of the tables found.

    References
    ----------
    None: a classic slip of SQL.
    """
    skip_unless(len(select.sources) >= 2)
    for source in _untied_sources(select):
        yield _finding(context, select, source)


def _untied_sources(select: Select) -> list[Source]:
    """Return the first source, in text order, of each group but the first that nothing ties."""
    if any(column.source is None for part in select.conjuncts for column in part.columns):
        return []  # a column of an unknown source may be the tie
    group = {id(source): number for number, source in enumerate(select.sources)}
    for ends in _ties(select):
        numbers = {group[end] for end in ends if end in group}
        if numbers:
            group = {key: min(numbers) if old in numbers else old for key, old in group.items()}
    several = [s for s in select.sources if s.select is None or not gives_one_row(s.select)]
    found: dict[int, Source] = {}
    for source in several:
        found.setdefault(group[id(source)], source)
    return list(found.values())[1:]


def _ties(select: Select) -> Iterator[set[int]]:
    for part in select.conjuncts:
        if part.has_subquery:
            # the sub-query's own columns may tie what stands outside it
            yield {id(source) for source in select.sources}
        yield {id(column.source) for column in part.columns}
    for pair in select.join_pairs:
        yield {id(pair.left.source), id(pair.right.source)}
    for join in select.joins:
        if join.kind == "natural" and join.pairs == ():
            yield {id(source) for source in select.sources}


def _finding(context: Context, select: Select, source: Source) -> Finding:
    others = [other for other in select.sources if other is not source]
    rows = {
        other.table: context.database.row_count(other.table)
        for other in (source, *others)
        if other.table is not None
    }
    names = ", ".join(other.name or "the sub-query" for other in others)
    from_clause = select.clause(Clause.FROM) or context.query.span
    return Finding(
        clause=source.join.clause if source.join is not None else from_clause,
        reason="one_row_today" if any(count <= 1 for count in rows.values()) else "every_pair",
        message=f"no condition ties {source.name or 'the sub-query'} to {names}",
        evidence={"source": source.piece.text, "rows": rows},
        suggestion="add the join condition, or leave the source out",
    )
