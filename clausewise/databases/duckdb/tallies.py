"""The statements by which a DuckDB table is profiled: its rows, and each column's values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from clausewise.databases.duckdb.confined import duckdb_cell
from clausewise.databases.model import Cell, Column, Table
from clausewise.databases.profile import LONGEST_TALLIED, NUMBER, LongValues, Tally
from clausewise.databases.sampling import SAMPLE_ROWS, RowSample
from clausewise.text import quote_name

SAMPLED_FROM = 2_000_000
"""Tables of more rows are profiled from a sample."""
_PERIOD = 2**31
_MULTIPLIER = 1_327_217_885
"""About the golden section of `_PERIOD`, and odd: multiples of it, modulo that, are even."""

_CHUNK = 5_000
_PLAIN = ("VARCHAR", "BLOB", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "DECIMAL", "FLOAT", "DOUBLE")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BIGNUM", "VARINT")


@dataclass(frozen=True, slots=True)
class DuckDBRows:
    """The rows of a table that are profiled."""

    text: str
    """What to put after FROM."""
    count: int
    """Rows of the whole table."""
    sample: RowSample | None = None
    """Which of the rows are profiled; None where all are."""

    @property
    def sampled(self) -> bool:
        """Whether only a part of the rows is profiled."""
        return self.sample is not None

    def sample_of(self, table: Table, column: Column) -> RowSample | None:
        """Return the sample of one column."""
        is_key = table.primary_key == (column.name,) or (column.name,) in table.unique
        return self.sample and replace(self.sample, is_key=is_key)


def row_source(connection: Any, table: Table, sampled_from: int = SAMPLED_FROM) -> DuckDBRows:
    """Return the rows to profile; of more than `sampled_from`, evenly by row number.

    The golden ratio chooses the rows, one by one, so that no period in the data meets theirs. To
    find them DuckDB reads the columns, which are stored apart and packed. A view has no row
    numbers: its first rows are taken. Raises duckdb.Error where a view cannot be computed.
    """
    name = quote_name(table.name)
    (rows,) = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
    if rows <= sampled_from:
        return DuckDBRows(name, rows)
    wanted = min(SAMPLE_ROWS, sampled_from)
    if table.is_view:
        first = RowSample(rows, estimated=False, chosen="first")
        return DuckDBRows(f"(SELECT * FROM {name} LIMIT {wanted})", rows, first)
    place = f"(rowid % {_PERIOD}) * {_MULTIPLIER} % {_PERIOD}"
    text = f"(SELECT * FROM {name} WHERE {place} < {_PERIOD * wanted // rows})"
    sample = RowSample(rows, estimated=False, chosen="rows", design_effect=1.0)
    return DuckDBRows(text, rows, sample)


def tally_column(connection: Any, source: str, column: Column) -> Iterator[list[Tally]]:
    """Yield chunks of (value, rows): NULL, then the values in their order; texts by code points.

    Values whose order is not that of their cells (lists, structures, members of an ENUM) are
    texts. Texts and blobs over `LONGEST_TALLIED` bytes are left out.
    """
    value = _value(column)
    short = f"WHERE {value} IS NULL OR {_bytes(column)} <= {LONGEST_TALLIED}"
    cursor = connection.execute(
        f"SELECT {value} AS value, count(*) FROM {source} {short if _bytes(column) else ''} "
        "GROUP BY ALL ORDER BY value NULLS FIRST"
    )
    while chunk := cursor.fetchmany(_CHUNK):
        yield [(duckdb_cell(cell), rows) for cell, rows in chunk]


def read_long_values(
    connection: Any, source: str, column: Column, short_texts: tuple[str, str] | None
) -> LongValues:
    """Count the values that `tally_column` leaves out; different ones by their hashes.

    `short_texts` are the first and the last short text.
    """
    size = _bytes(column)
    if size is None:
        return LongValues()
    value = _value(column)
    is_text = column.declared_type != "BLOB"
    numeric = f"regexp_full_match({value}, $pattern)" if is_text else "$pattern IS NULL"
    first, last = short_texts or ("", "")
    given: dict[str, Cell] = {"pattern": NUMBER.pattern}
    bounds = "false, false"
    if is_text:
        bounds = (
            f"coalesce(bool_or({value} < $first), false), coalesce(bool_or({value} > $last), false)"
        )
        given |= {"first": first, "last": last}
    count, distinct, numbers, before, after = connection.execute(
        f"SELECT count(*), count(DISTINCT hash({value})), count(*) FILTER ({numeric}), {bounds} "
        f"FROM {source} WHERE {size} > {LONGEST_TALLIED}",
        given,
    ).fetchone()
    return LongValues(
        texts=count if is_text else 0,
        blobs=0 if is_text else count,
        distinct=distinct,
        numeric_text=numbers,
        sorts_first=is_text and count > 0 and (before or short_texts is None),
        sorts_last=is_text and count > 0 and (after or short_texts is None),
    )


def _value(column: Column) -> str:
    name, kind = quote_name(column.name), column.declared_type
    is_plain = kind in _PLAIN or kind.removeprefix("U") in _WHOLE or kind.startswith("DECIMAL(")
    return name if is_plain else f"CAST({name} AS VARCHAR)"


def _bytes(column: Column) -> str | None:
    """Return the expression of a value's length in bytes, None where none is long."""
    if column.declared_type == "BLOB":
        return f"octet_length({quote_name(column.name)})"
    value = _value(column)
    is_text = column.declared_type == "VARCHAR" or value.startswith("CAST(")
    return f"strlen({value})" if is_text else None
