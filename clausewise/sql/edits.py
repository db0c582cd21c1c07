"""Changes to a query's text: replace a stretch, add a condition, leave out a join or a column.

An edit keeps everything else as its author wrote it: comments, quoting and line breaks. Whether
the edited text still is a query is for the parser to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

from clausewise.sql.model import (
    Aggregate,
    ColumnUse,
    OrderItem,
    Piece,
    Projection,
    Query,
    Select,
    Source,
)
from clausewise.sql.probe_dialects import probe_dialect
from clausewise.sql.tokenizing import tokenize
from clausewise.types import Clause, ClauseSpan

_RESERVED = frozenset(
    {"ADD", "CAST", "CHECK", "DEFERRABLE", "FOREIGN", "GROUP", "NOTHING", "ORDER", "PRIMARY"}
    | {"RAISE", "TO", "TRANSACTION"}
)
"""Words that sqlglot takes for names and SQLite does not."""
_KINDS_BEFORE_WHERE = (Clause.FROM, Clause.JOIN)


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    """`text` in the place of `query.text[start:end]`; an insertion where both are equal."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with all edits made.

    Raises ValueError where two of them overlap; insertions at one place stand in their order.

    >>> edited("SELECT a FROM t", [TextEdit(7, 8, "b"), TextEdit(15, 15, " WHERE b > 1")])
    'SELECT b FROM t WHERE b > 1'
    """
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end))
    if any(before.end > after.start for before, after in pairwise(ordered)):
        raise ValueError("edits overlap")
    for edit in reversed(ordered):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def replacing(piece: Piece | ClauseSpan, text: str) -> TextEdit:
    """Return the edit that puts a text in the place of a piece of the query."""
    return TextEdit(piece.start, piece.end, text)


def written_name(name: str, dialect: str = "sqlite") -> str:
    """Return a table's or column's name as it is mostly written: quoted only where it must be.

    PostgreSQL takes a name without quotes for one in lower case.

    >>> written_name("first_name"), written_name("order"), written_name("first name")
    ('first_name', '"order"', '"first name"')
    """
    if not (name.isidentifier() and name.isascii()):
        return probe_dialect(dialect).quote_name(name)
    kinds = tokenize(name, Dialect.get_or_raise(dialect)).kinds
    is_plain = kinds == [TokenType.VAR] and name.upper() not in _RESERVED
    is_folded = dialect == "postgres" and name != name.lower()
    return name if is_plain and not is_folded else probe_dialect(dialect).quote_name(name)


def adding_condition(select: Select, condition: str) -> tuple[TextEdit, ...]:
    """Return the edits by which a SELECT keeps only rows that also meet a condition.

    None where it reads no table. The condition must bind at least as tightly as AND.

    >>> from clausewise.sql import parse
    >>> query = parse("SELECT a FROM t WHERE a > 1 OR b > 1 ORDER BY a")
    >>> edited(query.text, adding_condition(query.root, "a IS NOT NULL"))
    'SELECT a FROM t WHERE (a > 1 OR b > 1) AND a IS NOT NULL ORDER BY a'
    """
    where = select.clause(Clause.WHERE)
    if where is None:
        parts = [clause for clause in select.clauses if clause.kind in _KINDS_BEFORE_WHERE]
        if not parts:
            return ()
        end = max(part.end for part in parts)
        return (TextEdit(end, end, f" WHERE {condition}"),)
    parts_of_where = [part for part in select.conjuncts if part.clause is Clause.WHERE]
    if len(parts_of_where) == 1 and parts_of_where[0].predicate is None:  # it may hold an OR
        start = parts_of_where[0].piece.start
        return (
            TextEdit(start, start, "("),
            TextEdit(where.end, where.end, f") AND {condition}"),
        )
    return (TextEdit(where.end, where.end, f" AND {condition}"),)


def swapped(first: Piece, second: Piece) -> tuple[TextEdit, TextEdit]:
    """Return the edits that put two pieces in each other's place."""
    return replacing(first, second.text), replacing(second, first.text)


def turned_round(item: OrderItem) -> tuple[TextEdit, ...]:
    """Return the edit by which a key of ORDER BY is sorted the other way; none with NULLS LAST.

    >>> from clausewise.sql import parse
    >>> query = parse("SELECT a FROM t ORDER BY b LIMIT 1")
    >>> edited(query.text, turned_round(query.root.order_by[0]))
    'SELECT a FROM t ORDER BY b DESC LIMIT 1'
    """
    tail = item.piece.text[item.expression.end - item.piece.start :].split()
    if [word.upper() for word in tail] not in ([], ["ASC"], ["DESC"]):
        return ()
    text = item.expression.text if item.descending else f"{item.expression.text} DESC"
    return (replacing(item.piece, text),)


def selecting_distinct(select: Select) -> tuple[TextEdit, ...]:
    """Return the edit by which a SELECT drops repeated rows; none where it does so already."""
    if select.distinct:
        return ()
    end = select.piece.start + len("SELECT")
    return (TextEdit(end, end, " DISTINCT"),)


def counting_distinct(aggregate: Aggregate) -> tuple[TextEdit, ...]:
    """Return the edit that makes COUNT(column) count different values.

    >>> from clausewise.sql import parse
    >>> query = parse("SELECT COUNT( a) FROM t")
    >>> edited(query.text, counting_distinct(query.root.aggregates[0]))
    'SELECT COUNT( DISTINCT a) FROM t'
    """
    argument = aggregate.argument
    if aggregate.distinct or aggregate.function != "count" or argument is None:
        return ()
    return (TextEdit(argument.piece.start, argument.piece.start, "DISTINCT "),)


def leaving_out_projection(select: Select, projection: Projection) -> tuple[TextEdit, ...]:
    """Return the edits that take one of several selected expressions out; none for the only one.

    Keys of ORDER BY that name it by its alias are written out. None, too, where GROUP BY names it
    so, or where a position in ORDER BY would then name another expression.

    >>> from clausewise.sql import parse
    >>> query = parse("SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n DESC")
    >>> edited(query.text, leaving_out_projection(query.root, query.root.projections[1]))
    'SELECT a FROM t GROUP BY a ORDER BY COUNT(*) DESC'
    """
    shown = select.projections
    if len(shown) < 2 or projection not in shown:
        return ()
    at = shown.index(projection)
    if at:
        removal = TextEdit(shown[at - 1].piece.end, projection.piece.end, "")
    else:
        removal = TextEdit(projection.piece.start, shown[1].piece.start, "")
    edits = [removal]
    for item in select.order_by:
        by_position = item.expression.text.strip().isdigit()
        if item.selected is projection and item.expression.text != projection.expression.text:
            edits.append(replacing(item.expression, projection.expression.text))
        elif by_position and item.selected is not projection:
            return ()
    alias = (projection.alias or "").casefold()
    for key in select.group_by:
        named = key.text.strip().strip('"`[]').casefold()
        if key.text.strip().isdigit() or (alias and named == alias):
            return ()
    return tuple(edits)


def leaving_out_sources(
    query: Query, select: Select, sources: Sequence[Source]
) -> tuple[TextEdit, ...]:
    """Return the edits that take joined sources out of a SELECT with their conditions.

    Columns of theirs that stand elsewhere are replaced by columns that the joins set equal to
    them. None where that cannot be: for outer, natural and comma joins, joins by USING, conditions
    on more than equality of columns, and columns that nothing is equal to.

    >>> from clausewise.sql import parse
    >>> text = "SELECT a.x FROM a JOIN b ON b.id = a.b_id JOIN c ON c.id = b.id"
    >>> query = parse(text, tables={"a": ["x", "b_id"], "b": ["id"], "c": ["id"]})
    >>> edited(text, leaving_out_sources(query, query.root, [query.root.sources[2]]))
    'SELECT a.x FROM a JOIN b ON b.id = a.b_id'
    """
    away = {id(source) for source in sources}
    staying = [source for source in select.sources if id(source) not in away]
    if not sources or not staying or not _plainly_joined(query, select):
        return ()
    edits = []
    first = staying[0]
    if first is not select.sources[0]:
        assert first.join is not None
        edits.append(TextEdit(select.sources[0].piece.start, first.piece.start, ""))
        edits.append(TextEdit(first.piece.end, first.join.clause.end, ""))
    previous_end = first.join.clause.end if first.join is not None else first.piece.end
    for source in select.sources[select.sources.index(first) + 1 :]:
        assert source.join is not None
        if id(source) in away:
            edits.append(TextEdit(previous_end, source.join.clause.end, ""))
        previous_end = source.join.clause.end
    renamed = _renamed(query, select, away, edits)
    return () if renamed is None else (*edits, *renamed)


def _plainly_joined(query: Query, select: Select) -> bool:
    """Whether every source but the first is joined by equalities of columns and nothing else."""
    for source in select.sources[1:]:
        join = source.join
        if join is None or join.kind != "inner":
            return False
        if query.has_keyword_in(Piece("", join.clause.start, join.clause.end), "USING", "OR"):
            return False
    conditions = [part for part in select.conjuncts if part.clause is Clause.JOIN]
    pairs = [pair for join in select.joins for pair in join.pairs]
    return len(conditions) == len(pairs) and all(pair.operator == "=" for pair in pairs)


def _renamed(
    query: Query, select: Select, away: set[int], deleted: Sequence[TextEdit]
) -> list[TextEdit] | None:
    """Return the edits of columns whose source is left out, None where one has no equal."""
    uses = [use for part in query.selects for use in part.columns]
    equal = _equal_columns(select)
    edits = []
    for use in uses:
        if id(use.source) not in away or any(
            edit.start <= use.piece.start < edit.end for edit in deleted
        ):
            continue
        others = equal.get((id(use.source), use.name.casefold()), ())
        other = next((one for one in others if id(one.source) not in away), None)
        if other is None or use.qualifier is None or other.qualifier is None:
            return None
        edits.append(replacing(use.piece, other.piece.text))
    return edits


def _equal_columns(select: Select) -> dict[tuple[int, str], tuple[ColumnUse, ...]]:
    """Return, for each joined column, the columns that the joins set equal to it."""
    classes: list[list[ColumnUse]] = []
    for pair in (pair for join in select.joins for pair in join.pairs):
        both = [pair.left, pair.right]
        keys = {_key(use) for use in both}
        touched = [group for group in classes if keys & {_key(use) for use in group}]
        classes = [group for group in classes if group not in touched]
        classes.append([use for group in touched for use in group] + both)
    return {_key(use): tuple(group) for group in classes for use in group}


def _key(use: ColumnUse) -> tuple[int, str]:
    return id(use.source), use.name.casefold()
