"""Repairs of joins that bring in tables of which nothing is used."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit, edited, leaving_out_sources
from clausewise.types import Finding


@repair(
    name="needless_join",
    description="Leaves out a join where declared keys prove that no row changes.",
    settles={"suboptimal_join_tree": ("named_in_question", "looked_up_by_key", "changes_rows")},
)
def needless_join(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Leave out tables whose columns are not used, where the query without them is proved equal.

    A proof may rest on declared foreign keys, which SQLite does not enforce: the results on the
    database must be the same, too.
    """
    from clausewise.equivalence.proof import prove

    edits = _without_tables(finding, context)
    if not edits:
        return ()
    shorter = edited(context.text, edits)
    if prove(context.text, shorter, context.schema) is None:
        return ()
    other = context.run(shorter)
    if context.result is None or other is None:
        return ()
    same = sorted(map(repr, context.result.rows)) == sorted(map(repr, other.rows))
    return edits if same else ()


def _without_tables(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    enough = finding.evidence.get("tables_enough")
    select = context.select_around(finding.clause.start, finding.clause.end)
    if select is None or not isinstance(enough, list) or not enough:
        return ()
    needless = [source for source in select.sources if source.table not in enough]
    if not needless or any(source.table is None for source in needless):
        return ()
    if {source.table for source in select.sources} - {source.table for source in needless} != set(
        enough
    ):
        return ()
    return leaving_out_sources(context.query, select, needless)
