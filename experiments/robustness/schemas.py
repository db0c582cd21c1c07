"""Copies of databases under other names, and the queries and evidence that go with them."""

from __future__ import annotations

import csv
import re
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError

DESCRIPTIONS = "database_description"
MOST_STEPS = 40_000_000
"""Steps of SQLite after which a query is given up, before and after renaming alike."""
MOST_ROWS = 20_000
_STEPS_AT_ONCE = 1_000_000
_NO_NAMES = frozenset({"STRING", "NUMBER"})
_EVIDENCE_NAME = re.compile(r"(?<![\w'\"])[A-Za-z]\w*(?![\w'\"])")
_HUMP = re.compile(r"_|[a-z][A-Z]|[a-z][0-9]")
_OPERATOR = re.compile(r"\s*(?:[=<>!]|(?:is|between|like|in)\b)", re.IGNORECASE)


def identifiers(database: Path) -> dict[str, list[str]]:
    """Return the columns of every table of a database."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        return {
            table: [row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(table)})")]
            for (table,) in tables
        }


def renamed_copy(database: Path, target: Path, mapping: Mapping[str, str]) -> None:
    """Copy a database with its folder of descriptions, under the names of the mapping.

    Each name goes by way of a temporary one, because two names may be exchanged.
    """
    target.parent.mkdir(parents=True)
    shutil.copyfile(database, target)
    target.chmod(0o600)
    with closing(sqlite3.connect(target)) as connection:
        for table, columns in identifiers(database).items():
            changed = [(c, mapping[c.lower()]) for c in columns if c.lower() in mapping]
            alter = f"ALTER TABLE {_quoted(table)} RENAME "
            steps = [(old, f"new_{n}_") for n, (old, _) in enumerate(changed)]
            steps += [(f"new_{n}_", new) for n, (_, new) in enumerate(changed)]
            for old, new in steps:
                connection.execute(f"{alter} COLUMN {_quoted(old)} TO {_quoted(new)}")
        tables = [t for t in identifiers(database) if t.lower() in mapping]
        steps = [(old, f"new_table_{n}_") for n, old in enumerate(tables)]
        steps += [(f"new_table_{n}_", mapping[t.lower()]) for n, t in enumerate(tables)]
        for old, new in steps:
            connection.execute(f"ALTER TABLE {_quoted(old)} RENAME TO {_quoted(new)}")
        connection.commit()
    _copy_descriptions(database.parent / DESCRIPTIONS, target.parent / DESCRIPTIONS, mapping)


def _copy_descriptions(source: Path, target: Path, mapping: Mapping[str, str]) -> None:
    if not source.is_dir():
        return
    target.mkdir()
    for path in sorted(source.glob("*.csv")):
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
        header, *lines = list(csv.reader(text.splitlines(keepends=True)))
        for line in lines:
            if line:
                name = line[0].strip()
                line[0] = mapping.get(name.lower(), name)
        new = mapping.get(path.stem.lower(), path.stem)
        with (target / f"{new}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *lines])


def renamed_sql(sql: str, mapping: Mapping[str, str]) -> str | None:
    """Return the query under the new names, None where it cannot be split into tokens.

    Every word that is a name of the database is replaced, aliases that are spelt like one too;
    what is called like a function is not. Whether it means the same, its rows must show.
    """
    try:
        tokens = sqlglot.tokenize(sql, read="sqlite")
    except SqlglotError:
        return None
    parts, end = [], 0
    for place, token in enumerate(tokens):
        called = place + 1 < len(tokens) and tokens[place + 1].text == "("
        new = mapping.get(token.text.lower())
        if new is None or called or token.token_type.name in _NO_NAMES:
            continue
        written = sql[token.start : token.end + 1]
        parts += [sql[end : token.start], written.replace(token.text, new)]
        end = token.end + 1
    return "".join(parts) + sql[end:]


def renamed_evidence(evidence: str, mapping: Mapping[str, str]) -> str:
    """Return the evidence with the names of columns as they are now.

    A word counts as a name where it has an underscore or a hump, where a dot or parenthesis stands
    before it, or where a comparison follows; other words are English.
    """

    def replaced(found: re.Match[str]) -> str:
        word = found.group()
        new = mapping.get(word.lower())
        before = evidence[: found.start()][-1:]
        follows = _OPERATOR.match(evidence, found.end())
        is_name = _HUMP.search(word) or before in {".", "("} or follows
        return new if new is not None and is_name else word

    return _EVIDENCE_NAME.sub(replaced, evidence)


def rows_of(database: Path, sql: str) -> list[tuple[Any, ...]] | None:
    """Return the first rows of a query, None where it fails or takes too many steps."""
    steps = 0

    def too_many() -> bool:
        nonlocal steps
        steps += _STEPS_AT_ONCE
        return steps > MOST_STEPS

    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        connection.set_progress_handler(too_many, _STEPS_AT_ONCE)
        try:
            return connection.execute(sql).fetchmany(MOST_ROWS)
        except (sqlite3.Error, sqlite3.Warning):
            return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
