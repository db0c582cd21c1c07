"""Test suites: the fewest instances that tell all candidates apart which any instance tells apart.

The search ends after so many instances in a row that tell no further pair apart, never by the
clock. Queries of one text are run once. First, instances are aimed at all queries together; then
each set of queries that is still together gets instances of its own.

Groups. "No instance tells them apart" is not transitive: a query that leaves its rows open (ties
under a LIMIT) may be told apart from none of two queries that differ. So two queries are in one
group where no instance tells them apart and the same queries are told apart from both. That is an
equivalence relation, and does not depend on the order of the queries; members of one group are
never told apart, and members of two groups may be, or be left open: see `Suite.apart`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from pathlib import Path

import networkx

from clausewise.databases import DatabaseProtocol, open_database
from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence.covering import smallest_cover
from clausewise.equivalence.generation import instances
from clausewise.equivalence.model import Conventions, Counterexample
from clausewise.equivalence.outcomes import InstanceRunner, QueryOutcome, difference
from clausewise.equivalence.plan import Plan, make_plan
from clausewise.errors import NotComparable
from clausewise.sql import same_statement

PATIENCE = 30
"""Instances in a row that tell no further pair apart after which a search ends."""
MOST_TRIED = 200
"""Instances on which queries are run at most in each search."""

Pair = tuple[int, int]
"""Positions of two queries, the lower one first."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Instances that tell queries apart, and the queries grouped by what they give on them.

    Queries are named by their position in what `suite` was given.
    """

    instances: tuple[Instance, ...]
    """The fewest that tell all pairs of `apart` apart, the one that tells most of them first."""
    outcomes: tuple[tuple[QueryOutcome, ...], ...]
    """For each instance, what each query gives, in the order of the queries; those that are left
    out fail with the reason."""
    groups: tuple[tuple[int, ...], ...]
    """Positions of queries that behave alike, largest group first, then by their positions."""
    left_out: dict[int, str]
    """Positions of queries that cannot be compared, to the reason."""
    tried: int
    """Instances on which queries were run."""
    apart: Mapping[Pair, int] = field(default_factory=dict)
    """Pairs of positions that are told apart, the lower first, each with the number of the
    smallest instance that tells them apart; any other pair is not known to differ."""
    conventions: Conventions = field(default_factory=Conventions)
    """What counted as a difference."""

    def tells_apart(self, a: int, b: int) -> bool:
        """Whether an instance tells two queries apart."""
        return (min(a, b), max(a, b)) in self.apart

    def counterexample(self, a: int, b: int) -> Counterexample | None:
        """Return the smallest instance that tells two queries apart, None where none does."""
        number = self.apart.get((min(a, b), max(a, b)))
        if number is None:
            return None
        first, second = self.outcomes[number][a], self.outcomes[number][b]
        kind = difference(first, second, self.conventions)
        assert kind is not None
        return Counterexample(kind, self.instances[number], first.result, second.result)


def suite(
    queries: Sequence[str],
    database: str | Path | DatabaseProtocol,
    *,
    dialect: str = "sqlite",
    conventions: Conventions | None = None,
    known: Sequence[Instance] = (),
    instances_tried: int = MOST_TRIED,
    patience: int = PATIENCE,
    seed: int = 0,
) -> Suite:
    """Return the fewest instances that tell apart all queries which any tried instance tells apart.

    Parameters
    ----------
    queries : sequence of str
        Queries on the same database, of any number; they may repeat.
    database, dialect, conventions, known, seed
        As in `compare`.
    instances_tried : int
        Generated instances at most, for all queries together and for each set of queries that
        these do not tell apart.
    patience : int
        A search ends after so many instances in a row that tell no further pair apart.

    Raises
    ------
    DatabaseError
        Where the database cannot be read.
    """
    opened = open_database(database)
    rules = conventions or Conventions()
    texts, places, left_out = _distinct(queries, opened, dialect)
    if len(texts) < 2:
        groups = tuple(tuple(numbers) for numbers in places)
        return Suite((), (), groups, left_out, 0, conventions=rules)
    plan = make_plan(texts, opened, dialect)
    search = _Search(plan, rules, patience)
    search.run(range(len(texts)), (*known, *islice(instances(plan, seed), instances_tried)))
    for together in search.together():
        if len(together) == len(texts):
            continue
        aimed = make_plan([texts[number] for number in together], opened, dialect)
        search.run(together, islice(instances(aimed, seed), instances_tried))
    with closing(InstanceRunner(plan)) as runner:
        found = search.cover(runner)
    return _suite(found, places, left_out, search.tried, rules)


def _distinct(
    queries: Sequence[str], database: DatabaseProtocol, dialect: str
) -> tuple[list[str], list[list[int]], dict[int, str]]:
    """Return the different texts that can be compared, where each stands, and what is left out."""
    places: dict[str, list[int]] = {}
    for number, text in enumerate(queries):
        places.setdefault(same_statement(text), []).append(number)
    texts: list[str] = []
    left_out: dict[int, str] = {}
    for same, numbers in list(places.items()):
        try:
            make_plan([queries[numbers[0]]], database, dialect)
        except NotComparable as error:
            left_out |= dict.fromkeys(places.pop(same), str(error))
        else:
            texts.append(queries[numbers[0]])
    return texts, list(places.values()), dict(sorted(left_out.items()))


class _Search:
    """Runs the queries of a plan on instances, and keeps those that tell a further pair apart."""

    def __init__(self, plan: Plan, conventions: Conventions, patience: int) -> None:
        self.plan = plan
        self.tried = 0
        self._conventions = conventions
        self._patience = patience
        self._open = set(combinations(range(len(plan.queries)), 2))
        self._kept: list[Instance] = []

    def together(self) -> list[tuple[int, ...]]:
        """Return the sets of queries that no kept instance tells apart, connected by pairs."""
        graph: networkx.Graph[int] = networkx.Graph(sorted(self._open))
        sets = (tuple(sorted(part)) for part in networkx.connected_components(graph))
        return sorted(sets)

    def run(self, numbers: Sequence[int], made: Iterable[Instance]) -> None:
        """Run some of the queries until nothing new is told apart for a while."""
        idle = 0
        live = self._live(numbers)
        runner = self._runner(live)
        for instance in (padded(given, self.plan) for given in made):
            if not live or idle >= self._patience:
                break
            self.tried += 1
            idle += 1
            if not self._split(live, runner.outcomes(instance)):
                continue
            self._kept.append(instance)
            idle = 0
            fewer = self._live(live)
            if fewer != live:
                runner.close()
                live, runner = fewer, self._runner(fewer)
        runner.close()

    def cover(self, runner: InstanceRunner) -> list[tuple[Instance, tuple[QueryOutcome, ...]]]:
        """Return the fewest kept instances that tell all apart, with what all queries give."""
        outcomes = [runner.outcomes(instance) for instance in self._kept]
        places = {pair: n for n, pair in enumerate(combinations(range(len(self.plan.queries)), 2))}
        sets = [
            sum(1 << places[pair] for pair in pairs_apart(of, self._conventions)) for of in outcomes
        ]
        chosen = smallest_cover(sets, [instance.row_count for instance in self._kept])
        ordered = sorted(chosen, key=lambda number: (-sets[number].bit_count(), number))
        return [(self._kept[number], outcomes[number]) for number in ordered]

    def _live(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Return which of the queries are not told apart from some other of them."""
        inside = [pair for pair in self._open if set(pair) <= set(numbers)]
        return tuple(sorted({number for pair in inside for number in pair}))

    def _runner(self, numbers: Sequence[int]) -> InstanceRunner:
        return InstanceRunner(
            replace(self.plan, queries=tuple(self.plan.queries[number] for number in numbers))
        )

    def _split(self, numbers: Sequence[int], outcomes: Sequence[QueryOutcome]) -> bool:
        """Note which queries are told apart; whether there are any."""
        of = dict(zip(numbers, outcomes, strict=True))
        inside = [pair for pair in self._open if pair[0] in of and pair[1] in of]
        told = {
            (a, b) for a, b in inside if difference(of[a], of[b], self._conventions) is not None
        }
        self._open -= told
        return bool(told)


def pairs_apart(outcomes: Sequence[QueryOutcome], conventions: Conventions) -> Iterator[Pair]:
    """Yield the pairs of queries that one instance tells apart."""
    for a, b in combinations(range(len(outcomes)), 2):
        if difference(outcomes[a], outcomes[b], conventions) is not None:
            yield a, b


def _suite(
    found: Sequence[tuple[Instance, tuple[QueryOutcome, ...]]],
    places: Sequence[Sequence[int]],
    left_out: Mapping[int, str],
    tried: int,
    conventions: Conventions,
) -> Suite:
    """Put the result together; `places` has the positions of each different text."""
    apart: dict[Pair, int] = {}
    by_size = sorted(range(len(found)), key=lambda number: (found[number][0].row_count, number))
    for number in by_size:
        for pair in pairs_apart(found[number][1], conventions):
            apart.setdefault(pair, number)
    alike: dict[frozenset[int], list[int]] = {}
    for text in range(len(places)):
        others = {a + b - text for a, b in apart if text in (a, b)}
        alike.setdefault(frozenset(others), []).append(text)
    groups = [tuple(sorted(p for text in texts for p in places[text])) for texts in alike.values()]
    outcomes = []
    for _, of in found:
        of_all = {place: of[text] for text, own in enumerate(places) for place in own}
        of_all |= {place: QueryOutcome((), False, reason) for place, reason in left_out.items()}
        outcomes.append(tuple(of_all[place] for place in range(len(of_all))))
    return Suite(
        tuple(instance for instance, _ in found),
        tuple(outcomes),
        tuple(sorted(groups, key=lambda group: (-len(group), group))),
        dict(left_out),
        tried,
        {
            (min(a, b), max(a, b)): number
            for (first, second), number in sorted(apart.items())
            for a in places[first]
            for b in places[second]
        },
        conventions,
    )


def padded(instance: Instance, plan: Plan) -> Instance:
    """Return an instance with every table of a plan; those that it lacks are empty."""
    names = {table.name for table in instance.tables}
    return Instance.of(
        [
            *instance.tables,
            *(
                InstanceTable(table.name, tuple(column.name for column in table.columns), ())
                for table in plan.tables
                if table.name not in names
            ),
        ]
    )
