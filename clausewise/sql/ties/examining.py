"""`examine_ties`: what SQL leaves open in a query, and the statements that show what it matters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clausewise.sql.model import Piece, Query, Role, Select
from clausewise.sql.scopes import Catalog
from clausewise.sql.statements import from_text, with_prefix
from clausewise.sql.ties.grouping import (
    UNKNOWN_COLUMNS,
    NotEstablishedError,
    grouping_checks,
)
from clausewise.sql.ties.model import Determinacy, RankedVariants, TieCheck
from clausewise.sql.ties.places import Places, contains, folded
from clausewise.sql.ties.windows import changing_part, ordered_calls
from clausewise.types import Clause

_WAYS = {"ASC": "ASC NULLS FIRST", "DESC": "DESC NULLS LAST"}
"""Both ways in full, as SQLite takes them: elsewhere NULL may come last in both."""
_SETS = frozenset({"EXISTS", "IN"})


def examine_ties(
    query: Query,
    tables: Mapping[str, Sequence[str]],
    keys: Mapping[str, Sequence[str]] | None = None,
    *,
    is_view: bool = False,
) -> Determinacy:
    """Find out what SQL leaves open in a query.

    Open points are ties under LIMIT, columns beside aggregates, scalar sub-queries of several rows,
    functions that hang on the order of rows, and DISTINCT under an order by something else. Each
    gets a check, a statement put together from the query's own text.

    Parameters
    ----------
    query : Query
        Parsed with the same tables; `statement` is SELECT.
    tables : mapping of str to sequence of str
        Table name to column names, as `Schema.names()` gives them.
    keys : mapping of str to sequence of str, optional
        Primary keys of tables that hold no NULL: grouped by one, a table's columns are known
        without a check.
    is_view : bool
        Whether the query defines a view, so that its own ORDER BY and LIMIT are a sub-query's.
    """
    try:
        return _examined(Places(query, tables), keys or {}, is_view)
    except NotEstablishedError as error:
        return Determinacy(str(error))


def _examined(places: Places, keys: Mapping[str, Sequence[str]], is_view: bool) -> Determinacy:
    query = places.query
    changing = changing_part(query)
    if changing:
        raise NotEstablishedError(f"{changing} is not the same each time")
    checks: list[TieCheck] = []
    for select in query.selects:
        if any(Catalog.is_system(s.name) and s.table is None for s in select.sources):
            raise NotEstablishedError("a table of the database system")
        found = list(_checks(places, select, keys, is_view))
        if found:
            _refuse_unplaced(places, select)
        checks += found
    return Determinacy(
        checks=tuple(dict.fromkeys(checks)),
        ranked=None if is_view else _root(places),
        merges=_merges(query),
    )


def _checks(
    places: Places, select: Select, keys: Mapping[str, Sequence[str]], is_view: bool
) -> Iterator[TieCheck]:
    if any(a.columns and all(use.depth for use in a.columns) for a in select.aggregates):
        raise NotEstablishedError("an aggregate of an enclosing SELECT")
    word = places.word_before(select) if select.role is Role.SUBQUERY else ""
    yield from grouping_checks(places, select, keys, word)
    yield from ordered_calls(places, select)
    if select.role is Role.SET_MEMBER:
        return
    limit = select.clause(Clause.LIMIT)
    if select.role is Role.ROOT and not is_view:
        yield from _distinct_check(places, select)
    elif select.role is Role.SUBQUERY and word not in _SETS:
        yield from _scalar_check(places, select)
    elif limit is not None and not (word == "EXISTS" and _keeps_a_row(select)):
        yield from _distinct_check(places, select)
        if places.is_correlated(select):
            raise NotEstablishedError("ties under LIMIT in a correlated sub-query")
        yield from _cuts(places, select, select.limit, "ties under LIMIT in a sub-query")


def _cuts(places: Places, select: Select, limit: int | None, what: str) -> Iterator[TieCheck]:
    """Yield the checks that neither OFFSET nor LIMIT cuts between different rows that tie.

    Each compares the first rows up to a cut: rows from the middle of a tie could be the same in
    both variants, and others be possible.
    """
    offset = _number(select.offset)
    if offset is None or limit is None:
        raise NotEstablishedError("a computed LIMIT in a sub-query")
    ends = [max(offset, 0)] + ([max(offset, 0) + limit] if limit >= 0 else [])
    for end in filter(None, ends):
        first, second = (
            with_prefix(places.query) + _ranked(places, select, way, f"LIMIT {end}")
            for way in ("ASC", "DESC")
        )
        yield TieCheck(what, first, second)


def _refuse_unplaced(places: Places, select: Select) -> None:
    """Raise where a SELECT cannot be run by itself: it sees names of a WITH that is not the first.

    Inside a recursive WITH it would see the finished table instead of the last rows.
    """
    query, with_clause = places.query, places.query.with_clause
    count = sum(keyword.word == "WITH" for keyword in query.keywords)
    if count > (with_clause is not None):
        raise NotEstablishedError("WITH inside a sub-query")
    if contains(with_clause, select.piece) and places.has_recursion():
        raise NotEstablishedError("a recursive WITH")


def _scalar_check(places: Places, select: Select) -> Iterator[TieCheck]:
    """Yield the check that the first row of a scalar sub-query is the same whichever it is."""
    is_single = select.aggregates and not select.group_by and len(places.members(select)) == 1
    if is_single or (not select.sources and len(places.members(select)) == 1):
        return
    if select.limit == 0:
        return
    if select.limit is None and select.clause(Clause.LIMIT) is not None:
        raise NotEstablishedError("a computed LIMIT in a sub-query")
    yield from _distinct_check(places, select)
    what = "a sub-query of several rows where one is expected"
    prefix = with_prefix(places.query)
    if not places.is_correlated(select):
        yield from _cuts(places, select, 1, what)
        return
    parent = select.parent
    reach = max(use.depth - low for other, low in places.inside(select) for use in other.columns)
    is_far = parent is None or places.is_correlated(places.head(parent)) or reach > 1
    if parent is None or is_far or select.offset is not None:
        raise NotEstablishedError(f"{what}, in a correlated sub-query")
    piece = Piece("", select.piece.start, select.piece.start)
    if any(contains(c, piece) for c in parent.clauses if c.kind in (Clause.FROM, Clause.JOIN)):
        raise NotEstablishedError(f"{what}, in FROM")
    where = parent.clause(Clause.WHERE)
    variants = [_ranked(places, select, way, "LIMIT 1") for way in ("ASC", "DESC")]
    condition = f"NOT (({variants[0]}) IS ({variants[1]}))"
    if where is not None and not contains(where, piece):
        condition = f"({where.text[len('WHERE') :]}\n) AND {condition}"
    statement = f"{prefix}SELECT 1 {from_text(places.query, parent)}\nWHERE {condition}\n"
    yield TieCheck(what, statement)


def _distinct_check(places: Places, select: Select) -> Iterator[TieCheck]:
    """Yield the check that DISTINCT leaves one place in the order for each row.

    `SELECT DISTINCT a ... ORDER BY b`: of equal rows with different b any may be the one kept.
    """
    if not select.distinct or not select.order_by or len(places.members(select)) > 1:
        return
    shown = {folded(projection.expression.text) for projection in select.projections}
    columns = {p.column.piece.text: p.column for p in select.projections if p.column is not None}
    known = {(use.name.casefold(), use.source) for use in columns.values()}
    stars = [p for p in select.projections if p.star and p.star_source is None]
    hidden = [
        item
        for item in select.order_by
        if item.selected is None
        and folded(item.expression.text) not in shown
        and not (item.column and (item.column.name.casefold(), item.column.source) in known)
        and not (item.column and stars)
    ]
    if not hidden:
        return
    shown_clause = select.clause(Clause.SELECT)
    if select.correlated or shown_clause is None:
        raise NotEstablishedError("DISTINCT under an order by something else, correlated")
    text = places.query.text
    clauses = [c for c in select.clauses if c.kind not in (Clause.ORDER_BY, Clause.LIMIT)]
    rest = text[shown_clause.end : max(clause.end for clause in clauses)]
    start = text[select.piece.start : shown_clause.end]
    keys = "".join(f", {item.expression.text}\n" for item in hidden)
    statement, other = (
        f"{with_prefix(places.query)}SELECT count(*) FROM ({start}\n{more}{rest}\n)\n"
        for more in ("", keys)
    )
    yield TieCheck("DISTINCT under an order by something else", statement, other)


def _keeps_a_row(select: Select) -> bool:
    return select.offset is None and select.limit is not None and select.limit != 0


def _ranked(places: Places, select: Select, way: str, limit: str) -> str:
    """Return a query with all its columns as last keys of its ORDER BY."""
    width = places.width(select)
    if width is None:
        raise NotEstablishedError(UNKNOWN_COLUMNS)
    if not places.query.dialect.lower().startswith("sqlite"):
        way = _WAYS[way]
    numbers = ", ".join(f"{number} {way}" for number in range(1, width + 1))
    keys = places.keys(select)
    start = f"{keys}\n, " if keys else "ORDER BY "
    return f"{places.core(select)}\n{start}{numbers}\n{limit}"


def _root(places: Places) -> RankedVariants | None:
    query, root = places.query, places.query.root
    limit = places.limit(root)
    if not limit and (not root.order_by or places.width(root) is None):
        return None
    offset = _number(root.offset)
    is_exact = offset is not None and (not limit or root.limit is not None)
    prefix = with_prefix(query)
    ways = ("ASC", "DESC")
    ascending, descending = (prefix + _ranked(places, root, way, limit) for way in ways)
    first, second = (prefix + _ranked(places, root, way, "") for way in ways)
    count = root.limit if limit and root.limit is not None and root.limit >= 0 else None
    return RankedVariants(
        ascending, descending, first, second, count, max(0, offset or 0), is_exact
    )


def _number(offset: Piece | None) -> int | None:
    if offset is None:
        return 0
    text = offset.text.strip()
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else None


def _merges(query: Query) -> bool:
    """Whether equal values are merged, or the first of equal ones is taken, anywhere."""
    if any(call.function in ("MIN", "MAX") for call in query.calls):
        return True
    if any(not words.text.upper().endswith("ALL") for words in query.set_operations):
        return True
    return any(
        select.distinct or select.group_by or select.clause(Clause.LIMIT) is not None
        for select in query.selects
    )
