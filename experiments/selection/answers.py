"""All systems' queries for each question of a benchmark: results, and which instances differ."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from time import process_time

from clausewise.databases import BaseDatabase, Databases, Limits, QueryResult
from clausewise.datasets import read_candidates, read_labels
from clausewise.equivalence import Conventions, OrderRule, suite
from clausewise.equivalence.independence import independence
from clausewise.errors import QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge
from experiments.common.data import Benchmark
from experiments.common.parallel import map_tasks

LIMITS = Limits(steps=20_000_000, seconds=20.0)
"""What one query may spend on the database."""
FURTHER = 60
"""Instances made for conventions other than SQL's own, beside those already found."""
STRICT, LENIENT, SETS = "SQL", "any order", "sets"
CONVENTIONS = {
    STRICT: Conventions(),
    LENIENT: Conventions(order=OrderRule.NEVER, any_column_order=True),
    SETS: Conventions(order=OrderRule.NEVER, any_column_order=True, duplicates=False),
}
"""What counts as a difference: all that SQL says, not the order of rows or columns, nor repeated
rows. The benchmarks' own labels are of the second kind (Spider) and the third (BIRD)."""
Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Answers:
    """The systems' queries for one question; positions are those in `texts`."""

    question_id: str | int
    db_id: str
    systems: tuple[str, ...]
    texts: tuple[str, ...]
    """The systems' queries, then the gold query."""
    correct: tuple[bool | None, ...]
    """The label of each system's query, None where it has none."""
    vacuous: bool
    """Whether the labels say nothing, since the gold query returns nothing."""
    results: tuple[bytes | None, ...]
    """A digest of each query's rows in any order, None where it does not run."""
    apart: dict[str, Pairs]
    """By convention, the pairs that instances tell apart, the lower position first."""
    left_out: dict[int, str]
    instances: int
    """Of the suite by SQL's own conventions."""
    most_rows: int
    seconds: float
    """Processor time of that suite."""

    @property
    def weights(self) -> tuple[float, ...]:
        """What the systems' queries weigh as independent voices, by system and text."""
        return independence(self.texts[:-1], self.systems).weights

    def is_right(self, place: int, convention: str = "") -> bool:
        """Whether a query is correct, and not told apart from the gold query where asked."""
        right = bool(self.correct[place])
        return right and not (convention and self.told_apart(convention, place, len(self.systems)))

    def told_apart(self, convention: str, a: int, b: int) -> bool:
        """Whether an instance tells two queries apart."""
        return (min(a, b), max(a, b)) in self.apart[convention]


def cached_answers(benchmark: Benchmark, cache: Path, jobs: int = 1) -> list[Answers]:
    """Return `answers` of the questions that any system answers, kept in a folder.

    Delete the file `answers-<benchmark>.pickle` there to make them anew.
    """
    path = cache / f"answers-{benchmark.name}.pickle"
    if not path.exists():
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(answers(benchmark, jobs)))
    found: list[Answers] = pickle.loads(path.read_bytes())
    return [of for of in found if of.systems]


def answers(benchmark: Benchmark, jobs: int = 1) -> list[Answers]:
    """Return what the systems answer to every question, in the order of the questions."""
    return map_tasks(partial(_answered, benchmark), list(_asked(benchmark)), jobs)


@dataclass(frozen=True)
class _Asked:
    question_id: str | int
    db_id: str
    gold: str
    queries: tuple[tuple[str, str], ...]
    labels: tuple[bool | None, ...]
    vacuous: bool


def _asked(benchmark: Benchmark) -> Iterator[_Asked]:
    names = benchmark.system_names()
    labels = {name: read_labels(benchmark.folder / "labels" / f"{name}.jsonl") for name in names}
    telling = {question for name in names for question in benchmark.labels(name)}
    known = read_candidates(benchmark.folder / "candidates.jsonl")
    lines = (benchmark.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    for record in map(json.loads, filter(str.strip, lines)):
        question = record["question_id"]
        queries = tuple((str(name), sql) for name, sql in known.get(question, ()))
        yield _Asked(
            question,
            record["db_id"],
            record["gold_sql"],
            queries,
            tuple(labels[name].get(question) for name, _ in queries),
            question not in telling,
        )


def _answered(benchmark: Benchmark, asked: _Asked) -> Answers:
    database = _databases(benchmark).get(asked.db_id)
    suite((asked.gold,), database)  # what is read of a database once is no part of the time
    texts = (*(sql for _, sql in asked.queries), asked.gold)
    start = process_time()
    strict = suite(texts, database, conventions=CONVENTIONS[STRICT])
    seconds = process_time() - start
    found = {STRICT: strict} | {
        name: suite(
            texts,
            database,
            conventions=CONVENTIONS[name],
            known=strict.instances,
            instances_tried=FURTHER,
        )
        for name in (LENIENT, SETS)
    }
    return Answers(
        asked.question_id,
        asked.db_id,
        tuple(name for name, _ in asked.queries),
        texts,
        asked.labels,
        asked.vacuous,
        tuple(_digest(text, database) for text in texts),
        {name: frozenset(of.apart) for name, of in found.items()},
        strict.left_out,
        len(strict.instances),
        max((instance.most_rows for instance in strict.instances), default=0),
        seconds,
    )


@lru_cache(maxsize=4)
def _databases(benchmark: Benchmark) -> Databases:
    return benchmark.databases


def _digest(sql: str, database: BaseDatabase) -> bytes | None:
    try:
        result = database.run(sql, LIMITS)
    except (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge):
        return None
    return hashlib.blake2b(_lines(result).encode("utf-8", "surrogatepass")).digest()


def _lines(result: QueryResult) -> str:
    rows = [
        repr(tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row))
        for row in result.rows
    ]
    return "\n".join(sorted(rows))
