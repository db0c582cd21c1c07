"""Labels of predictions by a test suite: instances that tell a gold query from its neighbors."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from clausewise.databases import DatabaseProtocol
from clausewise.equivalence import Conventions, EquivalenceVerdict, Instance, OrderRule, compare
from experiments.counterexamples import plain
from experiments.counterexamples.checking import Checker
from experiments.counterexamples.measuring import content_of
from experiments.counterexamples.mutations import CHANGES, Drawing, mutant
from experiments.counterexamples.pairs import is_ordered
from experiments.counterexamples.plain import Content, Rows, Rule
from experiments.test_suite_labels.ties import cut_at_tie

MUTANTS = 3
"""Neighbors of a gold that are made by a change, at most."""
MORE_SEEDS = 2
"""Further searches for an instance without ties, where the first has one."""
INSTANCES = 50
"""Instances that `compare` tries for each neighbor."""
STEPS = 1_000_000
"""Virtual machine instructions that a neighbor made by a change may take on the database."""
ORDERS = 2
"""Orders by chance of an instance's rows, beside two fixed ones."""
ON_DATABASE = "database"
COLUMN_ORDER, ROW_ORDER = "order of columns", "order of rows"
DUPLICATES, TIES, OPEN = "duplicates", "ties under LIMIT", "rows that SQL leaves open"
EMPTY = "nothing found, in another form"
SEVERAL = "several of them"
COLUMNS, ROWS = "columns", "rows"


@dataclass(frozen=True)
class Measure:
    """What a benchmark compares: bags of rows with the gold's order, or sets of rows."""

    sets: bool

    @property
    def conventions(self) -> Conventions:
        """The same for `compare`; columns may come in any order."""
        order = OrderRule.NEVER if self.sets else OrderRule.FIRST
        return Conventions(order=order, any_column_order=True, duplicates=not self.sets)

    def rule(self, gold: str, other: str) -> Rule:
        """Return the same for results of sqlite3."""
        ordered = (False, False) if self.sets else (is_ordered(gold), is_ordered(other))
        return Rule(ordered, any_column_order=True, first=True)

    def rows(self, rows: Rows) -> Rows:
        """Return a result as it is compared."""
        return list(dict.fromkeys(rows)) if self.sets else rows

    def equal_on_database(self, gold: Rows, other: Rows) -> bool:
        """Return whether the benchmark's own measure calls two results equal.

        BIRD compares sets of rows with their columns in order, Spider's results are compared here
        as bags with columns in any order.
        """
        return set(gold) == set(other) if self.sets else plain.same(gold, other, True, False)


@dataclass(frozen=True)
class Label:
    """What a test suite says of one prediction."""

    executable: bool
    correct: bool
    """Whether it equals the gold on the database and on every instance that obeys what holds for
    the database's rows."""
    correct_on_database: bool
    """By the benchmark's own measure."""
    correct_on_any_instance: bool
    """Whether it equals the gold on instances that obey declared constraints only, too."""
    told_by: str | int | None = None
    """`database`, or the number of the instance that tells it from the gold."""
    difference: str | None = None
    forgiven: tuple[str, ...] = ()
    """Conventions by which differences that there are do not count."""


@dataclass
class Gold:
    """A gold query on one database, with what is known of its results.

    `observed` is the copy of the database that declares what holds for its rows, `declared` the
    database as it is.
    """

    sql: str
    observed: DatabaseProtocol
    declared: DatabaseProtocol
    checker: Checker
    measure: Measure
    instances: list[Instance] = field(default_factory=list)

    def labels(self, predictions: Sequence[str]) -> dict[str, Label]:
        """Return the label of each prediction, in their order."""
        gold = self.checker.on_database(self.sql)
        if gold is None:
            return {}
        neighbors = [*self._mutants(), *predictions]
        told = {sql: self._told(sql, self.observed, self.instances) for sql in neighbors}
        suite = self._numbered(0)
        found = {sql: self._label(sql, gold, suite, told[sql]) for sql in predictions}
        start = len(self.instances)
        for sql, label in found.items():
            if label.correct:
                self._told(sql, self.declared, self.instances[start:])
        wider = self._numbered(start)
        return {sql: self._wider_label(sql, label, wider) for sql, label in found.items()}

    def _mutants(self) -> Iterator[str]:
        """Yield queries that are the gold with one change."""
        dice = random.Random(self.sql)
        kinds = dice.sample(sorted(CHANGES), len(CHANGES))
        drawing = Drawing(self.declared.schema, dice)
        made = filter(None, (mutant(self.sql, CHANGES[kind], drawing) for kind in kinds))
        with plain.opened(self.checker.path) as connection:
            runs = (s for s in made if plain.rows_of(connection, s, STEPS) is not None)
            yield from list(islice(runs, MUTANTS))

    def _told(
        self, sql: str, database: DatabaseProtocol, known: Sequence[Instance], seed: int = 0
    ) -> bool:
        """Return whether `compare` tells a neighbor apart; its instance is kept."""
        try:
            result = compare(
                self.sql,
                sql,
                database,
                conventions=self.measure.conventions,
                known=known,
                instances_tried=INSTANCES,
                seed=seed,
            )
        except Exception as error:
            # one neighbor less; a search that fails must not end a run of an hour
            print(f"compare failed: {error!r}\n  {self.sql}\n  {sql}", flush=True)
            return False
        found = result.counterexample
        instance = found.instance if found is not None else None
        if instance is not None and instance not in self.instances:
            self.instances.append(instance)
        return result.verdict is EquivalenceVerdict.NOT_EQUIVALENT

    def _numbered(self, start: int) -> list[tuple[int, Content]]:
        """Return the instances from a number on, the smallest first."""
        numbers = range(start, len(self.instances))
        chosen = sorted(numbers, key=lambda number: self.instances[number].row_count)
        return [(number, content_of(self.instances[number])) for number in chosen]

    def _label(
        self, sql: str, gold: list[Rows], suite: Sequence[tuple[int, Content]], told: bool
    ) -> Label:
        other = self.checker.on_database(sql)
        if other is None:
            return Label(False, False, False, False)
        on_database = self.measure.equal_on_database(gold[0], other[0])
        forgiven: set[str] = set()
        found = self._difference(sql, gold, other, self.checker.filled[0], forgiven)
        if found:
            return Label(True, False, on_database, False, ON_DATABASE, found)
        for number, content in suite:
            found = self._on_instance(sql, content, forgiven)
            if found:
                return Label(True, False, on_database, False, number, found)
        # told apart by an instance with a tie alone: perhaps another one has none
        for seed in range(1, 1 + (MORE_SEEDS if told else 0)):
            before = len(self.instances)
            self._told(sql, self.observed, (), seed)
            for number, content in self._numbered(before):
                found = self._on_instance(sql, content, forgiven)
                if found:
                    return Label(True, False, on_database, False, number, found)
        return Label(True, True, on_database, True, forgiven=tuple(sorted(forgiven)))

    def _wider_label(self, sql: str, label: Label, suite: Sequence[tuple[int, Content]]) -> Label:
        """Return the label with what instances say that obey declared constraints only."""
        if label.correct:
            for number, content in suite:
                found = self._on_instance(sql, content, set())
                if found:
                    return replace(
                        label, correct_on_any_instance=False, told_by=number, difference=found
                    )
        return label

    def _on_instance(self, sql: str, content: Content, forgiven: set[str]) -> str | None:
        gold: list[Rows] = []
        other: list[Rows] = []
        connection = self.checker.keyless
        for order in plain.orders(content, ORDERS):
            plain.fill(connection, order)
            for results, text in ((gold, self.sql), (other, sql)):
                rows = plain.rows_of(connection, text)
                if rows is None:
                    return None
                results.append(rows)
        return self._difference(sql, gold, other, connection, forgiven)

    def _difference(
        self,
        sql: str,
        gold: list[Rows],
        other: list[Rows],
        connection: sqlite3.Connection,
        forgiven: set[str],
    ) -> str | None:
        """Return in what results differ that counts; what does not is added to `forgiven`."""
        rule = self.measure.rule(self.sql, sql)
        as_compared = [[self.measure.rows(rows) for rows in of] for of in (gold, other)]
        different = plain.shows_difference(as_compared[0], as_compared[1], rule)
        ordered = is_ordered(self.sql) or is_ordered(sql)
        if not different and plain.same(gold[0], other[0], False, ordered):
            return None
        if all(_is_empty(rows) for rows in (*gold, *other)):
            forgiven.add(EMPTY)
            return None
        if any(cut_at_tie(connection, text) for text in (self.sql, sql)):
            forgiven.add(TIES)
            return None
        if not different:
            forgiven.add(_forgiven(gold[0], other[0], ordered))
            return None
        if gold[0] and other[0] and len(gold[0][0]) != len(other[0][0]):
            return COLUMNS
        bags = Rule((False, False), any_column_order=True)
        rows = plain.certainly_different(as_compared[0], as_compared[1], bags)
        return ROWS if rows else ROW_ORDER


def _is_empty(rows: Rows) -> bool:
    """Return whether a result has no row, or nothing but NULL, 0 and empty text."""
    return all(cell in (None, 0, "") for row in rows for cell in row)


def _forgiven(gold: Rows, other: Rows, ordered: bool) -> str:
    """Return the convention by which two results are equal that are not the same."""
    if plain.same(gold, other, True, ordered):
        return COLUMN_ORDER
    if plain.same(gold, other, False, False):
        return ROW_ORDER
    if set(gold) == set(other):
        return DUPLICATES
    distinct = list(dict.fromkeys(gold)), list(dict.fromkeys(other))
    if plain.same(*distinct, True, False):
        return SEVERAL
    return OPEN


def database_path(folder: Path, db_id: str) -> Path:
    """Return the file of a benchmark's database."""
    return folder / "databases" / db_id / f"{db_id}.sqlite"
