"""QST09: the question asks for each of something, and nothing is grouped."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import schema_words
from clausewise.types import Case, Clause, Cost, Finding, Group, Need


@signal(
    code="QST09",
    name="missing_grouping",
    group=Group.QUESTION,
    family="question_grouping",
    clauses={Clause.SELECT, Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=1,
    reasons={
        "at_the_start": "The question starts so: `For each country, ...`.",
        "later": "The question says so later on.",
    },
)
def missing_grouping(case: Case, context: Context) -> Iterator[Finding]:
    """`each`, `per` or `for every` is asked, but an aggregate is over everything at once.

    What it measures
    ----------------
    Whether the question wants a figure for each of several things that the schema knows (how many
    for each, the average per), while the query selects an aggregate and groups nowhere: no GROUP
    BY at all.

    Why it points to an error
    -------------------------
    One figure over all rows is given where one for each group is wanted.

    Fires on
    --------
    How many singers has each country? SELECT COUNT(*) FROM singer

    Stays silent on
    ---------------
    How many singers has each country? SELECT country, COUNT(*) FROM singer GROUP BY country

    Does not apply when
    -------------------
    The question has no such word, or the query selects no aggregate.

    How to repair
    -------------
    Add GROUP BY on what the question names after the word, and usually select it too.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    known = schema_words(context.schema)
    groups = [item for item in reading.asked if item.marked and known & set(item.words)]
    root = context.query.root
    if not groups:
        raise NotApplicable("the question asks for nothing by groups")
    aggregates = [item for item in root.projections if item.has_aggregate]
    if not aggregates:
        raise NotApplicable("the query selects no aggregate")
    if any(select.group_by for select in context.query.selects):
        return
    group = groups[0]
    yield Finding(
        clause=root.clause(Clause.SELECT) or context.query.span,
        reason="at_the_start" if group.start < len(case.question) // 4 else "later",
        message=f"a figure for each '{group.words[0]}' is asked for, nothing is grouped",
        evidence={"group": group.words[0]},
        suggestion=f"add GROUP BY {group.words[0]}",
    )
