"""Reads the schema of a server's database through SQLAlchemy's inspector."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clausewise.databases.descriptions import ColumnDescription
from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.databases.server.rules import ServerRules
from clausewise.text import quote_text

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

logger = logging.getLogger(__name__)

_NO_DESCRIPTION = ColumnDescription(None, None, None)
_UNKNOWN_TYPE = "NULL"


def read_schema(
    connection: Connection,
    rules: ServerRules,
    descriptions: Mapping[tuple[str, str], ColumnDescription],
) -> Schema:
    """Return tables, then views, each by name, of all schemas that need no name before a table's.

    Comments on columns are their descriptions where no description files are given. Foreign keys
    to tables of other schemas are dropped. What the role may not read, and a table whose name is
    taken by another (of an earlier schema, or in other case), is left out, with the reason and a
    warning. Raises SQLAlchemy's errors.
    """
    found: dict[str, _FoundTable] = {}
    left_out: dict[str, str] = {}
    hidden = rules.hidden(connection)
    for place in rules.schemas(connection):
        for item in _found_in(connection, place):
            if item.name in hidden:
                left_out[item.name] = hidden[item.name]
            elif found.setdefault(item.name.casefold(), item) is not item:
                left_out[item.name] = "its name stands for another table"
    for name, reason in left_out.items():
        logger.warning("left out '%s': %s", name, reason)
    ordered = sorted(found.values(), key=lambda item: (item.is_view, item.name))
    tables = tuple(_table(item, descriptions, connection, rules) for item in ordered)
    known = Schema(tables)
    keys = (_key(known, item, key, rules) for item in ordered for key in item.foreign_keys)
    return Schema(tables, tuple(key for key in keys if key is not None), left_out)


@dataclass(frozen=True, slots=True)
class _FoundTable:
    """One table or view as SQLAlchemy reads it."""

    name: str
    schema: str | None
    is_view: bool
    columns: Iterable[Any]
    primary_key: tuple[str, ...]
    unique: Iterable[Any]
    foreign_keys: Iterable[Any]


def _found_in(connection: Connection, schema: str | None) -> Iterator[_FoundTable]:
    from sqlalchemy import inspect
    from sqlalchemy.engine.reflection import ObjectKind
    from sqlalchemy.exc import SAWarning

    with warnings.catch_warnings():
        # A column of a type that SQLAlchemy does not know is read as a column all the same.
        warnings.simplefilter("ignore", SAWarning)
        inspector = inspect(connection)
        columns = inspector.get_multi_columns(schema=schema, kind=ObjectKind.ANY)
        keys = inspector.get_multi_pk_constraint(schema=schema)
        unique = inspector.get_multi_unique_constraints(schema=schema)
        foreign = inspector.get_multi_foreign_keys(schema=schema)
    for place in sorted(columns, key=lambda key: key[1]):
        yield _FoundTable(
            name=place[1],
            schema=schema,
            # Constraints are asked of tables alone.
            is_view=place not in keys,
            columns=columns[place],
            primary_key=tuple(keys[place]["constrained_columns"]) if place in keys else (),
            unique=unique.get(place) or (),
            foreign_keys=foreign.get(place) or (),
        )


def _table(
    item: _FoundTable,
    descriptions: Mapping[tuple[str, str], ColumnDescription],
    connection: Connection,
    rules: ServerRules,
) -> Table:
    in_key = _names(item.primary_key, rules)
    columns = []
    for column in item.columns:
        name = rules.reflected_name(column["name"])
        described = descriptions.get((item.name.casefold(), name.casefold()), _NO_DESCRIPTION)
        columns.append(
            Column(
                name=name,
                declared_type=_declared_type(column["type"], connection),
                not_null=not column.get("nullable", True),
                primary_key=in_key.index(name) + 1 if name in in_key else 0,
                label=described.label,
                description=described.description or column.get("comment") or None,
                value_description=described.value_description,
            )
        )
    sets = sorted(_names(unique["column_names"], rules) for unique in item.unique)
    return Table(item.name, tuple(columns), in_key, tuple(sets), is_view=item.is_view)


def _declared_type(kind: Any, connection: Connection) -> str:
    """Return a type as the server's own SQL has it, empty where SQLAlchemy does not know it.

    An enumeration's values are written out, as MySQL has them.
    """
    from sqlalchemy import Enum
    from sqlalchemy.exc import CompileError

    if isinstance(kind, Enum):
        return f"ENUM({', '.join(map(quote_text, kind.enums))})"
    try:
        text = str(kind.compile(connection.dialect))
    except (CompileError, NotImplementedError):
        # SQLAlchemy raises either for a type that has no words in this dialect.
        return type(kind).__name__.upper()
    return "" if text == _UNKNOWN_TYPE else text


def _names(names: Iterable[Any], rules: ServerRules) -> tuple[str, ...]:
    return tuple(rules.reflected_name(str(name)) for name in names)


def _key(schema: Schema, item: _FoundTable, key: Any, rules: ServerRules) -> ForeignKey | None:
    referred = schema.table(key["referred_table"])
    if key.get("referred_schema") != item.schema or referred is None:
        return None
    return ForeignKey(
        item.name,
        _names(key["constrained_columns"], rules),
        referred.name,
        _names(key["referred_columns"], rules),
    )
