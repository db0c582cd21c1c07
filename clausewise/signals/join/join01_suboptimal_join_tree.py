"""JOIN01: more tables are joined than the columns of the query need."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases import minimum_join_tree
from clausewise.errors import NotApplicable
from clausewise.question.words import name_words, question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import is_whole_set, looked_up_by_key
from clausewise.sql.model import Select, Source
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Level, Need

NAMED = 0.15
"""Score where the question names the table: the join may be meant as a filter."""
CHANGES_NOTHING = 0.3
"""Score where the table is looked up by a key, so that the join can only drop rows."""
CHANGES_ROWS = 0.4
"""Score where the table may also multiply rows."""
OTHER_PATH = 0.15
"""Score where fewer tables would do, but over one that the query does not use."""


@signal(
    code="JOIN01",
    name="suboptimal_join_tree",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.FROM, Clause.JOIN},
    needs={Need.DATABASE},
    cost=Cost.PROFILE,
    version=2,
    sets={"sqlens", "sqlens-reference"},
)
def suboptimal_join_tree(case: Case, context: Context) -> Iterator[Finding]:
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
    looked_at = False
    for select in context.query.selects:
        tables = _tables(select)
        if len(tables) < 2 or not is_whole_set(context, select):
            continue
        needed = _needed_tables(select, context)
        enough = _enough_tables(context, tables, needed)
        if enough is None:
            continue
        looked_at = True
        if len(tables) > len(enough):
            yield _finding(case, context, select, tables, enough)
    if not looked_at:
        raise NotApplicable("no SELECT joins tables that the join graph connects")


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
    case: Case,
    context: Context,
    select: Select,
    tables: frozenset[str],
    enough: frozenset[str],
) -> Finding:
    superfluous = [s for s in select.sources if s.table not in enough] or list(select.sources[1:])
    names = ", ".join(dict.fromkeys(str(source.table) for source in superfluous))
    evidence = {"tables_used": sorted(tables), "tables_enough": sorted(enough)}
    place = _clause(context, select, superfluous[-1])
    if not enough <= tables:
        others = ", ".join(sorted(enough - tables))
        return Finding(
            clause=place,
            score=OTHER_PATH,
            message=f"joins {len(tables)} tables over {names}; the way over {others} is shorter",
            evidence=evidence,
            suggestion=f"check whether {others} is the connection that is meant",
            level=Level.INFO,
        )
    said = set(question_words(case.question))
    if all(set(name_words(str(source.table))) & said for source in superfluous):
        score = NAMED
    elif all(looked_up_by_key(source, select, context.schema) for source in superfluous):
        score = CHANGES_NOTHING
    else:
        score = CHANGES_ROWS
    return Finding(
        clause=place,
        score=score,
        message=f"joins {len(tables)} tables where {len(enough)} connect all columns used: "
        f"{names} may be needless",
        evidence=evidence,
        suggestion=f"join only {', '.join(sorted(enough))}, unless the join is meant as a filter",
        level=Level.INFO if score == NAMED else Level.WARNING,
    )


def _clause(context: Context, select: Select, source: Source) -> ClauseSpan:
    if source.join is not None:
        return source.join.clause
    return select.clause(Clause.FROM) or context.query.span
