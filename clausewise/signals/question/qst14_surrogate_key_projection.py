"""QST14: a key is shown where a name is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.databases.affinity import affinity
from clausewise.databases.model import Table
from clausewise.errors import NotApplicable
from clausewise.naming.expansion import expanded
from clausewise.question.asked import AskedKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import refers_unsaid
from clausewise.signals.linking.columns import NAME_PARTS, NAME_WORDS
from clausewise.sql.model import ColumnUse
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_KEY_ENDINGS = ("id", "key", "ref")
_KEY_WORDS = (("id",), ("key",), ("identifier",), ("reference",))


@signal(
    code="QST14",
    name="surrogate_key_projection",
    group=Group.QUESTION,
    family="projection",
    clauses={Clause.SELECT},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.PROFILE,
    version=3,
    reasons={
        "key_for_name": "The only thing shown is a key that is called so.",
        "key_beside": (
            "Columns are shown beside the key, or it is called as what it stands for.",
            "moderate",
            "convention",
        ),
    },
)
def surrogate_key_projection(case: Case, context: Context) -> Iterator[Finding]:
    """A key is selected where the question asks who, which or what, and there is a name to show.

    What it measures
    ----------------
    Bare columns of the SELECT list that are a primary or foreign key, and named so or a number,
    while the question says neither id nor code nor number, the evidence does not name the column,
    and the table of the key has a column for a name or title, or one called as the table itself
    (`gender.gender`) that the question asks for, and that is not shown. A foreign key that the
    schema leaves out counts where names and data show it.

    Why it points to an error
    -------------------------
    A number that only the database uses is given for an answer.

    Fires on
    --------
    Which singer is the oldest? SELECT singer_id FROM singer ORDER BY age DESC LIMIT 1

    Stays silent on
    ---------------
    Which singer is the oldest? SELECT name FROM singer ORDER BY age DESC LIMIT 1

    Does not apply when
    -------------------
    No bare key column is selected.

    How to repair
    -------------
    Select the name or title from the table that the key identifies.

    Cost
    ----
    One statement for a number whose name points at another table's key.

    References
    ----------
    None.
    """
    reading = read_question(case)
    keys = []
    for item in context.query.root.projections:
        table = None if item.column is None else _keyed_table(item.column, context)
        if item.column is not None and table is not None:
            keys.append((item.column, table))
    if not keys:
        raise NotApplicable("no bare key column is selected")
    if _asks_for_keys(reading):
        return
    shown = {
        projection.column.column
        for projection in context.query.root.projections
        if projection.column is not None
    }
    for column, table in keys:
        names = _name_columns(table, context, reading)
        if re.search(rf"\b{re.escape(column.column or '')}\b", reading.evidence, re.IGNORECASE):
            continue
        if names and not shown & set(names):
            span = context.span(Clause.SELECT, column.piece.start, column.piece.end)
            alone = len(context.query.root.projections) == 1 and _is_called_key(column, context)
            yield Finding(
                clause=span,
                reason="key_for_name" if alone else "key_beside",
                message=f"a key is shown, and {table.name} has {' and '.join(names[:2])}",
                evidence={"names": names},
                suggestion=f"select {table.name}.{names[0]}",
            )


def _keyed_table(column: ColumnUse, context: Context) -> Table | None:
    """Return the table that a key column identifies a row of, None for other columns."""
    if column.table is None or column.column is None:
        return None
    is_called_key = _is_called_key(column, context)
    if not is_called_key and not _is_number(column.table, column.column, context):
        return None
    for key in context.schema.foreign_keys:
        if key.table == column.table and key.columns == (column.column,):
            return context.schema.table(key.referred_table)
    table = context.schema.table(column.table)
    if table is not None and table.primary_key == (column.column,):
        return table if is_called_key else None
    return _unsaid_table(column.table, column.column, context)


def _is_called_key(column: ColumnUse, context: Context) -> bool:
    """Whether a name ends as keys' names do; a primary key may be a number: `emp_no`."""
    if column.name.casefold().endswith(_KEY_ENDINGS):
        return True
    last = expanded(context.schema).column(column.table, column.name).phrase[-1:]
    table = context.schema.table(column.table or "")
    is_primary = table is not None and table.primary_key == (column.column,)
    return last in _KEY_WORDS or (is_primary and last == ("number",))


def _unsaid_table(table: str, column: str, context: Context) -> Table | None:
    """Return the table that a number refers to although the schema does not say so."""
    if not context.database.has_data or not _is_number(table, column, context):
        return None  # a name alone is too little: only data says to what a number refers
    others = (other for other in context.schema.tables if other.name != table)
    keyed = (other for other in others if len(other.primary_key) == 1)
    return next(
        (
            other
            for other in keyed
            if refers_unsaid(context, (table, column), (other.name, other.primary_key[0]))
        ),
        None,
    )


def _is_number(table: str, column: str, context: Context) -> bool:
    """Whether a column holds whole numbers and nothing else; without data, whether it is to."""
    if not context.database.has_data:
        declared = context.schema.table(table)
        known = None if declared is None else declared.column(column)
        return known is not None and affinity(known.declared_type) == "integer"
    return set(context.database.profile(table, column).stored_types) == {"integer"}


def _asks_for_keys(reading: QuestionReading) -> bool:
    everything = any(item.kind is AskedKind.EVERYTHING for item in reading.asked)
    return everything or bool(reading.words & word_set("asking", "key_words"))


def _name_columns(table: Table, context: Context, reading: QuestionReading) -> list[str]:
    """Return the columns that name a row: by their words, or called as the table and asked for."""
    naming = NAME_WORDS | NAME_PARTS[0] | NAME_PARTS[1]
    read = expanded(context.schema)
    words = {
        column.name: read.column(table.name, column.name).words
        for column in table.columns
        if (column.name,) != table.primary_key
    }
    own = read.table(table.name).words
    return [
        name
        for name, said in words.items()
        if said & naming or (said <= own and said <= reading.words)
    ]
