"""Stored values of the columns that a query's conditions compare, the most relevant ones first.

References
----------
GBV-SQL, section 3.5 (SQLChecker): the values that a repair gets to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clausewise.errors import DatabaseError
from clausewise.preparation.examples import (
    Place,
    column_examples,
    find_question_values,
    write_value,
)
from clausewise.preparation.schema_text import write_name
from clausewise.preparation.value_matching import column_texts

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.databases.model import Cell
    from clausewise.sql.model import Query

VALUES = 5
"""Values shown of a column."""
MOST_COLUMNS = 12
"""Columns of which values are shown."""
MOST_CONSTANTS = 12
"""Constants of the query that are looked up in other columns."""
_MOST_PLACES = 3
"""Columns that are named for one constant."""


def condition_values(
    database: DatabaseProtocol, query: Query, text: str, most: int = VALUES
) -> str:
    """Return what is stored in the columns of a query's conditions, one column a line.

    Parameters
    ----------
    database
        Its profiles and value index are read.
    query
        The query, parsed against the database's schema.
    text
        Question and evidence: values that they say come first, then those most like the constants
        that the column is compared with, then the most frequent ones.
    most
        Values of a column, 1 or more.

    Returns
    -------
    str
        Empty where no condition compares a column. Constants that stand in other columns than
        they are compared with come last, with these columns.

    Raises
    ------
    DatabaseError
        Where the database cannot be read.
    """
    compared = _compared(query)
    said = find_question_values(database, text)
    lines = [
        _line(database, place, constants, said.get(place, ()), most)
        for place, constants in list(compared.items())[:MOST_COLUMNS]
    ]
    return "\n".join([*filter(None, lines), *_elsewhere(database, compared)])


def _compared(query: Query) -> dict[Place, list[Cell]]:
    """Return the columns in conditions, in text order, with what each is compared with."""
    found: dict[Place, list[Cell]] = {}
    for select in query.selects:
        for comparison in select.comparisons:
            column = comparison.column
            if column.table is not None and column.column is not None:
                place = (column.table.casefold(), column.column.casefold())
                values = found.setdefault(place, [])
                values += [one.value for one in comparison.literals if one.value is not None]
    return found


def _line(
    database: DatabaseProtocol,
    place: Place,
    constants: Sequence[Cell],
    said: Sequence[str],
    most: int,
) -> str:
    """Return one column with its values, and with its range where it holds numbers."""
    texts = column_texts(database, place)
    wanted = [str(constant) for constant in constants]
    near = [] if texts is None else texts.nearest(wanted, most)
    shown = column_examples(database, *place, [*said, *near], most)
    notes = [", ".join(shown)] if shown else []
    notes += _range(database, place)
    return f"{_name(database, place)}: {'; '.join(notes)}" if notes else ""


def _range(database: DatabaseProtocol, place: Place) -> list[str]:
    try:
        profile = database.profile(*place)
    except DatabaseError:
        # A view that cannot be computed has no profile.
        return []
    facts = []
    if isinstance(profile.minimum, int | float) and isinstance(profile.maximum, int | float):
        facts.append(f"from {write_value(profile.minimum)} to {write_value(profile.maximum)}")
    if profile.nulls:
        facts.append(f"NULL in {profile.nulls} of {profile.rows} rows")
    return facts


def _elsewhere(database: DatabaseProtocol, compared: dict[Place, list[Cell]]) -> list[str]:
    """Return the text constants that stand in other columns than they are compared with."""
    lines = []
    pairs = [(place, value) for place, values in compared.items() for value in values]
    for place, value in pairs[:MOST_CONSTANTS]:
        if not isinstance(value, str):
            continue
        homes = dict.fromkeys((found.table, found.column) for found in database.find_value(value))
        others = [home for home in homes if (home[0].casefold(), home[1].casefold()) != place]
        if others and len(others) == len(homes):
            names = [f"{write_name(table)}.{write_name(column)}" for table, column in others]
            known = ", ".join(names[:_MOST_PLACES])
            lines.append(f"{write_value(value)} is not in {_name(database, place)} but in {known}")
    return list(dict.fromkeys(lines))


def _name(database: DatabaseProtocol, place: Place) -> str:
    """Return a column with its table as the schema spells them."""
    table = database.schema.table(place[0])
    column = None if table is None else table.column(place[1])
    if table is None or column is None:
        return ".".join(map(write_name, place))
    return f"{write_name(table.name)}.{write_name(column.name)}"
