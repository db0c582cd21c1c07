"""What the readable views show of a counterexample: few tables, and both results, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from clausewise.equivalence import DifferenceKind
from clausewise.errors import InputError, ParseError
from clausewise.reporting.comparison_record import (
    CounterexampleRecord,
    JsonCell,
    ResultRecord,
    RowsRecord,
    read_counterexample,
)
from clausewise.sql import Query, parse
from clausewise.text import one_line, shortened, visible
from clausewise.types import Json

COLUMNS_SHOWN = 4
"""A table of so many columns is shown whole; of a wider one, those that a query mentions."""
MOST_COLUMNS = 12
"""Columns of one table or result that are shown at most."""
ROWS_SHOWN = 12
"""Rows of one table or result that are shown; those that differ come before the others."""
CELL_SHOWN = 60
"""Characters of one cell."""
_NAME_SHOWN = 60
_DIGITS = 6
_NULL = "NULL"
DRAWN = ("counterexample", "result_names")
"""Keys of the evidence of a finding that are shown as tables."""
NAMES = ("the query", "the other query")
"""What two results are called where nothing else is known of them."""


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell as visible text; texts that look like NULL or a number are quoted."""

    text: str
    kind: str
    """`null`, `number` or `text`."""


@dataclass(frozen=True, slots=True)
class RowsView:
    """A table with a line above and one below it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[CellView, ...], ...]
    marked: tuple[bool, ...]
    """For each row, whether the other result lacks it."""
    notes: tuple[str, ...]
    """What of it is not shown."""


@dataclass(frozen=True, slots=True)
class CounterexampleView:
    """A counterexample in words and tables; all texts are visible text on one line."""

    sentence: str
    legend: str
    """What the mark of a row means; empty where no row is marked."""
    tables: tuple[RowsView, ...]
    results: tuple[RowsView, RowsView]
    notes: tuple[str, ...]


def evidence_counterexample(evidence: Mapping[str, Json], sql: str) -> CounterexampleView | None:
    """Return the counterexample in the evidence of a finding on `sql`, None where there is none."""
    record = read_counterexample(evidence.get("counterexample"))
    if record is None:
        return None
    rival = evidence.get("rival_sql")
    named = evidence.get("result_names")
    names = NAMES
    if isinstance(named, list | tuple) and len(named) == 2:
        names = (one_line(named[0]), one_line(named[1]))
    return counterexample_view(record, [sql, rival if isinstance(rival, str) else ""], names=names)


def counterexample_view(
    record: CounterexampleRecord,
    queries: Sequence[str] = (),
    *,
    names: tuple[str, str] = NAMES,
    dialect: str = "sqlite",
) -> CounterexampleView:
    """Return what to show of a counterexample.

    Parameters
    ----------
    record
        The tables and both results.
    queries
        The texts of both queries; they decide which columns and tables are shown. Where one
        cannot be parsed, all are.
    names
        What the two queries are called, in the middle of a sentence.
    dialect
        Of the queries.
    """
    tables = record.tables or {}
    used = _used_columns(tables, queries, dialect)
    marks = _marks(record)
    shown = [
        _table_view(name, rows, None if used is None else used.get(name, set()))
        for name, rows in tables.items()
        if used is None or name in used
    ]
    unread = [] if used is None else [name for name in tables if name not in used]
    results = [
        _result_view(name, result, marked)
        for name, result, marked in zip(
            names, (record.result_a, record.result_b), marks, strict=True
        )
    ]
    any_marked = any(any(marked) for marked in marks)
    return CounterexampleView(
        sentence=sentence(record, names),
        legend=_LEGENDS[record.kind] if any_marked else "",
        tables=tuple(shown),
        results=(results[0], results[1]),
        notes=_unread_notes(tables, unread),
    )


_LEGENDS = {
    DifferenceKind.ROWS: "marked rows are not in the other result",
    DifferenceKind.ORDER: "marked rows stand at another place in the other result",
    DifferenceKind.COLUMNS: "",
}


def sentence(record: CounterexampleRecord, names: tuple[str, str] = NAMES) -> str:
    """Return in one sentence what both queries give.

    >>> few, many = ResultRecord(("n",), ((1,),)), ResultRecord(("n",), ((1,), (2,)))
    >>> rows = CounterexampleRecord(DifferenceKind.ROWS, {}, many, few)
    >>> sentence(rows)
    'On these rows the query gives 2 rows, the other query 1.'
    """
    a, b = record.result_a, record.result_b
    on = "On the given database" if record.tables is None else "On these rows"
    first, second = names
    if record.kind is DifferenceKind.COLUMNS:
        return (
            f"{first[:1].upper()}{first[1:]} gives {_count(len(a.columns), 'column')}, "
            f"{second} {len(b.columns)}."
        )
    if record.kind is DifferenceKind.ORDER:
        return f"{on} both give the same {_count(len(a.rows), 'row')}, in another order."
    one_cell = [
        result.rows[0][0] for result in (a, b) if len(result.rows) == len(result.columns) == 1
    ]
    if len(one_cell) == 2:
        cells = [cell_view(cell).text for cell in one_cell]
        if cells[0] != cells[1]:
            return f"{on} {first} gives {cells[0]}, {second} {cells[1]}."
    if len(a.rows) != len(b.rows) or a.truncated or b.truncated:
        other = "none" if not b.rows else f"{len(b.rows):,}{'+' * b.truncated}"
        given = f"{_count(len(a.rows), 'row', a.truncated)}" if a.rows else "no row"
        other = f"gives {_count(len(b.rows), 'row', b.truncated)}" if not a.rows else other
        return f"{on} {first} gives {given}, {second} {other}."
    differing = sum(_marks(record)[0])
    which = "and it differs" if len(a.rows) == 1 else f"of which {differing} {_verb(differing)}"
    return f"{on} both give {_count(len(a.rows), 'row')}, {which}."


def cell_view(cell: JsonCell) -> CellView:
    """Return a cell as visible text: NULL and 'NULL', 12 and '12' are told apart.

    >>> [cell_view(cell).text for cell in (None, "NULL", 12, "12", "", " a", "a b", 1.5)]
    ['NULL', "'NULL'", '12', "'12'", "''", "' a'", 'a b', '1.5']
    """
    if cell is None:
        return CellView(_NULL, "null")
    if isinstance(cell, int | float):
        return CellView(repr(cell) if isinstance(cell, int) else f"{cell:.12g}", "number")
    text = shortened(visible(cell).replace("\n", "\u240a"), CELL_SHOWN)
    return CellView(f"'{text}'" if _is_mistakable(cell) else text, "text")


def _is_mistakable(text: str) -> bool:
    if text != text.strip() or not text or "  " in text or text[0] in "'\"":
        return True
    if text.upper() == _NULL:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def _count(number: int, noun: str, more: bool = False) -> str:
    return f"{number:,}{'+' * more} {noun}{'' if number == 1 and not more else 's'}"


def _verb(number: int) -> str:
    return "differs" if number == 1 else "differ"


def _used_columns(
    tables: Mapping[str, RowsRecord], queries: Sequence[str], dialect: str
) -> dict[str, set[str]] | None:
    """Return each table that a query reads with the columns it mentions; None: not known."""
    names = {name: list(rows.columns) for name, rows in tables.items()}
    used: dict[str, set[str]] = {}
    for text in queries:
        if not text:
            continue
        try:
            _add_used(parse(text, dialect, names), names, used)
        except (ParseError, InputError):
            return None
    return used or None


def _add_used(query: Query, names: Mapping[str, Sequence[str]], used: dict[str, set[str]]) -> None:
    for select in query.selects:
        for source in select.sources:
            if source.table is None:
                continue
            columns = used.setdefault(source.table, set())
            for projection in select.projections:
                if projection.star and projection.star_source in (None, source):
                    columns.update(names.get(source.table, ()))
        for use in select.columns:
            if use.table is not None and use.column is not None:
                used.setdefault(use.table, set()).add(use.column)


def _table_view(name: str, rows: RowsRecord, used: set[str] | None) -> RowsView:
    """Return a table of the instance; of a wide one the first column and those in use."""
    places = [
        place
        for place, column in enumerate(rows.columns)
        if len(rows.columns) <= COLUMNS_SHOWN or used is None or place == 0 or column in used
    ][:MOST_COLUMNS]
    left_out = len(rows.columns) - len(places)
    notes = []
    if left_out:
        unused = used is not None and not used - {rows.columns[place] for place in places}
        what = "that no query mentions" if unused else "not shown"
        notes.append(f"and {_count(left_out, 'column')} {what}")
    return _rows_view(_name(name), rows.columns, rows.rows, places, [False] * len(rows.rows), notes)


def _result_view(name: str, result: ResultRecord, marked: Sequence[bool]) -> RowsView:
    places = range(min(len(result.columns), MOST_COLUMNS))
    left_out = len(result.columns) - len(places)
    notes = [f"and {_count(left_out, 'column')} not shown"] if left_out else []
    if result.truncated:
        notes.append("and more rows than were read")
    title = f"{name[:1].upper()}{name[1:]}"
    return _rows_view(title, result.columns, result.rows, places, marked, notes)


def _rows_view(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[JsonCell]],
    places: Sequence[int],
    marked: Sequence[bool],
    notes: Sequence[str],
) -> RowsView:
    # Rows that differ first, and in the order of the result.
    wanted = sorted(sorted(range(len(rows)), key=lambda row: not marked[row])[:ROWS_SHOWN])
    left_out = len(rows) - len(wanted)
    more = [f"and {_count(left_out, 'row')} not shown"] if left_out else []
    return RowsView(
        title=title,
        columns=tuple(_name(columns[place]) for place in places),
        rows=tuple(tuple(cell_view(rows[row][place]) for place in places) for row in wanted),
        marked=tuple(marked[row] for row in wanted),
        notes=(*more, *notes),
    )


def _unread_notes(tables: Mapping[str, RowsRecord], unread: Sequence[str]) -> tuple[str, ...]:
    filled = [
        f"{_name(name)} ({_count(len(tables[name].rows), 'row')})"
        for name in unread
        if tables[name].rows
    ]
    if not filled:
        return ()
    return (f"For the foreign keys there are also rows in {', '.join(filled)}.",)


def _marks(record: CounterexampleRecord) -> tuple[list[bool], list[bool]]:
    """Return for each row of both results whether the other one lacks it."""
    a, b = ([_plain(row) for row in result.rows] for result in (record.result_a, record.result_b))
    if record.kind is DifferenceKind.COLUMNS:
        return [False] * len(a), [False] * len(b)
    if record.kind is DifferenceKind.ORDER:
        return (
            [row not in b[place : place + 1] for place, row in enumerate(a)],
            [row not in a[place : place + 1] for place, row in enumerate(b)],
        )
    return _lacking(a, b), _lacking(b, a)


def _lacking(rows: Sequence[Hashable], others: Sequence[Hashable]) -> list[bool]:
    """Return for each row whether it comes more often than in the others, the last ones first."""
    left = Counter(others)
    lacking = []
    for row in rows:
        left[row] -= 1
        lacking.append(left[row] < 0)
    return lacking


def _plain(row: Sequence[JsonCell]) -> tuple[JsonCell, ...]:
    return tuple(float(f"{cell:.{_DIGITS}g}") if isinstance(cell, float) else cell for cell in row)


def _name(value: str) -> str:
    return shortened(one_line(value), _NAME_SHOWN)
