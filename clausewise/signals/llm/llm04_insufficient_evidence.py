"""LLM04: a model says that too little is known to judge the query."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.preparation.examples import shortened_line
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.llm._answers import MODEL_SECONDS, ask_part, because, measured
from clausewise.signals.llm._replies import InsufficientEvidence
from clausewise.types import Case, Clause, Cost, Finding, Group, Need


@signal(
    code="LLM04",
    name="insufficient_evidence",
    group=Group.LLM,
    family="llm_evidence",
    clauses={Clause.QUERY},
    needs={Need.QUESTION, Need.LLM},
    cost=Cost.MODEL,
    calls=1,
    combinable=True,
    version=1,
    reasons={"too_little_known": "The model says that a term of the question has no definition."},
    sets={"sqlens-llm", "sqlens-reference"},
    time_limit=MODEL_SECONDS,
)
def insufficient_evidence(case: Case, context: Context) -> Iterator[Finding]:
    """A language model says that too little is known to judge the query.

    What it measures
    ----------------
    Whether question, evidence (where there is any) and schema together define every term that the
    answer depends on.
    The score is the model's stated confidence.

    Why it points to an error
    -------------------------
    Where a term has no definition the system that wrote the query had to guess, too.

    Fires on
    --------
    Which drivers are eligible? (evidence: drivers refers to the table drivers)

    Stays silent on
    ---------------
    Which drivers are eligible? (evidence: eligible refers to age >= 18)

    Does not apply when
    -------------------
    No language model was given, or the case has no question.

    How to repair
    -------------
    Find out what the term means in this database and add it to the evidence.

    Cost
    ----
    One call for each case, none with the combined call.

    References
    ----------
    SQLens, appendix A.2 (insufficient evidence).
    """
    answer = ask_part(
        context, "insufficient_evidence", InsufficientEvidence, "insufficient_evidence"
    )
    reply = answer.reply
    if reply.sufficient:
        return
    missing = shortened_line(reply.missing, 80)
    yield Finding(
        clause=context.query.span,
        reason="too_little_known",
        measure=measured(reply.confidence),
        message=because("a model finds that too little is known to judge the query", reply.reason),
        evidence=answer.evidence(reply.reason, confidence=reply.confidence, missing=missing),
        suggestion=f"say in the evidence what '{missing}' means" if missing else None,
    )
