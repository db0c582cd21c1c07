"""Evidence as a person reads it: labels in words, numbers rounded, long lists counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from clausewise.text import one_line, shortened
from clausewise.types import Json

CHARACTERS_SHOWN = 300
"""Of one piece of evidence in the readable views; the JSON views have all of it."""
ITEMS_SHOWN = 5
"""Items of a list in the readable views."""
_LABEL_SHOWN = 100
_DIGITS = 4
_NOTHING: tuple[Json, ...] = (None, "", [], {}, ())
_LABELS = {"rival_sql": "other query"}
"""What is called otherwise than by its key."""
_REASON = "reason"
"""A finding's reason is for programs; its message says the same in words."""


def evidence_text(
    evidence: Mapping[str, Json], *, without: Collection[str] = ()
) -> tuple[tuple[str, str], ...]:
    """Return labels and texts of the evidence on one visible line each; empty values are left out.

    `without` are keys that are shown in another way.

    >>> evidence_text({"rows_before": 3, "share": 0.33333333, "values": ["a", "b"], "reason": "x"})
    (('rows before', '3'), ('share', '0.3333'), ('values', 'a, b'))
    """
    return tuple(
        (
            _LABELS.get(key) or shortened(one_line(key.replace("_", " ")), _LABEL_SHOWN),
            shortened(one_line(value_text(value)), CHARACTERS_SHOWN),
        )
        for key, value in evidence.items()
        if key != _REASON and key not in without and value not in _NOTHING
    )


def value_text(value: Json) -> str:
    """Return a value of JSON in words.

    >>> value_text([1.0, 2.5, None, True]), value_text({"table_rows": 3, "of": ["x"]})
    ('1, 2.5, none, yes', 'table rows: 3; of: x')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}" if abs(value) < 10**_DIGITS else f"{value:.0f}"
    if isinstance(value, Mapping):
        return "; ".join(f"{key.replace('_', ' ')}: {value_text(of)}" for key, of in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        shown = [value_text(item) for item in value[:ITEMS_SHOWN]]
        nested = any(isinstance(item, Mapping) for item in value[:ITEMS_SHOWN])
        more = f" and {len(value) - ITEMS_SHOWN} more" if len(value) > ITEMS_SHOWN else ""
        return (" | " if nested else ", ").join(shown) + more
    return str(value)
