"""QST16: what is selected is changed in a way that nobody asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Projection
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

JOINED = 0.8
ROUNDED = 0.4
CUT = 0.4
_STRING = re.compile(r"'[^']*'")
_CUTTING = re.compile(
    r"\b(?:substr|substring|trim|upper|lower|replace|coalesce|ifnull|printf)\s*\("
)
_ROUNDING = re.compile(r"\bround\s*\(")


@signal(
    code="QST16",
    name="unrequested_transformation",
    group=Group.QUESTION,
    family="projection",
    clauses={Clause.SELECT},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
)
def unrequested_transformation(case: Case, context: Context) -> Iterator[Finding]:
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
    reading = read_question(case)
    root = context.query.root
    looked_at = False
    for projection in root.projections:
        text = _STRING.sub("''", projection.expression.text.lower())
        for score, reason in _changes(text):
            looked_at = True
            if not _asked(reason, reading):
                yield _finding(context, projection, score, reason)
    if not looked_at:
        raise NotApplicable("the SELECT list changes nothing")


def _changes(text: str) -> Iterator[tuple[float, str]]:
    """Yield (score, kind) of what an expression in lower case does to the values."""
    if "||" in text or re.search(r"\b(?:concat|concat_ws|group_concat)\s*\(", text):
        yield JOINED, "joined"
    if _ROUNDING.search(text):
        yield ROUNDED, "rounded"
    if _CUTTING.search(text):
        yield CUT, "cut"


def _asked(reason: str, reading: QuestionReading) -> bool:
    key = {"joined": "concatenation", "rounded": "rounding"}.get(reason)
    said = frozenset(reading.evidence.lower().split()) | frozenset(reading.lowers)
    if key is None:
        return bool(_CUTTING.search(reading.evidence.lower()))
    return bool(said & word_set("cues", key)) or "||" in reading.evidence


def _finding(context: Context, projection: Projection, score: float, reason: str) -> Finding:
    piece = projection.piece
    return Finding(
        clause=context.span(Clause.SELECT, piece.start, piece.end),
        score=score,
        message=f"the value is {reason}, and nobody asked for that",
        evidence={"reason": reason},
        suggestion="select the columns as they are stored",
        level=Level.WARNING if score >= JOINED else Level.INFO,
    )
