"""RSLT02: the result repeats rows."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.relations import is_look_up, may_repeat
from clausewise.signals.units import skip_unless
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

EACH_WORDS = frozenset({"all", "each", "every"})
DISTINCT_WORDS = frozenset({"different", "distinct", "unique"})


@signal(
    code="RSLT02",
    name="duplicate_rows",
    group=Group.DATABASE,
    family="duplication",
    clauses={Clause.SELECT},
    needs={Need.DATABASE, Need.QUESTION},
    cost=Cost.PROFILE,
    version=3,
    reasons={
        "distinct_asked": "The question asks for different ones.",
        "entities_repeated": "Joins may repeat the rows of a table that is listed.",
        "entities_mostly_repeated": "They may, and more than half of the rows repeat others.",
        "each_wanted": (
            "Different rows show the same values, and the question wants one for each of them.",
            "slight",
        ),
        "values_repeated": "Different rows may well show the same values.",
        "values_mostly_repeated": "They may, and more than half of the rows repeat others.",
    },
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
    The result has fewer than two rows, or the query did not run or has no SELECT.

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
    skip_unless(context.query.selects, "the query has no SELECT")
    repeated = len(result.rows) - len(set(result.rows))
    if not repeated:
        return
    select = context.query.root
    asked = DISTINCT_WORDS.intersection(question_words(case.question))
    what = "entities" if _joins_repeat(context, select) else "values"
    mostly = "_mostly" if repeated * 2 > len(result.rows) else ""
    reason = "distinct_asked" if asked else f"{what}{mostly}_repeated"
    if reason == "values_repeated" and EACH_WORDS.intersection(question_words(case.question)):
        reason = "each_wanted"
    yield Finding(
        clause=select.clause(Clause.SELECT) or context.query.span,
        reason=reason,
        message=f"{repeated} of {len(result.rows)} rows repeat others"
        + (", though the question asks for different ones" if asked else ""),
        evidence={
            "rows": len(result.rows),
            "repeated": repeated,
            "truncated": result.truncated,
        },
        suggestion="use IN or EXISTS instead of the join, or DISTINCT"
        if len(select.sources) > 1
        else "use DISTINCT where values are asked for",
    )


def _joins_repeat(context: Context, select: Select) -> bool:
    """Whether joins may repeat the rows of a table that is listed."""
    columns = [column for projection in select.projections for column in projection.columns]
    sources = {id(column.source): column.source for column in columns if column.source is not None}
    return any(
        may_repeat(context, select, source) and not is_look_up(context, source)
        for source in sources.values()
    )
