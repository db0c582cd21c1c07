"""Test suites: few instances that tell all candidates apart which any instance tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from clausewise.databases import DatabaseProtocol, open_database
from clausewise.databases.instances import Instance
from clausewise.equivalence.comparing import MOST_INSTANCES
from clausewise.equivalence.generation import instances
from clausewise.equivalence.model import Conventions
from clausewise.equivalence.outcomes import InstanceRunner, QueryOutcome, difference
from clausewise.equivalence.plan import make_plan
from clausewise.errors import NotComparable


@dataclass(frozen=True, slots=True)
class Suite:
    """Instances that tell queries apart, and the queries grouped by what they give on them.

    Queries are named by their position in what `suite` was given.
    """

    instances: tuple[Instance, ...]
    outcomes: tuple[tuple[QueryOutcome, ...], ...]
    """For each instance, what each query gives, in the order of the queries; those that are left
    out fail with the reason."""
    groups: tuple[tuple[int, ...], ...]
    """Positions of queries that no instance tells apart, largest group first."""
    left_out: dict[int, str]
    """Positions of queries that cannot be compared, to the reason."""
    tried: int
    """Instances on which the queries were run."""


def suite(
    queries: Sequence[str],
    database: str | Path | DatabaseProtocol,
    *,
    dialect: str = "sqlite",
    conventions: Conventions | None = None,
    known: Sequence[Instance] = (),
    instances_tried: int = MOST_INSTANCES,
    seed: int = 0,
) -> Suite:
    """Return few instances that tell apart all queries which any tried instance tells apart.

    Parameters as in `compare`. Raises DatabaseError where the database cannot be read.
    """
    opened = open_database(database)
    rules = conventions or Conventions()
    left_out: dict[int, str] = {}
    for number, text in enumerate(queries):
        try:
            make_plan([text], opened, dialect)
        except NotComparable as error:
            left_out[number] = str(error)
    places = [number for number in range(len(queries)) if number not in left_out]
    if not places:
        return Suite((), (), (), left_out, 0)
    plan = make_plan([queries[number] for number in places], opened, dialect)
    groups: list[list[int]] = [list(range(len(places)))]
    kept: list[tuple[Instance, tuple[QueryOutcome, ...]]] = []
    tried = 0
    with closing(InstanceRunner(plan)) as runner:
        for instance in (*known, *islice(instances(plan, seed), instances_tried)):
            tried += 1
            outcomes = runner.outcomes(instance)
            split = [part for group in groups for part in _split(group, outcomes, rules)]
            if len(split) > len(groups):
                groups = split
                kept.append((instance, outcomes))
    groups.sort(key=lambda group: (-len(group), group))
    return Suite(
        tuple(instance for instance, _ in kept),
        tuple(_for_all(outcomes, places, left_out) for _, outcomes in kept),
        tuple(tuple(places[number] for number in group) for group in groups),
        left_out,
        tried,
    )


def _for_all(
    outcomes: Sequence[QueryOutcome], places: Sequence[int], left_out: Mapping[int, str]
) -> tuple[QueryOutcome, ...]:
    """Return an outcome for every query that was given."""
    of_all = dict(zip(places, outcomes, strict=True))
    of_all |= {place: QueryOutcome((), False, reason) for place, reason in left_out.items()}
    return tuple(of_all[place] for place in range(len(of_all)))


def _split(
    group: Sequence[int], outcomes: Sequence[QueryOutcome], conventions: Conventions
) -> list[list[int]]:
    parts: list[list[int]] = []
    for number in group:
        for part in parts:
            if difference(outcomes[part[0]], outcomes[number], conventions) is None:
                part.append(number)
                break
        else:
            parts.append([number])
    return parts
