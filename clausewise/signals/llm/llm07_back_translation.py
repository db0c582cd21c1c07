"""LLM07: the query in words says something else than the question."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.llm._answers import MODEL_SECONDS, SignalAnswer, because, measured
from clausewise.signals.llm._material import blind_material, case_material, client
from clausewise.signals.llm._places import locate_or_query
from clausewise.types import Case, Clause, Cost, Finding, Group, Need


@signal(
    code="LLM07",
    name="back_translation",
    group=Group.LLM,
    family="llm_judgement",
    clauses=set(Clause),
    needs={Need.QUESTION, Need.LLM},
    cost=Cost.MODEL,
    calls=2,
    version=1,
    reasons={"other_meaning": "The model says that the query in words differs from the question."},
    sets={"sqlens-llm"},
    time_limit=MODEL_SECONDS,
)
def back_translation(case: Case, context: Context) -> Iterator[Finding]:
    """The query, put into words by a language model, says something else than the question.

    What it measures
    ----------------
    A first call describes the query step by step from SQL and schema, without question or
    evidence in sight. A second one compares the description with the question, without the query
    in sight. The score is its stated confidence; the step that differs gives the place.

    Why it points to an error
    -------------------------
    Who reads query and question together tends to find the question in the query; who reads the
    query alone says what it does.

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
    Read the description against the question and change the step that differs.

    Cost
    ----
    Two calls for each case; not part of the combined call.

    References
    ----------
    GBV-SQL, section 3.4 (SQL2TextValidator).
    """
    from clausewise.preparation.back_translation import COMPARE, back_translate

    given = case_material(context)
    found = back_translate(client(context), blind_material(context), given)
    reply, step = found.comparison, found.differing_step
    if reply.same:
        return
    answer = SignalAnswer(reply, COMPARE, client(context).settings.model)
    yield Finding(
        clause=locate_or_query(context, "" if step is None else step.fragment),
        reason="other_meaning",
        measure=measured(reply.confidence),
        message=because("in words, the query says something else", reply.reason),
        evidence=answer.evidence(
            reply.reason,
            confidence=reply.confidence,
            description=found.description.summary,
            step=None if step is None else step.meaning,
        ),
    )
