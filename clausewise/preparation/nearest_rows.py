"""Rows of tables for a prompt: those nearest to a question, and others (DART-SQL, section 3.2).

Of every table at most `MOST_ROWS` rows are shown: half of them are those that say most of what the
question says, the other half is drawn from the rest. The paper measures nearness by the cosine of
averaged GloVe vectors. No vectors ship with clausewise, and static embeddings did no better here
than letters and words, so a row is as near as the words weigh that it shares with the question,
each by its rarity in the table.

A table is read from its start up to `ROWS_READ` rows and never scanned further; the text says so.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clausewise.databases.model import Cell, Limits, QueryResult, Table
from clausewise.errors import DatabaseError, QueryTooLarge
from clausewise.inflection import singular
from clausewise.preparation.examples import shortened_line, write_value
from clausewise.preparation.relatedness import name_relatedness, words_of
from clausewise.preparation.schema_text import estimate_tokens, write_name
from clausewise.question.tokens import word_set
from clausewise.sql.probe_dialects import probe_dialect

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol

MOST_ROWS = 15
"""Rows of a table that are shown (the paper's N)."""
ROWS_READ = 2_000
"""Rows of a table that are read."""
ROW_TOKENS = 4_000
"""Limit of the whole text in tokens, as `estimate_tokens` counts them."""

_COLUMNS = 30
"""Columns shown of each row."""
_LONGEST_MATCHED = 500
"""Characters of a cell whose words count."""
_READ = Limits(steps=20_000_000, seconds=5.0, result_bytes=20_000_000)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class ContextRows:
    """The rows of one table that go into a prompt.

    Attributes
    ----------
    columns
        Their names, in the table's order; every row has a cell for each.
    related
        The rows nearest to the question, nearest first; equally near ones in the table's order.
    drawn
        Rows drawn from the rest, in the table's order.
    read
        How many rows of the table were looked at.
    whole
        Whether these are all rows of the table.
    """

    table: str
    columns: tuple[str, ...]
    related: tuple[tuple[Cell, ...], ...]
    drawn: tuple[tuple[Cell, ...], ...]
    read: int
    whole: bool

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """All rows that are shown."""
        return self.related + self.drawn


def choose_rows(
    table: str,
    result: QueryResult,
    question: str,
    most: int = MOST_ROWS,
    seed: int = 0,
    *,
    whole: bool = True,
) -> ContextRows:
    """Choose at most `most` of the rows that were read of a table: half near ones, half drawn.

    All of them are taken, in their order, where there are no more. Of an odd number the near ones
    have one more. The same seed draws the same rows, whatever the other tables are.
    """
    rows = result.rows
    if len(rows) <= most:
        return ContextRows(table, result.columns, rows, (), len(rows), whole)
    nearness = row_nearness(rows, question)
    ranked = sorted(range(len(rows)), key=lambda place: (-nearness[place], place))
    half = -(-most // 2)
    rest = sorted(ranked[half:])
    drawn = random.Random(f"{seed} {table}").sample(rest, most - half)
    return ContextRows(
        table,
        result.columns,
        tuple(rows[place] for place in ranked[:half]),
        tuple(rows[place] for place in sorted(drawn)),
        len(rows),
        whole,
    )


def row_nearness(rows: Sequence[Sequence[Cell]], question: str) -> list[float]:
    """Return for each row, shape `[n]`, what its words that the question says weigh; high = near.

    A word weighs log(1 + n / d), where d of the n rows hold it. Function words weigh nothing.
    """
    asked = frozenset(_words(question)) - word_set("function", "words")
    said = [asked.intersection(_row_words(row)) for row in rows]
    held = Counter(word for words in said for word in words)
    weights = {word: math.log1p(len(rows) / count) for word, count in held.items()}
    # In one order, so that a sum is the same in every process.
    return [math.fsum(weights[word] for word in sorted(words)) for words in said]


def context_rows(
    database: DatabaseProtocol,
    question: str,
    *,
    most: int = MOST_ROWS,
    seed: int = 0,
    first: Collection[str] = (),
) -> tuple[ContextRows, ...]:
    """Return the rows to show of every table, without those that cannot be read.

    Parameters
    ----------
    question
        What the rows should have to do with: the question, with its evidence.
    most
        Rows of a table, 0 or more.
    first
        Names of tables that come first, such as those of a query; then the tables whose names
        have most to do with the question. Views are left out: to read one may cost a scan.
    """
    if most < 1:
        return ()
    read = _read_tables(database, question, first)
    return tuple(
        choose_rows(name, rows, question, most, seed, whole=whole) for name, rows, whole in read
    )


def describe_rows(
    database: DatabaseProtocol,
    question: str,
    *,
    most: int = MOST_ROWS,
    seed: int = 0,
    first: Collection[str] = (),
    tokens: int = ROW_TOKENS,
    send_values: bool = True,
) -> str:
    """Return the rows of `context_rows` as text, at most about `tokens` long.

    Where it would be longer, fewer rows of every table are shown, and with one row each the last
    tables are left out. Empty without values (`LLMSettings.send_values`) or rows.
    """
    if not send_values or most < 1:
        return ""
    read = _read_tables(database, question, first)
    while True:
        texts = [
            _describe(choose_rows(name, rows, question, most, seed, whole=whole))
            for name, rows, whole in read
        ]
        text = "\n\n".join(texts)
        if estimate_tokens(text) <= tokens:
            return text
        if most == 1:
            return _cut(texts, tokens)
        most = max(1, most * 2 // 3)


def _cut(texts: Sequence[str], tokens: int) -> str:
    """Return the first texts that fit, and how many are left out."""
    kept: list[str] = []
    for text in texts:
        if estimate_tokens("\n\n".join([*kept, text])) > tokens:
            break
        kept.append(text)
    left = len(texts) - len(kept)
    kept.append(f"(rows of {left} further table{'s' * (left != 1)} are left out)")
    return "\n\n".join(kept)


def _ordered(tables: Sequence[Table], question: str, first: Collection[str]) -> list[Table]:
    named = {name.casefold() for name in first}
    words = words_of(question)

    def rank(table: Table) -> tuple[bool, float]:
        return table.name.casefold() not in named, -name_relatedness(table.name, words)

    return sorted((table for table in tables if not table.is_view), key=rank)


def _read_tables(
    database: DatabaseProtocol, question: str, first: Collection[str]
) -> list[tuple[str, QueryResult, bool]]:
    """Return the name of each table, its first rows, and whether these are all."""
    found = []
    for table in _ordered(database.schema.tables, question, first):
        result = _read_rows(database, table)
        if result is not None:
            found.append((table.name, result, not result.truncated))
    return found


def _read_rows(database: DatabaseProtocol, table: Table) -> QueryResult | None:
    """Return the first rows of a table, fewer where they are long; None where none can be read."""
    for most in (ROWS_READ, MOST_ROWS):
        # One more than is kept, so that the result says whether there are more.
        quoted = probe_dialect(database.dialect).quote_name
        sql = f"SELECT * FROM {quoted(table.name)} LIMIT {most + 1}"
        try:
            return database.run(sql, replace(_READ, rows=most))
        except QueryTooLarge:
            continue
        except DatabaseError:
            break
    return None


def _describe(found: ContextRows) -> str:
    shown = len(found.rows)
    if not shown:
        count = "no rows"
    elif found.whole and shown == found.read:
        count = "all its rows"
    else:
        of = f"its {found.read:,} rows" if found.whole else f"its first {found.read:,} rows"
        near = f", first the {len(found.related)} nearest to the question" if found.drawn else ""
        count = f"{shown} of {of}{near}"
    lines = [f"TABLE {write_name(found.table)}: {count}"]
    if shown:
        lines.append(" | ".join(shortened_line(name, 60) for name in found.columns[:_COLUMNS]))
    lines += [" | ".join(write_value(cell) for cell in row[:_COLUMNS]) for row in found.rows]
    return "\n".join(lines)


def _row_words(row: Sequence[Cell]) -> set[str]:
    words: set[str] = set()
    for cell in row:
        if isinstance(cell, str):
            words.update(_words(cell[:_LONGEST_MATCHED]))
        elif isinstance(cell, int):
            words.add(str(cell))
    return words


def _words(text: str) -> list[str]:
    return [singular(word) for word in _WORD.findall(text.lower())]
