"""QST25: the question asks for the second or third of a ranking, the query for the first ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_PLACES = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
_RANKED = re.compile(
    r"(?i)\b(second|2nd|third|3rd|fourth|4th|fifth|5th)[ -](?:\w+[ -]){0,1}?"
    r"(?:highest|lowest|largest|smallest|biggest|most|least|best|worst|longest|shortest|oldest|"
    r"youngest|cheapest|heaviest|lightest|fastest|slowest|latest|earliest|busiest|tallest|"
    r"greatest|newest|dearest)\b"
)
_RUNNER_UP = re.compile(r"(?i)\brunners?[ -]up\b")
_SEVERAL = re.compile(r"(?i)\b(?:first|second|third) (?:and|to|through|or) ")
_TOGETHER = frozenset({"first", "top"})


@signal(
    code="QST25",
    name="rank_mismatch",
    group=Group.QUESTION,
    family="question_ranking",
    clauses={Clause.LIMIT},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "no_offset": (
            "The second or third is asked for, the query begins with the first.",
            "strong",
        ),
        "other_offset": ("The query leaves out another number of places.", "strong"),
    },
)
def rank_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """The second, third or the runner-up is asked for, and LIMIT begins elsewhere.

    What it measures
    ----------------
    `second highest`, `third largest`, `runner-up` against LIMIT of a query with one SELECT: it
    needs an OFFSET of one place less.

    Why it points to an error
    -------------------------
    LIMIT 2 answers with the first two, LIMIT 1 with the first; OFFSET counts from 0.

    Fires on
    --------
    Which is the second largest ship? SELECT name FROM ship ORDER BY size DESC LIMIT 2

    Stays silent on
    ---------------
    Which is the second largest ship? SELECT name FROM ship ORDER BY size DESC LIMIT 1 OFFSET 1

    Does not apply when
    -------------------
    The question asks for no such place, or the query has several SELECTs or no LIMIT.

    How to repair
    -------------
    Write LIMIT 1 with an OFFSET of one less than the place.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    place = _asked_place(reading.question)
    select = context.query.root
    clause = select.clause(Clause.LIMIT)
    if not place or clause is None or len(context.query.selects) > 1 or select.limit is None:
        raise NotApplicable("no second or third place is asked for by LIMIT")
    if select.offset is None:
        reason, skipped = "no_offset", 0
    else:
        number = select.offset.text.strip()
        if not number.isdigit() or int(number) == place - 1:
            return
        reason, skipped = "other_offset", int(number)
    if reason == "no_offset" and _TOGETHER & set(reading.lowers):
        return
    yield Finding(
        clause=clause,
        reason=reason,
        message=f"place {place} is asked for, the query leaves out {skipped} and shows "
        f"{select.limit}",
        evidence={"place": place},
        suggestion=f"write LIMIT 1 OFFSET {place - 1}",
    )


def _asked_place(question: str) -> int:
    if _SEVERAL.search(question):
        return 0
    if _RUNNER_UP.search(question):
        return 2
    match = _RANKED.search(question)
    return _PLACES[match[1].lower()] if match else 0
