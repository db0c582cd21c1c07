"""JOIN01: more tables are joined than the columns of the query need."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases import minimum_join_tree
from clausewise.naming.expansion import expanded
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import is_whole_set, looked_up_by_key
from clausewise.signals.units import for_each, required, selects, skip_unless
from clausewise.sql.model import Select, Source
from clausewise.types import Clause, ClauseSpan, Cost, Finding, Group, Need


@signal(
    code="JOIN01",
    name="suboptimal_join_tree",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.FROM, Clause.JOIN},
    needs={Need.DATABASE},
    cost=Cost.PROFILE,
    version=2,
    reasons={
        "over_other_table": "Fewer tables would do, but over one that the query does not use.",
        "named_in_question": "The question names the needless table: the join may be a filter.",
        "looked_up_by_key": "The needless table is looked up by a key: it can only drop rows.",
        "changes_rows": "The needless table may also multiply rows.",
    },
    sets={"sqlens", "sqlens-reference"},
)
@for_each(selects, otherwise="no SELECT joins tables that the join graph connects")
def suboptimal_join_tree(select: Select, context: Context) -> Iterator[Finding]:
    """The query joins more tables than its columns need.

    What it measures
    ----------------
    The tables of all columns used outside join conditions, and the smallest set of tables that
    connects them on the join graph (a minimum Steiner tree). `*` needs every table; COUNT(*) and
    other counts of rows need every table that is not looked up by a key. In members of a set
    operation the join says what belongs to the member; only what EXCEPT takes away from is judged.

    Why it points to an error
    -------------------------
    A needless inner join drops rows without a partner, multiplies the others, or shows that the
    query took a detour over a table that has nothing to do with the question.

    Fires on
    --------
    SELECT c.name FROM client c JOIN account a ON a.client_id = c.id

    Stays silent on
    ---------------
    SELECT c.name, a.opened FROM client c JOIN account a ON a.client_id = c.id

    Does not apply when
    -------------------
    No SELECT joins two tables of the schema, or the join graph does not connect the tables needed.

    How to repair
    -------------
    Keep only the tables whose columns are selected, filtered, grouped or ordered by, and those
    that connect them. Keep a join that is meant as a filter ("customers who have an order").

    Cost
    ----
    No statement is run; the join graph is built once per database.

    References
    ----------
    SQLens, section 3.1 and appendix A.1 (suboptimal join tree).
    """
    tables = _tables(select)
    skip_unless(len(tables) >= 2 and is_whole_set(context, select))
    needed = _needed_tables(select, context)
    enough = required(_enough_tables(context, tables, needed))
    if len(tables) > len(enough):
        yield _finding(context, select, tables, enough)


def _tables(select: Select) -> frozenset[str]:
    """Return the tables of a SELECT, none where it also reads anything but tables."""
    if any(source.table is None for source in select.sources):
        return frozenset()
    return frozenset(source.table for source in select.sources if source.table is not None)


def _needed_tables(select: Select, context: Context) -> frozenset[str]:
    own = set(map(id, select.sources))
    needed = {
        column.table
        for column in context.columns()
        if column.table is not None and id(column.source) in own and not column.in_join_condition
    }
    for projection in select.projections:
        if projection.star:
            named = [projection.star_source] if projection.star_source else select.sources
            needed |= {source.table for source in named if source.table is not None}
    if _counts_rows(select):
        needed |= {
            source.table
            for source in select.sources
            if source.table is not None and not looked_up_by_key(source, select, context.schema)
        }
    return frozenset(needed)


def _enough_tables(
    context: Context, tables: frozenset[str], needed: frozenset[str]
) -> frozenset[str] | None:
    """Return the fewest tables that connect those needed, the query's own where these do."""
    graph = context.database.join_graph
    if not needed:
        return None
    own = minimum_join_tree(graph, needed, within=tables)
    if own is not None and len(own) < len(tables):
        return own
    return minimum_join_tree(graph, needed)


def _counts_rows(select: Select) -> bool:
    return any(
        not aggregate.distinct and (aggregate.star or aggregate.function in ("count", "sum", "avg"))
        for aggregate in select.aggregates
    )


def _finding(
    context: Context, select: Select, tables: frozenset[str], enough: frozenset[str]
) -> Finding:
    superfluous = [s for s in select.sources if s.table not in enough] or list(select.sources[1:])
    names = ", ".join(dict.fromkeys(str(source.table) for source in superfluous))
    evidence = {"tables_used": sorted(tables), "tables_enough": sorted(enough)}
    place = _clause(context, select, superfluous[-1])
    if not enough <= tables:
        others = ", ".join(sorted(enough - tables))
        return Finding(
            clause=place,
            reason="over_other_table",
            message=f"joins {len(tables)} tables over {names}; the way over {others} is shorter",
            evidence=evidence,
            suggestion=f"check whether {others} is the connection that is meant",
        )
    said = set(question_words(context.case.question))
    read = expanded(context.schema)
    if all(read.table(str(source.table)).words & said for source in superfluous):
        reason = "named_in_question"
    elif all(looked_up_by_key(source, select, context.schema) for source in superfluous):
        reason = "looked_up_by_key"
    else:
        reason = "changes_rows"
    return Finding(
        clause=place,
        reason=reason,
        message=f"joins {len(tables)} tables where {len(enough)} connect all columns used: "
        f"{names} may be needless",
        evidence=evidence,
        suggestion=f"join only {', '.join(sorted(enough))}, unless the join is meant as a filter",
    )


def _clause(context: Context, select: Select, source: Source) -> ClauseSpan:
    if source.join is not None:
        return source.join.clause
    return select.clause(Clause.FROM) or context.query.span
