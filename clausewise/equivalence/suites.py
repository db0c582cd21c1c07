"""Test suites: the fewest instances that tell all candidates apart which any instance tells apart.

The search ends after so many instances in a row that tell no further pair apart, never by the
clock. Queries that are proved equivalent are run once. First, instances are aimed at all queries
together; then each set of queries that is still together gets instances of its own.

Groups. "No instance tells them apart" is not transitive: a query that leaves its rows open (ties
under a LIMIT) may be told apart from none of two queries that differ. So two queries are in one
group where no instance tells them apart and the same queries are told apart from both. That is an
equivalence relation, and does not depend on the order of the queries; members of one group are
never told apart, and members of two groups may be, or be left open: see `Suite.apart`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from pathlib import Path

from clausewise.databases import DatabaseProtocol, open_database
from clausewise.databases.instances import Instance, constraints_of
from clausewise.equivalence.covering import smallest_cover
from clausewise.equivalence.generation import InstanceGenerator, instances
from clausewise.equivalence.generation.pools import Pools
from clausewise.equivalence.model import Conventions, Counterexample
from clausewise.equivalence.outcomes import InstanceRunner, QueryOutcome, difference
from clausewise.equivalence.plan import Plan, fitted, make_plan
from clausewise.equivalence.proof import normal_form
from clausewise.equivalence.shrinking import shrunk
from clausewise.errors import DatabaseError, NotComparable
from clausewise.sql import same_statement

PATIENCE = 20
"""Instances in a row that tell no further pair apart after which a search ends."""
MOST_TRIED = 200
"""Instances on which queries are run at most in each search."""
MOST_FAILURES = 5
"""Instances on which a query does not run after which it is run on no more."""
MOST_SHRINKING = 60
"""Smaller instances that are tried in the place of one."""

_QUOTED = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])""")
_AROUND_MARKS = re.compile(r" *(==?|[(),]) *")

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
    dialect: str | None = None,
    conventions: Conventions | None = None,
    known: Sequence[Instance] = (),
    instances_tried: int = MOST_TRIED,
    patience: int = PATIENCE,
    seed: int = 0,
    real_values: bool = True,
    shrink: bool = True,
) -> Suite:
    """Return the fewest instances that tell apart all queries which any tried instance tells apart.

    Parameters
    ----------
    queries : sequence of str
        Queries on the same database, of any number; they may repeat.
    database, dialect, conventions, known, seed, real_values
        As in `compare`.
    instances_tried : int
        Generated instances at most, for all queries together and for each set of queries that
        these do not tell apart.
    patience : int
        A search ends after so many instances in a row that tell no further pair apart.
    shrink : bool
        Whether rows are taken from the chosen instances as long as they still tell.

    Raises
    ------
    DatabaseError
        Where the database cannot be read.
    """
    opened = open_database(database)
    dialect = dialect or opened.dialect
    rules = conventions or Conventions()
    texts, places, left_out = _distinct(queries, opened, dialect, rules)
    if len(texts) < 2:
        groups = tuple(tuple(numbers) for numbers in places)
        return Suite((), (), groups, left_out, 0, conventions=rules)
    plan = make_plan(texts, opened, dialect)
    generator = InstanceGenerator(plan, seed, real_values=real_values)
    with closing(_Search(plan, generator.pools, rules, patience)) as search:
        made = islice(generator.instances(), instances_tried)
        search.run(range(len(texts)), (*known, *made) if known else made)
        for together in search.together():
            if len(together) < len(texts):
                aimed = make_plan([texts[number] for number in together], opened, dialect)
                made = islice(instances(aimed, seed, real_values=real_values), instances_tried)
                search.run(together, made)
        left_out |= {place: why for n, why in search.failed.items() for place in places[n]}
        return _suite(
            search.chosen(shrink), places, dict(sorted(left_out.items())), search.tried, rules
        )


def _distinct(
    queries: Sequence[str], database: DatabaseProtocol, dialect: str, conventions: Conventions
) -> tuple[list[str], list[list[int]], dict[int, str]]:
    """Return a text of each set of equivalent queries, where these stand, and what is left out.

    Queries are taken for equivalent where they have one text or one normal form.
    """
    same: dict[str, list[int]] = {}
    for number, text in enumerate(queries):
        same.setdefault(_folded(text), []).append(number)
    texts: dict[str, str] = {}
    places: dict[str, list[int]] = {}
    left_out: dict[int, str] = {}
    for statement, numbers in same.items():
        text = queries[numbers[0]]
        try:
            plan = make_plan([text], database, dialect)
            for table in plan.tables:
                plan.constraints.require(table.name)
        except (NotComparable, DatabaseError) as error:
            left_out |= dict.fromkeys(numbers, str(error))
            continue
        key = normal_form(text, database.schema, dialect, conventions) or statement
        texts.setdefault(key, text)
        places.setdefault(key, []).extend(numbers)
    return list(texts.values()), [sorted(of) for of in places.values()], left_out


def _folded(text: str) -> str:
    """Return a text without what means nothing outside quotes: case, and most white space.

    Cheaper than a normal form, and hardly any two systems write keywords and spaces alike.
    """
    parts = _QUOTED.split(same_statement(text))
    parts[::2] = (_ascii_lower(_AROUND_MARKS.sub(r"\1", part)) for part in parts[::2])
    return "".join(parts)


def _ascii_lower(text: str) -> str:
    """Return a text in the lower case of SQLite, to which É and é are two letters."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


class _Search:
    """Runs the queries of a plan on instances, and keeps those that tell a further pair apart."""

    def __init__(self, plan: Plan, pools: Pools, conventions: Conventions, patience: int) -> None:
        self.tried = 0
        self.failed: dict[int, str] = {}
        """Queries that ran on no instance, to the reason."""
        self._plan = plan
        self._pools = pools
        self._conventions = conventions
        self._patience = patience
        self._runner = InstanceRunner(plan)
        self._constraints = constraints_of(plan.database)
        pairs = combinations(range(len(plan.queries)), 2)
        self._places = {pair: place for place, pair in enumerate(pairs)}
        self._open = set(self._places)
        self._kept: list[Instance] = []
        self._failures: Counter[int] = Counter()

    def close(self) -> None:
        """Close the database in memory."""
        self._runner.close()

    def together(self) -> list[tuple[int, ...]]:
        """Return the sets of queries that no kept instance tells apart, connected by pairs."""
        import networkx

        graph: networkx.Graph[int] = networkx.Graph(sorted(self._open))
        return sorted(tuple(sorted(part)) for part in networkx.connected_components(graph))

    def run(self, numbers: Iterable[int], made: Iterable[Instance]) -> None:
        """Run some of the queries until nothing new is told apart for a while.

        An instance that breaks a constraint of the database is passed over.
        """
        idle = 0
        live = self._live(frozenset(numbers))
        with ExitStack() as stack:
            runner = stack.enter_context(closing(self._runner_of(live)))
            for given in made:
                if not live or idle >= self._patience:
                    break
                self.tried += 1
                idle += 1
                instance = fitted(given, self._plan)
                if instance is None:
                    continue
                told = self._told(live, runner.outcomes(instance))
                if told and not self._constraints.violations(instance):
                    self._open -= told
                    self._kept.append(instance)
                    idle = 0
                fewer = self._live(frozenset(live))
                if fewer != live:
                    live = fewer
                    runner = stack.enter_context(closing(self._runner_of(live)))

    def chosen(self, shrink: bool) -> list[tuple[Instance, tuple[QueryOutcome, ...]]]:
        """Return the fewest kept instances that tell all apart, and what queries give on them."""
        small = self._cover(self._kept)
        for number, instance in enumerate(small if shrink else ()):
            others = 0
            for other in small[:number] + small[number + 1 :]:
                others |= self._bits(self._runner.outcomes(other))
            needed = self._bits(self._runner.outcomes(instance)) & ~others
            small[number] = self._shrunk(instance, needed)
        # A smaller instance may also tell apart what it did not before.
        return [(found, self._runner.outcomes(found)) for found in self._cover(small)]

    def _cover(self, among: Sequence[Instance]) -> list[Instance]:
        """Return the fewest instances that tell apart what all do, the most telling first."""
        sets = [self._bits(self._runner.outcomes(instance)) for instance in among]
        places = smallest_cover(sets, [instance.row_count for instance in among])
        return [among[place] for place in sorted(places, key=lambda p: (-sets[p].bit_count(), p))]

    def _shrunk(self, instance: Instance, needed: int) -> Instance:
        """Make an instance smaller that still tells apart the pairs which no other one does."""

        def tells(smaller: Instance) -> bool:
            return not needed & ~self._bits(self._runner.outcomes(smaller))

        found = shrunk(instance, tells, self._plan, self._pools, MOST_SHRINKING)
        return instance if self._constraints.violations(found) else found

    def _live(self, numbers: frozenset[int]) -> tuple[int, ...]:
        """Return which of the queries are not told apart from some other of them."""
        inside = {number for pair in self._open if numbers.issuperset(pair) for number in pair}
        return tuple(sorted(inside))

    def _runner_of(self, numbers: Sequence[int]) -> InstanceRunner:
        queries = tuple(self._plan.queries[number] for number in numbers)
        return InstanceRunner(replace(self._plan, queries=queries))

    def _told(self, numbers: Sequence[int], outcomes: Sequence[QueryOutcome]) -> set[Pair]:
        """Return the open pairs that an instance tells apart; give up what never runs."""
        of = dict(zip(numbers, outcomes, strict=True))
        for number, outcome in of.items():
            self._failures[number] += bool(outcome.failure)
            if self._failures[number] >= MOST_FAILURES:
                self.failed.setdefault(number, outcome.failure)
                self._open = {pair for pair in self._open if number not in pair}
        inside = [pair for pair in self._open if pair[0] in of and pair[1] in of]
        return {
            (a, b) for a, b in inside if difference(of[a], of[b], self._conventions) is not None
        }

    def _bits(self, outcomes: Sequence[QueryOutcome]) -> int:
        """Return the pairs that an instance tells apart, a bit for each."""
        apart = pairs_apart(outcomes, self._conventions)
        return sum(1 << self._places[pair] for pair in apart)


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
            if not any(places[text][0] in left_out for text in pair):
                apart.setdefault(pair, number)
    alike: dict[frozenset[int], list[int]] = {}
    for text in (text for text, own in enumerate(places) if own[0] not in left_out):
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
