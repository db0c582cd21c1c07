"""The rows that stand in a few tables, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from clausewise.databases.model import Cell
from clausewise.text import plain_json


@dataclass(frozen=True, slots=True)
class InstanceTable:
    """The rows of one table; every column of the table is listed."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """The contents of the tables that the compared queries read; other tables do not matter."""

    tables: tuple[InstanceTable, ...]

    @classmethod
    def of(cls, tables: Sequence[InstanceTable]) -> Self:
        """Return the instance that holds these tables, in the order of their names."""
        return cls(tuple(sorted(tables, key=lambda table: table.name)))

    @property
    def row_count(self) -> int:
        """Rows of all tables together."""
        return sum(len(table.rows) for table in self.tables)

    @property
    def most_rows(self) -> int:
        """Rows of the largest table."""
        return max((len(table.rows) for table in self.tables), default=0)

    def table(self, name: str) -> InstanceTable:
        """Return the table of that name. Raises KeyError where there is none."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(name)

    def with_rows(self, rows: Mapping[str, Sequence[tuple[Cell, ...]]]) -> Instance:
        """Return the same tables with other rows in some of them."""
        return Instance(
            tuple(
                InstanceTable(table.name, table.columns, tuple(rows.get(table.name, table.rows)))
                for table in self.tables
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as plain JSON: name to columns and rows."""
        return {
            table.name: {
                "columns": list(table.columns),
                "rows": [[plain_json(cell) for cell in row] for row in table.rows],
            }
            for table in self.tables
        }
