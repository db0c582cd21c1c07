"""LLM01: a model says that the query does not answer the question."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.llm._answers import MODEL_SECONDS, ask_part, because, measured
from clausewise.signals.llm._places import locate_or_query
from clausewise.signals.llm._replies import SelfCheck
from clausewise.types import Case, Clause, Cost, Finding, Group, Need


@signal(
    code="LLM01",
    name="self_check_bool",
    group=Group.LLM,
    family="llm_judgement",
    clauses=set(Clause),
    needs={Need.QUESTION, Need.LLM},
    cost=Cost.MODEL,
    calls=1,
    combinable=True,
    version=1,
    reasons={"says_no": "The model says that the query does not answer the question."},
    sets={"sqlens-llm", "sqlens-reference"},
    time_limit=MODEL_SECONDS,
)
def self_check_bool(case: Case, context: Context) -> Iterator[Finding]:
    """A language model says that the query does not answer the question.

    What it measures
    ----------------
    The model's yes or no to whether the query answers the question, with schema, evidence and a
    few values in sight. The score is its stated confidence. Where it copies the wrong part of the
    query, the finding points there.

    Why it points to an error
    -------------------------
    A model often sees that a query means something else than the question, also one that it would
    have written itself; alone it is no judge to rely on.

    Fires on
    --------
    Which cities have more than a million people? ... WHERE people < 1000000

    Stays silent on
    ---------------
    Which cities have more than a million people? ... WHERE people > 1000000

    Does not apply when
    -------------------
    No language model was given, or the case has no question.

    How to repair
    -------------
    Read the model's reason against the question; where it holds, change the part that it names.

    Cost
    ----
    One call for each case, none with the combined call.

    References
    ----------
    SQLens, appendix A.2 (LLM self-check).
    """
    answer = ask_part(context, "self_check_bool", SelfCheck, "self_check")
    reply = answer.reply
    if reply.correct:
        return
    yield Finding(
        clause=locate_or_query(context, reply.fragment),
        reason="says_no",
        measure=measured(reply.confidence),
        message=because("a model finds that the query does not answer the question", reply.reason),
        evidence=answer.evidence(
            reply.reason, confidence=reply.confidence, fragment=reply.fragment
        ),
    )
