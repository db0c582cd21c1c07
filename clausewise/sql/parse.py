"""From text to Query: guards first, then tokens and tree once each, then the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect

from clausewise.errors import InputError, ParseError
from clausewise.sql.clauses import SelectFiller
from clausewise.sql.functions import calls, keywords
from clausewise.sql.model import Query, Select, UnknownName
from clausewise.sql.outline import outline
from clausewise.sql.resolution import Names
from clausewise.sql.scopes import Catalog, Scope, build_scopes
from clausewise.sql.tokenizing import tokenize
from clausewise.sql.tokens import Tokens
from clausewise.sql.trees import tree_of
from clausewise.text import shortened
from clausewise.types import Clause, ClauseSpan

_READING = frozenset({"SELECT", "WITH", "("})
_CHANGING = frozenset({"INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE"})
_OTHER_VERBS = frozenset(
    {"ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "COMMIT", "COPY", "CREATE", "DESCRIBE"}
    | {"DETACH", "DROP", "END", "EXPLAIN", "GRANT", "LOAD", "PRAGMA", "REINDEX", "RELEASE"}
    | {"RENAME", "REVOKE", "ROLLBACK", "SAVEPOINT", "SET", "SHOW", "TRUNCATE", "USE", "VACUUM"}
    | {"VALUES"}
)


def parse(
    text: str, dialect: str = "sqlite", tables: Mapping[str, Sequence[str]] | None = None
) -> Query:
    """Parse one SQL statement into its clauses, with exact spans, and the facts in them.

    Parameters
    ----------
    text
        One statement; a trailing semicolon and comments are fine.
    dialect
        A dialect's name as sqlglot knows it.
    tables
        Table name to column names, as `Schema.names()` gives them. Columns are then resolved to
        the schema's spelling and names that it does not know are listed in `unknown_names`.
        Without it columns are tied to their source where one is named, and nothing is unknown.

    Returns
    -------
    Query
        For a statement that does not read (`DROP`, `PRAGMA`, `WITH ... DELETE`), or `VALUES`
        alone, only `statement`, `span` and `token_count` are filled.

    Raises
    ------
    ParseError
        Where the text is blank, too long, too deeply nested, broken, or several statements;
        with the offsets of the offending place.
    InputError
        For a dialect that sqlglot does not know.
    """
    try:
        grammar = Dialect.get_or_raise(dialect)
    except ValueError as error:
        raise InputError(str(error), field="dialect") from None
    tokens = tokenize(text, grammar)
    span = tokens.span(Clause.QUERY, 0, len(tokens) - 1)
    statement = _statement(tokens)
    if statement != "SELECT":
        text_alone = span.text.rstrip()  # sqlglot keeps the rest of a command as one token
        span = ClauseSpan(Clause.QUERY, text_alone, span.start, span.start + len(text_alone))
        return Query(text, dialect, statement, (), span, token_count=len(tokens))
    tokens.match_brackets()
    try:
        tree = tree_of(tokens, grammar)
        return _query(tree, tokens, dialect, Catalog(tables, grammar), span)
    except RecursionError:
        raise ParseError("nested too deeply", span.start, span.end) from None


def _statement(tokens: Tokens) -> str:
    """Return SELECT for what only reads, else the verb; a ParseError for what is no statement."""
    verb = tokens.tokens[0].text.upper()
    if verb == "WITH":
        depth = 0
        for kind, token in zip(tokens.kinds, tokens.tokens, strict=True):
            depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
            if depth == 0 and token.text.upper() in _CHANGING:
                return token.text.upper()
    if verb in _READING:
        return "SELECT"
    if verb in _CHANGING or verb in _OTHER_VERBS:
        return verb
    word = shortened(tokens.piece(0, 0).text, 40)
    raise tokens.error(f"no SQL statement begins with {word!r}", 0)


def _query(
    tree: exp.Expr, tokens: Tokens, dialect: str, catalog: Catalog, span: ClauseSpan
) -> Query:
    places = outline(tokens)
    scopes, by_node = build_scopes(tree, tokens, places, catalog)
    if not scopes:
        raise tokens.error("a query without SELECT", 0)
    names = Names(catalog, tokens)
    unknown: list[UnknownName] = []
    for scope in scopes:
        unknown.extend(SelectFiller(scope, by_node, tokens, names).fill())
    unknown.extend(_unknown_tables(scopes, catalog))
    _mark_correlated(scopes)
    set_operations = (tokens.span(Clause.SET_OPERATION, *words) for words in places.set_words)
    with_words = places.with_words
    return Query(
        text=tokens.text,
        dialect=dialect,
        statement="SELECT",
        selects=tuple(scope.select for scope in scopes),
        span=span,
        set_operations=tuple(set_operations),
        with_clause=None if with_words is None else tokens.span(Clause.WITH, *with_words),
        unknown_names=tuple(sorted(unknown, key=lambda item: item.place.start)),
        token_count=len(tokens),
        depth=max(_depth(scope.select) for scope in scopes),
        calls=calls(tokens, places),
        keywords=keywords(tokens),
    )


def _unknown_tables(scopes: Sequence[Scope], catalog: Catalog) -> list[UnknownName]:
    if not catalog.known:
        return []
    found = []
    for scope in scopes:
        for entry in scope.entries:
            source = entry.source
            if entry.is_table and source.table is None and not catalog.is_system(source.name):
                kind = Clause.FROM if source.join is None else Clause.JOIN
                piece = source.piece
                span = ClauseSpan(kind, piece.text, piece.start, piece.end)
                found.append(UnknownName(source.name, None, span))
    return found


def _mark_correlated(scopes: Sequence[Scope]) -> None:
    for scope in scopes:
        reach = max((use.depth for use in scope.select.columns), default=0)
        select: Select | None = scope.select
        while reach > 0 and select is not None:
            select.correlated = True
            select = select.parent
            reach -= 1


def _depth(select: Select) -> int:
    depth = 1
    while select.parent is not None:
        select = select.parent
        depth += 1
    return depth
