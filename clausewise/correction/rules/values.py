"""Repairs of values: the text that a column holds in place of one that it does not."""

from __future__ import annotations

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit, replacing
from clausewise.sql.model import Comparison, Literal
from clausewise.text import quote_text
from clausewise.types import Finding


@repair(
    name="stored_value",
    description="Writes a value as its column spells it.",
    settles={"near_miss_value": ("other_spelling", "few_edits", "code")},
)
def stored_value(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Replace a constant that its column does not hold with the value that it is nearest to."""
    found = _compared(finding, context)
    value = finding.evidence.get("probable_value")
    if found is None or not isinstance(value, str) or "\0" in value:
        return ()
    comparison, literal = found
    written = str(literal.value)
    if comparison.operator == "LIKE":
        core = written.strip("%")
        if not core or "_" in value or "%" in value:
            return ()
        value = written.replace(core, value)
    return (replacing(literal.piece, quote_text(value)),)


@repair(
    name="column_of_value",
    description="Compares the column of the same table that holds the value.",
    settles={"near_miss_value": ("other_column",)},
    risky=True,
)
def column_of_value(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Compare another column of the table where it alone holds the value."""
    found = _compared(finding, context)
    if found is None:
        return ()
    comparison, literal = found
    column = comparison.column
    places = [
        place
        for place in context.database.find_value(str(literal.value))
        if place.table == column.table
    ]
    if len({place.column for place in places}) != 1 or len(comparison.literals) != 1:
        return ()
    qualifier = f"{context.words.quote_name(column.qualifier)}." if column.qualifier else ""
    name = f"{qualifier}{context.written_name(places[0].column)}"
    return (
        replacing(column.piece, name),
        replacing(literal.piece, context.words.quote_text(places[0].value)),
    )


def _compared(finding: Finding, context: RepairContext) -> tuple[Comparison, Literal] | None:
    """Return the constant that a finding names, with its comparison."""
    place = finding.clause.start, finding.clause.end
    for select in context.query.selects:
        for comparison in select.comparisons:
            for literal in comparison.literals:
                if (literal.piece.start, literal.piece.end) == place and literal.is_text:
                    return comparison, literal
    return None
