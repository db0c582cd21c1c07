"""JOIN07: those with none are asked for, and the join leaves them out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Conjunct, Join, Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_NONE_TOO = re.compile(
    r"(?i)\binclud(?:ing|e|es|ed)\b[^.;?]{0,40}"
    r"\b(?:none|without|with no|zero|no one|nothing|never)\b"
    r"|\b(?:also|even|as well as)\b[^.;?]{0,25}\b(?:none|without|with no|who never|that never)\b"
    r"|\b(?:without|with no|with none|none|never)\b[^.;?]{0,40}\b(?:included|too|as well)\b"
    r"|\b(?:without|with no|with none|with nobody|none)\b[^.;?]{0,40}"
    r"\b(?:count(?:s|ed)?|appear|shown?|as|with|get)\b[^.;?]{0,12}(?:\b0|\bzeros?\b)"
    r"|(?:\b0|\bzeros?)\b[^.;?]{0,12}\b(?:if|where|when|for|without)\b[^.;?]{0,25}"
    r"\b(?:none|no|without|nothing|never)\b"
)
_LEFT_OUT = re.compile(r"(?i)\b(?:not included|left out|ignored?|excluded?|without including)\b")
_OTHERWISE = re.compile(r"(?i)\b(?:left|full|right|union|not|except)\b|\(\s*select\b")
_FILLED = re.compile(r"(?i)\b(?:coalesce|ifnull|total|nvl)\s*\(|\bis\s+null\b")
"""A missing value of a row that is there, and no missing row, may be meant."""


@signal(
    code="JOIN07",
    name="none_left_out",
    group=Group.QUESTION,
    family="join",
    clauses={Clause.JOIN, Clause.WHERE, Clause.FROM},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "inner_join": (
            "Those with none are to be included, and there is no outer join.",
            "strong",
        ),
        "filtered_outer": (
            "WHERE asks for a value of what a LEFT JOIN brings: rows without one are dropped.",
            "strong",
        ),
    },
)
def none_left_out(case: Case, context: Context) -> Iterator[Finding]:
    """Those with none are asked for, and an inner join or a condition in WHERE leaves them out.

    What it measures
    ----------------
    Where question or evidence includes what has none ("including those without", "zero for
    none"): whether the query joins, and has neither an outer join nor a sub-query; or has a LEFT
    JOIN whose table a condition of WHERE asks a value of.

    Why it points to an error
    -------------------------
    An inner join keeps those with a partner. So does a LEFT JOIN if WHERE compares a column of its
    right side, since that is NULL for those without.

    Fires on
    --------
    Towers per beach, including beaches without any?
    SELECT b.name, COUNT(t.id) FROM beach b JOIN tower t ON t.beach_id = b.id GROUP BY b.id

    Stays silent on
    ---------------
    Towers per beach, including beaches without any?
    SELECT b.name, COUNT(t.id) FROM beach b LEFT JOIN tower t ON t.beach_id = b.id GROUP BY b.id

    Does not apply when
    -------------------
    Neither question nor evidence includes those with none, or the query joins nothing.

    How to repair
    -------------
    Use LEFT JOIN, and move conditions on the joined table into its ON.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLDriller, section 6.4 (pattern 1).
    """
    reading = read_question(case)
    texts = [text for text in (reading.question, reading.evidence) if text]
    if not any(_NONE_TOO.search(text) and not _LEFT_OUT.search(text) for text in texts):
        raise NotApplicable("nobody asks for those with none")
    joined = [select for select in context.query.selects if select.joins]
    if not joined:
        raise NotApplicable("the query joins nothing")
    for select in joined:
        for join in select.joins:
            part = _drops(select, join)
            if part is not None:
                yield Finding(
                    clause=context.span(part.clause, part.piece.start, part.piece.end),
                    reason="filtered_outer",
                    message=f"{part.piece.text} drops the rows for which the LEFT JOIN of "
                    f"{join.source.name} finds nothing",
                    suggestion="move the condition into ON",
                )
                return
    text = context.query.text
    if _OTHERWISE.search(text) or _FILLED.search(text):
        return
    last = joined[0].joins[-1]
    yield Finding(
        clause=last.clause,
        reason="inner_join",
        message=f"those with none are to be included, the join of {last.source.name} drops them",
        suggestion="use LEFT JOIN",
    )


def _drops(select: Select, join: Join) -> Conjunct | None:
    """Return a condition of WHERE that only rows with a partner in a LEFT JOIN meet."""
    if join.kind != "left":
        return None
    for part in select.conjuncts:
        text = part.piece.text.upper()
        if part.clause is not Clause.WHERE or not part.columns or " OR " in text:
            continue
        if "IS NULL" in text or "COALESCE" in text or "IFNULL" in text or "NOT " in text:
            continue
        if all(column.source is join.source for column in part.columns):
            return part
    return None
