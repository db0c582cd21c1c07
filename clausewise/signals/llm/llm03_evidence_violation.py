"""LLM03: a model says that the query contradicts the evidence."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.llm._answers import MODEL_SECONDS, ask_part, because, measured
from clausewise.signals.llm._places import locate_or_query
from clausewise.signals.llm._replies import EvidenceViolation
from clausewise.types import Case, Clause, Cost, Finding, Group, Need


@signal(
    code="LLM03",
    name="evidence_violation",
    group=Group.LLM,
    family="llm_evidence",
    clauses=set(Clause),
    needs={Need.QUESTION, Need.EVIDENCE, Need.LLM},
    cost=Cost.MODEL,
    calls=1,
    combinable=True,
    version=1,
    reasons={"contradicts_evidence": "The model says that the query contradicts the evidence."},
    sets={"sqlens-llm", "sqlens-reference"},
    time_limit=MODEL_SECONDS,
)
def evidence_violation(case: Case, context: Context) -> Iterator[Finding]:
    """A language model says that the query contradicts the evidence.

    What it measures
    ----------------
    Whether the query uses every column, value, condition and formula that the evidence defines,
    and uses it as defined. The score is the model's stated confidence.

    Why it points to an error
    -------------------------
    The evidence says how words of the question are meant in this database; a query that goes its
    own way answers another question.

    Fires on
    --------
    large refers to people > 1000000 ... WHERE people > 100000

    Stays silent on
    ---------------
    large refers to people > 1000000 ... WHERE people > 1000000

    Does not apply when
    -------------------
    No language model was given, or the case has no question or no evidence.

    How to repair
    -------------
    Write the condition, column or formula as the evidence defines it.

    Cost
    ----
    One call for each case, none with the combined call.

    References
    ----------
    SQLens, appendix A.2 (evidence violation).
    """
    answer = ask_part(context, "evidence_violation", EvidenceViolation, "evidence_violation")
    reply = answer.reply
    if not reply.violated:
        return
    yield Finding(
        clause=locate_or_query(context, reply.fragment),
        reason="contradicts_evidence",
        measure=measured(reply.confidence),
        message=because("a model finds that the query contradicts the evidence", reply.reason),
        evidence=answer.evidence(
            reply.reason, confidence=reply.confidence, fragment=reply.fragment
        ),
        suggestion="write it as the evidence defines it",
    )
