"""What `compare` and the fuzzer find of each pair, and whether it is true."""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from time import perf_counter, process_time
from typing import Self

from clausewise.databases import DatabaseProtocol, open_database
from clausewise.equivalence import EquivalenceVerdict, Instance, compare
from experiments.common.parallel import map_tasks
from experiments.common.results import Cell
from experiments.counterexamples import checking
from experiments.counterexamples.checking import Checker
from experiments.counterexamples.fuzzer import Fuzzer
from experiments.counterexamples.pairs import Pair
from experiments.counterexamples.plain import Content, Rule, certainly_different

COMPARE, FUZZER, FUZZER_CERTAIN = "compare", "fuzzer, any difference", "fuzzer, certain difference"
ERROR = "error"
WAYS = (COMPARE, FUZZER, FUZZER_CERTAIN)


VERDICTS = {
    "told apart": EquivalenceVerdict.NOT_EQUIVALENT.value,
    "proved": EquivalenceVerdict.EQUIVALENT.value,
    "unknown": EquivalenceVerdict.UNKNOWN.value,
}
EVERYTHING = "all"


@dataclass(frozen=True)
class Took:
    """Milliseconds of processor time, which other processes hardly change, and of the clock."""

    cpu: float = 0.0
    wall: float = 0.0

    @classmethod
    def since(cls, begin: tuple[float, float]) -> Self:
        """Return what has passed since `now()`."""
        cpu, wall = (1000 * (end - start) for start, end in zip(begin, now(), strict=True))
        return cls(cpu, wall)


def now() -> tuple[float, float]:
    """Return the processor time of the process, all its threads, and the clock, in seconds."""
    return process_time(), perf_counter()


@dataclass(frozen=True)
class Found:
    """What one way found of one pair."""

    way: str
    verdict: str
    took: Took
    fault: str = ""
    """What is wrong with the counterexample; empty where it is true or there is none."""
    most_rows: int | None = None
    """Rows of the largest table; None where there is no instance."""
    rows: int | None = None
    values: Counter[str] = field(default_factory=Counter)
    note: str = ""

    @property
    def told_apart(self) -> bool:
        """Whether a difference was reported."""
        return self.verdict == EquivalenceVerdict.NOT_EQUIVALENT


Measured = list[tuple[Pair, list[Found]]]


def measure(pairs: Sequence[Pair], jobs: int) -> Measured:
    """Compare all pairs in every way, one database after another."""
    tasks = [list(of) for _, of in groupby(sorted(pairs, key=_place), lambda pair: pair.path)]
    return [line for lines in map_tasks(_of_database, tasks, jobs) for line in lines]


def _place(pair: Pair) -> tuple[str, ...]:
    return (str(pair.path), pair.set, pair.kind, pair.gold, pair.other)


def _of_database(pairs: Sequence[Pair]) -> Measured:
    path = pairs[0].path
    checker, fuzzer, database = Checker(path), Fuzzer(path), open_database(path)
    ways: list[Callable[[Pair], Found]] = [
        partial(_compared, database, checker),
        partial(_fuzzed, fuzzer, checker, False),
        partial(_fuzzed, fuzzer, checker, True),
    ]
    # what is read once for a database, its schema, is not part of any pair's time
    assert database.schema.tables
    return [(pair, [way(pair) for way in ways]) for pair in pairs]


def _compared(database: DatabaseProtocol, checker: Checker, pair: Pair) -> Found:
    begin = now()
    try:
        result = compare(pair.gold, pair.other, database, conventions=pair.conventions)
    except Exception as error:
        return Found(COMPARE, ERROR, Took(), note=f"{type(error).__name__}: {error}")
    took = Took.since(begin)
    tried = "; ".join(f"{a.stage.value}: {a.tried}, {a.outcome}" for a in result.attempts)
    note = result.reason and f"{result.reason} ({tried})"
    found = result.counterexample
    if found is None:
        return Found(COMPARE, result.verdict.value, took, note=note or " ".join(result.proof))
    if found.instance is None:
        return Found(COMPARE, result.verdict.value, took, fault=_on_database(checker, pair))
    content = content_of(found.instance)
    return _checked(COMPARE, content, took, checker, pair, pair.rule)


def _on_database(checker: Checker, pair: Pair) -> str:
    a, b = checker.on_database(pair.gold), checker.on_database(pair.other)
    if a is None or b is None:
        return "a query fails"
    return "" if certainly_different(a, b, pair.rule) else checking.NO_DIFFERENCE


def _fuzzed(fuzzer: Fuzzer, checker: Checker, certain: bool, pair: Pair) -> Found:
    rule = pair.rule if certain else dataclasses.replace(pair.rule, any_column_order=False)
    way = FUZZER_CERTAIN if certain else FUZZER
    begin = now()
    content = fuzzer.search(pair.gold, pair.other, rule, certain, seed=0)
    took = Took.since(begin)
    if content is None:
        return Found(way, EquivalenceVerdict.UNKNOWN.value, took)
    return _checked(way, content, took, checker, pair, pair.rule)


def _checked(
    way: str, content: Content, took: Took, checker: Checker, pair: Pair, rule: Rule
) -> Found:
    sizes = [len(rows) for rows in content.values()]
    return Found(
        way,
        EquivalenceVerdict.NOT_EQUIVALENT.value,
        took,
        checker.fault(content, pair.gold, pair.other, rule),
        max(sizes, default=0),
        sum(sizes),
        checker.readability(content, f"{pair.gold} {pair.other}"),
    )


def content_of(instance: Instance) -> dict[str, Sequence[tuple[object, ...]]]:
    """Return the rows of an instance by table."""
    return {table.name: table.rows for table in instance.tables}


def summary(found: Sequence[Found]) -> dict[str, Cell]:
    """Return the figures of one way on a number of pairs."""
    verdicts = Counter(of.verdict for of in found)
    told = verdicts[EquivalenceVerdict.NOT_EQUIVALENT.value]
    proved = verdicts[EquivalenceVerdict.EQUIVALENT.value]
    sizes = [(of.most_rows, of.rows) for of in found if of.most_rows is not None]
    values = sum((of.values for of in found), Counter[str]())
    written = values.total() or 1
    return {
        "pairs": len(found),
        "told_apart": told,
        "share": told / len(found),
        "proved": proved,
        "unknown": verdicts[EquivalenceVerdict.UNKNOWN.value],
        "errors": verdicts[ERROR],
        "false": sum(bool(of.fault) for of in found),
        "database_only": sum(of.told_apart and of.most_rows is None for of in found),
        **times([of.took for of in found]),
        "largest_table_median": statistics.median(s for s, _ in sizes) if sizes else None,
        "largest_table_mean": statistics.mean(s for s, _ in sizes) if sizes else None,
        "rows_median": statistics.median(r or 0 for _, r in sizes) if sizes else None,
        "values": values.total(),
        "values_of_queries": values[checking.KNOWN_IN_QUERIES] / written,
        "values_of_database": values[checking.KNOWN_IN_DATABASE] / written,
        "values_plain": values[checking.READABLE] / written,
        "values_other": values[checking.UNREADABLE] / written,
    }


def summaries(measured: Measured) -> Iterator[dict[str, Cell]]:
    """Yield the figures of every set of pairs and way."""
    keys = sorted({(pair.set, "" if pair.is_mutant else pair.kind) for pair, _ in measured})
    for name, kind in keys:
        lines = [of for pair, of in measured if pair.set == name and kind in ("", pair.kind)]
        for place, way in enumerate(WAYS):
            yield {"set": name, "kind": kind, "way": way, **summary([of[place] for of in lines])}


def times(of: Sequence[Took]) -> dict[str, Cell]:
    """Return medians and 95th percentiles, in milliseconds."""
    figures: dict[str, Cell] = {}
    for name in ("cpu", "wall"):
        passed = sorted(getattr(took, name) for took in of)
        figures[f"{name}_median"] = round(statistics.median(passed), 2)
        figures[f"{name}_p95"] = round(passed[min(len(passed) - 1, int(0.95 * len(passed)))], 2)
    return figures


def times_by_verdict(measured: Measured) -> Iterator[dict[str, Cell]]:
    """Yield what `compare` took by set of pairs and what it says, and for all pairs together."""
    found = [(pair.set, "" if pair.is_mutant else pair.kind, of[0]) for pair, of in measured]
    for name, kind in [*sorted({of[:2] for of in found}), (EVERYTHING, "")]:
        here = [of for *place, of in found if [name, kind] in (place, [EVERYTHING, ""])]
        for shown, verdict in [*VERDICTS.items(), (EVERYTHING, "")]:
            took = [of.took for of in here if verdict in ("", of.verdict)]
            if took:
                yield {
                    "set": name,
                    "kind": kind,
                    "verdict": shown,
                    "pairs": len(took),
                    **times(took),
                }
