"""CONS02: candidates with the query's result on the database differ from it on small instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clausewise.signals.base import signal
from clausewise.signals.consistency._behavior import Behavior, behavior, smallest_counterexample
from clausewise.signals.consistency._rivals import closest_rival
from clausewise.signals.consistency.agreement import shown
from clausewise.signals.context import Context
from clausewise.signals.reasons import Grade
from clausewise.sql import CLAUSE_ORDER
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

if TYPE_CHECKING:
    from clausewise.equivalence import Counterexample

CLEAR = 2.0
"""Times the query's own voices from which rivals outweigh it clearly."""


@signal(
    code="CONS02",
    name="counterexample_disagreement",
    group=Group.CONSISTENCY,
    family="agreement",
    clauses={*CLAUSE_ORDER, Clause.QUERY} - {Clause.WITH},
    needs={Need.DATABASE, Need.CANDIDATES},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "outweighed": (
            "More independent candidates behave alike and unlike the query than behave like it.",
            Grade.SLIGHT,
        ),
        "clearly_outweighed": (
            "At least twice as many independent candidates behave alike and unlike the query as "
            "behave like it.",
            Grade.SLIGHT,
        ),
    },
    time_limit=25.0,
    only_named=True,
    votes=False,
)
def counterexample_disagreement(case: Case, context: Context) -> Iterator[Finding]:
    """Most candidates with the same result on the database give another one on small made-up data.

    What it measures
    ----------------
    The predicted query and the candidates that have its result on the database are run on small
    made-up instances of the schema, which obey its keys and are aimed at what the queries compare.
    Queries that no instance tells apart behave alike. Differences are certain ones, under any
    order of rows and columns, also where rows tie. The finding shows the smallest instance that
    was found, and what both queries give on it.

    Why it points to an error
    -------------------------
    One database cannot show every mistake: a condition that all its rows meet, a join that loses no
    row there, a repetition that does not occur. Candidates share the right meaning more often than
    they share a wrong one.

    Fires on
    --------
    SELECT COUNT(singer_id) FROM concert, where the candidates are SELECT COUNT(DISTINCT
    singer_id) FROM concert (three times, in different words) and in the database no singer has two
    concerts

    Stays silent on
    ---------------
    SELECT COUNT(DISTINCT singer_id) FROM concert, with the same candidates

    Does not apply when
    -------------------
    No candidate has the query's result on the database, or the queries cannot be run on made-up
    instances (a view, say, or a name that is not in the schema).

    How to repair
    -------------
    Look at the instance in the evidence and decide which of the two results answers the question.
    Where it is the other one, write the clause as the query in the evidence does.

    Cost
    ----
    At most twelve different texts are parsed and run on at most forty instances of a few rows, in
    memory; sets of queries that are still together, on forty more. The search ends after twelve
    instances without news, and those proved equivalent are not searched. A language model is not
    asked. With a dozen candidates this takes about as long as all other signals together, and it
    moves no probability, so it is not part of `all`: it must be named, as in
    `--signals all,counterexample_disagreement`.

    References
    ----------
    SQLDriller, sections 3 and 4.1 (counterexamples among candidates); Zhong, Yu and Klein, 2020
    (one database hides what a suite of instances shows).
    """
    found = behavior(context)
    if found.outnumbered:
        yield _finding(context, found)


def _finding(context: Context, found: Behavior) -> Finding:
    rival, clause = closest_rival(context, found.rival_queries)
    example = smallest_counterexample(context, found, rival)
    clearly = found.rival_voices >= CLEAR * found.voices_with
    return Finding(
        clause=clause,
        reason="clearly_outweighed" if clearly else "outweighed",
        message=_message(found, example),
        evidence={
            "agreeing": found.agreeing,
            "compared": found.compared,
            "apart": found.apart,
            "rival_size": found.rival_size,
            "independent": round(found.voices, 2),
            "independent_with": round(found.voices_with, 2),
            "independent_rival": round(found.rival_voices, 2),
            "instances": found.instances,
            "rival_sql": rival,
            "counterexample": example.to_dict(),
        },
        suggestion=f"compare the clause with the one of: {rival}",
    )


def _message(found: Behavior, example: Counterexample) -> str:
    from clausewise.equivalence import DifferenceKind

    verb = "gives" if found.rival_size == 1 else "give"
    text = (
        f"{found.rival_size} of {found.compared} candidates with the same result on the database "
        f"{verb} another one on a small made-up instance"
    )
    if example.kind is DifferenceKind.COLUMNS:
        return text
    own, theirs = shown(example.result_a), shown(example.result_b)
    return text if own == theirs else f"{text}: {theirs}, this query {own}"
