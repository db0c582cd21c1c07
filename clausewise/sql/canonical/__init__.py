"""Canonical forms of queries: two queries with one canonical form always give the same result.

Every rewrite holds under bag semantics, three-valued logic and SQLite's rules of comparison, for
every content that obeys the declared keys. What is not modelled is refused (`Untranslatable`).
Columns are taken to compare byte by byte: collations other than BINARY are not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from clausewise.sql.canonical.model import (
    ColumnFacts,
    KeyFacts,
    Query,
    RewriteNotes,
    SelectBlock,
    TableFacts,
    Untranslatable,
)
from clausewise.sql.canonical.printing import RelationNames, query_text
from clausewise.sql.canonical.reading import QueryReader
from clausewise.sql.canonical.rewriting import finish, rewritten
from clausewise.sql.tokenizing import tokenize
from clausewise.sql.trees import tree_of

__all__ = [
    "CanonicalQuery",
    "ColumnFacts",
    "KeyFacts",
    "TableFacts",
    "Untranslatable",
    "canonical",
]


@dataclass(frozen=True, slots=True)
class CanonicalQuery:
    """The canonical form of one query, and how it was reached."""

    text: str
    query: Query
    steps: tuple[str, ...]
    foreign_keys: tuple[tuple[str, tuple[str, ...]], ...]
    """Table and columns of the declared foreign keys that the steps rest on."""
    ordered: bool
    """Whether the query asks for an order at its outermost level."""


def canonical(
    text: str,
    tables: Mapping[str, TableFacts],
    *,
    order: bool = True,
    column_order: bool = True,
    duplicates: bool = True,
) -> CanonicalQuery:
    """Return the canonical form of an SQLite query.

    Parameters
    ----------
    text : str
        One SELECT.
    tables : mapping of str to TableFacts
        Folded table name to what is declared of it.
    order, column_order, duplicates : bool
        Whether the order of rows, the order of columns, and the number of equal rows count.

    Raises
    ------
    Untranslatable
        Where the query holds something whose meaning is not modelled.
    ParseError
        Where it cannot be parsed.
    """
    tokens = tokenize(text, Dialect.get_or_raise("sqlite"))
    tokens.match_brackets()
    tree: exp.Expr = tree_of(tokens, Dialect.get_or_raise("sqlite"))
    query, _ = QueryReader(tables, text).query(tree, None, {})
    ordered = bool(query.order)
    limited = query.limit is not None or bool(query.offset)
    if not order and not limited:
        query.order = []
    notes = RewriteNotes()
    found = rewritten(query, notes, is_set=not duplicates and not limited and not query.order)
    finish(found)
    plain = query_text(found, RelationNames())
    if not column_order and isinstance(found, SelectBlock):
        plain = _any_column_order(found)
    return CanonicalQuery(plain, found, tuple(notes.steps), tuple(notes.foreign_keys), ordered)


def _any_column_order(block: SelectBlock) -> str:
    chosen = list(block.select)
    texts = []
    for value in chosen:
        block.select = [value]
        texts.append((query_text(block, RelationNames()), value))
    block.select = [value for _, value in sorted(texts, key=lambda pair: pair[0])]
    return query_text(block, RelationNames())
