"""What changed between two queries, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clausewise.corrected_case import ClauseChange
from clausewise.errors import ParseError
from clausewise.sql import differing_clauses, parse
from clausewise.sql.model import Query, Select
from clausewise.sql.unwrapping import bare_statement
from clausewise.types import Clause

_OF_THE_WHOLE = (Clause.SET_OPERATION, Clause.WITH)
"""Kinds that tie SELECTs together; their text is that of the query."""


def clause_changes(
    before: str, after: str, tables: Mapping[str, Sequence[str]], dialect: str = "sqlite"
) -> tuple[ClauseChange, ...]:
    """Return the clauses in which two queries differ in meaning or order, with both texts.

    Compared as by `differing_clauses`: case, spacing, quoting and aliases do not count. `tables`
    maps table names to column names; `dialect` is that of both, by sqlglot's name. A query that
    cannot be parsed differs as a whole.
    """
    before, after = bare_statement(before).strip(), bare_statement(after).strip()
    if before == after:
        return ()
    try:
        own, other = parse(before, dialect, tables), parse(after, dialect, tables)
    except ParseError:
        return (ClauseChange(Clause.QUERY, before, after),)
    if not own.selects or not other.selects:
        return (ClauseChange(Clause.QUERY, before, after),)
    of_other = differing_clauses(other, own)
    return tuple(
        ClauseChange(kind, _text(own, select, kind), _text(other, of_other[kind], kind))
        for kind, select in differing_clauses(own, other).items()
    )


def _text(query: Query, select: Select, kind: Clause) -> str | None:
    """Return the text of all clauses of a kind in a SELECT, None where it has none."""
    clauses = query.clauses if kind in _OF_THE_WHOLE else select.clauses
    found = [clause for clause in clauses if clause.kind is kind]
    if not found:
        return None
    if kind in _OF_THE_WHOLE:
        return query.text.strip()
    return " ".join(clause.text for clause in found)
