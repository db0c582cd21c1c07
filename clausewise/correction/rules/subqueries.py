"""Repairs of comparisons with a sub-query."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit
from clausewise.types import Finding


@repair(
    name="in_for_equals",
    description="Writes IN for `=` before a sub-query that returns several values.",
    settles={"incorrect_filter_in_subquery": ("different_values",)},
)
def in_for_equals(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Compare with every value of a sub-query instead of the first one that comes."""
    for select in context.query.selects:
        for item in select.subquery_filters:
            if (item.clause.start, item.clause.end) != (finding.clause.start, finding.clause.end):
                continue
            if item.operator != "=" or item.negated or item.column is None:
                return ()
            between = item.column.piece.end, item.subquery.piece.start
            signs = [
                word.start
                for word in context.query.keywords
                if word.word == "=" and between[0] <= word.start < between[1]
            ]
            if len(signs) != 1:
                return ()
            at = signs[0]
            length = 2 if context.text.startswith("==", at) else 1
            return (TextEdit(at, at + length, _spaced("IN", context.text, at, at + length)),)
    return ()


def _spaced(word: str, text: str, start: int, end: int) -> str:
    """Return a word with blanks where it would touch what stands around it."""
    before = "" if text[start - 1 : start].isspace() else " "
    return f"{before}{word}" + ("" if text[end : end + 1].isspace() else " ")
