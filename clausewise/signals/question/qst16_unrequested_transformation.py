"""QST16: what is selected is changed in a way that nobody asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.model import Projection, Query
from clausewise.types import Clause, Cost, Finding, Group, Need

_JOINING = frozenset({"CONCAT", "CONCAT_WS"})
_LISTING = frozenset({"GROUP_CONCAT", "STRING_AGG", "ARRAY_AGG", "JSON_GROUP_ARRAY", "LISTAGG"})
_LISTED = ("comma", "commas", "separated", "comma-separated", "semicolon", "one list", "a list",
           "comma list", "single list", "one row", "one line", "cell", "array", "next to",
           "concatenated", "aggregate", "in one")  # fmt: skip
"""Words that ask for the values of a group in one text."""
_FILLING = frozenset({"COALESCE", "IFNULL"})
_EMPTY = ("none", "zero", "0", "without", "missing", "unknown", "empty", "null", "if not",
          "not available", "n/a", "including", "also", "every", "each", "all", "per")  # fmt: skip
"""Words that say what stands for a missing value, or that things without one are wanted too."""
_CUTTING = frozenset({"SUBSTR", "SUBSTRING", "TRIM", "UPPER", "LOWER", "REPLACE", "PRINTF"})
_CUTTING_CALL = re.compile(rf"\b(?:{'|'.join(sorted(_CUTTING))})\s*\(", re.IGNORECASE)
"""Such a call in the evidence."""


def _projections(context: Context) -> tuple[Projection, ...]:
    return context.query.root.projections


@signal(
    code="QST16",
    name="unrequested_transformation",
    group=Group.QUESTION,
    family="projection",
    clauses={Clause.SELECT},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=3,
    reasons={
        "joined": "Values of a row are joined to one text.",
        "listed": "The values of a group are listed in one text.",
        "rounded": ("A number is rounded.", "moderate", "convention"),
        "filled": ("A missing value is replaced by another.", "slight", "convention"),
        "cut": "A text is cut, replaced or changed in case.",
    },
)
@for_each(_projections, otherwise="the SELECT list changes nothing")
def unrequested_transformation(projection: Projection, context: Context) -> Iterator[Finding]:
    """A selected value is concatenated, rounded or cut though nobody asked for it.

    What it measures
    ----------------
    In the SELECT list: concatenation, rounding and text functions where no word of question or
    evidence calls for them.

    Why it points to an error
    -------------------------
    The answer differs from the stored values, though it may say the same.

    Fires on
    --------
    What is the full name of the singer? SELECT first_name || ' ' || last_name FROM singer

    Stays silent on
    ---------------
    What is the full name of the singer? SELECT first_name, last_name FROM singer

    Does not apply when
    -------------------
    The SELECT list changes nothing.

    How to repair
    -------------
    Select the columns as they are stored.

    Cost
    ----
    Nothing is run.

    References
    ----------
    GBV-SQL (the smallest query that answers).
    """
    changes = list(_changes(projection, context.query))
    skip_unless(changes)
    reading = read_question(context.case)
    piece = projection.piece
    for change in changes:
        if not _asked(change, reading):
            yield Finding(
                clause=context.span(Clause.SELECT, piece.start, piece.end),
                reason=change,
                message=f"the value is {change}, and nobody asked for that",
                suggestion="select the columns as they are stored",
            )


def _changes(projection: Projection, query: Query) -> Iterator[str]:
    """Yield what an expression does to the values."""
    called = {call.function for call in query.calls_in(projection.expression)}
    if query.has_keyword_in(projection.expression, "||") or called & _JOINING:
        yield "joined"
    if called & _LISTING:
        yield "listed"
    if "ROUND" in called:
        yield "rounded"
    if called & _FILLING and not projection.has_aggregate:
        yield "filled"
    if called & _CUTTING:
        yield "cut"


def _asked(change: str, reading: QuestionReading) -> bool:
    key = {"joined": "concatenation", "listed": "concatenation", "rounded": "rounding"}.get(change)
    said = frozenset(reading.evidence.lower().split()) | frozenset(reading.lowers)
    if change == "listed" and reading.says(*_LISTED):
        return True
    if change == "filled":
        return reading.says(*_EMPTY) or bool(set(_EMPTY) & {text for text, _, _ in reading.quoted})
    if key is None:
        return bool(_CUTTING_CALL.search(reading.evidence))
    return bool(said & word_set("cues", key)) or "||" in reading.evidence
