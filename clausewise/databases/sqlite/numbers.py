"""A number for each of many keys, in a temporary file."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b

_LONGEST_KEY = 64
"""Characters of a key that is stored as it is; of a longer one, a digest."""
_CACHE_KILOBYTES = 8_000


class NumbersOnDisk:
    """Numbers by key, in a temporary file that SQLite removes, with a few megabytes of memory."""

    def __init__(self) -> None:
        # Cases may be taken by the threads that hand them to workers, one at a time.
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._connection.executescript(
            f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
            f"PRAGMA cache_size = -{_CACHE_KILOBYTES};"
            "CREATE TABLE numbers (key PRIMARY KEY, number INTEGER) WITHOUT ROWID; BEGIN"
        )

    def add(self, key: str, number: int) -> int:
        """Return the number that the key has: `number` where it had none."""
        stored = key if len(key) <= _LONGEST_KEY else blake2b(key.encode(), digest_size=20).digest()
        try:
            self._connection.execute("INSERT INTO numbers VALUES (?, ?)", (stored, number))
        except sqlite3.IntegrityError:
            found = self._connection.execute("SELECT number FROM numbers WHERE key = ?", (stored,))
            return int(found.fetchone()[0])
        return number

    def close(self) -> None:
        """Remove the file."""
        self._connection.close()
