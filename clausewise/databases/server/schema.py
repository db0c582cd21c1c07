"""Reads the schema of a server's database through SQLAlchemy's inspector."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from clausewise.databases.descriptions import ColumnDescription
from clausewise.databases.model import Column, ForeignKey, Schema, Table

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

logger = logging.getLogger(__name__)

_NO_DESCRIPTION = ColumnDescription(None, None, None)
_UNKNOWN_TYPE = "NULL"


def read_schema(
    connection: Connection, descriptions: Mapping[tuple[str, str], ColumnDescription]
) -> Schema:
    """Return tables, then views, each by name, of the schema that the connection reads first.

    Comments on columns are their descriptions where no description files are given. Foreign keys
    to tables of other schemas are dropped. Raises SQLAlchemy's errors.
    """
    from sqlalchemy import inspect
    from sqlalchemy.engine.reflection import ObjectKind
    from sqlalchemy.exc import SAWarning

    with warnings.catch_warnings():
        # A column of a type that SQLAlchemy does not know is read as a column all the same.
        warnings.simplefilter("ignore", SAWarning)
        inspector = inspect(connection)
        columns = inspector.get_multi_columns(kind=ObjectKind.ANY)
        keys = inspector.get_multi_pk_constraint()
        unique = inspector.get_multi_unique_constraints()
        foreign = inspector.get_multi_foreign_keys()
        views = {*inspector.get_view_names()}
        if "postgresql" in connection.dialect.name:
            views |= {*inspector.get_materialized_view_names()}
    names = sorted({name for _, name in columns}, key=lambda name: (name in views, name))
    place: dict[str, Any] = {name: key for key in columns for _, name in [key]}
    tables = tuple(
        _table(
            name,
            columns[place[name]],
            keys[place[name]]["constrained_columns"] if place[name] in keys else (),
            [item["column_names"] for item in unique.get(place[name]) or ()],
            descriptions,
            connection,
            is_view=name in views,
        )
        for name in names
    )
    known = Schema(tables)
    found = (_key(known, name, item) for name in names for item in foreign.get(place[name]) or ())
    return Schema(tables, tuple(key for key in found if key is not None))


def _table(
    name: str,
    columns: Iterable[Any],
    primary_key: Iterable[str],
    unique: Iterable[Iterable[Any]],
    descriptions: Mapping[tuple[str, str], ColumnDescription],
    connection: Connection,
    *,
    is_view: bool,
) -> Table:
    in_key = tuple(primary_key)
    made = []
    for column in columns:
        described = descriptions.get((name.casefold(), column["name"].casefold()), _NO_DESCRIPTION)
        made.append(
            Column(
                name=column["name"],
                declared_type=_declared_type(column["type"], connection),
                not_null=not column.get("nullable", True),
                primary_key=in_key.index(column["name"]) + 1 if column["name"] in in_key else 0,
                label=described.label,
                description=described.description or column.get("comment") or None,
                value_description=described.value_description,
            )
        )
    sets = tuple(
        sorted(tuple(str(part) for part in names) for names in unique if None not in names)
    )
    return Table(name, tuple(made), in_key, sets, is_view=is_view)


def _declared_type(kind: Any, connection: Connection) -> str:
    """Return a type as the server's own SQL has it, empty where SQLAlchemy does not know it."""
    from sqlalchemy.exc import CompileError

    try:
        text = str(kind.compile(connection.dialect))
    except (CompileError, NotImplementedError):
        return type(kind).__name__.upper()
    return "" if text == _UNKNOWN_TYPE else text


def _key(schema: Schema, name: str, item: Any) -> ForeignKey | None:
    referred = schema.table(item["referred_table"])
    if item.get("referred_schema") is not None or referred is None:
        return None
    return ForeignKey(
        name, tuple(item["constrained_columns"]), referred.name, tuple(item["referred_columns"])
    )
