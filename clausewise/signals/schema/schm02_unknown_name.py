"""SCHM02: a table or column that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from clausewise.errors import NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import at_most
from clausewise.sql.model import Literal, Select, UnknownName
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

SIMILAR = 0.75
"""Jaro-Winkler similarity in [0, 1] from which a name is offered."""
MOST_OFFERED = 3


@signal(
    code="SCHM02",
    name="unknown_name",
    group=Group.DATABASE,
    family="schema",
    clauses=set(Clause),
    needs={Need.DATABASE},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "not_in_schema": "No table, alias or column has that name.",
        "read_as_text": "No column has the double-quoted name: SQLite reads it as a text.",
    },
)
def unknown_name(case: Case, context: Context) -> Iterator[Finding]:
    """A table or column does not exist; the nearest names are offered.

    What it measures
    ----------------
    Every name in the query against the schema, the aliases and the CTEs. A double-quoted name
    outside comparisons that no column has is unknown, too: SQLite reads it as a text.

    Why it points to an error
    -------------------------
    The query does not run, or gives the same text in every row.

    Fires on
    --------
    SELECT surnme FROM drivers

    Stays silent on
    ---------------
    SELECT surname FROM drivers

    Does not apply when
    -------------------
    The query names no table and no column.

    How to repair
    -------------
    Take the name offered; where another table has the column, join that table or take the column
    from it.

    Cost
    ----
    Nothing is run; it also looks at queries that the database refuses.

    References
    ----------
    DART-SQL (column name errors).
    """
    query = context.query
    if not query.unknown_names and not any(s.sources or s.columns for s in query.selects):
        raise NotApplicable("the query names no table and no column")
    for name in at_most(query.unknown_names):
        message = f"there is no {name.written} in the schema"
        yield _finding(context, name, "not_in_schema", message)
    read_as_text = (literal for select in query.selects for literal in _names_as_text(select))
    for literal in at_most(read_as_text):
        place = context.span(literal.clause, literal.piece.start, literal.piece.end)
        message = f"there is no column {literal.piece.text}, so SQLite reads it as a text"
        name = UnknownName(str(literal.value), None, place)
        yield _finding(context, name, "read_as_text", message)


def _names_as_text(select: Select) -> Iterator[Literal]:
    """Yield double-quoted words that stand where only a column makes sense."""
    places = {projection.expression for projection in select.projections}
    places.update(item.expression for item in select.order_by)
    places.update(select.group_by)
    for literal in select.literals:
        if literal.is_double_quoted and literal.piece in places:
            yield literal


def _finding(context: Context, name: UnknownName, reason: str, message: str) -> Finding:
    exact, near = _offers(context, name)
    offers = exact or near
    return Finding(
        clause=name.place,
        reason=reason,
        message=message,
        evidence={"name": name.written, "same_name_in": exact, "nearest": near},
        suggestion=f"use {' or '.join(offers[:MOST_OFFERED])}" if offers else None,
    )


def _offers(context: Context, name: UnknownName) -> tuple[list[str], list[str]]:
    """Return `table.column` of that very name, and the names most like it."""
    sources = [source for select in context.query.selects for source in select.sources]
    used = {source.table for source in sources}
    tables = sorted(context.schema.tables, key=lambda table: table.name not in used)
    if any(source.piece.start == name.place.start for source in sources):
        names = [table.name for table in tables]
        labels = names
    else:
        names = [column.name for table in tables for column in table.columns]
        labels = [f"{table.name}.{column.name}" for table in tables for column in table.columns]
    folded = name.name.casefold()
    exact = [label for label, own in zip(labels, names, strict=True) if own.casefold() == folded]
    found = process.extract(
        folded,
        [own.casefold() for own in names],
        scorer=JaroWinkler.similarity,
        score_cutoff=SIMILAR,
        limit=MOST_OFFERED,
    )
    return exact[:MOST_OFFERED], [labels[position] for _, _, position in found]
