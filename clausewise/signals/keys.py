"""Keys: which columns hold the same key, and which columns name a row without being one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from clausewise.databases.key_names import names_suggest_key
from clausewise.databases.model import ForeignKey, Schema, Table
from clausewise.errors import QueryFailed
from clausewise.naming.expansion import expanded
from clausewise.question.tokens import word_set
from clausewise.sql.probe_dialects import probe_dialect

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.signals.context import Context

ColumnName = tuple[str, str]
"""(table, column) in the schema's spelling."""


class KeyClasses:
    """Columns grouped by the key that they hold, by union over the foreign keys.

    Two columns are in one class where one refers to the other, or both refer, over any number of
    steps, to the same key (SQLens A.1, incorrect join predicate). By hand, because the import of
    networkx for its union-find takes longer than the check of a case.
    """

    def __init__(self, keys: tuple[ForeignKey, ...]) -> None:
        self._parent: dict[ColumnName, ColumnName] = {}
        for key in keys:
            for own, referred in zip(key.columns, key.referred_columns, strict=True):
                self._union((key.table, own), (key.referred_table, referred))

    def _find(self, column: ColumnName) -> ColumnName:
        while (parent := self._parent.get(column, column)) != column:
            column = parent
        return column

    def _union(self, left: ColumnName, right: ColumnName) -> None:
        roots = sorted((self._find(left), self._find(right)))
        self._parent[roots[1]] = roots[0]

    def same(self, left: ColumnName, right: ColumnName) -> bool:
        """Whether both columns hold the same key."""
        return self._find(left) == self._find(right)


def key_classes(schema: Schema, declared_only: bool = False) -> KeyClasses:
    """Return the key classes of a schema, of all its keys or of the declared ones only."""
    return schema.once(_declared_classes if declared_only else _all_classes)


def _all_classes(schema: Schema) -> KeyClasses:
    return KeyClasses(schema.foreign_keys)


def _declared_classes(schema: Schema) -> KeyClasses:
    return KeyClasses(tuple(key for key in schema.foreign_keys if not key.inferred))


def is_key(schema: Schema, table: str, column: str) -> bool:
    """Whether a column is a table's whole primary key, or refers to a key by itself."""
    known = schema.table(table)
    if known is not None and known.primary_key == (column,):
        return True
    return any(key.table == table and key.columns == (column,) for key in schema.foreign_keys)


def refers_unsaid(context: Context, source: ColumnName, target: ColumnName) -> bool:
    """Whether a column is named after a table's primary key and holds nothing but its values.

    In a table that refers to itself (`chief_id`), an ending `id` is name enough. Raises as
    `Context.run`, but for statements that cannot be run.
    """
    table = context.schema.table(target[0])
    if table is None or table.primary_key != (target[1],):
        return False
    within = source[0] == target[0] and source[1].casefold().endswith("id")
    named = names_suggest_key(source[1], table.name, target[1], target_is_key=True)
    if source == target or not (named or within):
        return False
    if not context.database.profile(*source).distinct:
        return False
    quoted = context.words.quote_name
    name, key = quoted(source[1]), quoted(target[1])
    try:
        return not context.keeps_a_row(
            f"SELECT 1 FROM {quoted(source[0])} WHERE {name} NOT IN "
            f"(SELECT {key} FROM {quoted(table.name)} WHERE {key} IS NOT NULL) LIMIT 1"
        )
    except QueryFailed:
        return False  # columns of types that are not compared


NEARLY_UNIQUE = 0.9
"""Share of distinct values in [0, 1] from which any text column names its row."""
OFTEN_UNIQUE = 0.5
"""The same for columns whose name says that they hold names."""


def key_of(table: Table) -> tuple[str, ...]:
    """Return the columns that identify a table's rows, empty where none are declared."""
    if table.primary_key:
        return table.primary_key
    return next(iter(table.unique), ())


def _key_columns(schema: Schema) -> Mapping[str, frozenset[str]]:
    """Return, for each table, the columns of any key or foreign key, case folded."""
    keys: dict[str, list[Sequence[str]]] = {
        table.name: [table.primary_key, *table.unique] for table in schema.tables
    }
    for key in schema.foreign_keys:
        keys.setdefault(key.table, []).append(key.columns)
    return {
        table: frozenset(name.casefold() for columns in held for name in columns)
        for table, held in keys.items()
    }


def naming_share(database: DatabaseProtocol, table: str, columns: Iterable[str]) -> float | None:
    """Return which share in [0, 1] of a table's rows these columns identify.

    None where they do not name rows at all: keys, foreign keys, numbers, and columns that hold
    few values (a country, a status); and where only a sample of the rows was read.
    """
    names = sorted(set(columns))
    held = database.schema.table(table)
    if held is None or not key_of(held) or not names:
        return None
    key_columns = database.schema.once(_key_columns)[held.name]
    if key_columns & {name.casefold() for name in names}:
        return None
    profiles = [database.profile(table, name) for name in names]
    if not any(profile.stored_types.get("text") for profile in profiles):
        return None
    if any(profile.sampled for profile in profiles):
        return None  # nearly all values of a sample may differ that repeat in the table
    if len(profiles) == 1:
        share = profiles[0].distinct / max(1, profiles[0].rows - profiles[0].nulls)
    else:
        words = probe_dialect(database.dialect)
        listed = ", ".join(map(words.quote_name, names))
        pairs = words.derived(f"SELECT DISTINCT {listed} FROM {words.quote_name(table)}")
        distinct = database.scalar(f"SELECT COUNT(*) FROM {pairs}")
        share = int(distinct or 0) / max(1, database.row_count(table))
    read = expanded(database.schema)
    spoken = any(read.column(table, name).words & word_set("columns", "naming") for name in names)
    return share if share >= (OFTEN_UNIQUE if spoken else NEARLY_UNIQUE) else None
