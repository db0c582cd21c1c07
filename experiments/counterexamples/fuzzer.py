"""The baseline: instances at random, constants of both queries among the values, keys respected."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from experiments.counterexamples import plain
from experiments.counterexamples.plain import Cell, Content, Rule, quoted

INSTANCES, MOST_ROWS = 200, 5
WORDS = ("a", "b", "Ann", "Bob")
CONSTANT = re.compile(r"'([^']*)'|\"([^\"]*)\"|(?<![\w.])(\d+(?:\.\d+)?)")


class Fuzzer:
    """Draws instances of one database's tables."""

    def __init__(self, path: Path) -> None:
        with plain.opened(path) as of:
            self.tables = {name: of.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
                           for name in plain.table_names(of)}  # fmt: skip
            by_name = {name.casefold(): name for name in self.tables}
            self.keys: dict[str, list[tuple[str, str, str | None]]] = {}
            for name in self.tables:
                keys = of.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
                known = [(by_name.get(key[2].casefold()), key[3], key[4]) for key in keys]
                self.keys[name] = [(p, own, other) for p, own, other in known if p]
        self.memory = sqlite3.connect(":memory:", isolation_level=None)
        self.memory.executescript(";".join(plain.keyless_statements(path)))

    def search(self, a: str, b: str, rule: Rule, certain: bool, seed: int) -> Content | None:
        """Return an instance on which two queries differ, None where none of those tried does."""
        for content in self._instances(f"{a} {b}", random.Random(seed)):
            found: list[list[plain.Rows]] = [[], []]
            for order in list(plain.orders(content, 0))[: 2 if certain else 1]:
                plain.fill(self.memory, order)
                for results, sql in zip(found, (a, b), strict=True):
                    rows = plain.rows_of(self.memory, sql)
                    results.extend([] if rows is None else [rows])
            if all(found) and plain.shows_difference(found[0], found[1], rule):
                return content
        return None

    def _instances(self, text: str, dice: random.Random) -> Iterator[Content]:
        words = set(re.findall(r"\w+", text.casefold()))
        read = {n for n in self.tables if n.casefold() in words or not n.isidentifier()}
        while more := {key[0] for name in read for key in self.keys[name]} - read:
            read |= more
        constants = CONSTANT.findall(text)
        texts = [s.strip("%") for one, two, _ in constants for s in (one, two) if s] + [*WORDS]
        numbers = [float(n) + d for _, _, n in constants if n for d in (-1, 0, 1)]
        numbers = [int(n) if n == int(n) else n for n in [*numbers, 0, 1, 2, 3]]
        for _ in range(INSTANCES):
            made: dict[str, list[tuple[Cell, ...]]] = {}
            for name in self._parents_first(read):
                made[name] = []
                for _ in range(dice.randint(0, MOST_ROWS)):
                    made[name] += self._row(name, made, texts, numbers, dice)
            yield made

    def _parents_first(self, names: set[str]) -> list[str]:
        done: list[str] = []
        while left := sorted(names - set(done)):
            free = [n for n in left if all(k[0] in (*done, n) for k in self.keys[n])]
            done += free or left[:1]
        return done

    def _row(self, name: str, made: dict[str, list[tuple[Cell, ...]]], texts: list[str],
             numbers: list[float], dice: random.Random) -> list[tuple[Cell, ...]]:  # fmt: skip
        row: dict[str, Cell] = {}
        for _, column, kind, required, _, key in self.tables[name]:
            is_number = re.search(r"int|real|num|dec|float|double|bool", kind, re.IGNORECASE)
            row[column.casefold()] = dice.choice(numbers if is_number else texts)
            if not required and not key and dice.random() < 0.1:
                row[column.casefold()] = None
        for parent, column, referred in self.keys[name]:
            columns = [c[1].casefold() for c in self.tables[parent]]
            place = columns.index(referred.casefold()) if referred else 0
            known = [] if row[column.casefold()] is None else made.get(parent, [])
            row[column.casefold()] = dice.choice(known)[place] if known else None
        keys = [n for n, c in enumerate(self.tables[name]) if c[5]]
        required = [n for n, c in enumerate(self.tables[name]) if c[3] or c[5]]
        cells = tuple(row.values())
        taken = keys and any(all(cells[n] == o[n] for n in keys) for o in made[name])
        return [] if taken or any(cells[n] is None for n in required) else [cells]
