"""Columns beside aggregates that no GROUP BY names: SQLite takes them from any row of the group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clausewise.sql.model import Aggregate, Piece, Projection, Role, Select, Source
from clausewise.sql.statements import from_text, with_prefix
from clausewise.sql.ties.model import TieCheck
from clausewise.sql.ties.places import Places, contains, first_argument, folded
from clausewise.text import quote_name
from clausewise.types import Clause

_AFTER_GROUPING = (Clause.SELECT, Clause.HAVING, Clause.ORDER_BY)
_NAMES = "column beside an aggregate"
UNKNOWN_COLUMNS = "it cannot be said which columns * stands for"


class NotEstablishedError(Exception):
    """An open point that no statement can show to make no difference; says which."""


@dataclass(frozen=True, slots=True)
class _BareColumn:
    """A column's text, and the source whose row it comes from."""

    text: str
    source: Source | None
    clause: Clause


def grouping_checks(
    places: Places, select: Select, keys: Mapping[str, Sequence[str]], word: str
) -> Iterator[TieCheck]:
    """Yield what must hold so that bare columns of a grouped SELECT are the same in each row.

    `keys` are the primary keys of tables: grouped by them, a table's columns are determined. `word`
    stands before a sub-query: of one in EXISTS only HAVING matters. Raises NotEstablishedError.
    """
    if not select.aggregates and not select.group_by:
        return
    bare = _bare_columns(places, select)
    if word == "EXISTS":
        bare = [column for column in bare if column.clause is Clause.HAVING]
    grouped = {
        (use.source.piece.start, use.column)
        for use in select.group_columns
        if use.source and use.column
    }
    left = [column for column in bare if not _is_determined(column.source, grouped, keys)]
    if not left:
        return
    if select.correlated:
        raise NotEstablishedError(f"a {_NAMES} in a correlated sub-query")
    texts = list(dict.fromkeys(column.text for column in left))
    extremes = {folded(a.piece.text): a for a in select.aggregates if a.function in ("min", "max")}
    is_filtered = places.query.has_keyword_in(select.piece, "FILTER")
    # SQLite drops max(b) from `(a, b) IN (SELECT a, max(b) ...)` where it has an index for a.
    is_row_value = word == "IN" and len(select.projections) > 1
    in_having = any(column.clause is Clause.HAVING for column in left) or _names_alias(select)
    is_outermost = select.role is Role.ROOT and not places.query.set_operations
    keeps_count = is_outermost and not select.distinct and not in_having
    if len(extremes) == 1 and not is_filtered and not is_row_value:
        statement = _extreme_statement(places, select, texts, next(iter(extremes.values())))
    else:
        statement = _with_having(places, select, texts, not in_having)
    yield TieCheck(f"a {_NAMES}, {texts[0]}", statement, keeps_count=keeps_count)


def constant_in_groups(places: Places, select: Select, texts: Sequence[str], what: str) -> TieCheck:
    """Return the check that expressions have one value in each group."""
    return TieCheck(what, _with_having(places, select, texts, keep_having=True))


def _bare_columns(places: Places, select: Select) -> list[_BareColumn]:
    written = {folded(piece.text) for piece in select.group_by}
    shown = [p.piece for p in select.grouped_projections]
    shown += [item.piece for item in select.order_by if folded(item.expression.text) in written]
    names = {(use.name.casefold(), _place(use.source)) for use in select.group_columns}
    found = []
    for use in places.mentions_of(select):
        clause = _clause_of(select, use.piece)
        if clause is None or (use.in_aggregate and use.depth == 0):
            continue
        if (use.name.casefold(), _place(use.source)) in names:
            continue
        if any(contains(piece, use.piece) for piece in shown):
            continue
        if any(contains(aggregate.piece, use.piece) for aggregate in select.aggregates):
            continue
        found.append(_BareColumn(use.piece.text, use.source, clause))
    for projection in select.projections:
        if projection.star:
            found += _star(places, select, projection)
    return found


def _star(places: Places, select: Select, projection: Projection) -> Iterable[_BareColumn]:
    columns = places.star_columns(select, projection.star_source)
    if columns is None or not all(columns):
        raise NotEstablishedError(UNKNOWN_COLUMNS)
    by_alias = {quote_name(source.alias): source for source in select.sources}
    for column in columns:
        alias = next(a for a in by_alias if column.startswith(a + "."))
        yield _BareColumn(column, by_alias[alias], Clause.SELECT)


def _place(source: Source | None) -> int:
    return -1 if source is None else source.piece.start


def _clause_of(select: Select, piece: Piece) -> Clause | None:
    """Return the clause behind the grouping in which something stands, None for other places."""
    return next((k for k in _AFTER_GROUPING if contains(select.clause(k), piece)), None)


def _is_determined(
    source: Source | None, grouped: set[tuple[int, str]], keys: Mapping[str, Sequence[str]]
) -> bool:
    key = keys.get(source.table, ()) if source is not None and source.table is not None else ()
    return bool(key) and all((_place(source), column) in grouped for column in key)


def _names_alias(select: Select) -> bool:
    """Whether HAVING mentions the alias of a selected expression, which may be a bare column."""
    having = select.clause(Clause.HAVING)
    text = "" if having is None else having.text.casefold()
    return any(p.alias is not None and p.alias.casefold() in text for p in select.projections)


def _with_having(places: Places, select: Select, texts: Sequence[str], keep_having: bool) -> str:
    """Return the SELECT with only those of its groups in which an expression has two values."""
    query, having = places.query, select.clause(Clause.HAVING)
    before = [*select.clauses]
    ends = [clause.end for clause in before if clause.kind not in _BEHIND_GROUPS]
    condition = _several(texts)
    if having is not None and keep_having:
        condition = f"({having.text[len('HAVING') :]}\n) AND {condition}"
    body = query.text[select.piece.start : max(ends)]
    return f"{with_prefix(query)}{body}\nHAVING {condition}\n"


_BEHIND_GROUPS = frozenset({Clause.HAVING, Clause.ORDER_BY, Clause.LIMIT})


def _several(texts: Iterable[str]) -> str:
    """Return the condition that one of some expressions has two values in a group."""
    parts = []
    for text in texts:
        least, most = (f"{end}(({text}\n) COLLATE BINARY)" for end in ("min", "max"))
        parts.append(f"{least} IS NOT {most} OR count({text}\n) NOT IN (0, count(*))")
    return f"({' OR '.join(parts)})"


def _extreme_statement(
    places: Places, select: Select, texts: Sequence[str], extreme: Aggregate
) -> str:
    """Return what checks a single min() or max(): SQLite takes one of the rows that have it."""
    query = places.query
    value = first_argument(extreme.piece)[0].strip()
    if extreme.distinct:
        value = value[len("DISTINCT") :]
    groups = [_group_text(select, piece) for piece in select.group_by]
    partition = f"PARTITION BY {', '.join(groups)}" if groups else ""
    columns = [f"{text}\n AS _b{n}" for n, text in enumerate(texts)]
    columns += [f"{text}\n AS _g{n}" for n, text in enumerate(groups)]
    columns.append(f"{value}\n AS _e, {extreme.function}({value}\n) OVER ({partition}) AS _m")
    where = select.clause(Clause.WHERE)
    inner = f"SELECT {', '.join(columns)} {from_text(query, select)}\n"
    inner += f"{'' if where is None else where.text}\n"
    names = ", ".join(f"_g{n}" for n in range(len(groups))) or "NULL"
    condition = _several([f"_b{n}" for n in range(len(texts))])
    return (
        f"{with_prefix(query)}SELECT 1 FROM ({inner}) WHERE _e IS _m GROUP BY {names} "
        f"HAVING {condition}\n"
    )


def _group_text(select: Select, piece: Piece) -> str:
    """Return what a key of GROUP BY stands for: a position or an alias names an expression."""
    if any(use.piece == piece for use in select.columns):
        return piece.text
    text = piece.text.strip()
    if text.isdecimal():
        number = int(text)
        if any(projection.star for projection in select.projections[:number]):
            raise NotEstablishedError(UNKNOWN_COLUMNS)
        return select.projections[number - 1].expression.text
    name = text.strip('"`[]').casefold()
    for projection in select.projections:
        if projection.alias is not None and projection.alias.casefold() == name:
            return projection.expression.text
    return piece.text
