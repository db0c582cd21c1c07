"""Whether a counterexample is true and valid, and whether a person can read its values.

Nothing here uses clausewise: the tables are made by the database's own CREATE statements, with
foreign keys on, and the queries are run by Python's sqlite3.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from experiments.counterexamples import plain
from experiments.counterexamples.plain import Cell, Content, Rows, Rule

SHUFFLES = 10
"""Orders by chance in which the rows of a counterexample are written, beside two fixed ones."""
SHUFFLES_OF_DATABASE = 1

NO_DIFFERENCE = "no difference"
KNOWN_IN_DATABASE, KNOWN_IN_QUERIES, READABLE, UNREADABLE = "database", "queries", "plain", "other"
WORDS = re.compile(r"[A-Za-z][a-z]*[aeiouy][a-z]*|[A-Z]\.?|[A-Z]{2,4}|of|the|and")
DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?|\d{4}|\d\d?:\d\d(:\d\d)?")


@dataclass
class Checker:
    """Runs queries on the contents of one database, and on others."""

    path: Path

    @cached_property
    def _declared(self) -> sqlite3.Connection:
        return self._made(plain.create_statements(self.path), keys=True)

    @cached_property
    def _unenforced(self) -> sqlite3.Connection:
        return self._made(plain.create_statements(self.path), keys=False)

    @cached_property
    def keyless(self) -> sqlite3.Connection:
        return self._made(plain.keyless_statements(self.path), keys=False)

    @cached_property
    def filled(self) -> list[sqlite3.Connection]:
        """The database's rows in several orders."""
        made = []
        for content in plain.orders(plain.content_of(self.path), SHUFFLES_OF_DATABASE):
            connection = self._made(plain.keyless_statements(self.path), keys=False)
            plain.fill(connection, content)
            made.append(connection)
        return made

    @cached_property
    def values(self) -> frozenset[str]:
        """Every value of the database, as text."""
        content = plain.content_of(self.path)
        return frozenset(str(cell) for rows in content.values() for row in rows for cell in row)

    def on_database(self, sql: str) -> list[Rows] | None:
        """Return what a query gives on the database in several orders of rows, None if it fails."""
        found = []
        for connection in self.filled:
            rows = plain.rows_of(connection, sql)
            if rows is None:
                return None
            found.append(rows)
        return found

    def fault(self, content: Content, a: str, b: str, rule: Rule) -> str:
        """Return what is wrong with a counterexample, empty where nothing is.

        It must obey the declared constraints, and the results must differ on the declared tables
        and on tables without keys, whatever the order of the rows.
        """
        declared = self._declared
        try:
            plain.fill(declared, content)
        except sqlite3.OperationalError as error:
            if "foreign key mismatch" not in str(error):
                raise
            # the declared key refers to columns that are no key, so SQLite cannot check it
            declared = self._unenforced
            plain.fill(declared, content)
        except sqlite3.IntegrityError as error:
            return f"invalid: {error}"
        pairs = [(plain.rows_of(declared, a), plain.rows_of(declared, b))]
        for order in plain.orders(content, SHUFFLES):
            plain.fill(self.keyless, order)
            pairs.append((plain.rows_of(self.keyless, a), plain.rows_of(self.keyless, b)))
        if any(one is None or other is None for one, other in pairs):
            return "a query fails"
        of_a = [one for one, _ in pairs if one is not None]
        of_b = [other for _, other in pairs if other is not None]
        if not of_a[0] and not of_b[0]:
            columns = [plain.width(declared, sql) for sql in (a, b)]
            return "" if columns[0] != columns[1] else NO_DIFFERENCE
        if plain.shows_difference(of_a, of_b, rule):
            return ""
        return (
            "under ties" if plain.certainly_different(of_a[:1], of_b[:1], rule) else NO_DIFFERENCE
        )

    def readability(self, content: Content, queries: str) -> Counter[str]:
        """Return how many values of an instance there are of each kind; NULL is not counted."""
        found: Counter[str] = Counter()
        for rows in content.values():
            for row in rows:
                found.update(self._kind(cell, queries) for cell in row if cell is not None)
        return found

    def _kind(self, cell: Cell, queries: str) -> str:
        text = str(cell)
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", queries, re.IGNORECASE):
            return KNOWN_IN_QUERIES
        if text in self.values:
            return KNOWN_IN_DATABASE
        return READABLE if is_readable(cell) else UNREADABLE

    @staticmethod
    def _made(statements: list[str], keys: bool) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute(f"PRAGMA foreign_keys = {'ON' if keys else 'OFF'}")
        for statement in statements:
            connection.execute(statement)
        return connection


def is_readable(cell: Cell) -> bool:
    """Return whether a value is a word, a few words, a date, or a number of at most six digits."""
    if isinstance(cell, int | float):
        return abs(cell) < 1_000_000 and len(f"{cell:g}".lstrip("-").replace(".", "")) <= 6
    if not isinstance(cell, str):
        return False
    if DATE.fullmatch(cell):
        return True
    words = cell.replace("-", " ").split()
    # a number at the end, as in "Street 5", is read, too
    if len(words) > 1 and words[-1].isdigit():
        words = words[:-1]
    return 0 < len(words) <= 6 and all(WORDS.fullmatch(word.strip(",.'")) for word in words)
