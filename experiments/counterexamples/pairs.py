"""The pairs that are compared: predictions with their golds, and golds with one known change."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import sqlglot
from sqlglot.errors import SqlglotError

from clausewise.databases import Schema, open_database
from clausewise.equivalence import Conventions, OrderRule
from clausewise.sql import same_statement
from clausewise.types import Case
from experiments.common.data import Benchmark
from experiments.counterexamples import plain
from experiments.counterexamples.checking import Checker
from experiments.counterexamples.mutations import (
    CHANGES,
    DIALECT,
    NULL_CHECK,
    Drawing,
    mutant,
    with_null_check,
)
from experiments.counterexamples.plain import Rule

DIFFERENT, AGREEING = "differ on the database", "agree on the database"
CONVENTION = "differ by conventions only"
NOT_RUN = "not run"
MUTANTS = "mutants"
TRAIN = "spider_train"
SETS_OF_ROWS = ("bird",)
"""Benchmarks that compare results as sets of rows: duplicates are a convention there."""
QUOTED = re.compile(r"""('[^']*'|"[^"]*")""")
SHARE = 42
"""Mutants of each kind of change at most."""


@dataclass(frozen=True)
class Pair:
    """Two queries on one database; the first is the gold query."""

    set: str
    kind: str
    path: Path
    gold: str
    other: str

    @property
    def is_mutant(self) -> bool:
        """Whether the other query was made from the gold by a known change."""
        return self.set == MUTANTS

    @property
    def conventions(self) -> Conventions:
        """What counts as a difference.

        Between a prediction and its gold, what test-suite evaluation counts: order where the gold
        asks for one, columns in any order. Between a gold and its mutant, SQL's own semantics.
        """
        if self.is_mutant:
            return Conventions()
        return Conventions(order=OrderRule.FIRST, any_column_order=True)

    @property
    def rule(self) -> Rule:
        """The same for results of sqlite3."""
        ordered = (is_ordered(self.gold), is_ordered(self.other))
        return Rule(ordered, any_column_order=not self.is_mutant, first=not self.is_mutant)


@lru_cache(maxsize=20_000)
def is_ordered(sql: str) -> bool:
    """Return whether a query asks for an order at its outermost level."""
    try:
        return sqlglot.parse_one(sql, read=DIALECT).args.get("order") is not None
    except SqlglotError:
        return False


def prediction_pairs(benchmark: Benchmark, limit: int) -> tuple[list[Pair], Counter[str]]:
    """Return the pairs of a benchmark, and how many there are of each kind.

    Pairs differ in more than white space and letter case outside quotes. `limit` takes so many of
    them, drawn at random, 0 all.
    """
    gold = benchmark.gold()
    distinct: dict[tuple[str, str, str], tuple[str, str]] = {}
    for system in benchmark.system_names():
        for case in benchmark.cases(system):
            if isinstance(case, Case) and case.question_id is not None:
                texts = (same_statement(gold[case.question_id]), same_statement(case.predicted_sql))
                first, other = (_folded(sql) for sql in texts)
                if first != other:
                    distinct.setdefault((case.db_id, first, other), texts)
    keys = sorted(distinct)
    if limit:
        keys = sorted(random.Random(0).sample(keys, min(limit, len(keys))))
    counts: Counter[str] = Counter()
    found = []
    for (db_id, _), of in itertools.groupby(keys, lambda key: key[:2]):
        checker = _checker(benchmark.folder / "databases" / db_id / f"{db_id}.sqlite")
        results: dict[str, list[plain.Rows] | None] = {}
        for key in of:
            pair = Pair(benchmark.name, "", checker.path, *distinct[key])
            for sql in (pair.gold, pair.other):
                if sql not in results:
                    results[sql] = checker.on_database(sql)
            kind = _kind(pair, results[pair.gold], results[pair.other])
            counts[kind] += 1
            if kind in (DIFFERENT, AGREEING):
                found.append(dataclasses.replace(pair, kind=kind))
    return found, counts


@lru_cache(maxsize=1)
def _checker(path: Path) -> Checker:
    return Checker(path)


def _folded(sql: str) -> str:
    """Return a query in lower case outside quotes."""
    parts = QUOTED.split(sql)
    return "".join(part if place % 2 else part.casefold() for place, part in enumerate(parts))


def _kind(pair: Pair, a: list[plain.Rows] | None, b: list[plain.Rows] | None) -> str:
    if a is None or b is None:
        return NOT_RUN
    if plain.certainly_different(a, b, pair.rule):
        sets = pair.set in SETS_OF_ROWS
        return CONVENTION if sets and _same_sets(a[0], b[0]) else DIFFERENT
    # what differs in one order of rows only, or by columns in another order, is no real difference
    ordered = any(pair.rule.ordered)
    return AGREEING if plain.same(a[0], b[0], False, ordered) else CONVENTION


def _same_sets(a: plain.Rows, b: plain.Rows) -> bool:
    return set(a) == set(b)


def mutant_pairs(data: Path, limit: int) -> Iterator[Pair]:
    """Yield mutants of gold queries, so many of each kind at most, spread over the databases."""
    folder = data / TRAIN
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    golds = sorted({(record["db_id"], same_statement(record["gold_sql"])) for record in records})
    for kind in CHANGES:
        found = 0
        for db_id, gold in _spread(golds, kind):
            path = folder / "databases" / db_id / f"{db_id}.sqlite"
            pair = _mutant_pair(kind, path, gold)
            if pair is not None:
                yield pair
                found += 1
            if found >= min(limit or SHARE, SHARE):
                break


def _spread(golds: Sequence[tuple[str, str]], kind: str) -> list[tuple[str, str]]:
    """Return the golds in an order by chance in which the databases take turns."""
    drawn = random.Random(kind).sample(golds, len(golds))
    turn: Counter[str] = Counter()
    turns = []
    for place, (db_id, gold) in enumerate(drawn):
        turns.append((turn[db_id], place, db_id, gold))
        turn[db_id] += 1
    return [(db_id, gold) for _, _, db_id, gold in sorted(turns)]


@lru_cache(maxsize=200)
def _schema(path: Path) -> Schema:
    return open_database(path).schema


def _mutant_pair(kind: str, path: Path, gold: str) -> Pair | None:
    drawing = Drawing(_schema(path), random.Random(f"{kind} {gold}"))
    try:
        first = with_null_check(gold, drawing) if kind == NULL_CHECK else gold
    except SqlglotError:
        return None
    other = mutant(first, CHANGES[kind], drawing) if first is not None else None
    if first is None or other is None:
        return None
    with plain.opened(path) as connection:
        runs = all(plain.rows_of(connection, sql) is not None for sql in (first, other))
    return Pair(MUTANTS, kind, path, first, other) if runs else None
