"""Whether a statement does no more than read, for databases that cannot tell by themselves.

SQLite has an authorizer, and a server a role and read-only transactions. These stop writes to
tables; what they let pass is stopped here: files, locks, other sessions, settings.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from clausewise.errors import ParseError, QueryDenied
from clausewise.sql.tokenizing import tokenize
from clausewise.sql.tokens import Tokens
from clausewise.sql.trees import tree_of

_WRITING = (
    exp.Insert,
    exp.Update,
    exp.Delete,
    exp.Merge,
    exp.Create,
    exp.Drop,
    exp.Alter,
    exp.Command,
    exp.Set,
    exp.Copy,
)
_MORE_THAN_READING = {
    exp.Into: "it writes with INTO",
    exp.Lock: "it locks rows",
    exp.Hint: "it holds hints for the server",
    exp.NextValueFor: "it takes a number of a sequence",
}
_RUN_COMMENTS = ("!", "M!")
_BLANKED = re.compile(r"\S")
_DENIED_FUNCTIONS = {
    "postgres": frozenset(
        {"set_config", "nextval", "setval", "lastval", "currval", "ts_stat", "ts_rewrite"}
        | {"query_to_xml", "query_to_xmlschema", "query_to_xml_and_xmlschema"}
        | {"cursor_to_xml", "cursor_to_xmlschema", "xpath_table", "txid_current"}
        | {"crosstab", "connectby", "normal_rand"}
    ),
    "mysql": frozenset(
        {"sleep", "benchmark", "load_file", "get_lock", "release_lock", "release_all_locks"}
        | {"is_free_lock", "is_used_lock", "master_pos_wait", "master_gtid_wait", "nextval"}
        | {"setval", "lastval", "sys_exec", "sys_eval", "sys_get", "sys_set"}
        | {"wait_for_executed_gtid_set", "source_pos_wait"}
    ),
}
_DENIED_PREFIXES = {
    # Files, locks, other sessions and the server itself; dblink and lo_ leave the transaction.
    "postgres": ("pg_", "lo_", "dblink", "crosstab"),
    "mysql": ("sys_", "lib_mysqludf"),
}
_HARMLESS = frozenset({"pg_typeof", "pg_get_userbyid", "pg_column_size", "pg_size_pretty"})


def reading_text(text: str, dialect: str) -> str:
    r"""Return a query as it may be sent to a server: what was read of it, and nothing else.

    Comments become blanks, so offsets stay: a server may end one elsewhere than this reader does.
    Comments that MySQL or MariaDB may run (`/*! ... */`) are refused.

    Parameters
    ----------
    text
        The statement.
    dialect
        `postgres` or `mysql`, by sqlglot's name.

    Raises
    ------
    ParseError
        Where it cannot be read as a single query.
    QueryDenied
        Where it may do more than read; the message says why.

    Examples
    --------
    >>> reading_text("SELECT a -- all" + chr(10) + "FROM t", "mysql")
    'SELECT a       \nFROM t'
    >>> reading_text("SELECT pg_sleep(9)", "postgres")
    Traceback (most recent call last):
    clausewise.errors.QueryDenied: only reading is allowed, refused: it calls pg_sleep
    """
    grammar = Dialect.get_or_raise(dialect)
    try:
        tokens = tokenize(text, grammar)
        tokens.match_brackets()
        tree = tree_of(tokens, grammar)
    except RecursionError:
        raise ParseError("nested too deeply", 0, len(text)) from None
    found = (_why_not(node, dialect) for node in tree.walk())
    denied = _run_comment(tokens) or next(filter(None, found), None)
    if denied is not None:
        raise QueryDenied(f"only reading is allowed, refused: {denied}")
    return _without_comments(tokens)


def _without_comments(tokens: Tokens) -> str:
    parts, end = [], 0
    for token in tokens.tokens:
        parts += [_BLANKED.sub(" ", tokens.text[end : token.start])]
        parts += [tokens.text[token.start : token.end + 1]]
        end = token.end + 1
    return "".join(parts)


def _run_comment(tokens: Tokens) -> str | None:
    """Return why a statement is refused that holds a comment which is run, else None."""
    for token in tokens.tokens:
        if any(comment.startswith(_RUN_COMMENTS) for comment in token.comments):
            return "it holds a comment that the server may run"
    return None


def _why_not(node: exp.Expr, dialect: str) -> str | None:
    """Return what a part of a query may do beside reading, None for nothing."""
    if isinstance(node, _WRITING):
        return f"it holds {node.key.upper()}"
    if isinstance(node, exp.PropertyEQ) and isinstance(node.this, exp.Parameter):
        return "it sets a variable"
    for kind, reason in _MORE_THAN_READING.items():
        if isinstance(node, kind):
            return reason
    name = _function(node)
    if name is None or name in _HARMLESS:
        return None
    if name in _DENIED_FUNCTIONS[dialect] or name.startswith(_DENIED_PREFIXES[dialect]):
        return f"it calls {name}"
    return None


def _function(node: exp.Expr) -> str | None:
    """Return the name by which a function is called, in lower case."""
    if isinstance(node, exp.Anonymous):
        return str(node.this.name if isinstance(node.this, exp.Expr) else node.this).casefold()
    if isinstance(node, exp.Func):
        return (node.meta.get("name") or node.sql_name()).casefold()
    return None
