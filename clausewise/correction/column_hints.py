"""Which tables have the column that a database's message is about (DART-SQL, section 3.3)."""

from __future__ import annotations

import re

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from clausewise.databases.model import Schema
from clausewise.preparation.schema_text import write_name
from clausewise.sql.model import Query

_NEAR = 0.8
"""Jaro-Winkler similarity in [0, 1] from which a name is offered for another."""
_MOST_NEAR = 3


def column_hint(query: Query | None, error: str, schema: Schema) -> str:
    """Return the tables that have the columns which a message names, empty where it names none.

    A column counts where the query mentions it and the message, which speaks of a column, holds
    its name: so it makes no difference which database wrote the message. For a column that no
    table has, the names most like it are given. Nothing of it comes from rows.
    """
    if query is None or "column" not in error.casefold():
        return ""
    mentioned = {
        use.name.casefold(): use.name for select in query.selects for use in select.columns
    }
    mentioned |= {one.name.casefold(): one.name for one in query.unknown_names}
    lines = [
        _line(name, schema)
        for folded, name in mentioned.items()
        if re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", error.casefold())
    ]
    return "\n".join(lines)


def _line(name: str, schema: Schema) -> str:
    tables = [table.name for table in schema.tables if table.column(name) is not None]
    if tables:
        return f"{write_name(name)} is a column of: {', '.join(map(write_name, tables))}"
    names = {
        f"{write_name(table.name)}.{write_name(column.name)}": column.name.casefold()
        for table in schema.tables
        for column in table.columns
    }
    near = process.extract(
        name.casefold(),
        names,
        scorer=JaroWinkler.similarity,
        score_cutoff=_NEAR,
        limit=_MOST_NEAR,
    )
    like = f"; names like it: {', '.join(place for _, _, place in near)}" if near else ""
    return f"no table has a column {write_name(name)}{like}"
