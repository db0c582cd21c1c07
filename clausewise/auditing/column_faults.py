"""Faults in the data itself: what is wrong with the values of one column, read once a database.

GBV-SQL's type C (dirty data, figure 8). Everything is read by plain SELECTs under the database's
limits. Of a column at most `MOST_VALUES` different values are looked at, and of a large table only
the first `MOST_ROWS` rows; where that cuts something off, `ColumnFaults.limits` says so.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from clausewise.databases.model import Cell, Limits
from clausewise.signals.probes.stored_forms import date_form
from clausewise.sql.probe_dialects import probe_dialect

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol

MOST_VALUES = 20_000
MOST_ROWS = 500_000
MOST_KEPT = 2_000
"""Different values with a fault that are remembered of one column."""
LIMITS = Limits(seconds=5.0, rows=MOST_VALUES)
"""Of one statement."""
MISSING = frozenset({"", "null", "nil", "none", "nan", "n/a"})
"""Texts, in lower case, that stand where a value is missing."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SEPARATED = re.compile(r"[$\u20ac\u00a3]?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)
_MOSTLY = 0.9
"""Share in [0, 1] of a column's texts that make it one of numbers, or of dates."""
_FEWEST_OF_A_FORM = 0.01
"""Share in [0, 1] of the dates that a format must have to count as one."""


@dataclass(frozen=True, slots=True)
class ColumnFaults:
    """What is wrong with the values of a column; all counts are of rows.

    Attributes
    ----------
    padded
        Folded value (no case, single blanks, trimmed) to its stored forms with blanks around it.
    spellings
        Folded value to its stored forms, where there are several.
    numbers_as_text
        Two texts whose order is not that of their numbers, where nearly all texts are numbers.
    missing
        Text that stands for a missing value to its rows.
    date_forms
        Format of dates, by an example of the same day, to a value in it; empty unless several.
    limits
        What was not looked at; None where everything was.
    """

    table: str
    column: str
    padded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers_as_text: tuple[str, str] | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    date_forms: Mapping[str, str] = field(default_factory=dict)
    padded_rows: int = 0
    limits: str | None = None

    @property
    def name(self) -> str:
        """`table.column`."""
        return f"{self.table}.{self.column}"


def folded(value: str) -> str:
    r"""Return the form in which spellings are one: no case, single blanks, none around it.

    >>> folded(" New\tYORK ")
    'new york'
    """
    return " ".join(value.split()).casefold()


def read_faults(database: DatabaseProtocol, table: str, column: str) -> ColumnFaults:
    """Return what is wrong with a column of a table.

    Raises DatabaseError, or another ClausewiseError, where it cannot be read within the limits.
    """
    name = probe_dialect(database.dialect).quote_name(column)
    source, cut = source_of(database, table, (column,))
    result = database.run(f"SELECT {name}, count(*) FROM {source} GROUP BY {name}", LIMITS)
    if result.truncated:
        cut = f"only {MOST_VALUES:,} of its different values were looked at"
    counted = [(value, int(str(count))) for value, count in result.rows]
    return faults_of(table, column, counted, cut)


def source_of(
    database: DatabaseProtocol, table: str, columns: Iterable[str]
) -> tuple[str, str | None]:
    """Return what to put after FROM for some columns of a table, and what that leaves out."""
    rows, words = database.row_count(table), probe_dialect(database.dialect)
    if rows <= MOST_ROWS:
        return words.quote_name(table), None
    listed = ", ".join(map(words.quote_name, columns))
    text = words.derived(f"SELECT {listed} FROM {words.quote_name(table)} LIMIT {MOST_ROWS}")
    return text, f"only the first {MOST_ROWS:,} of {rows:,} rows were looked at"


def faults_of(
    table: str, column: str, values: Iterable[tuple[Cell, int]], limits: str | None = None
) -> ColumnFaults:
    """Return what is wrong with a column that holds these values, each with its rows."""
    texts = [(value, count) for value, count in values if isinstance(value, str)]
    padded: dict[str, list[str]] = defaultdict(list)
    spellings: dict[str, list[str]] = defaultdict(list)
    missing: Counter[str] = Counter()
    padded_rows = 0
    for text, count in texts:
        if text.strip() != text and text.strip():
            padded_rows += count
            if len(padded) < MOST_KEPT or folded(text) in padded:
                padded[folded(text)].append(text)
        spellings[folded(text)].append(text)
        if text.strip().casefold() in MISSING:
            missing[text] += count
    several = [(key, tuple(held)) for key, held in spellings.items() if key and len(held) > 1]
    filled = [text.strip() for text, _ in texts if text.strip().casefold() not in MISSING]
    return ColumnFaults(
        table=table,
        column=column,
        padded={key: tuple(held) for key, held in padded.items()},
        spellings=dict(several[:MOST_KEPT]),
        numbers_as_text=_out_of_order(filled),
        missing=missing,
        date_forms=_date_forms(filled),
        padded_rows=padded_rows,
        limits=limits,
    )


def _out_of_order(texts: list[str]) -> tuple[str, str] | None:
    """Return two texts whose order differs from that of their numbers, None without."""
    numbers = [(number, text) for text in texts if (number := _number(text)) is not None]
    if not numbers or len(numbers) < _MOSTLY * len(texts):
        return None
    numbers.sort()
    for (smaller, before), (larger, after) in pairwise(numbers):
        if smaller < larger and before > after:
            return before, after
    return None


def _number(text: str) -> float | None:
    if _NUMBER.fullmatch(text):
        return float(text)
    if _SEPARATED.fullmatch(text):
        return float(text.lstrip("$\u20ac\u00a3").replace(",", ""))
    return None


def _date_forms(texts: list[str]) -> dict[str, str]:
    """Return the formats of dates with a value of each, where there are several."""
    forms: Counter[str] = Counter()
    example: dict[str, str] = {}
    for text in texts:
        form = date_form(text)
        if form is not None:
            forms[form] += 1
            example.setdefault(form, text)
    if forms.total() < _MOSTLY * len(texts):
        return {}
    kept = [form for form, count in forms.items() if count >= _FEWEST_OF_A_FORM * forms.total()]
    return {form: example[form] for form in sorted(kept)} if len(kept) > 1 else {}
