"""How many of the constants that a gold query needs the rows in a prompt show, without a model.

    python -m experiments.dart.rows DATA --out experiments/dart/results
        [--benchmarks spider,bird,spider_train]

A constant counts where the gold query compares a text with a column of a table and the column
holds it: a model could then copy it. It is shown where one of the rows chosen for the question has
it in that column. Rows are chosen as the package does, and in simpler ways beside it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np

from clausewise.databases import BaseDatabase, Cell, Databases
from clausewise.databases.model import Limits, QueryResult
from clausewise.errors import DatabaseError, ParseError
from clausewise.preparation import describe_rows, describe_schema, estimate_tokens
from clausewise.preparation.examples import write_value
from clausewise.preparation.nearest_rows import (
    MOST_ROWS,
    ROW_TOKENS,
    ROWS_READ,
    choose_rows,
    row_nearness,
)
from clausewise.sql import parse
from clausewise.text import quote_name
from clausewise.types import Case
from experiments.common.data import Benchmark
from experiments.common.results import (
    Cell as Figure,
)
from experiments.common.results import (
    interval,
    interval_columns,
    read_csv,
    write_csv,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser

FILE = "rows.csv"
RESAMPLES = 1_000
Rows = Sequence[tuple[Cell, ...]]
Needed = tuple[str, str, str]
"""Table, column and text."""
Way = Callable[[QueryResult, str], Rows]
"""Gets the first rows of a table and the question; returns the rows to show."""


def half(most: int) -> Way:
    """Return the paper's way: half near the question, half drawn."""
    return lambda result, question: choose_rows("", result, question, most).rows


def near(result: QueryResult, question: str) -> Rows:
    """Return the rows nearest to the question alone."""
    nearness = row_nearness(result.rows, question)
    places = sorted(range(len(nearness)), key=lambda place: (-nearness[place], place))
    return [result.rows[place] for place in places[:MOST_ROWS]]


def drawn(result: QueryResult, question: str) -> Rows:
    """Return rows by chance alone."""
    dice = random.Random(question)
    return dice.sample(result.rows, min(MOST_ROWS, len(result.rows)))


def first(result: QueryResult, _question: str) -> Rows:
    """Return the first rows."""
    return result.rows[:MOST_ROWS]


WAYS: dict[str, Way] = {
    "15 rows, half near, half drawn": half(MOST_ROWS),
    "15 nearest rows": near,
    "15 rows drawn": drawn,
    "15 first rows": first,
    "7 rows, half near, half drawn": half(7),
    "3 rows, half near, half drawn": half(3),
    "1 row, the nearest": half(1),
}
IN_LIMIT = f"15 rows a table in {ROW_TOKENS:,} tokens"
SCHEMA = "the schema text alone"
BOTH = "schema text and rows"


def needed(case: Case, database: BaseDatabase) -> list[Needed]:
    """Return the texts that the gold query compares with columns which hold them."""
    try:
        query = parse(case.predicted_sql, tables=database.schema.names())
    except ParseError:
        return []
    found: dict[Needed, None] = {}
    for select in query.selects:
        for comparison in select.comparisons:
            use = comparison.column
            if comparison.operator not in ("=", "IN") or use.table is None or use.column is None:
                continue
            for literal in comparison.literals:
                if isinstance(literal.value, str) and _holds(
                    database, use.table, use.column, literal.value
                ):
                    found[use.table, use.column, literal.value] = None
    return list(found)


def _holds(database: BaseDatabase, table: str, column: str, text: str) -> bool:
    quoted = text.replace("'", "''")
    sql = f"SELECT 1 FROM {quote_name(table)} WHERE {quote_name(column)} = '{quoted}' LIMIT 1"
    try:
        return bool(database.run(sql).rows)
    except DatabaseError:
        return False


def measured(benchmark: Benchmark) -> dict[str, list[tuple[int, int, int]]]:
    """Return for each way and each question: constants shown, constants, tokens of the text."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    with closing(benchmark.databases) as databases:
        for case in benchmark.gold_cases():
            for way, counts in _of_case(case, databases):
                found.setdefault(way, []).append(counts)
    return found


def _of_case(case: Case, databases: Databases) -> Iterator[tuple[str, tuple[int, int, int]]]:
    database = databases.get(case.db_id)
    wanted = needed(case, database)
    if not wanted:
        return
    question = f"{case.question}\n{case.evidence or ''}"
    results = {table: read(database, table) for table, _, _ in wanted}
    for name, way in WAYS.items():
        chosen = {table: way(result, question) for table, result in results.items()}
        shown = sum(_shows(results[t], chosen[t], column, text) for t, column, text in wanted)
        yield name, (shown, len(wanted), 0)
    rows = describe_rows(database, question)
    schema = describe_schema(database, question=question)
    blocks = {block.split("\n", 1)[0].split(": ")[0]: block for block in rows.split("\n\n")}
    in_rows = [
        write_value(text) in blocks.get(f"TABLE {table}", blocks.get(f'TABLE "{table}"', ""))
        for table, _, text in wanted
    ]
    in_schema = [write_value(text) in schema for _, _, text in wanted]
    tokens, of_schema = estimate_tokens(rows), estimate_tokens(schema)
    either = sum(a or b for a, b in zip(in_rows, in_schema, strict=True))
    yield IN_LIMIT, (sum(in_rows), len(wanted), tokens)
    yield SCHEMA, (sum(in_schema), len(wanted), of_schema)
    yield BOTH, (either, len(wanted), tokens + of_schema)


def _shows(result: QueryResult, rows: Rows, column: str, text: str) -> bool:
    place = [name.casefold() for name in result.columns].index(column.casefold())
    return any(row[place] == text for row in rows)


@cache
def read(database: BaseDatabase, table: str) -> QueryResult:
    """Return the first rows of a table, as the package reads them."""
    sql = f"SELECT * FROM {quote_name(table)} LIMIT {ROWS_READ + 1}"
    return database.run(sql, Limits(rows=ROWS_READ))


def lines(name: str, found: dict[str, list[tuple[int, int, int]]]) -> list[dict[str, Figure]]:
    """Return one line for each way: the share of constants shown, over resampled questions."""
    rows: list[dict[str, Figure]] = []
    for way, counts in found.items():
        shown, wanted, tokens = np.array(counts).T
        drawing = np.random.default_rng(0)
        weights = drawing.multinomial(len(wanted), [1 / len(wanted)] * len(wanted), RESAMPLES)
        shares = (weights @ shown) / (weights @ wanted)
        low, high = np.percentile(shares, [2.5, 97.5])
        rows.append(
            {
                "benchmark": name,
                "way": way,
                "questions": len(wanted),
                "constants": int(wanted.sum()),
                "shown": int(shown.sum()),
                **interval_columns("share", [shown.sum() / wanted.sum(), low, high]),
                "tokens": int(tokens.mean()) or None,
            }
        )
    return rows


def report(folder: Path) -> str:
    """Return the table of the folder's figures."""
    shown = [
        [
            row["benchmark"],
            row["way"],
            row["questions"],
            row["constants"],
            interval_text(interval(row, "share")),
            row["tokens"] or "-",
        ]
        for row in read_csv(folder / FILE)
    ]
    header = ["benchmark", "what is shown", "questions", "constants", "share shown", "tokens"]
    return markdown_table(header, shown)


def main() -> None:
    """Measure all benchmarks and write the results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    rows: list[dict[str, Figure]] = []
    for name in workspace.benchmarks:
        rows += lines(name, measured(workspace.benchmark(name)))
        print(name, flush=True)
    write_csv(workspace.out / FILE, rows)
    from experiments.dart.run import write_results

    print(write_results(workspace.out))


if __name__ == "__main__":
    main()
