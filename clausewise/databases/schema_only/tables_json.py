"""Schemas from `tables.json`, the schema file of Spider and BIRD."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from clausewise.databases.model import Column, ForeignKey, Schema, Table

Position = Annotated[int, Field(ge=-1)]
Name = tuple[Position, str]
"""Number of the table and name of the column; the table of `*` is -1."""


class TablesEntry(BaseModel):
    """One database of a `tables.json`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    db_id: str
    table_names_original: tuple[str, ...]
    column_names_original: tuple[Name, ...]
    column_names: tuple[Name, ...] = ()
    column_types: tuple[str, ...] = ()
    primary_keys: tuple[int | tuple[int, ...], ...] = ()
    foreign_keys: tuple[tuple[int, int], ...] = ()

    def to_schema(self) -> Schema:
        """Return the schema; readable names that say more than the column's own are its labels.

        Raises ValueError, saying where, for a number that points to no table or column.
        """
        names = self.column_names_original
        keys = [key if isinstance(key, tuple) else (key,) for key in self.primary_keys]
        places = {place: n for key in keys for n, place in enumerate(key, 1)}
        pairs = [place for pair in self.foreign_keys for place in pair]
        for field, numbers in (("primary_keys", places), ("foreign_keys", pairs)):
            if any(not 0 <= place < len(names) for place in numbers):
                raise ValueError(f"{field}: a number points to no column")
        if any(table >= len(self.table_names_original) for table, _ in names):
            raise ValueError("column_names_original: a number points to no table")
        tables = []
        for number, table in enumerate(self.table_names_original):
            columns = {
                place: self._column(place, places.get(place, 0))
                for place, (owner, _) in enumerate(names)
                if owner == number
            }
            key = sorted((c for c in columns.values() if c.primary_key), key=_key_place)
            tables.append(Table(table, tuple(columns.values()), tuple(c.name for c in key)))
        return Schema(tuple(tables), tuple(dict.fromkeys(map(self._key, self.foreign_keys))))

    def _column(self, place: int, in_key: int) -> Column:
        name = self.column_names_original[place][1]
        label = self.column_names[place][1] if place < len(self.column_names) else name
        kind = self.column_types[place] if place < len(self.column_types) else ""
        says_more = _letters(label) != _letters(name)
        return Column(name, kind, primary_key=in_key, label=label if says_more else None)

    def _key(self, pair: tuple[int, int]) -> ForeignKey:
        (table, own), (referred, other) = (self.column_names_original[place] for place in pair)
        names = self.table_names_original
        return ForeignKey(names[table], (own,), names[referred], (other,))


def _key_place(column: Column) -> int:
    return column.primary_key


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def is_tables_json(content: Any) -> bool:
    """Whether JSON looks like a `tables.json`: a list of records with original names."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(entry, dict) and "table_names_original" in entry for entry in content)
    )
