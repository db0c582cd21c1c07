"""A copy of a database that declares what holds for all of its rows.

A schema allows what no one would expect: a result without a driver, two publishers of one name. An
instance that obeys the copy's constraints has no NULL in a column that never has one, and no
repetition in a column of texts that never has one.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from experiments.counterexamples import plain
from experiments.counterexamples.plain import quoted

FEWEST_TEXTS, FEWEST_NAMES = 10, 3
"""Rows from which on a column of texts without repetition counts as unique; the second is for a
table of two columns, which gives names to keys."""


def write_copy(path: Path, target: Path) -> None:
    """Write a copy of a database, with its rows, its declared keys, and what holds for its rows."""
    content = plain.content_of(path)
    with plain.opened(path) as source, plain.opened(target) as copy:
        for name, rows in content.items():
            copy.execute(_statement(source, name, rows))
        plain.fill(copy, content)


def _statement(source: sqlite3.Connection, name: str, rows: plain.Rows) -> str:
    info = source.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    columns, constraints = [], []
    for place, (_, column, kind, required, _, _) in enumerate(info):
        values = [row[place] for row in rows]
        is_required = required or (values and None not in values)
        columns.append(f"{quoted(column)} {kind}{' NOT NULL' if is_required else ''}")
        if _is_unique(values, FEWEST_NAMES if len(info) == 2 else FEWEST_TEXTS):
            constraints.append(f"UNIQUE ({quoted(column)})")
    keys = [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]]
    if keys:
        constraints.append(f"PRIMARY KEY ({', '.join(map(quoted, keys))})")
    constraints += _foreign_keys(source, name)
    return f"CREATE TABLE {quoted(name)} ({', '.join(columns + constraints)})"


def _is_unique(values: list[object], fewest: int) -> bool:
    texts = [value for value in values if isinstance(value, str)]
    return len(texts) >= fewest and len(texts) == len(values) == len(set(texts))


def _foreign_keys(source: sqlite3.Connection, name: str) -> list[str]:
    by_key: dict[int, list[tuple[str, str, str | None]]] = {}
    for row in source.execute(f"PRAGMA foreign_key_list({quoted(name)})"):
        by_key.setdefault(row[0], []).append((row[2], row[3], row[4]))
    made = []
    for columns in by_key.values():
        own = ", ".join(quoted(column) for _, column, _ in columns)
        referred = [quoted(column) for _, _, column in columns if column is not None]
        to = f" ({', '.join(referred)})" if referred else ""
        made.append(f"FOREIGN KEY ({own}) REFERENCES {quoted(columns[0][0])}{to}")
    return made
