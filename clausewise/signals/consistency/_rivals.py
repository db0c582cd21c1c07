"""Which of several rival queries is nearest to the predicted one, and where the two differ."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.fuzz import ratio

from clausewise.errors import ParseError
from clausewise.signals.context import Context
from clausewise.sql import differing_clauses, parse, same_statement
from clausewise.sql.model import Select
from clausewise.types import Clause, ClauseSpan

MOST_COMPARED = 3
"""Rivals whose text is compared with the query's, the most similar first."""
LONGEST_COMPARED = 2_000
"""Characters of two queries by which their similarity is measured: it grows with both lengths."""


def closest_rival(context: Context, rivals: Sequence[str]) -> tuple[str, ClauseSpan]:
    """Return the rival that differs in the fewest clauses, and the first clause that differs.

    The clause is the query's SELECT, or the whole query where it has none, if no comparison of
    clauses says more.
    """
    own = _compared(context.query.text)
    nearest = sorted(rivals, key=lambda text: -ratio(own, _compared(text)))
    best: tuple[str, dict[Clause, Select]] | None = None
    for text in nearest[:MOST_COMPARED]:
        try:
            other = parse(text, context.query.dialect, context.schema.names())
        except ParseError:
            continue
        if not (context.query.selects and other.selects):
            continue
        differing = differing_clauses(context.query, other)
        # A WITH that is used shows in the clause that uses it.
        differing.pop(Clause.WITH, None)
        if differing and (best is None or len(differing) < len(best[1])):
            best = text, differing
        if len(differing) == 1:
            break
    if best is None:
        selects = (item for item in context.clauses if item.kind is Clause.SELECT)
        return nearest[0], next(selects, context.query.span)
    kind, select = next(iter(best[1].items()))
    return best[0], _place(context, kind, select)


def _compared(text: str) -> str:
    return same_statement(text)[:LONGEST_COMPARED].casefold()


def _place(context: Context, kind: Clause, select: Select) -> ClauseSpan:
    if kind is Clause.SET_OPERATION and context.query.set_operations:
        return context.query.set_operations[0]
    lacking = context.span(kind, select.piece.start, select.piece.end)
    return select.clause(kind) or lacking
