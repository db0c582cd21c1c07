"""LLM06: a model names another column that would serve as well."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import key_classes
from clausewise.signals.llm._answers import (
    MODEL_SECONDS,
    SignalAnswer,
    ask,
    ask_combined,
    because,
    measured,
)
from clausewise.signals.llm._places import schema_column, used_column
from clausewise.signals.llm._replies import Alternative, Alternatives, Combined
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

MOST = 5
"""Findings for one query, the surest first."""


@signal(
    code="LLM06",
    name="llm_column_ambiguity",
    group=Group.LLM,
    family="llm_column",
    clauses=set(Clause),
    needs={Need.QUESTION, Need.LLM},
    cost=Cost.MODEL,
    calls=1,
    combinable=True,
    version=1,
    reasons={"other_column": "The model says that another column could be meant instead."},
    sets={"sqlens-llm", "sqlens-reference"},
    time_limit=MODEL_SECONDS,
)
def llm_column_ambiguity(case: Case, context: Context) -> Iterator[Finding]:
    """A language model names another column that would serve the question as well.

    What it measures
    ----------------
    Columns of the schema that resemble a column of the query and could be meant instead. Named
    columns that the schema does not have, or the query does not use, are dropped, and so are
    columns that hold the same key. The score is how likely the model takes the other column to be
    meant.

    Why it points to an error
    -------------------------
    Where two columns fit the words of the question, the query may have taken the wrong one.

    Fires on
    --------
    How many pupils are enrolled? SELECT enrollment_k12 ... (there is enrollment_5_17, too)

    Stays silent on
    ---------------
    How many pupils are enrolled? SELECT enrollment ... (no other column is like it)

    Does not apply when
    -------------------
    No language model was given, or the case has no question. It is silent where the query
    uses no column of a table.

    How to repair
    -------------
    Decide from descriptions and values which of the two columns the question means.

    Cost
    ----
    One call for each case, none with the combined call.

    References
    ----------
    SQLens, appendix A.2 (column ambiguity).
    """
    combined = ask_combined(context)
    answer: SignalAnswer[Combined] | SignalAnswer[Alternatives] = combined or ask(
        context, "llm_column_ambiguity", Alternatives
    )
    found: dict[tuple[int, str], Finding] = {}
    for named in sorted(answer.reply.alternatives, key=lambda named: -named.confidence):
        finding = _ambiguity(context, answer, named)
        if finding is not None:
            key = (finding.clause.start, str(finding.evidence["other_column"]))
            found.setdefault(key, finding)
    yield from list(found.values())[:MOST]


def _ambiguity(
    context: Context,
    answer: SignalAnswer[Combined] | SignalAnswer[Alternatives],
    named: Alternative,
) -> Finding | None:
    use = used_column(context, named.used)
    other = schema_column(context, named.other)
    if use is None or use.table is None or use.column is None or other is None:
        return None
    own = (use.table, use.column)
    if own == other or key_classes(context.schema).same(own, other):
        return None
    shown = ".".join(other)
    return Finding(
        clause=context.span(use.clause, use.piece.start, use.piece.end),
        reason="other_column",
        measure=measured(named.confidence),
        message=because(f"a model finds that {shown} could be meant instead", named.reason),
        evidence=answer.evidence(
            named.reason,
            confidence=named.confidence,
            used_column=".".join(own),
            other_column=shown,
        ),
        suggestion=f"consider {shown}",
    )
