"""The schema as text for a prompt: what a model must know of the database, within a limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausewise.databases.model import Column, ForeignKey, Schema, Table, kept_by_schema
from clausewise.errors import DatabaseError
from clausewise.preparation.examples import (
    Place,
    column_examples,
    find_question_values,
    shortened_line,
)
from clausewise.preparation.relatedness import column_relatedness, words_of
from clausewise.text import quote_name

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.sql.model import Query

SCHEMA_TOKENS = 3_000
"""Default limit of the text in tokens."""
EXAMPLES = 3
"""Values shown of a column."""
EXAMPLES_OF_USED = 5
"""Values shown of a column that the query uses."""
LONGEST_DESCRIPTION = 200
"""Characters of one description that are shown."""

_CHARACTERS_A_TOKEN = 4
_PLAIN_NAME = re.compile(r"[^\W\d]\w*", re.ASCII)
_SAID_VALUE = 1.0
"""Added to a column's relatedness where the question says one of its values."""
_USED_TABLE = 1.0
"""Added to it where the query reads its table."""
KEYS = "FOREIGN KEYS"
LEFT_OUT = "  (less related columns left out: {})"


@dataclass(frozen=True, slots=True)
class _Line:
    """One column's line, and whether it may be dropped."""

    table: str
    text: str
    relatedness: float
    kept: bool


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: one for four characters, rounded up.

    >>> estimate_tokens("SELECT 1")
    2
    """
    return -(-len(text) // _CHARACTERS_A_TOKEN)


def describe_schema(
    database: DatabaseProtocol,
    *,
    question: str = "",
    query: Query | None = None,
    tokens: int = SCHEMA_TOKENS,
    send_values: bool = True,
    documentation: Mapping[Place, str] | None = None,
) -> str:
    """Return tables, columns, types, keys, descriptions and a few values as text.

    Parameters
    ----------
    database
        The database; its profile and value index are read where values are shown.
    question
        Question and evidence: the words that decide which columns stay and which values are
        shown. Empty where the text must not depend on them.
    query
        The columns that it uses are never dropped.
    tokens
        Limit of the text in tokens, as `estimate_tokens` counts them. The least related columns
        are dropped first, and their number is given; keys and columns that the query uses stay
        even where they alone exceed the limit.
    send_values
        False leaves out everything that was read from rows: example values, and the descriptions
        of values that come with BIRD's databases, since they list stored values.
    documentation
        (table, column), casefolded, to a description that goes in place of the annotated one.
    """
    schema = database.schema
    said = find_question_values(database, question) if send_values else {}
    used = _used_columns(schema, query)
    view = _View(
        database, said, used, key_columns(schema), words_of(question), send_values,
        documentation or {},
    )  # fmt: skip
    lines = [view.line(table, column) for table in schema.tables for column in table.columns]
    keys = [KEYS, *map(write_key, schema.foreign_keys)] if schema.foreign_keys else []
    fixed = [table_heading(table) for table in schema.tables] + keys
    return _assemble(schema, _within(lines, fixed, tokens), keys)


def _used_columns(schema: Schema, query: Query | None) -> frozenset[Place]:
    """Return the columns that a query reads; `*` reads all of its tables' columns."""
    used: set[Place] = set()
    for select in () if query is None else query.selects:
        for use in select.columns:
            if use.table is not None and use.column is not None:
                used.add((use.table.casefold(), use.column.casefold()))
        starred = {
            source.table
            for projection in select.projections
            if projection.star
            for source in select.sources
            if projection.star_source in (None, source)
        }
        for name in starred - {None}:
            table = schema.table(name or "")
            columns = () if table is None else table.columns
            used.update(((name or "").casefold(), column.name.casefold()) for column in columns)
    return frozenset(used)


@kept_by_schema
def key_columns(schema: Schema) -> frozenset[Place]:
    """Return the columns of primary and foreign keys, on both of their ends."""
    primary = {
        (table.name.casefold(), name.casefold())
        for table in schema.tables
        for name in table.primary_key
    }
    foreign = {
        (owner.casefold(), name.casefold())
        for key in schema.foreign_keys
        for owner, names in ((key.table, key.columns), (key.referred_table, key.referred_columns))
        for name in names
    }
    return frozenset(primary | foreign)


@dataclass(frozen=True, slots=True)
class _View:
    """What the lines of one text depend on."""

    database: DatabaseProtocol
    said: Mapping[Place, tuple[str, ...]]
    used: frozenset[Place]
    keys: frozenset[Place]
    words: tuple[str, ...]
    send_values: bool
    documentation: Mapping[Place, str]

    def line(self, table: Table, column: Column) -> _Line:
        """Return the line of one column."""
        place = (table.name.casefold(), column.name.casefold())
        text = describe_column(
            table, column, self.documentation.get(place), self._examples(place), self.send_values
        )
        return _Line(
            table.name,
            text,
            self._relatedness(table, column, place),
            place in self.used or place in self.keys,
        )

    def _examples(self, place: Place) -> str:
        if not self.send_values:
            return ""
        most = EXAMPLES_OF_USED if place in self.used else EXAMPLES
        said = self.said.get(place, ())
        if place in self.keys and not said and _counts(self.database, place):
            # The numbers of a key mean nothing.
            return ""
        values = column_examples(self.database, *place, said, most)
        return "values: " + ", ".join(values) if values else ""

    def _relatedness(self, table: Table, column: Column, place: Place) -> float:
        return (
            column_relatedness(table.name, column, self.words)
            + _SAID_VALUE * (place in self.said)
            + _USED_TABLE * any(place[0] == used_table for used_table, _ in self.used)
        )


def _counts(database: DatabaseProtocol, place: Place) -> bool:
    """Whether a column holds integers only."""
    try:
        return set(database.profile(*place).stored_types) == {"integer"}
    except DatabaseError:
        # A view that cannot be computed has no profile.
        return False


def describe_column(
    table: Table, column: Column, documented: str | None, values: str, send_values: bool
) -> str:
    """Return the line of one column: name, type, key, descriptions, then `values` as given.

    A `documented` description goes in place of the annotated one. Without `send_values`
    descriptions of values are left out.
    """
    facts = [write_name(column.name), " ".join(column.declared_type.split())]
    if column.name.casefold() in map(str.casefold, table.primary_key):
        facts.append("primary key" if len(table.primary_key) == 1 else "in primary key")
    facts += ["not null"] * column.not_null
    text = "  " + " ".join(filter(None, facts))
    note = "; ".join(filter(None, [_described(column, documented, send_values), values]))
    return f"{text} -- {note}" if note else text


def _described(column: Column, documented: str | None, send_values: bool) -> str:
    """Return the descriptions of a column in one line; what only repeats the name is left out."""
    values = column.value_description if send_values else None
    described = (documented,) if documented else (column.label, column.description)
    said = {words_of(column.name)}
    texts = []
    for text in (*described, values):
        line = shortened_line(text or "", LONGEST_DESCRIPTION)
        words = words_of(line)
        if line and words not in said:
            said.add(words)
            texts.append(line)
    return "; ".join(texts)


def write_name(name: str) -> str:
    """Return a name on one line, quoted where SQL would need it.

    >>> write_name("free lunch")
    '"free lunch"'
    """
    return name if _PLAIN_NAME.fullmatch(name) else " ".join(quote_name(name).split())


def table_heading(table: Table) -> str:
    """Return the line above the columns of a table."""
    return f"{'VIEW' if table.is_view else 'TABLE'} {write_name(table.name)}"


def write_key(key: ForeignKey) -> str:
    """Return a foreign key as the equalities that join its tables."""
    pairs = zip(key.columns, key.referred_columns, strict=True)
    parts = [
        f"{write_name(key.table)}.{write_name(own)} = "
        f"{write_name(key.referred_table)}.{write_name(other)}"
        for own, other in pairs
    ]
    return "  " + " AND ".join(parts) + (" (seen in the data only)" if key.inferred else "")


def _within(lines: list[_Line], fixed: Iterable[str], tokens: int) -> list[_Line]:
    """Return the lines that stay, in order; of equally related ones the later goes first."""
    room = tokens * _CHARACTERS_A_TOKEN - sum(len(text) + 1 for text in fixed)
    room -= sum(len(line.text) + 1 for line in lines)
    dropped: set[int] = set()
    shortened: set[str] = set()
    for at in sorted(range(len(lines)), key=lambda at: (lines[at].relatedness, -at)):
        if room >= 0:
            break
        line = lines[at]
        if not line.kept:
            dropped.add(at)
            room += len(line.text) + 1
            room -= 0 if line.table in shortened else len(LEFT_OUT.format(len(lines))) + 1
            shortened.add(line.table)
    return [line for at, line in enumerate(lines) if at not in dropped]


def _assemble(schema: Schema, lines: list[_Line], keys: list[str]) -> str:
    text: list[str] = []
    for table in schema.tables:
        own = [line.text for line in lines if line.table == table.name]
        text += [table_heading(table), *own]
        left_out = len(table.columns) - len(own)
        if left_out:
            text.append(LEFT_OUT.format(left_out))
    return "\n".join(text + keys)
