"""The facts in a script of CREATE, ALTER and COMMENT statements: tables, columns and keys."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError

from clausewise.errors import InputError
from clausewise.sql.scripts import statements_of
from clausewise.text import one_line, shortened

LONGEST_STATEMENT = 200_000
"""Characters of a statement that is parsed; a longer one defines nothing that a query names."""
_DEFINING = frozenset({"CREATE", "ALTER", "COMMENT"})
_NOT_TABLES = re.compile(
    r"\s*(?:CREATE|ALTER)\s+(?:OR\s+REPLACE\s+)?(?:(?:TEMP|TEMPORARY|UNIQUE|GLOBAL|LOCAL|UNLOGGED)\s+)*"
    r"(?P<what>\w+)",
    re.IGNORECASE,
)
_KINDS = frozenset({"TABLE", "VIEW", "MATERIALIZED", "INDEX", "COLUMN"})
_CONSTRAINTS = frozenset(
    {"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT", "KEY", "INDEX", "EXCLUDE", "LIKE"}
)
"""Words that begin a part of a table's definition that is no column."""
_AFTER_TYPE = frozenset(
    {"NOT", "NULL", "PRIMARY", "UNIQUE", "DEFAULT", "REFERENCES", "CHECK", "COLLATE", "CONSTRAINT"}
    | {"GENERATED", "AS", "AUTOINCREMENT", "AUTO_INCREMENT", "COMMENT", "ON", "KEY", "VISIBLE"}
    | {"INVISIBLE", "STORAGE", "COMPRESSION", "CHARSET", "IDENTITY", "HIDDEN", "STORED", "VIRTUAL"}
)
"""Words that begin what follows a column's type."""


@dataclass(frozen=True, slots=True)
class DefinedColumn:
    """A column as a statement defines it; `type` is empty where none is given."""

    name: str
    type: str
    not_null: bool = False
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class DefinedKey:
    """A foreign key; `referred_columns` is empty where it refers to the primary key."""

    columns: tuple[str, ...]
    referred_table: str
    referred_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A table or view; names as they are written, without the schema in front of them."""

    name: str
    columns: tuple[DefinedColumn, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[DefinedKey, ...] = ()
    is_view: bool = False
    has_collations: bool = False

    def column(self, name: str) -> DefinedColumn | None:
        """Return the column of that name in any case, None where there is none."""
        folded = name.casefold()
        return next((one for one in self.columns if one.name.casefold() == folded), None)


@dataclass(slots=True)
class Definitions:
    """What a script defines, in its order, and what was not read of it."""

    tables: dict[str, DefinedTable] = field(default_factory=dict)
    """By name, case folded."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Names of tables and views that are defined and not read, or not as a whole, to the reason;
    a statement whose name cannot be read stands under its line: `line 12`."""
    skipped: Counter[str] = field(default_factory=Counter)
    """First word of the statements that define no table, view or key, to their number."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement that was parsed, with its tokens: they keep how a type was written."""

    text: str
    tree: exp.Expr | None
    tokens: Sequence[Token]

    def type_after(self, name: exp.Expr) -> str:
        """Return the words between a column's name and its first constraint, as written."""
        end = name.meta.get("end")
        first = next((n for n, one in enumerate(self.tokens) if one.end == end), None)
        if first is None:
            return ""
        words = list(_type_words(self.tokens[first + 1 :]))
        return one_line(self.text[words[0].start : words[-1].end + 1]) if words else ""


def _type_words(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        word = token.text.upper().split(" ")[0]
        if token.token_type is TokenType.R_PAREN:
            depth -= 1
        if depth < 0 or (depth == 0 and (word == "," or word in _AFTER_TYPE)):
            return
        if word in ("CHARACTER", "CHAR") and following and following.text.upper() == "SET":
            return
        yield token
        depth += token.token_type is TokenType.L_PAREN


class _Unread(Exception):
    """A statement of which something cannot be read; says what."""


def read_definitions(text: str, dialect: str = "sqlite") -> Definitions:
    """Return what a script defines: `CREATE TABLE`, `CREATE VIEW`, keys and comments added later.

    Other statements, such as the `INSERT` of a dump, are counted. A statement that is damaged, or
    whose columns cannot be known from it, is left out; the others go on.

    Raises InputError for a dialect that sqlglot does not know.

    >>> script = "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a_id INT REFERENCES a)"
    >>> [table.foreign_keys for table in read_definitions(script).tables.values()]
    [(), (DefinedKey(columns=('a_id',), referred_table='a', referred_columns=()),)]
    """
    try:
        grammar = Dialect.get_or_raise(dialect)
    except ValueError as error:
        raise InputError(str(error), field="dialect") from None
    found = Definitions()
    for line, statement in statements_of(text, escapes=dialect.lower().startswith("mysql")):
        verb = statement.split(None, 1)[0].upper()
        what = _NOT_TABLES.match(statement)
        if verb not in _DEFINING or (what is not None and what["what"].upper() not in _KINDS):
            found.skipped[verb] += 1
            continue
        try:
            parsed = _parsed(statement, grammar)
            _READERS[type(parsed.tree)](parsed, found)
        except KeyError:
            found.left_out[f"line {line}"] = f"not understood: {_opening(statement)}"
        except _Unread as reason:
            found.left_out[f"line {line}"] = f"{reason}: {_opening(statement)}"
    return found


def _opening(statement: str) -> str:
    return repr(shortened(one_line(statement), 60))


def _parsed(statement: str, grammar: Dialect) -> _Statement:
    if len(statement) > LONGEST_STATEMENT:
        raise _Unread("too long")
    try:
        with _quiet():
            tokens = grammar.tokenize(statement)
            return _Statement(statement, _tree(statement, tokens, grammar), tokens)
    except (SqlglotError, RecursionError, ValueError) as error:
        raise _Unread(shortened(one_line(error), 120)) from None


def _tree(statement: str, tokens: Sequence[Token], grammar: Dialect) -> exp.Expr | None:
    """Return the tree; SQLite takes any words for a type, so they are tried without theirs."""
    parser = grammar.parser(error_level=ErrorLevel.IMMEDIATE)
    try:
        tree = parser.parse(list(tokens), statement)[0]
        if isinstance(tree, exp.Create):
            return tree
    except SqlglotError:
        tree = None
    plain = _without_types(tokens)
    if tree is not None and (isinstance(tree, exp.Alter | exp.Comment) or not plain):
        return tree
    parser = grammar.parser(error_level=ErrorLevel.IMMEDIATE)
    return parser.parse(plain or list(tokens), statement)[0]


def _without_types(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens of CREATE TABLE with TEXT in the place of each column's type."""
    found: list[Token] = []
    depth = at = 0
    while at < len(tokens):
        token = tokens[at]
        before = found[-1] if found else None
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        found.append(token)
        at += 1
        begins = before is not None and before.text in ("(", ",")
        if depth != 1 or not begins or token.text.upper().split(" ")[0] in _CONSTRAINTS:
            continue
        words = list(_type_words(tokens[at:]))
        last = words[-1] if words else token
        found.append(Token(TokenType.TEXT, "TEXT", last.line, last.col, last.start, last.end))
        at += len(words)
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot from logging what it does not understand: that is said by the caller."""
    log = logging.getLogger("sqlglot")
    was, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = was


def _read_create(statement: _Statement, found: Definitions) -> None:
    tree: Any = statement.tree
    if tree.kind == "INDEX":
        _read_index(tree, found)
        return
    named = tree.this
    table = named.this if isinstance(named, exp.Schema) else named
    if not isinstance(table, exp.Table) or tree.kind not in ("TABLE", "VIEW"):
        raise _Unread("not a table or view")
    if table.name.casefold() in found.tables:
        if not tree.args.get("exists") and not tree.args.get("replace"):
            found.left_out[table.name] = "defined twice; the first definition counts"
        return
    made = DefinedTable(
        table.name,
        (),
        is_view=tree.kind == "VIEW",
        has_collations=tree.find(exp.CollateColumnConstraint, exp.Collate) is not None,
    )
    parts = named.expressions if isinstance(named, exp.Schema) else []
    if tree.expression is None:
        for part in parts:
            made = _with_part(made, part, statement)
    else:
        made = replace(made, columns=tuple(_output_columns(tree, parts, table.name, found)))
    if tree.find(exp.InheritsProperty, exp.LikeProperty) is not None:
        found.left_out[table.name] = "takes columns over from another table"
    if not made.columns:
        found.left_out.setdefault(table.name, "its columns are not stated")
        return
    found.tables[table.name.casefold()] = _completed(made)


def _output_columns(
    tree: exp.Create, names: Sequence[exp.Expr], table: str, found: Definitions
) -> Iterator[DefinedColumn]:
    """Yield the columns of a view, or of a table made of a query, as far as the text says them."""
    query = tree.expression
    said = [name.name for name in names] or list(getattr(query, "named_selects", ()))
    if not said or "*" in said or "" in said:
        found.left_out[table] = "its columns follow from a query"
        return
    for name in said:
        yield DefinedColumn(name, "")


def _with_part(table: DefinedTable, part: exp.Expr, statement: _Statement) -> DefinedTable:
    """Return the table with one column or constraint of its definition."""
    if isinstance(part, exp.Constraint):
        for inner in part.expressions:
            table = _with_part(table, inner, statement)
        return table
    if isinstance(part, exp.Identifier):
        table = replace(table, columns=(*table.columns, DefinedColumn(part.name, "")))
    elif isinstance(part, exp.ColumnDef):
        table = _with_column(table, part, statement)
    elif isinstance(part, exp.PrimaryKey):
        table = replace(table, primary_key=_names(part.expressions))
    elif isinstance(part, exp.UniqueColumnConstraint) and part.this is not None:
        table = _with_unique(table, _names(part.this.expressions))
    elif isinstance(part, exp.ForeignKey) and part.args.get("reference") is not None:
        table = _with_key(table, _names(part.expressions), part.args["reference"])
    return table


def _with_column(table: DefinedTable, part: exp.ColumnDef, statement: _Statement) -> DefinedTable:
    kinds = [item.kind for item in part.constraints]
    comments = [item.this.name for item in kinds if isinstance(item, exp.CommentColumnConstraint)]
    column = DefinedColumn(
        name=part.name,
        type=statement.type_after(part.this),
        not_null=any(
            isinstance(item, exp.NotNullColumnConstraint) and not item.args.get("allow_null")
            for item in kinds
        ),
        comment=comments[0] if comments else None,
    )
    table = replace(table, columns=(*table.columns, column))
    for item in kinds:
        if isinstance(item, exp.PrimaryKeyColumnConstraint):
            table = replace(table, primary_key=(part.name,))
        elif isinstance(item, exp.UniqueColumnConstraint):
            table = _with_unique(table, (part.name,))
        elif isinstance(item, exp.Reference):
            table = _with_key(table, (part.name,), item)
    return table


def _with_unique(table: DefinedTable, names: tuple[str, ...]) -> DefinedTable:
    return table if not names else replace(table, unique=(*table.unique, names))


def _with_key(table: DefinedTable, columns: tuple[str, ...], reference: exp.Expr) -> DefinedTable:
    referred = reference.this
    names = _names(referred.expressions) if isinstance(referred, exp.Schema) else ()
    target = referred.this if isinstance(referred, exp.Schema) else referred
    key = DefinedKey(columns, target.name, names)
    return replace(table, foreign_keys=(*table.foreign_keys, key))


def _names(parts: Sequence[exp.Expr]) -> tuple[str, ...]:
    """Return the names in a list of columns; empty where one is an expression or a prefix."""
    names = []
    for part in parts:
        column = part.this if isinstance(part, exp.Ordered) else part
        if not isinstance(column, exp.Identifier | exp.Column):
            return ()
        names.append(column.name)
    return tuple(names)


def _completed(table: DefinedTable) -> DefinedTable:
    """Return the table with only such keys as name its own columns, in their spelling."""

    def own(names: tuple[str, ...]) -> tuple[str, ...]:
        columns = [table.column(name) for name in names]
        return tuple(column.name for column in columns if column is not None)

    def whole(sets: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        return tuple(dict.fromkeys(own(names) for names in sets if len(own(names)) == len(names)))

    key = whole([table.primary_key])
    return replace(table, primary_key=key[0] if key else (), unique=whole(table.unique))


def _read_index(tree: exp.Create, found: Definitions) -> None:
    """Take the columns of a unique index that covers all rows."""
    index = tree.this
    known = found.tables.get(index.args["table"].name.casefold()) if tree.args["unique"] else None
    params = index.args.get("params")
    if known is None or params is None or params.args.get("where") is not None:
        return
    names = _names(params.args.get("columns") or ())
    found.tables[known.name.casefold()] = _completed(_with_unique(known, names))


def _read_alter(statement: _Statement, found: Definitions) -> None:
    tree: Any = statement.tree
    known = found.tables.get(tree.this.name.casefold())
    if known is None:
        found.left_out.setdefault(tree.this.name, "altered, and not defined before")
        return
    for action in tree.args.get("actions") or ():
        if isinstance(action, exp.AddConstraint):
            for part in action.expressions:
                known = _with_part(known, part, statement)
        elif isinstance(action, exp.ColumnDef):
            known = _with_column(known, action, statement)
        elif isinstance(action, exp.AlterRename | exp.RenameColumn | exp.Drop):
            found.left_out[known.name] = "renamed or dropped in part; its first form counts"
    found.tables[known.name.casefold()] = _completed(known)


def _read_comment(statement: _Statement, found: Definitions) -> None:
    tree: Any = statement.tree
    place, said = tree.this, tree.expression
    if tree.args.get("kind") != "COLUMN" or not isinstance(place, exp.Column) or said is None:
        return
    known = found.tables.get(place.table.casefold())
    if known is not None:
        folded = place.name.casefold()
        found.tables[known.name.casefold()] = replace(
            known,
            columns=tuple(
                replace(one, comment=said.name) if one.name.casefold() == folded else one
                for one in known.columns
            ),
        )


_READERS: Mapping[type, Callable[[_Statement, Definitions], None]] = {
    exp.Create: _read_create,
    exp.Alter: _read_alter,
    exp.Comment: _read_comment,
}
