"""From the findings of a report to repaired queries, without judging them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausewise.correction.rules.base import REPAIRS, RepairContext, RepairSpec
from clausewise.errors import ParseError, QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge
from clausewise.sql import parse, same_statement
from clausewise.sql.edits import TextEdit, edited
from clausewise.sql.unwrapping import bare_sql
from clausewise.types import Case, Finding, ScoredCase

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol

MOST_FINDINGS = 200
"""Findings of one report that are looked at."""


@dataclass(frozen=True, slots=True)
class SuggestedRepair:
    """A repaired query, and the finding that the repair settles.

    `sql` is the whole query with the edits of this repair alone; it parses, and the database can
    run it. `edits` are offsets into the text of the SQL as it was judged, `predicted_sql` where
    nothing surrounds it. `risky` repairs may change what a right query means.
    """

    repair: str
    risky: bool
    finding: Finding
    sql: str
    edits: tuple[TextEdit, ...]

    @property
    def message(self) -> str:
        """One sentence for a person: what is repaired, and why."""
        what = REPAIRS[self.repair].description.rstrip(".")
        return f"{what} ({self.finding.signal}: {self.finding.message})"


def suggest(
    scored: ScoredCase,
    case: Case,
    database: DatabaseProtocol,
    *,
    risky: bool = False,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
) -> tuple[SuggestedRepair, ...]:
    """Return the repairs that the findings of a scored query determine, one query each.

    Nothing is judged: whether the findings are gone is for the caller to see. Text that is no
    query has no repairs, nor has a finding whose clause does not stand where it says.

    Parameters
    ----------
    scored : ScoredCase
        The query, `scored.predicted_sql`, with its findings.
    case : Case
        The case it belongs to.
    database : DatabaseProtocol
        Where it runs; repaired queries are prepared by it, and some repairs look values up.
    risky : bool
        Whether repairs that may change the meaning of a right query are wanted, too.
    only, without : sequence of str
        Names of repairs: none but these (risky ones among them), and all but these.

    Raises
    ------
    RegistryError
        For a name that no repair has.
    DatabaseError
        Where the database cannot be read.
    """
    specs = chosen_repairs(risky=risky, only=only, without=without)
    text = scored.predicted_sql or ""
    text = bare_sql(text) or text
    try:
        query = parse(text, database.dialect, database.schema.names())
    except ParseError:
        return ()
    if not query.selects:
        return ()
    context = RepairContext(text, query, case, database)
    found: dict[str, SuggestedRepair] = {}
    for finding in scored.findings[:MOST_FINDINGS]:
        for spec in specs:
            made = _suggestion(spec, finding, context) if spec.is_for(finding) else None
            if made is not None:
                found.setdefault(same_statement(made.sql), made)
                break
    return tuple(found.values())


def chosen_repairs(
    *, risky: bool, only: Sequence[str] = (), without: Sequence[str] = ()
) -> tuple[RepairSpec, ...]:
    """Return the repairs that are wanted, in the table's order; raises RegistryError."""
    for name in (*only, *without):
        REPAIRS[name]  # an unknown name is an error that suggests others
    return tuple(
        spec
        for name, spec in REPAIRS.items()
        if name not in without and (name in only if only else risky or not spec.risky)
    )


def _suggestion(
    spec: RepairSpec, finding: Finding, context: RepairContext
) -> SuggestedRepair | None:
    clause = finding.clause
    if context.text[clause.start : clause.end] != clause.text:
        return None  # a report that was made of another text
    edits = tuple(spec.function(finding, context))
    sql = repaired(context, edits) if edits else None
    return None if sql is None else SuggestedRepair(spec.name, spec.risky, finding, sql, edits)


def repaired(context: RepairContext, edits: Sequence[TextEdit]) -> str | None:
    """Return the query with edits made, None where that is no other query that can be run."""
    try:
        sql = edited(context.text, edits).strip()
        query = parse(sql, context.database.dialect, context.schema.names())
        if not query.selects or same_statement(sql) == same_statement(context.text):
            return None
        context.database.compile(sql)
    except (ValueError, ParseError, QueryFailed, QueryDenied, QueryTimeout, QueryTooLarge):
        return None
    return sql
