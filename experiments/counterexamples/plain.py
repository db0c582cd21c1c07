"""Running queries with nothing but Python's own sqlite3, and comparing what they return.

None of this uses clausewise, so that it can be checked by it.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

Cell = object
Rows = list[tuple[Cell, ...]]
Content = Mapping[str, Sequence[tuple[Cell, ...]]]
"""The rows of each table."""

DIGITS = 6
STEPS = 40_000_000
"""Virtual machine instructions after which a query is given up."""
MOST_PERMUTATIONS = 720


@dataclass(frozen=True)
class Rule:
    """When results of two queries count as different.

    `ordered` says for each of them whether it asks for an order; where only one does, and `first`
    is set, the order counts only if that is the first query.
    """

    ordered: tuple[bool, bool]
    any_column_order: bool
    first: bool = False

    @property
    def order_counts(self) -> bool:
        """Whether a difference in nothing but the order of rows is one."""
        return self.ordered[0] if self.first else any(self.ordered)


@contextmanager
def opened(path: Path | str) -> Iterator[sqlite3.Connection]:
    """Open a database, in which bytes that are no UTF-8 are replaced; closed in the end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        yield connection


def rows_of(connection: sqlite3.Connection, sql: str, steps: int = STEPS) -> Rows | None:
    """Return what a query returns, floats rounded; None where it fails or takes too long."""
    left = steps // 1000

    def step() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(step, 1000)
    try:
        found = connection.execute(sql).fetchall()
    except (sqlite3.Error, sqlite3.Warning, OverflowError):
        return None
    finally:
        connection.set_progress_handler(None, 0)
    return [tuple(_rounded(cell) for cell in row) for row in found]


def _rounded(cell: Cell) -> Cell:
    return float(f"{cell:.{DIGITS}g}") if isinstance(cell, float) else cell


def width(connection: sqlite3.Connection, sql: str) -> int:
    """Return the number of columns of a query."""
    return len(connection.execute(sql).description)


def same(a: Rows, b: Rows, any_column_order: bool, ordered: bool) -> bool:
    """Return whether two results are the same, as lists of rows or as bags."""
    if len(a) != len(b):
        return False
    if not a:
        return True
    if len(a[0]) != len(b[0]):
        return False
    if not any_column_order:
        return _same_rows(a, b, ordered)
    columns_a, columns_b = list(zip(*a, strict=True)), list(zip(*b, strict=True))
    bags_a, bags_b = [Counter(of) for of in columns_a], [Counter(of) for of in columns_b]
    fitting = [[n for n, bag in enumerate(bags_b) if bag == own] for own in bags_a]
    for tried, order in enumerate(itertools.product(*fitting)):
        if tried >= MOST_PERMUTATIONS:
            break
        if len(set(order)) == len(order):
            permuted = list(zip(*(columns_b[n] for n in order), strict=True))
            if _same_rows(a, permuted, ordered):
                return True
    return False


def _same_rows(a: Rows, b: Rows, ordered: bool) -> bool:
    return a == b if ordered else Counter(a) == Counter(b)


def certainly_different(a: Sequence[Rows], b: Sequence[Rows], rule: Rule) -> bool:
    """Return whether no result of one query is a result of the other, as bags or as lists."""
    ordered = rule.order_counts
    return not any(same(one, other, rule.any_column_order, ordered) for one in a for other in b)


def shows_difference(a: Sequence[Rows], b: Sequence[Rows], rule: Rule) -> bool:
    """Return whether results of two queries, in several orders of rows, show a difference.

    They do where no result of one is a result of the other. Where a query asks for an order and
    the other does not, any order may come of the other, the wanted one among them: it is enough
    that one comes which the first query never gives.
    """
    if certainly_different(a, b, rule):
        return True
    if not rule.order_counts or all(rule.ordered):
        return False
    asking, other = (a, b) if rule.ordered[0] else (b, a)
    return any(
        not any(same(one, wanted, rule.any_column_order, ordered=True) for wanted in asking)
        for one in other
    )


def create_statements(path: Path) -> list[str]:
    """Return the statements that made a database's tables and unique indexes."""
    wanted = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    with opened(path) as connection:
        return [sql for (sql,) in connection.execute(f"{wanted} ORDER BY type DESC, rowid")]


def keyless_statements(path: Path) -> list[str]:
    """Return statements that make the tables with their types and no keys or indexes.

    Rows are read from such tables in the order in which they were written.
    """
    with opened(path) as connection:
        made = []
        for name in table_names(connection):
            info = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
            columns = ", ".join(f"{quoted(column[1])} {column[2]}" for column in info)
            made.append(f"CREATE TABLE {quoted(name)} ({columns})")
        return made


def table_names(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the tables."""
    wanted = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return [name for (name,) in connection.execute(wanted)]


def content_of(path: Path) -> dict[str, Rows]:
    """Return all rows of a database."""
    with opened(path) as connection:
        names = table_names(connection)
        return {n: connection.execute(f"SELECT * FROM {quoted(n)}").fetchall() for n in names}


def fill(connection: sqlite3.Connection, content: Content) -> None:
    """Put rows in the place of all that the tables hold; keys are checked in the end.

    Raises sqlite3.Error where the rows break a constraint.
    """
    connection.execute("BEGIN")
    try:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for name in table_names(connection):
            connection.execute(f"DELETE FROM {quoted(name)}")
        for name, rows in content.items():
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({marks})", rows)
        connection.execute("COMMIT")
    except sqlite3.Error:
        connection.execute("ROLLBACK")
        raise


def orders(content: Content, shuffles: int, seed: int = 0) -> Iterator[Content]:
    """Yield the same rows as they stand, reversed, and in orders by chance."""
    yield content
    yield {name: list(rows)[::-1] for name, rows in content.items()}
    dice = random.Random(seed)
    for _ in range(shuffles):
        yield {name: dice.sample(list(rows), len(rows)) for name, rows in content.items()}


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
