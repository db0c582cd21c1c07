"""RSLT02: the result repeats rows."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import is_look_up, may_repeat
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

DISTINCT_ASKED = 0.9
ENTITIES_REPEATED = 0.3
"""Score where joins may repeat the rows of the one table that is listed."""
VALUES_REPEATED = 0.05
"""Score where different rows may well show the same values."""
MANY = 0.1
"""Added where more than half of the rows are repetitions."""
DISTINCT_WORDS = frozenset({"different", "distinct", "unique"})


@signal(
    code="RSLT02",
    name="duplicate_rows",
    group=Group.DATABASE,
    family="duplication",
    clauses={Clause.SELECT},
    needs={Need.DATABASE, Need.QUESTION},
    cost=Cost.PROFILE,
    version=2,
    sets={"redsql", "sqldriller-patterns"},
)
def duplicate_rows(case: Case, context: Context) -> Iterator[Finding]:
    """The result holds the same row more than once.

    What it measures
    ----------------
    The rows of the predicted query that equal an earlier one; whether the question asks for
    different ones, and whether the joins can repeat the rows of a table that is listed.

    Why it points to an error
    -------------------------
    Who asks which students have a pet wants each student once.

    Fires on
    --------
    Which students have a pet? SELECT s.name FROM student s JOIN has_pet h ON h.student_id = s.id

    Stays silent on
    ---------------
    Which students have a pet? SELECT name FROM student WHERE id IN (SELECT student_id FROM
    has_pet)

    Does not apply when
    -------------------
    The result has fewer than two rows, or the query did not run.

    How to repair
    -------------
    Replace the join by IN or EXISTS where entities are listed; DISTINCT where values are.

    Cost
    ----
    Nothing is run.

    References
    ----------
    RED-SQL, table 1 (output abnormal, level WARNING); SQLDriller, section 6.4 (pattern 2).
    """
    result = context.result
    if result is None or len(result.rows) < 2:
        raise NotApplicable("the result has fewer than two rows")
    repeated = len(result.rows) - len(set(result.rows))
    if not repeated:
        return
    select = context.query.root
    score, reason = _grade(case, context, select)
    if score < DISTINCT_ASKED and repeated * 2 > len(result.rows):
        score += MANY
    yield Finding(
        clause=select.clause(Clause.SELECT) or context.query.span,
        score=round(score, 2),
        message=f"{repeated} of {len(result.rows)} rows repeat others{reason}",
        evidence={
            "rows": len(result.rows),
            "repeated": repeated,
            "truncated": result.truncated,
        },
        suggestion="use IN or EXISTS instead of the join, or DISTINCT"
        if len(select.sources) > 1
        else "use DISTINCT where values are asked for",
        level=Level.INFO if score < ENTITIES_REPEATED else Level.WARNING,
    )


def _grade(case: Case, context: Context, select: Select) -> tuple[float, str]:
    if DISTINCT_WORDS.intersection(question_words(case.question)):
        return DISTINCT_ASKED, ", though the question asks for different ones"
    columns = [column for projection in select.projections for column in projection.columns]
    sources = {id(column.source): column.source for column in columns if column.source is not None}
    repeats = any(
        may_repeat(context, select, source) and not is_look_up(context, source)
        for source in sources.values()
    )
    return (ENTITIES_REPEATED if repeats else VALUES_REPEATED), ""
