"""The file of schemas that clausewise writes: JSON, one record for each database."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.databases.protocol import DatabaseProtocol

FORMAT: Final = "clausewise-schema"
VERSION: Final = 1


class _FileRecord(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_serialization_defaults_required=False
    )


class ColumnRecord(_FileRecord):
    """A column: its name and type as declared, and what is said of it."""

    name: str
    type: str = ""
    not_null: bool = False
    label: Annotated[str | None, Field(description="A readable name.")] = None
    description: str | None = None
    value_description: Annotated[
        str | None, Field(description="What its values mean, in words.")
    ] = None


class TableRecord(_FileRecord):
    """A table or view with its columns in order."""

    name: str
    columns: tuple[ColumnRecord, ...]
    primary_key: Annotated[tuple[str, ...], Field(description="Its columns in order.")] = ()
    unique: Annotated[
        tuple[tuple[str, ...], ...], Field(description="Declared UNIQUE column sets.")
    ] = ()
    is_view: bool = False
    has_collations: Annotated[
        bool, Field(description="Whether equal texts may be different ones.")
    ] = False
    has_key_index: Annotated[
        bool, Field(description="Whether the primary key numbers no rows (SQLite).")
    ] = False


class KeyRecord(_FileRecord):
    """A foreign key between columns of two tables."""

    table: str
    columns: tuple[str, ...]
    referred_table: str
    referred_columns: tuple[str, ...]
    inferred: Annotated[
        bool, Field(description="Found in the data, not declared: weaker evidence.")
    ] = False


class SchemaRecord(_FileRecord):
    """The schema of one database."""

    db_id: str
    dialect: Annotated[str, Field(description="The SQL dialect, by sqlglot's name.")] = "sqlite"
    tables: tuple[TableRecord, ...]
    foreign_keys: tuple[KeyRecord, ...] = ()
    left_out: Annotated[
        dict[str, str], Field(description="What could not be read, to the reason.")
    ] = {}

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        columns = {table.name: {column.name for column in table.columns} for table in self.tables}
        for table in self.tables:
            for names in (table.primary_key, *table.unique):
                _check(columns, table.name, names)
        for key in self.foreign_keys:
            _check(columns, key.table, key.columns)
            _check(columns, key.referred_table, key.referred_columns)
            if not key.columns or len(key.columns) != len(key.referred_columns):
                raise ValueError(f"a key of '{key.table}' has not as many columns as it refers to")
        return self

    @classmethod
    def of(cls, database: DatabaseProtocol) -> Self:
        """Return what a database's schema says, with the keys inferred from its data."""
        schema = database.schema
        return cls(
            db_id=database.name,
            dialect=database.dialect,
            tables=tuple(map(_table_record, schema.tables)),
            foreign_keys=tuple(map(_key_record, schema.foreign_keys)),
            left_out=dict(schema.left_out),
        )

    def to_schema(self) -> Schema:
        """Return the schema; its tables and keys as they stand here."""
        return Schema(
            tuple(map(_table, self.tables)),
            tuple(ForeignKey(**dict(key)) for key in self.foreign_keys),
            dict(self.left_out),
        )


class SchemaDocument(_FileRecord):
    """The schemas of databases, as `clausewise index --schema-out` writes them."""

    format: Literal["clausewise-schema"] = FORMAT
    version: Literal[1] = VERSION
    databases: Annotated[tuple[SchemaRecord, ...], Field(min_length=1)]

    def text(self) -> str:
        """Return the file's text; fields that say nothing are left out."""
        stated = {"format": self.format, "version": self.version}
        rest = self.model_dump(mode="json", exclude_defaults=True)
        return _dumps(stated | rest)


def _check(columns: dict[str, set[str]], table: str, names: tuple[str, ...]) -> None:
    """Raise ValueError where a key names a table or column that is not there."""
    if table not in columns:
        raise ValueError(f"a key names the table '{table}', which is not there")
    for name in names:
        if name not in columns[table]:
            raise ValueError(f"a key names the column '{table}.{name}', which is not there")


def _dumps(content: object) -> str:
    import json

    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _table_record(table: Table) -> TableRecord:
    return TableRecord(
        name=table.name,
        columns=tuple(
            ColumnRecord(
                name=column.name,
                type=column.declared_type,
                not_null=column.not_null,
                label=column.label,
                description=column.description,
                value_description=column.value_description,
            )
            for column in table.columns
        ),
        primary_key=table.primary_key,
        unique=table.unique,
        is_view=table.is_view,
        has_collations=table.has_collations,
        has_key_index=table.has_key_index,
    )


def _key_record(key: ForeignKey) -> KeyRecord:
    return KeyRecord(
        table=key.table,
        columns=key.columns,
        referred_table=key.referred_table,
        referred_columns=key.referred_columns,
        inferred=key.inferred,
    )


def _table(record: TableRecord) -> Table:
    places = {name: place for place, name in enumerate(record.primary_key, 1)}
    return Table(
        name=record.name,
        columns=tuple(
            Column(
                name=column.name,
                declared_type=column.type,
                not_null=column.not_null,
                primary_key=places.get(column.name, 0),
                label=column.label,
                description=column.description,
                value_description=column.value_description,
            )
            for column in record.columns
        ),
        primary_key=record.primary_key,
        unique=record.unique,
        is_view=record.is_view,
        has_collations=record.has_collations,
        has_key_index=record.has_key_index,
    )
