"""Repairs of comparisons with numbers and values."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.errors import ParseError
from clausewise.sql import parse
from clausewise.sql.edits import TextEdit, replacing
from clausewise.sql.model import Comparison, Piece
from clausewise.text import quote_text
from clausewise.types import Finding

_OPERATORS = frozenset({"=", "<", "<=", ">", ">="})
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@repair(
    name="asked_operator",
    description="Compares a number by the operator that the words around it stand for.",
    settles={"comparison_mismatch": ("bound", "opposite", "equality")},
    risky=True,
)
def asked_operator(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Write `>=` for `>` where the question says `at least`, and the like."""
    wanted = finding.evidence.get("wanted")
    return _with_operator(finding, context, wanted) if isinstance(wanted, str) else ()


@repair(
    name="defined_operator",
    description="Compares a column by the operator of the evidence.",
    settles={"evidence_unused": ("operator",)},
    risky=True,
)
def defined_operator(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Write the operator by which the evidence compares the same column and number."""
    wanted = finding.evidence.get("wanted")
    try:
        query = parse(f"SELECT 1 FROM t WHERE {wanted}", context.database.dialect)
    except ParseError:
        return ()
    defined = [one for select in query.selects for one in select.comparisons]
    if len(defined) != 1 or len(query.selects) != 1 or defined[0].negated:
        return ()
    return _with_operator(finding, context, defined[0].operator)


@repair(
    name="closer_column",
    description="Compares a value with the column of the same table that the question names.",
    settles={"value_ambiguity": ("closer_column",)},
    risky=True,
)
def closer_column(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Compare the column that holds the value, too, and is closer to the question's words."""
    comparison = _comparison(finding, context)
    other = finding.evidence.get("other_column")
    if comparison is None or not isinstance(other, str) or len(comparison.literals) != 1:
        return ()
    column, literal = comparison.column, comparison.literals[0]
    table = context.schema.table(column.table or "")
    if table is None or not other.startswith(f"{table.name}.") or not literal.is_text:
        return ()
    name = table.column(other[len(table.name) + 1 :])
    places = context.database.find_value(str(literal.value).strip("%"))
    values = [
        place.value
        for place in places
        if name is not None and (place.table, place.column) == (table.name, name.name)
    ]
    if name is None or len(set(values)) != 1 or comparison.operator != "=":
        return ()
    start = column.piece.text.rfind(".") + 1 if column.qualifier else 0
    place = TextEdit(column.piece.start + start, column.piece.end, context.written_name(name.name))
    return place, replacing(literal.piece, quote_text(values[0]))


def _with_operator(finding: Finding, context: RepairContext, wanted: str) -> tuple[TextEdit, ...]:
    """Return the edit of the one operator between a column and a number."""
    comparison = _comparison(finding, context)
    if comparison is None or wanted not in _OPERATORS or comparison.operator not in _OPERATORS:
        return ()
    if comparison.negated or comparison.in_negated_group or len(comparison.literals) != 1:
        return ()
    sides = sorted((comparison.column.piece, comparison.literals[0].piece), key=_start)
    if sides[0] is not comparison.column.piece:
        wanted = _MIRRORED.get(wanted, wanted)
    signs = [
        word
        for word in context.query.keywords
        if sides[0].end <= word.start < sides[1].start and word.word in _OPERATORS
    ]
    if len(signs) != 1:
        return ()
    start = signs[0].start
    written = 2 if context.text.startswith("==", start) else len(signs[0].word)
    return (TextEdit(start, start + written, wanted),)


def _start(piece: Piece) -> int:
    return piece.start


def _comparison(finding: Finding, context: RepairContext) -> Comparison | None:
    """Return the comparison that a finding names."""
    place = finding.clause.start, finding.clause.end
    found = [
        comparison
        for select in context.query.selects
        for comparison in select.comparisons
        if (comparison.clause.start, comparison.clause.end) == place
    ]
    return found[0] if len(found) == 1 else None
