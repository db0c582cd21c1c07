"""QST21: each is compared with its own group in the question, and with all in the query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from clausewise.errors import NotApplicable
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.units import LONGEST_PIECE
from clausewise.sql.model import Projection, Select, SubqueryFilter
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

_OWN = frozenset({"own", "respective", "corresponding", "same"})
_BEFORE_EACH = frozenset({"for", "in", "of", "within", "by", "at", "from"})
_WINDOW = re.compile(r"(?i)\bover\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_NUMBERING = re.compile(
    r"(?i)\b(row_number|rank|dense_rank|first_value|last_value)\s*\([^()]*\)\s*over\s*\("
)
_ADDING = re.compile(
    r"(?i)\b(?:sum|count|total)\s*\((?:[^()]|\([^()]*\))*\)\s*over\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)"
)
_DESCENDING = re.compile(r"\bdesc\b(?![^)]*\bfollowing\b)")
_RUNNING = re.compile(
    r"(?i)\brunning (?:total|sum|count|balance|tally|number)|\b(?:ac)?cumulat(?:ed|ive|ively)\b"
)
_WHOLE = frozenset({"overall", "all", "entire", "fleet", "company", "global", "cumulative"})


@signal(
    code="QST21",
    name="missing_correlation",
    group=Group.QUESTION,
    family="question_scope",
    clauses={Clause.WHERE, Clause.HAVING, Clause.SELECT, Clause.FROM},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "own": ("`their own`, `the same`: the sub-query is over all rows.", "strong"),
        "each": "`for each`, `within`: the sub-query for the largest or the mean is over all rows.",
        "not_running": (
            "`running`, `cumulative`: the window sums all rows, or from the end.",
            "strong",
        ),
        "no_partition": "`for each`, `within`: the window numbers all rows together.",
    },
)
def missing_correlation(case: Case, context: Context) -> Iterator[Finding]:
    """The question compares each with its own group, the query with all rows together.

    What it measures
    ----------------
    Where the question says `own`, `the same`, `for each`, `in every` or `within`: sub-queries that
    return one aggregate, are compared with, refer to nothing outside and group by nothing; and
    windows that number rows (ROW_NUMBER, RANK, ...) without PARTITION BY. Where it says `running`
    or `cumulative`: windows of SUM and COUNT without ORDER BY, or with a descending one.

    Why it points to an error
    -------------------------
    "Above the average of their own trade" is another average for each trade. Over all rows it is
    a single one, and mostly other rows are returned.

    Fires on
    --------
    Whose rating is above the mean of their own trade?
    SELECT name FROM firm WHERE rating > (SELECT AVG(rating) FROM firm)

    Stays silent on
    ---------------
    Whose rating is above the mean of their own trade?
    SELECT name FROM firm f WHERE rating > (SELECT AVG(rating) FROM firm x WHERE x.trade = f.trade)

    Does not apply when
    -------------------
    The question says none of these words, or the query holds neither such a sub-query nor such a
    window.

    How to repair
    -------------
    Compare the sub-query's group with that of the row outside, or add PARTITION BY.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    words = set(reading.lowers)
    running = _RUNNING.search(reading.question)
    whole = _sums_all(context) if running is not None else None
    if running is not None and whole is not None:
        yield Finding(
            clause=whole,
            reason="not_running",
            message=f"the question says '{running[0]}', the window takes all rows or the last ones",
            evidence={"word": running[0]},
            suggestion="add ORDER BY to the window",
        )
        return
    word = next((each for each in reading.lowers if each in _OWN), "") or _each(reading)
    if running is None and (not word or words & _WHOLE):
        raise NotApplicable("the question compares nothing with its own group")
    units = [] if not word or words & _WHOLE else list(_units(context))
    if not units:
        raise NotApplicable("the query compares with no aggregate of a sub-query and no window")
    for select, item in units:
        if item is not None:
            if not item.subquery.correlated and _is_over_all(item.subquery):
                yield Finding(
                    clause=item.clause,
                    reason="own" if word in _OWN else "each",
                    message=f"the question says '{word}', the sub-query is over all rows",
                    evidence={"word": word},
                    suggestion="tie the sub-query to the row outside",
                )
                return
        elif word != "same":
            clause = select.clause(Clause.SELECT) or context.query.span
            yield Finding(
                clause=clause,
                reason="no_partition",
                message=f"the question says '{word}', the window has no PARTITION BY",
                evidence={"word": word},
                suggestion="add PARTITION BY",
            )
            return


def _sums_all(context: Context) -> ClauseSpan | None:
    """Return the SELECT clause with a window of SUM or COUNT that does not add up row by row."""
    for select in context.query.selects:
        for shown in select.projections:
            text = shown.expression.text
            match = _ADDING.search(text) if len(text) <= LONGEST_PIECE else None
            inside = "" if match is None else match[1].lower()
            if match is not None and ("order" not in inside or _DESCENDING.search(inside)):
                return context.span(Clause.SELECT, shown.piece.start, shown.piece.end)
    return None


def _each(reading: QuestionReading) -> str:
    """Return the word by which the question looks at each of some things, empty for none."""
    for before, word in pairwise(("for", *reading.lowers)):
        groups = before in _BEFORE_EACH and (before != "of" or bool(reading.superlatives))
        if word == "within" or (word in ("each", "every") and groups):
            return word
    return ""


def _units(context: Context) -> Iterator[tuple[Select, SubqueryFilter | None]]:
    """Yield sub-queries of one aggregate that are compared with, and SELECTs with bare windows."""
    for select in context.query.selects:
        for item in select.subquery_filters:
            shown = item.subquery.projections
            compares = item.operator not in ("IN", "EXISTS")
            if len(shown) == 1 and shown[0].has_aggregate and compares and not _counts(shown[0]):
                yield select, item
        for shown_one in select.projections:
            text = shown_one.expression.text
            if len(text) <= LONGEST_PIECE and _NUMBERING.search(text):
                inside = _WINDOW.search(text)
                if inside is not None and "partition" not in inside[1].lower():
                    yield select, None
                    break


def _counts(shown: Projection) -> bool:
    """Whether it is a count: all of some things are looked for, `HAVING COUNT(*) = (...)`."""
    return "count(" in shown.expression.text.lower().replace(" ", "")


def _is_over_all(select: Select) -> bool:
    """Whether neither it nor what it reads from is grouped."""
    inner = [source.select for source in select.sources if source.select is not None]
    return not select.group_by and not any(each.group_by for each in inner)
