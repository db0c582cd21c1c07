"""The reply to an executed question: steps in words, then the rows of the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationInfo

from clausewise.databases.instances import Instance
from clausewise.databases.model import Cell, QueryResult

MOST_ROWS = 500
"""Rows of an answer; an instance has a handful of rows."""
_LARGEST = 2**63
_WORDS_FOR_NULL = ("null", "none", "nil")

AnsweredCell = str | int | float | bool | None


def _as_texts(value: object) -> object:
    """Read one text as a list of it, and no list as an empty one."""
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    return [item if isinstance(item, str) else json.dumps(item) for item in items]


def _as_rows(value: object, info: ValidationInfo) -> object:
    """Read rows that are written as objects, as text, or, for one column, as bare values."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("it must be a list of rows, each a list of values") from None
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        raise ValueError("it must be a list of rows, each a list of values")
    rows = [list(row.values()) if isinstance(row, dict) else row for row in value]
    bare = [row for row in rows if not isinstance(row, list)]
    if bare and len(info.data.get("columns") or ()) > 1:
        raise ValueError("each row must be a list of values, one for each column")
    return [row if isinstance(row, list) else [row] for row in rows]


def _even(rows: list[list[Any]]) -> list[list[Any]]:
    if len(rows) > MOST_ROWS:
        raise ValueError(f"it must have at most {MOST_ROWS} rows")
    if rows and (not rows[0] or len({len(row) for row in rows}) > 1):
        raise ValueError("all rows must have the same number of values, at least one")
    return rows


class ExecutedQuestion(BaseModel):
    """A model's answer on one instance; `steps` come first, so that it works before it answers."""

    steps: Annotated[list[str], BeforeValidator(_as_texts)] = []
    columns: Annotated[list[str], BeforeValidator(_as_texts)] = []
    rows: Annotated[list[list[AnsweredCell]], BeforeValidator(_as_rows), AfterValidator(_even)]

    def result(self, instance: Instance) -> QueryResult:
        """Return the answer's rows; true is 1, and a word for NULL is NULL unless it is data."""
        stored = {
            cell.strip().casefold()
            for table in instance.tables
            for row in table.rows
            for cell in row
            if isinstance(cell, str)
        }
        rows = tuple(tuple(_cell(value, stored) for value in row) for row in self.rows)
        width = len(rows[0]) if rows else len(self.columns)
        return QueryResult(_names(self.columns, width), rows)


def _cell(value: AnsweredCell, stored: set[str]) -> Cell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        folded = value.strip().casefold()
        return None if folded in _WORDS_FOR_NULL and folded not in stored else value
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return str(value)
    return value


def _names(columns: Sequence[str], width: int) -> tuple[str, ...]:
    if len(columns) == width:
        return tuple(columns)
    return tuple(f"column {number}" for number in range(1, width + 1))
