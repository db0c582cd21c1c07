"""The part of a store that is held in memory: profiles, inferred keys, and what was left out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from clausewise.databases.model import ColumnProfile, ForeignKey
from clausewise.databases.sampling import RowSample
from clausewise.databases.values import complete_places


@dataclass(frozen=True, slots=True)
class Facts:
    """The part of a store that is held in memory."""

    profiles: Mapping[tuple[str, str], ColumnProfile]
    """(table, column), both casefolded, to the profile; what was left out lacks."""
    inferred_keys: tuple[ForeignKey, ...]
    indexed: frozenset[tuple[str, str]]
    """(table, column), both casefolded, of which all texts are in the value index."""
    left_out: Mapping[str, str]
    """What could not be read, such as `table`, `table.column` or `values of ...`, to the reason."""
    seconds: float | None = None
    """The time limit that was over before all was read; None where it was not."""


def write_facts(
    connection: sqlite3.Connection,
    profiles: Iterable[ColumnProfile],
    inferred_keys: Iterable[ForeignKey],
    left_out: Mapping[str, str],
    seconds: float | None = None,
) -> None:
    """Write the facts into a store that is being built: the last thing, so a torn file has none.

    `seconds` is the time limit, where something was left out for it.

    Raises sqlite3.OperationalError where the store cannot be written.
    """
    facts = {
        "profiles": [asdict(profile) for profile in profiles],
        "inferred_keys": [asdict(key) for key in inferred_keys],
        "left_out": dict(left_out),
        "seconds": seconds,
    }
    connection.execute("CREATE TABLE facts (content TEXT)")
    connection.execute("INSERT INTO facts VALUES (?)", (json.dumps(facts),))


def load_facts(connection: sqlite3.Connection) -> Facts:
    """Read the facts back.

    Raises sqlite3.Error, ValueError, TypeError, KeyError, AttributeError or RecursionError where
    they are damaged.
    """
    row = connection.execute("SELECT content FROM facts").fetchone()
    if row is None:
        raise ValueError("it holds no facts")
    content = json.loads(row[0])
    profiles = {}
    for record in content["profiles"]:
        record["frequent"] = tuple((value, count) for value, count in record["frequent"])
        if record["sample"] is not None:
            record["sample"] = RowSample(**record["sample"])
        profile = ColumnProfile(**record)
        profiles[profile.table.casefold(), profile.column.casefold()] = profile
    keys = tuple(
        ForeignKey(
            record["table"],
            tuple(record["columns"]),
            record["referred_table"],
            tuple(record["referred_columns"]),
            inferred=True,
        )
        for record in content["inferred_keys"]
    )
    left_out = {str(name): str(reason) for name, reason in content["left_out"].items()}
    return Facts(profiles, keys, complete_places(connection), left_out, content["seconds"])
