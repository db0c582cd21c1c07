"""The rows that one SELECT works on, as statements put together from pieces of its own text.

Line breaks stand between the pieces, so that a comment at the end of one hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clausewise.databases.model import QueryResult
from clausewise.errors import QueryFailed
from clausewise.signals.context import Context
from clausewise.sql import from_text, with_prefix
from clausewise.sql.model import ColumnUse, OrderItem, Piece, Query, Role, Select
from clausewise.types import Clause

BEYOND = 50
"""How many rows beyond a LIMIT `first_rows` looks at."""
EXTRA = "clausewise_"
"""Start of the names of columns that a probe adds to a SELECT."""


def stands_alone(select: Select) -> bool:
    """Whether a SELECT reads something and refers to no outer one, so that it can be run alone."""
    return bool(select.sources) and not select.correlated


def input_rows(context: Context, select: Select) -> str:
    """Return FROM and WHERE of a SELECT: what it groups, counts or shows."""
    where = select.clause(Clause.WHERE)
    text = from_text(context.query, select)
    return f"{text}\n{where.text}\n" if where is not None else f"{text}\n"


def statement(context: Context, text: str) -> str:
    """Return a probe that can be run: with the query's WITH clause in front."""
    return f"{with_prefix(context.query)}{text}"


def selected_text(context: Context, select: Select) -> str:
    """Return the list after SELECT (and DISTINCT) as it was written."""
    items = select.projections
    return context.query.text[items[0].piece.start : items[-1].piece.end]


def with_extras(
    context: Context,
    select: Select,
    extras: Iterable[str],
    *,
    having: bool = True,
    ordered: bool = False,
    distinct: bool = False,
) -> str:
    """Return the SELECT with further columns `clausewise_0`, ... at the end of its list.

    Its own columns stay in front, so that aliases and positions in GROUP BY, HAVING and ORDER BY
    mean what they meant. LIMIT is left out, HAVING, ORDER BY and DISTINCT where not asked for.

    Raises QueryFailed for a SELECT that picks rows, by DISTINCT ON or QUALIFY.
    """
    if select.picks_rows:
        raise QueryFailed("which rows DISTINCT ON or QUALIFY keeps depends on what is selected")
    added = [f"{text} AS {EXTRA}{index}" for index, text in enumerate(extras)]
    parts = [
        ("SELECT DISTINCT " if distinct and select.distinct else "SELECT ")
        + "\n, ".join([selected_text(context, select), *added]),
        input_rows(context, select),
    ]
    wanted = ((Clause.GROUP_BY, True), (Clause.HAVING, having), (Clause.ORDER_BY, ordered))
    for kind, keep in wanted:
        clause = select.clause(kind)
        if keep and clause is not None:
            parts.append(clause.text)
    return "\n".join(parts) + "\n"


def values_of(context: Context, select: Select, place: Piece, texts: Sequence[str]) -> str:
    """Return the statement that gives the values of expressions that stand at `place`.

    In WHERE and ON those of every row of FROM, inside an aggregate those of the rows that it
    folds, else those of the rows that are shown. Columns are called `clausewise_0`, ...
    """
    kind = context.enclosing_clause(place.start, place.end).kind
    folded = any(
        call.piece.start < place.start and place.end <= call.piece.end for call in select.aggregates
    )
    grouped = bool(select.group_by) or select.has_aggregate
    if kind not in (Clause.WHERE, Clause.JOIN) and grouped and not folded:
        return with_extras(context, select, texts)
    listed = ", ".join(f"{text} AS {EXTRA}{index}" for index, text in enumerate(texts))
    rows = input_rows(context, select)
    if kind in (Clause.WHERE, Clause.JOIN):
        rows = from_text(context.query, select)
    return f"SELECT {listed}\n{rows}\n"


def enclosing_select(query: Query, place: Piece) -> Select:
    """Return the innermost SELECT around a piece of the text."""
    around = (s for s in query.selects if s.piece.start <= place.start and place.end <= s.piece.end)
    return min(around, key=lambda s: s.piece.end - s.piece.start, default=query.root)


def sort_key(item: OrderItem) -> str:
    """Return what a key of ORDER BY stands for: the selected expression behind alias or number."""
    return item.expression.text if item.selected is None else item.selected.expression.text


def _is_open_position(select: Select, item: OrderItem) -> bool:
    """Whether a key is a number that stands for a column behind `*`: not known which."""
    return item.selected is None and any(
        literal.piece == item.expression and isinstance(literal.value, int)
        for literal in select.literals
    )


def first_rows(context: Context, select: Select, tail: str = "") -> tuple[str, QueryResult]:
    """Run a SELECT with its sort keys added at the end, up to `BEYOND` rows beyond its LIMIT.

    Several signals ask for these rows; the database answers all but the first from memory.
    Returns the statement and its rows; raises QueryFailed where it cannot be built.
    """
    if any(_is_open_position(select, item) for item in select.order_by):
        raise QueryFailed("a position behind * cannot be resolved")
    keys = [sort_key(item) for item in select.order_by]
    rows = with_extras(context, select, keys, ordered=True, distinct=True)
    limit = (select.limit or 0) + BEYOND
    sql = statement(context, f"{rows}LIMIT {limit}{tail}")
    return sql, context.run(sql, rows=limit)


def same_column(left: ColumnUse, right: ColumnUse) -> bool:
    """Whether two mentions mean one column of one source."""
    return left.source is right.source and (
        (left.column or left.name).casefold() == (right.column or right.name).casefold()
    )


def ungrouped(select: Select, columns: Iterable[ColumnUse]) -> list[ColumnUse]:
    """Return those own columns outside aggregates that are not grouped by, each once."""
    found: list[ColumnUse] = []
    for use in columns:
        known = (*select.group_columns, *found)
        if use.depth == 0 and not use.in_aggregate and not any(same_column(use, k) for k in known):
            found.append(use)
    return found


def set_operations(query: Query) -> tuple[tuple[Select, ...], ...]:
    """Return the members of every chain of UNION, INTERSECT and EXCEPT, in text order."""
    chains: list[list[Select]] = []
    last: dict[int, list[Select]] = {}
    for select in query.selects:
        level = id(select.parent)
        if select.role is not Role.SET_MEMBER:
            last[level] = [select]
        elif level in last:
            if len(last[level]) == 1:
                chains.append(last[level])
            last[level].append(select)
    return tuple(tuple(chain) for chain in chains)


def in_set_operation(query: Query, select: Select) -> bool:
    """Whether a SELECT is a member of a set operation: its ORDER BY is then not its own."""
    return any(select is member for chain in set_operations(query) for member in chain)


def single_extremum(select: Select) -> bool:
    """Whether MIN or MAX is the only aggregate: SQLite then shows columns of that very row."""
    calls: Sequence[str] = [aggregate.function for aggregate in select.aggregates]
    return len(calls) == 1 and calls[0] in ("min", "max")
