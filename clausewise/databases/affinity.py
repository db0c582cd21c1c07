"""How SQLite compares a column: its declared type's affinity, and what it really stores."""

from __future__ import annotations

from clausewise.databases.model import ColumnProfile

MOSTLY = 0.95
"""Share in [0, 1] of the values from which a column counts as holding one kind of value."""


def affinity(declared_type: str) -> str:
    """Return `integer`, `text`, `blob`, `real` or `numeric` by SQLite's rules (datatype3, 3.1)."""
    name = declared_type.upper()
    if "INT" in name:
        return "integer"
    if any(part in name for part in ("CHAR", "CLOB", "TEXT")):
        return "text"
    if not name or "BLOB" in name:
        return "blob"
    return "real" if any(part in name for part in ("REAL", "FLOA", "DOUB")) else "numeric"


def holds_numbers(profile: ColumnProfile) -> bool:
    """Whether (nearly) all values are stored as numbers."""
    numbers = profile.stored_types.get("integer", 0) + profile.stored_types.get("real", 0)
    return 0 < profile.rows - profile.nulls <= numbers / MOSTLY


def holds_words(profile: ColumnProfile) -> bool:
    """Whether (nearly) all values are texts that do not read as numbers."""
    words = profile.stored_types.get("text", 0) - profile.numeric_text
    return 0 < profile.rows - profile.nulls <= words / MOSTLY


def holds_numeric_text(profile: ColumnProfile) -> bool:
    """Whether most values are texts that read as numbers."""
    return profile.numeric_text > 0 and profile.numeric_text * 2 >= profile.rows - profile.nulls


def reads_as_number(text: str) -> bool:
    """Whether SQLite's numeric affinity turns a text into a number."""
    try:
        float(text.strip())
    except ValueError:
        return False
    return not any(letter in text.lower() for letter in ("n", "_"))
