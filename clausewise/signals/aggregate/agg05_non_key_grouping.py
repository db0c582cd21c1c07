"""AGG05: grouping by a name that several entities share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from clausewise.errors import QueryFailed
from clausewise.signals.aggregate._grouping import GroupCounts, count_groups
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import key_of, naming_share
from clausewise.signals.probes.rows import stands_alone
from clausewise.signals.units import for_each
from clausewise.sql.model import Select, Source
from clausewise.types import Clause, Cost, Finding, Group, Need

NamedSource: TypeAlias = tuple[Select, Source, list[str]]
"""A SELECT, one of its sources, and the columns of it that are grouped by: all of them names."""


def _grouped_names(context: Context) -> Iterator[NamedSource]:
    """Yield each source of which names, and nothing that identifies, are grouped by."""
    for select in context.query.selects:
        if not select.group_columns or not stands_alone(select):
            continue
        for source in select.sources:
            if source.table is None:
                continue
            columns = [use.column for use in select.group_columns if use.source is source]
            named = [column for column in columns if column is not None]
            names_rows = naming_share(context.database, source.table, named) is not None
            if names_rows and len(named) == len(columns):
                yield select, source, named


@signal(
    code="AGG05",
    name="non_key_grouping",
    group=Group.DATABASE,
    family="identity",
    clauses={Clause.GROUP_BY},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "other_result_by_key": "Grouped by the key as well, the query has another result.",
        "same_result_by_key": "Groups are merged, and the result is the same all the same.",
    },
    sets={"sqldriller-patterns"},
)
@for_each(_grouped_names, otherwise="no SELECT groups by a column that names the rows of a table")
def non_key_grouping(unit: NamedSource, context: Context) -> Iterator[Finding]:
    """The query groups by a name, and rows that are different entities share it.

    What it measures
    ----------------
    Whether the grouping columns of one table are names (text, mostly different from row to row,
    no key), whether a group holds rows with several keys of that table, and whether the query's
    result is another one when the key is grouped by as well.

    Why it points to an error
    -------------------------
    "For each teacher" means each teacher, also where two bear one name: grouping by the name adds
    up what belongs to different entities.

    Fires on
    --------
    SELECT t.name, COUNT(*) FROM teacher t JOIN course c ON c.teacher_id = t.id GROUP BY t.name

    Stays silent on
    ---------------
    SELECT t.name, COUNT(*) FROM teacher t JOIN course c ON c.teacher_id = t.id GROUP BY t.id

    Does not apply when
    -------------------
    No SELECT groups by a column that names the rows of a table with a key.

    How to repair
    -------------
    Group by the table's key, and show the name beside it.

    Cost
    ----
    One statement for each such GROUP BY, none where the profile says that no two rows share a
    name; the whole query once more where groups are merged.

    References
    ----------
    SQLDriller, section 7 (pattern 3, improper attribute selection on aggregation).
    """
    select, source, columns = unit
    merged = _merged(context, select, source, columns)
    if merged is None or not merged.passing[0]:
        return
    sql, other = _over_key(context, select, source)
    yield Finding(
        clause=select.clause(Clause.GROUP_BY) or context.query.span,
        reason="other_result_by_key" if other else "same_result_by_key",
        message=f"{merged.passing[0]} of {merged.groups} groups hold several rows of "
        f"{source.table} of one {', '.join(columns)}"
        + ("; grouped by the key too, the result is another" if other else ""),
        evidence={
            "sql": merged.sql,
            "groups": merged.groups,
            "groups_merged": merged.passing[0],
            "sql_over_the_key": sql,
            "other_result": other,
        },
        suggestion=f"group by {', '.join(_key(context, source))}",
    )


def _merged(
    context: Context, select: Select, source: Source, columns: list[str]
) -> GroupCounts | None:
    """Count the groups that hold rows of several keys; None where no two rows share a name."""
    profile = context.database.profile(source.table or "", columns[0])
    if len(columns) == 1 and profile.unique and not profile.sampled:
        return None
    key = context.words.joined(_key(context, source))
    test = f"COUNT(DISTINCT {key}) > 1{_holds_a_name(context, source, columns)}"
    return count_groups(context, select, [test], shown_only=False)


def _key(context: Context, source: Source) -> list[str]:
    table = context.schema.table(source.table or "")
    names = key_of(table) if table is not None else ()
    quoted = context.words.quote_name
    return [f"{quoted(source.alias)}.{quoted(name)}" for name in names]


def _holds_a_name(context: Context, source: Source, columns: list[str]) -> str:
    """Return the SQL test that a group's name is one: no NULL, no blank, no dash in its place."""
    quoted = context.words.quote_name
    names = (f"{quoted(source.alias)}.{quoted(column)}" for column in columns)
    return "".join(f" AND LENGTH(TRIM(MIN({name}))) > 1" for name in names)


def _over_key(context: Context, select: Select, source: Source) -> tuple[str, bool]:
    """Return the query grouped by the key as well, and whether its result is another one."""
    text = context.query.text
    clause = select.clause(Clause.GROUP_BY) or context.query.span
    listed = ", ".join(_key(context, source))
    sql = f"{text[: clause.end]}, {listed}{text[clause.end :]}"
    own = context.result.rows if context.result is not None else ()
    try:
        rows = context.run(sql, rows=len(own) + 1).rows
    except QueryFailed:
        return sql, True
    return sql, Counter(rows) != Counter(own)
