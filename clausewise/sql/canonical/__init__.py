"""Canonical forms of queries: two queries with one canonical form always give the same result.

Every rewrite holds under bag semantics, three-valued logic and SQLite's rules of comparison, for
every content that obeys the declared keys. What is not modelled is refused (`Untranslatable`).
Columns are taken to compare byte by byte: whoever asks leaves out tables with other collations
than BINARY, on which queries are refused then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from clausewise.sql.canonical.conditions import is_condition
from clausewise.sql.canonical.forms import (
    OpenForm,
    compares_in_order,
    is_never_null,
    open_forms,
)
from clausewise.sql.canonical.model import (
    ColumnFacts,
    Expression,
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
    "Expression",
    "KeyFacts",
    "OpenForm",
    "TableFacts",
    "Untranslatable",
    "canonical",
    "compares_in_order",
    "is_condition",
    "is_never_null",
    "opened",
    "select_blocks",
]


@dataclass(frozen=True, slots=True)
class CanonicalQuery:
    """The canonical form of one query, and how it was reached."""

    text: str
    steps: tuple[str, ...]
    foreign_keys: tuple[tuple[str, tuple[str, ...]], ...]
    """Table and columns of the declared foreign keys that the steps rest on."""
    ordered: bool
    """Whether the query asks for an order at its outermost level."""
    skeletons: frozenset[str] = frozenset()
    """The texts of its open forms: queries that share one may differ in conditions alone."""


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
    query = _read(text, tables)
    ordered = bool(query.order)
    notes = RewriteNotes()
    found = _rewritten(query, notes, order, duplicates)
    plain = query_text(found, RelationNames())
    if not column_order and isinstance(found, SelectBlock):
        plain = _any_column_order(found)
    skeletons = frozenset(form.skeleton for form in open_forms(found) if column_order)
    steps, keys = tuple(notes.steps), tuple(notes.foreign_keys)
    return CanonicalQuery(plain, steps, keys, ordered, skeletons)


def opened(
    text: str, tables: Mapping[str, TableFacts], *, order: bool = True, duplicates: bool = True
) -> list[OpenForm]:
    """Return a query with its outermost conditions held apart; parameters as in `canonical`."""
    return open_forms(_rewritten(_read(text, tables), RewriteNotes(), order, duplicates))


def select_blocks(text: str, tables: Mapping[str, TableFacts]) -> list[SelectBlock]:
    """Return the outermost SELECTs of a query as read, all members of a set operation.

    Raises Untranslatable and ParseError, as `canonical`.
    """
    found: list[SelectBlock] = []
    waiting = [_read(text, tables)]
    while waiting:
        query = waiting.pop(0)
        if isinstance(query, SelectBlock):
            found.append(query)
        else:
            waiting[:0] = query.members
    return found


def _read(text: str, tables: Mapping[str, TableFacts]) -> Query:
    grammar = Dialect.get_or_raise("sqlite")
    tokens = tokenize(text, grammar)
    tokens.match_brackets()
    tree: exp.Expr = tree_of(tokens, grammar)
    return QueryReader(tables, text).query(tree, None, {})[0]


def _rewritten(query: Query, notes: RewriteNotes, order: bool, duplicates: bool) -> Query:
    limited = query.limit is not None or bool(query.offset)
    if not order and not limited:
        query.order = []
    found = rewritten(query, notes, is_set=not duplicates and not limited and not query.order)
    finish(found)
    return found


def _any_column_order(block: SelectBlock) -> str:
    chosen = list(block.select)
    texts = []
    for value in chosen:
        block.select = [value]
        texts.append((query_text(block, RelationNames()), value))
    block.select = [value for _, value in sorted(texts, key=lambda pair: pair[0])]
    return query_text(block, RelationNames())
