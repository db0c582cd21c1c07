"""Queries of other dialects than SQLite's, made ready for the engine that runs them.

SQLite runs its own dialect. DuckDB runs its own, and PostgreSQL's and MySQL's, transpiled by
sqlglot, where every part of the query is on the list of those known to mean the same.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from clausewise.errors import InputError, NotComparable, ParseError
from clausewise.sql.dialect_rules import RULES, DialectRules, described
from clausewise.sql.typed_rules import ENGINE, Types, check_types, orders_texts, typed_tree

SQLITE = "sqlite"
_SQUEEZED = re.compile(r"[^a-z0-9]")


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """A query in the words of the engine that runs it.

    `texts`, `patterns`, `orders_texts` and `folds_case` say on which instances its result does not
    depend on a collation, see `depends_on_collation`.
    """

    text: str
    engine: str
    """`sqlite` or `duckdb`."""
    texts: tuple[str, ...] = ()
    """Its constants."""
    patterns: tuple[str, ...] = ()
    """Those of LIKE."""
    orders_texts: bool = False
    """Whether texts are put in an order that is up to the server's collation."""
    folds_case: bool = False
    """Whether texts are compared without regard to case."""


def engine_query(text: str, dialect: str, types: Types) -> EngineQuery:
    """Return a query as its engine runs it.

    Parameters
    ----------
    text : str
        One query.
    dialect : str
        `sqlite`, or one of `RULES`.
    types : mapping of str to mapping of str to str
        Table to column to the engine's type, as DuckDB writes it.

    Raises
    ------
    NotComparable
        Where the query has a part that is not known to mean the same in the engine, or is in a
        dialect that was not examined; the message names it.
    InputError
        For a dialect that sqlglot does not know.
    """
    try:
        grammar = Dialect.get_or_raise(dialect)
    except ValueError as error:
        raise InputError(str(error), field="dialect") from None
    name = dialect.strip().lower()
    if name == SQLITE:
        return EngineQuery(text, SQLITE)
    rules = RULES.get(name)
    if rules is None:
        known = ", ".join((SQLITE, *RULES))
        raise NotComparable(f"the dialect {name} is not examined; known are {known}")
    tree = _tree(text, grammar)
    _check_parts(tree, rules, name)
    if rules.is_native:
        return EngineQuery(text, ENGINE)
    if name == "mysql" and any(t.token_type is TokenType.DPIPE for t in grammar.tokenize(text)):
        raise NotComparable(f"||: {rules.reasons[exp.DPipe]} ({name})")
    _check_aliases(tree, name, types)
    typed = typed_tree(tree, types)
    check_types(typed, name)
    constants = [node for node in tree.find_all(exp.Literal) if node.is_string]
    patterns = {node.expression.name for node in tree.find_all(exp.Like)}
    return EngineQuery(
        text=_transpiled(tree, name),
        engine=ENGINE,
        texts=tuple(sorted({node.name for node in constants} - patterns)),
        patterns=tuple(sorted(patterns)),
        orders_texts=orders_texts(typed),
        folds_case=name == "mysql",
    )


def depends_on_collation(queries: Sequence[EngineQuery], texts: Iterable[str]) -> bool:
    """Whether a result on an instance that holds these texts may depend on a collation.

    Collations of servers differ in whether they tell upper from lower case and accents, ignore
    spaces at the end, and how they order texts. Where no two texts are equal, or ordered
    otherwise, under any of the usual rules, the result is the same under all of them.

    >>> folding = EngineQuery("", "duckdb", texts=("Ann",), folds_case=True)
    >>> depends_on_collation([folding], ["ann"]), depends_on_collation([folding], ["Bob"])
    (True, False)
    """
    folding = any(query.folds_case for query in queries)
    ordering = any(query.orders_texts for query in queries)
    if not folding and not ordering:
        return False
    constants = {constant for query in queries for constant in query.texts}
    known = sorted({*texts, *constants})
    if not all(text.isascii() for text in known):
        return True
    folded = [text.casefold().rstrip(" ") for text in known]
    if folding and len(set(folded)) < len(known):
        return True
    patterns = {pattern for query in queries for pattern in query.patterns}
    if folding and any(_matches_by_case(pattern, text) for pattern in patterns for text in known):
        return True
    if not ordering:
        return False
    squeezed = [_SQUEEZED.sub("", text) for text in folded]
    return any(before >= after for keys in (folded, squeezed) for before, after in _neighbors(keys))


def _neighbors(keys: Sequence[str]) -> Iterable[tuple[str, str]]:
    return itertools.pairwise(keys)


def _matches_by_case(pattern: str, text: str) -> bool:
    """Whether LIKE finds the pattern in the text only if case does, or does not, count."""
    expression = "".join(
        ".*" if sign == "%" else "." if sign == "_" else re.escape(sign) for sign in pattern
    )
    counts = re.fullmatch(expression, text, re.DOTALL) is not None
    ignored = re.fullmatch(expression, text, re.DOTALL | re.IGNORECASE) is not None
    return counts != ignored


def _tree(text: str, grammar: Dialect) -> exp.Expr:
    try:
        found = [tree for tree in grammar.parse(text) if tree is not None]
    except (SqlglotError, RecursionError) as error:
        message = str(error).strip().split("\n", 1)[0]
        raise NotComparable(f"a query cannot be parsed: {message}") from None
    if len(found) != 1:
        raise NotComparable("not exactly one statement")
    return found[0]


def _check_parts(tree: exp.Expr, rules: DialectRules, dialect: str) -> None:
    """Raise for the first part that is not on the dialect's list."""
    for node in tree.walk():
        if type(node) not in rules.allowed:
            reason = rules.reasons.get(type(node), "not on the list of what was examined")
            raise NotComparable(f"{described(node)}: {reason} ({dialect})")
        if isinstance(node, exp.Distinct) and node.args.get("on") is not None:
            raise NotComparable(f"DISTINCT ON: any row of a group may be kept ({dialect})")
        if isinstance(node, exp.Count) and (node.expressions or len(node.this.expressions) > 1):
            raise NotComparable(f"COUNT of several columns ({dialect})")
        if isinstance(node, exp.Length) and node.args.get("binary") and not rules.is_native:
            raise NotComparable(f"LENGTH: it counts bytes ({dialect})")
        if isinstance(node, exp.Join) and not _is_plain_join(node):
            raise NotComparable(f"{node.method} JOIN ({dialect})")


def _is_plain_join(node: exp.Join) -> bool:
    return not node.method and node.side in ("", "LEFT", "RIGHT", "FULL")


def _check_aliases(tree: exp.Expr, dialect: str, types: Types) -> None:
    """Raise where a name may mean an alias or a column, or an alias stands where none may.

    DuckDB knows the aliases of a SELECT in all of its clauses.
    """
    columns = {name.lower() for names in types.values() for name in names}
    for alias in tree.find_all(exp.Alias):
        name = alias.alias.lower()
        select = alias.parent if isinstance(alias.parent, exp.Select) else None
        is_itself = isinstance(alias.this, exp.Column) and alias.this.name.lower() == name
        if select is None or is_itself:
            continue
        parts = ("where", "having", "group", "order") if name in columns else _NO_ALIAS[dialect]
        if any(_mentions(select.args.get(part), name) for part in parts):
            raise NotComparable(f"'{name}' is an alias or a column, by the dialect ({dialect})")


_NO_ALIAS = {"postgres": ("where", "having"), "mysql": ("where",)}
"""Clauses in which a dialect knows no alias."""


def _mentions(part: exp.Expr | None, name: str) -> bool:
    return part is not None and any(
        column.name.lower() == name and not column.table for column in part.find_all(exp.Column)
    )


def _transpiled(tree: exp.Expr, dialect: str) -> str:
    made = tree.copy()
    if dialect == "postgres":
        for cast in made.find_all(exp.Cast):
            target = cast.args["to"]
            if target.is_type(exp.DType.DECIMAL) and not target.expressions:
                # DuckDB's DECIMAL has three decimals where none are named, PostgreSQL's all.
                cast.set("to", exp.DataType.build("DOUBLE"))
    return str(made.sql(ENGINE, identify=True, comments=False))


def in_dialect(text: str, source: str, target: str) -> str:
    """Return statements of one dialect in the words of another, as far as sqlglot knows them.

    For tests and examples: that the meaning stays the same is not examined. Raises ParseError
    where the text cannot be read.

    >>> in_dialect("SELECT [a] FROM t LIMIT 1, 2", "sqlite", "postgres")
    'SELECT "a" FROM t LIMIT 2 OFFSET 1'
    """
    try:
        return ";\n".join(sqlglot.transpile(text, read=source, write=target))
    except SqlglotError as error:
        raise ParseError(str(error), 0, len(text)) from None
