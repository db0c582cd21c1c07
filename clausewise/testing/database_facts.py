"""Checks of what a database says of itself: schema, keys, profiles, values."""

from __future__ import annotations

from collections import Counter

from clausewise.databases import Cell, Column, ColumnProfile, DatabaseProtocol, ForeignKey, Table
from clausewise.databases.profile import LONGEST_VALUE, NUMBER
from clausewise.errors import DatabaseError
from clausewise.testing.database_contents import (
    CONTRACT_TABLES,
    CONTRACT_VIEW,
    LONG_TEXT,
    LONGER_TEXT,
    ODD_COLUMN,
    ODD_TABLE,
    ContractTable,
)
from clausewise.testing.database_support import OpenDatabase, opened

_MOST_KEY_CHARACTERS = 64
_STORED = {int: "integer", float: "real", str: "text", bytes: "blob"}
_EITHER_NUMBER = frozenset({"decimal"})
"""Kinds of columns whose whole numbers may be of type int or float."""


def check_schema(open_database: OpenDatabase) -> None:
    """Tables, columns, types and declared keys are those of the database, in their order."""
    with opened(open_database) as database:
        schema = database.schema
        stored = [table.name for table in schema.tables if not table.is_view]
        assert sorted(stored) == sorted(table.name for table in CONTRACT_TABLES), stored
        for table in CONTRACT_TABLES:
            _check_table(_known(database, table.name), table)
        view = _known(database, CONTRACT_VIEW)
        assert view.is_view
        assert [column.name for column in view.columns] == ["id", "title"], view
        declared = [key for key in schema.foreign_keys if not key.inferred]
        assert declared == [ForeignKey("book", ("author_id",), "author", ("id",))], declared
        assert not schema.left_out, schema.left_out


def _check_table(found: Table, table: ContractTable) -> None:
    assert not found.is_view, table.name
    names = [column.name for column in table.columns]
    assert [column.name for column in found.columns] == names, found
    assert found.primary_key == table.primary_key, found
    unique = {(column.name,) for column in table.columns if column.is_unique}
    assert set(found.unique) - {table.primary_key} == unique, found.unique
    for column, declared in zip(found.columns, table.columns, strict=True):
        assert column.declared_type, column
        assert column.not_null or not declared.not_null, column
        assert bool(column.primary_key) == (column.name in table.primary_key), column


def check_names(open_database: OpenDatabase) -> None:
    """Tables and columns are found whatever the case of the name, and only those."""
    with opened(open_database) as database:
        for name in ("BOOK", "Book", ODD_TABLE.upper()):
            assert database.schema.table(name) is not None, name
        column = _column(database, "AUTHOR", "country")
        assert column.name == "Country", column
        assert database.schema.table("nowhere") is None
        assert database.profile("Book", "ISBN").column == "isbn"
        assert database.row_count("BOOK") == 4
        for call in (
            lambda: database.profile("book", "nonsense"),
            lambda: database.profile("nowhere", "id"),
            lambda: database.row_count("nowhere"),
        ):
            try:
                call()
            except DatabaseError:
                continue
            raise AssertionError("a name that is not there raises no DatabaseError")


def check_join_graph(open_database: OpenDatabase) -> None:
    """The declared key joins its two tables."""
    with opened(open_database) as database:
        graph = database.join_graph
        assert set(graph.nodes) >= {table.name for table in CONTRACT_TABLES}
        assert graph.has_edge("book", "author")


def check_row_counts(open_database: OpenDatabase) -> None:
    """`row_count` is exact."""
    with opened(open_database) as database:
        for table in CONTRACT_TABLES:
            assert database.row_count(table.name) == len(table.rows), table.name
        assert database.row_count(CONTRACT_VIEW) == 2


def check_content_key(open_database: OpenDatabase) -> None:
    """The key fits into a file's name."""
    with opened(open_database) as database:
        key = database.content_key
        assert key.isascii(), key
        assert key.isalnum(), key
        assert len(key) <= _MOST_KEY_CHARACTERS, key


def check_profiles(open_database: OpenDatabase) -> None:
    """A profile counts rows, NULLs and different values, and shows the short and frequent ones."""
    with opened(open_database) as database:
        for table in CONTRACT_TABLES:
            for column in table.columns:
                found = database.profile(table.name, column.name)
                _check_profile(found, table.values(column.name), column.kind)
        assert database.profile(CONTRACT_VIEW, "title").rows == 2


def _check_profile(found: ColumnProfile, values: list[Cell], kind: str) -> None:
    held = [value for value in values if value is not None]
    where = f"{found}"
    assert (found.rows, found.nulls) == (len(values), len(values) - len(held)), where
    assert found.distinct == len(set(held)), where
    assert not found.sampled, where
    stored = Counter(_STORED[type(value)] for value in held)
    if kind in _EITHER_NUMBER:
        assert sum(found.stored_types.values()) == stored.total(), where
        assert found.stored_types.keys() <= {"integer", "real"}, where
    else:
        assert dict(found.stored_types) == dict(stored), where
    texts = [value for value in held if isinstance(value, str)]
    assert found.numeric_text == sum(bool(NUMBER.fullmatch(text)) for text in texts), where
    shown = [value for value in held if _is_shown(value)]
    counts = Counter(shown)
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:20]
    assert list(found.frequent) == frequent, where
    if held and not isinstance(held[0], bytes):
        for extreme, known in ((min(held), found.minimum), (max(held), found.maximum)):
            assert known == (extreme if _is_shown(extreme) else None), where


def _is_shown(value: Cell) -> bool:
    return not isinstance(value, bytes) and len(str(value)) <= LONGEST_VALUE


def check_values(open_database: OpenDatabase) -> None:
    """Texts are found whatever their case and white space, with where they stand and how often."""
    expected = {
        "ADA": [
            ("author", "name", " ada ", 1),
            ("author", "name", "Ada", 1),
            ("book", "title", "Ada", 1),
        ],
        "new york ": [("book", "title", "New  York", 1)],
        "łukasz o'neill": [("author", "name", "Łukasz O'Neill", 1)],
        "tōkyō": [(ODD_TABLE, ODD_COLUMN, "Tōkyō", 2), (ODD_TABLE, ODD_COLUMN, "tōkyō", 1)],
        "12.50": [("kinds", "words", "12.50", 1)],
        "tag 07": [("many", "tag", "tag 07", 34)],
        LONG_TEXT: [("kinds", "words", LONG_TEXT, 1)],
        LONGER_TEXT: [],
        "nowhere to be found": [],
        "%": [],
    }
    with opened(open_database) as database:
        for text, places in expected.items():
            found = database.find_value(text)
            stored = [place for place in found if place.table != CONTRACT_VIEW]
            rows = [(place.table, place.column, place.value, place.count) for place in stored]
            assert sorted(rows) == sorted(places), f"{text!r}: {rows}"
        assert [place.count for place in database.find_value("tōkyō")] == [2, 1]


def check_indexed_columns(open_database: OpenDatabase) -> None:
    """`is_indexed` says which columns `find_value` knows: those that hold texts."""
    with opened(open_database) as database:
        for table, column, is_indexed in (
            ("author", "name", True),
            ("BOOK", "Title", True),
            ("kinds", "words", True),
            (ODD_TABLE, ODD_COLUMN, True),
            ("author", "id", False),
            ("kinds", "raw", False),
            ("kinds", "nothing", False),
            ("empty_one", "note", False),
        ):
            assert database.is_indexed(table, column) is is_indexed, f"{table}.{column}"


def _known(database: DatabaseProtocol, name: str) -> Table:
    table = database.schema.table(name)
    assert table is not None, f"there is no table {name}"
    return table


def _column(database: DatabaseProtocol, table: str, name: str) -> Column:
    column = _known(database, table).column(name)
    assert column is not None, f"there is no column {table}.{name}"
    return column


FACT_CHECKS = (
    check_schema,
    check_names,
    check_join_graph,
    check_row_counts,
    check_content_key,
    check_profiles,
    check_values,
    check_indexed_columns,
)
