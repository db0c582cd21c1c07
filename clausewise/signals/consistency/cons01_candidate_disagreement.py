"""CONS01: other candidates for the question have another result."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotAllChecked, NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.consistency._rivals import closest_rival
from clausewise.signals.consistency.agreement import Agreement, agreement
from clausewise.signals.context import Context
from clausewise.sql import CLAUSE_ORDER
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

FEWEST = 2
"""Candidates that must have run: one alone does not say which of two queries is wrong."""
MANY = 0.45
"""Doubt from which many candidates disagree."""
MOST = 0.75
"""Doubt from which most of them do."""


@signal(
    code="CONS01",
    name="candidate_disagreement",
    group=Group.CONSISTENCY,
    family="agreement",
    clauses={*CLAUSE_ORDER, Clause.QUERY} - {Clause.WITH},
    needs={Need.DATABASE, Need.CANDIDATES},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "few_disagree": "Few candidates have another result, or only nearly another one.",
        "many_disagree": "About half of the independent candidates, or one or two that are all "
        "there are, have another result.",
        "most_disagree": "Most of several independent candidates have another result.",
    },
    time_limit=25.0,
)
def candidate_disagreement(case: Case, context: Context) -> Iterator[Finding]:
    """Other candidates for the same question have another result.

    What it measures
    ----------------
    The share of the other candidates whose rows differ from the predicted query's, smoothed so
    that few candidates say less than many. Rows that differ only in their order, in the order of
    their columns or in how often they come count half; agreement on an empty result counts a
    quarter less. A candidate that fails counts on neither side.

    Candidates count as so many independent ones: those of one system (given as
    {"sql": ..., "system": ...}) together as about one, and where the system is not known, those
    whose texts are nearly the same, as one model's samples are.

    Why it points to an error
    -------------------------
    Right queries agree with one another, wrong ones are wrong in many ways.

    Fires on
    --------
    SELECT MAX(age) FROM singer, where the candidates are SELECT AVG(age) FROM singer (four times)
    and SELECT MAX(age) FROM singer (once)

    Stays silent on
    ---------------
    SELECT AVG(age) FROM singer, where the candidates are SELECT AVG(s.age) FROM singer AS s and
    SELECT SUM(age) * 1.0 / COUNT(age) FROM singer

    Does not apply when
    -------------------
    Fewer than two candidates beside the predicted query itself could be run.

    How to repair
    -------------
    Compare the clause with the one of the query in the evidence, the most similar of those whose
    result most other candidates share. A clause that the predicted query lacks is named with the
    whole SELECT that lacks it.

    Cost
    ----
    Every different candidate is run once, under the limits of the predicted query; after ten
    seconds, two candidates that reached their limits, or a thousand different ones, the rest is
    skipped. Up to three candidates are parsed.

    References
    ----------
    SQLDriller, section 4.1 (several queries for one question); Wang et al., 2023
    (self-consistency: the answer that most samples lead to).
    """
    found = agreement(context)
    if found.executable < FEWEST:
        raise NotApplicable(
            f"{found.executable} of {found.candidates} other candidates could be run, "
            f"at least {FEWEST} are needed"
        )
    if found.agreeing < found.executable:
        yield _finding(context, found)
    if found.skipped:
        raise NotAllChecked(f"{found.skipped} of {found.candidates} candidates were not run")


def _finding(context: Context, found: Agreement) -> Finding:
    rival, clause = closest_rival(context, found.rival_queries)
    return Finding(
        clause=clause,
        reason=_reason(round(found.doubt, 3)),
        measure=found.doubt,
        message=_message(found),
        evidence={
            "candidates": found.candidates,
            "executable": found.executable,
            "skipped": found.skipped,
            "agreeing": found.agreeing,
            "near": found.near,
            "disagreeing": found.disagreeing,
            "independent": round(found.voices, 2),
            "independent_against": round(found.voices * found.disagreement, 2),
            "rival_size": found.rival_size,
            "rival_sql": rival,
            "rows": len(context.result.rows) if context.result else 0,
            "rival_rows": found.rival_rows,
            "result": found.own_shown,
            "rival_result": found.rival_shown,
        },
        suggestion=f"compare the clause with the one of: {rival}",
    )


def _message(found: Agreement) -> str:
    other = found.near + found.disagreeing
    verb = "has" if other == 1 else "have"
    text = f"{other} of {found.executable} other candidates {verb} another result"
    if found.near:
        text += f" ({found.near} only in order or repetition)"
    if found.rival_size > 1:
        text += f", {found.rival_size} of them the same one"
    against = found.voices * found.disagreement
    text += f"; of about {found.voices:.1f} independent ones {against:.1f} disagree"
    if found.own_shown == found.rival_shown:
        return text
    if other > found.rival_size:
        return f"{text}; most often it is {found.rival_shown}, here {found.own_shown}"
    returns = "it returns" if other == 1 else "they return"
    return f"{text}; {returns} {found.rival_shown}, this query {found.own_shown}"


def _reason(doubt: float) -> str:
    if doubt >= MOST:
        return "most_disagree"
    return "many_disagree" if doubt >= MANY else "few_disagree"
