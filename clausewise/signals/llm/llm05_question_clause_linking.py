"""LLM05: a model is unsure that a part of the query is right for its phrase."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.preparation.examples import shortened_line
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.llm._answers import (
    MODEL_SECONDS,
    SignalAnswer,
    ask,
    ask_combined,
    because,
    measured,
)
from clausewise.signals.llm._places import clause_named, locate
from clausewise.signals.llm._replies import Combined, Link, Links
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

MOST = 5
"""Findings for one query, the surest first."""


@signal(
    code="LLM05",
    name="question_clause_linking",
    group=Group.LLM,
    family="llm_linking",
    clauses=set(Clause),
    needs={Need.QUESTION, Need.LLM},
    cost=Cost.MODEL,
    calls=1,
    combinable=True,
    version=1,
    reasons={
        "doubts_a_part": "The model doubts that a part stands for its phrase.",
        "misses_a_phrase": "The model finds nothing in the query for a phrase.",
    },
    sets={"sqlens-llm", "sqlens-reference"},
    time_limit=MODEL_SECONDS,
)
def question_clause_linking(case: Case, context: Context) -> Iterator[Finding]:
    """A language model is unsure that a part of the query is right for its phrase.

    What it measures
    ----------------
    The model links every phrase of the question to the part of the query that stands for it and
    says of each link whether it is sure. A finding for each part that it is not sure of, and for
    each phrase that nothing stands for; the score is its confidence in the doubt.

    Why it points to an error
    -------------------------
    An error sits in one clause; asked phrase by phrase, a model overlooks less than when it
    judges the whole, and it says where.

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
    Compare the part with its phrase; change it, or add what stands for the phrase.

    Cost
    ----
    One call for each case, none with the combined call.

    References
    ----------
    SQLens, appendix A.2 (incorrect question clause linking).
    """
    combined = ask_combined(context)
    answer: SignalAnswer[Combined] | SignalAnswer[Links] = combined or ask(
        context, "question_clause_linking", Links
    )
    found: dict[tuple[int, int], Finding] = {}
    doubts = [link for link in answer.reply.links if not link.sure]
    for link in sorted(doubts, key=lambda link: -link.confidence):
        clause = _place(context, link)
        phrase = shortened_line(link.phrase, 80)
        stands = bool(link.fragment.strip())
        what = (
            f"a model doubts that this stands for '{phrase}'"
            if stands
            else f"a model finds nothing in the query for '{phrase}'"
        )
        finding = Finding(
            clause=clause,
            reason="doubts_a_part" if stands else "misses_a_phrase",
            measure=measured(link.confidence),
            message=because(what, link.reason),
            evidence=answer.evidence(
                link.reason, confidence=link.confidence, phrase=phrase, fragment=link.fragment
            ),
        )
        found.setdefault((clause.start, clause.end), finding)
    yield from list(found.values())[:MOST]


def _place(context: Context, link: Link) -> ClauseSpan:
    """Return where the fragment stands, else the only clause of its kind, else the query."""
    return (
        locate(context, link.fragment) or clause_named(context, link.clause) or context.query.span
    )
