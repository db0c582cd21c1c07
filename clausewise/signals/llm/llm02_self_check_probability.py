"""LLM02: a model takes the query to be more likely wrong than right."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.llm.templates import prompt_version
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.llm._answers import MODEL_SECONDS, ask_combined, measured
from clausewise.signals.llm._material import case_material, client
from clausewise.types import Case, Clause, Cost, Finding, Group, Json, Need

EVEN = 0.5
"""Probability of being right in [0, 1] under which the signal fires."""

PROMPT = "self_check_probability"


@signal(
    code="LLM02",
    name="self_check_probability",
    group=Group.LLM,
    family="llm_judgement",
    clauses={Clause.QUERY},
    needs={Need.QUESTION, Need.LLM},
    cost=Cost.MODEL,
    calls=1,
    combinable=True,
    version=1,
    reasons={"likely_wrong": "The model takes the query to be more likely wrong than right."},
    sets={"sqlens-llm"},
    time_limit=MODEL_SECONDS,
)
def self_check_probability(case: Case, context: Context) -> Iterator[Finding]:
    """A language model takes the query to be more likely wrong than right.

    What it measures
    ----------------
    The probability that the query answers the question: from the chances of the words yes and no
    where the server gives them, else the number that the model writes. The score is the
    probability of being wrong.

    Why it points to an error
    -------------------------
    A probability grades what a yes or no hides. It is not calibrated: read it as a rank.

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
    Look at the other findings for the part that is wrong; this one names none.

    Cost
    ----
    One call for each case, none with the combined call. A server without log-probabilities
    is asked once more.

    References
    ----------
    SQLens, section 4.1 (LLM self-evaluation, probability) and appendix A.3.3.
    """
    combined = ask_combined(context)
    if combined is not None:
        value, source, prompt = combined.reply.probability, "verbal", combined.prompt
    else:
        answer = client(context).probability(PROMPT, case_material(context))
        value, source, prompt = answer.value, answer.source, PROMPT
    if value >= EVEN:
        return
    evidence: dict[str, Json] = {
        "probability": round(value, 3),
        "source": source,
        "prompt": prompt,
        "prompt_version": prompt_version(prompt),
        "model": client(context).settings.model,
    }
    yield Finding(
        clause=context.query.span,
        reason="likely_wrong",
        measure=measured(1 - value),
        message=f"a model takes the query to be right with a probability of {value:.2f}",
        evidence=evidence,
    )
