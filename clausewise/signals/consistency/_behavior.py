"""How candidates that agree with the query on the database behave on made-up instances.

Only the predicted query and the candidates with its result are run there: the others have been told
apart by the database itself. Row and column order do not count, as for most readers of a result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from clausewise.equivalence.independence import independence
from clausewise.errors import NotApplicable
from clausewise.signals.consistency.agreement import agreement
from clausewise.signals.context import Context
from clausewise.sql import same_statement

if TYPE_CHECKING:
    from clausewise.equivalence import Counterexample, Suite

MOST_COMPARED = 12
"""Different texts that are run on instances, the predicted query's among them."""
MOST_TRIED = 40
"""Instances on which all of them are run at most, and each set that these do not tell apart."""
PATIENCE = 12
"""Instances in a row without news after which no more are made."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Behavior:
    """The predicted query among the candidates that have its result on the database.

    Voices are sums of weights of independent candidates, the predicted query's own included.
    """

    agreeing: int
    """Candidates with the same result on the database."""
    compared: int
    """Those of them that were run on instances, or whose text another one has that was."""
    apart: int
    """Those of the compared ones that an instance tells apart from the query."""
    instances: int
    """Instances that were tried."""
    voices: float
    """All compared candidates and the query."""
    voices_with: float
    """Those that no instance tells apart from the query, its own included."""
    rival_voices: float
    """The largest group of candidates that behave alike and unlike the query; 0 without any."""
    rival_size: int
    """Candidates in that group."""
    rival_queries: tuple[str, ...]
    """The group's different texts, in the order in which they were given."""
    suite: Suite
    """Of the compared texts; the predicted query is the first one."""

    @property
    def outnumbered(self) -> bool:
        """Whether a group of candidates that behave alike and unlike the query outweighs it."""
        return self.rival_voices > self.voices_with


def behavior(context: Context) -> Behavior:
    """Return how the query and the candidates with its result behave; computed once for a case.

    Raises NotApplicable where the query did not run or cannot be compared, or where no candidate
    that has its result can be.
    """
    return context.once(_behavior)


def _behavior(context: Context) -> Behavior:
    from clausewise.equivalence import suite
    from clausewise.equivalence.model import AS_ASKED

    own = context.case.predicted_sql
    same = agreement(context).agreeing_candidates
    if not same:
        raise NotApplicable("no candidate has the query's result on the database")
    first_of: dict[str, str] = {same_statement(own): own}
    for text, _ in same:
        first_of.setdefault(same_statement(text), text)
    first_of = dict(islice(first_of.items(), MOST_COMPARED))
    texts = tuple(first_of.values())
    found = suite(
        texts,
        context.database,
        conventions=AS_ASKED,
        instances_tried=MOST_TRIED,
        patience=PATIENCE,
        shrink=False,
    )
    if 0 in found.left_out:
        raise NotApplicable(f"the query cannot be run on made-up instances: {found.left_out[0]}")
    place = {key: number for number, key in enumerate(first_of)}
    known = [(text, system, place.get(same_statement(text))) for text, system in same]
    compared = [
        (text, system, number)
        for text, system, number in known
        if number is not None and number not in found.left_out
    ]
    if not compared:
        raise NotApplicable("no candidate with the query's result can be run on made-up instances")
    systems = [None, *(system for _, system, _ in compared)]
    weights = independence(
        [own, *(text for text, _, _ in compared)], systems if any(systems) else ()
    ).weights
    of_text = [0.0] * len(texts)
    sizes = [0] * len(texts)
    of_text[0] += weights[0]
    for (_, _, number), weight in zip(compared, weights[1:], strict=True):
        of_text[number] += weight
        sizes[number] += 1
    rivals = [group for group in found.groups if found.tells_apart(0, group[0])]
    rival = max(rivals, key=lambda group: math.fsum(of_text[n] for n in group), default=())
    together = [n for n in range(len(texts)) if not found.tells_apart(0, n)]
    return Behavior(
        agreeing=len(same),
        compared=len(compared),
        apart=sum(sizes[n] for n in range(len(texts)) if found.tells_apart(0, n)),
        instances=found.tried,
        voices=round(math.fsum(of_text), _DIGITS),
        voices_with=round(math.fsum(of_text[n] for n in together), _DIGITS),
        rival_voices=round(math.fsum(of_text[n] for n in rival), _DIGITS),
        rival_size=sum(sizes[n] for n in rival),
        rival_queries=tuple(texts[n] for n in rival),
        suite=found,
    )


def smallest_counterexample(context: Context, found: Behavior, rival: str) -> Counterexample:
    """Return an instance made as small as can be that tells the query and a rival apart."""
    from clausewise.equivalence import suite
    from clausewise.equivalence.model import AS_ASKED

    pair = suite(
        [context.case.predicted_sql, rival],
        context.database,
        conventions=AS_ASKED,
        known=found.suite.instances,
        instances_tried=0,
    )
    example = pair.counterexample(0, 1)
    assert example is not None, "the instances are those that tell them apart"
    return example
