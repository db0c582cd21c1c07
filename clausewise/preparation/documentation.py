"""Documentation of a database: what every column means, written once by a model (RED-SQL, 3.2)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from clausewise.databases.model import Column, Table
from clausewise.errors import DatabaseError, LLMReplyError
from clausewise.llm.reply_fields import ParsedReply
from clausewise.preparation.examples import Place, shortened_line, write_value
from clausewise.preparation.schema_text import describe_schema, write_name
from clausewise.sql.probe_dialects import probe_dialect

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.llm import CaseLLM

PROMPT = "document_columns"
LONGEST = 160
"""Characters asked for; RED-SQL bounds the length, since every later prompt carries it."""
COLUMNS_A_CALL = 30

_FREQUENT = 6
_TOLERANCE = 2
"""A description of more than so many times the length asked for is left out."""


class ColumnNote(ParsedReply):
    """What the model says of one column."""

    name: str
    description: str


class TableNotes(ParsedReply):
    """What the model says of the columns of one call."""

    columns: list[ColumnNote]


class _Memory:
    """Documentation by the content of the database and what shapes the answers."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.locks: dict[object, threading.Lock] = {}
        self.made: dict[object, Mapping[Place, str] | str] = {}
        """The documentation, or why the model's answers cannot be used."""

    def lock_of(self, key: object) -> threading.Lock:
        """Return the lock that lets only one thread document a database."""
        with self.lock:
            return self.locks.setdefault(key, threading.Lock())


_MEMORY = _Memory()


def document_database(database: DatabaseProtocol, llm: CaseLLM) -> Mapping[Place, str]:
    """Return (table, column), casefolded, to the model's description of the column.

    Made from metadata, profile and the annotations that came with the database, one call for
    each `COLUMNS_A_CALL` columns of a table, once for each content of the database in a process;
    in another process the answers come from the cache of the language model. Without values
    (`LLMSettings.send_values`) metadata and annotations alone are sent. The calls count for the
    run and for no case, since the first case would pay for all others. Descriptions of unknown
    columns, and overlong ones, are left out.

    Raises the errors of `CaseLLM.ask`; an answer that cannot be used is not asked for again.
    """
    settings = llm.settings
    key = (database.content_key, settings.model, settings.endpoint, settings.send_values)
    with _MEMORY.lock_of(key):
        made = _MEMORY.made.get(key)
        if made is None:
            try:
                made = _document(database, llm.beside_cases(f"documentation of {database.name}"))
            except LLMReplyError as error:
                made = f"documentation of {database.name}: {error}"
            _MEMORY.made[key] = made
    if isinstance(made, str):
        raise LLMReplyError(made)
    return made


def _document(database: DatabaseProtocol, llm: CaseLLM) -> Mapping[Place, str]:
    schema = describe_schema(
        database, tokens=llm.settings.schema_tokens, send_values=llm.settings.send_values
    )
    found: dict[Place, str] = {}
    for table in database.schema.tables:
        for start in range(0, len(table.columns), COLUMNS_A_CALL):
            columns = table.columns[start : start + COLUMNS_A_CALL]
            material = column_material(database, table, columns, llm.settings.send_values)
            variables = {
                "dialect": probe_dialect(database.dialect).title,
                "schema": schema,
                "columns": material,
                "longest": LONGEST,
            }
            for note in llm.ask(PROMPT, TableNotes, variables).columns:
                column = table.column(note.name.strip().strip('"`[]'))
                text = " ".join(note.description.split())
                if column is not None and 0 < len(text) <= _TOLERANCE * LONGEST:
                    found.setdefault((table.name.casefold(), column.name.casefold()), text)
    return found


def column_material(
    database: DatabaseProtocol, table: Table, columns: Sequence[Column], send_values: bool
) -> str:
    """Return what is known of some columns of a table, for the prompt that documents them."""
    lines = [f"TABLE {write_name(table.name)}"]
    for column in columns:
        lines.append(f"- {column.name}: {' '.join(column.declared_type.split()) or 'no type'}")
        notes = [column.label, column.description]
        notes += [column.value_description] if send_values else []
        lines += [f"  note: {shortened_line(note, 400)}" for note in notes if note]
        if send_values:
            lines += _profile_lines(database, table, column)
    return "\n".join(lines)


def _profile_lines(database: DatabaseProtocol, table: Table, column: Column) -> list[str]:
    try:
        profile = database.profile(table.name, column.name)
    except DatabaseError:
        # A view that cannot be computed has no profile.
        return []
    stored = ", ".join(f"{kind} {count}" for kind, count in profile.stored_types.items())
    lines = [
        f"  rows {profile.rows}, NULL {profile.nulls}, distinct {profile.distinct}, "
        f"stored as {stored or 'nothing'}"
    ]
    if profile.minimum is not None and profile.maximum is not None:
        lines.append(f"  from {write_value(profile.minimum)} to {write_value(profile.maximum)}")
    frequent = ", ".join(
        f"{write_value(value)} ({count} times)" for value, count in profile.frequent[:_FREQUENT]
    )
    return lines + ([f"  most frequent: {frequent}"] if frequent else [])
