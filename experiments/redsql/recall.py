"""What the expansion of a wrong query's schema brings of its gold query; no model is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from clausewise.databases import BaseDatabase
from clausewise.errors import ParseError
from clausewise.preparation import (
    SchemaExpansion,
    describe_expansion,
    describe_schema,
    estimate_tokens,
    expand_schema,
)
from clausewise.preparation.examples import Place
from clausewise.sql import parse
from clausewise.sql.model import Query
from clausewise.types import Case
from experiments.common.parallel import map_tasks
from experiments.common.results import Cell, grouped, number, read_csv
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace
from experiments.correction.predictions import chosen_cases

FILE = "recall.csv"
ONLY_QUERY = (1, 1)
SETTINGS = (ONLY_QUERY, (4, 40), (6, 40), (8, 40), (6, 20))
"""k1 and k2: those of the query alone, then the paper's range around its setting (6, 40)."""
HEADER = (
    "k1", "k2", "wrong queries", "gold tables", "cases with all", "gold columns", "cases with all",
    "gold texts", "tokens", "tokens of the whole schema",
)  # fmt: skip


@dataclass(frozen=True)
class _Wanted:
    """What a gold query uses."""

    tables: frozenset[str]
    columns: frozenset[Place]
    texts: frozenset[tuple[Place, str]]
    """Constants with the columns that they are compared with by =, <> or IN."""

    @classmethod
    def of(cls, query: Query) -> _Wanted:
        """Read it off a query."""
        selects = query.selects
        return cls(
            frozenset(
                source.table.casefold() for s in selects for source in s.sources if source.table
            ),
            frozenset(
                (use.table.casefold(), use.column.casefold())
                for s in selects
                for use in s.columns
                if use.table and use.column
            ),
            frozenset(_texts(query)),
        )


def _texts(query: Query) -> Iterator[tuple[Place, str]]:
    for select in query.selects:
        for comparison in select.comparisons:
            column = comparison.column
            if comparison.operator in ("=", "<>", "IN") and column.table and column.column:
                for literal in comparison.literals:
                    if isinstance(literal.value, str):
                        place = (column.table.casefold(), column.column.casefold())
                        yield place, literal.value.casefold()


def measured(workspace: Workspace, limit: int | None) -> list[dict[str, Cell]]:
    """Return a line for each benchmark and setting: sums over its wrong predictions."""
    rows: list[dict[str, Cell]] = []
    for name in workspace.benchmarks:
        names = workspace.benchmark(name).system_names()
        counts = map_tasks(partial(_of_system, workspace, name, limit), names, workspace.jobs)
        for k1, k2 in SETTINGS:
            total: dict[str, int] = {}
            for of in counts:
                for key, value in of[k1, k2].items():
                    total[key] = total.get(key, 0) + value
            rows.append({"benchmark": name, "k1": k1, "k2": k2, **total})
    return rows


def _of_system(
    workspace: Workspace, name: str, limit: int | None, system: str
) -> dict[tuple[int, int], dict[str, int]]:
    benchmark = workspace.benchmark(name)
    labels = benchmark.labels(system)
    gold = benchmark.gold()
    found: dict[tuple[int, int], dict[str, int]] = {setting: {} for setting in SETTINGS}
    cases = chosen_cases(benchmark, system, limit=limit)
    with closing(benchmark.databases) as databases:
        for case in cases:
            assert case.question_id is not None
            if labels[case.question_id]:
                continue
            database = databases.get(case.db_id)
            wanted = _Wanted.of(parse(gold[case.question_id], tables=database.schema.names()))
            whole = _whole_schema(case, database)
            for setting in SETTINGS:
                counts = found[setting]
                of_case = _counts(case, database, wanted, setting)
                for key, value in (of_case | {"tokens_whole": whole}).items():
                    counts[key] = counts.get(key, 0) + value
    print(name, system, found[6, 40], flush=True)
    return found


def _counts(
    case: Case, database: BaseDatabase, wanted: _Wanted, setting: tuple[int, int]
) -> dict[str, int]:
    """Return what of the gold query is there, and how many tokens that takes."""
    query = _query(case, database)
    expansion = expand_schema(
        database,
        question=_question(case),
        query=query,
        sql=case.predicted_sql,
        tables=setting[0],
        columns=setting[1],
        send_values=setting != ONLY_QUERY,
    )
    tables = {table.name.casefold() for table in expansion.tables}
    columns = {column.place for column in expansion.columns}
    texts = set(_texts(query)) if query is not None and setting == ONLY_QUERY else set()
    texts |= _shown(expansion)
    return {
        "cases": 1,
        "tables": len(wanted.tables),
        "tables_there": len(wanted.tables & tables),
        "all_tables": wanted.tables <= tables,
        "columns": len(wanted.columns),
        "columns_there": len(wanted.columns & columns),
        "all_columns": wanted.columns <= columns,
        "texts": len(wanted.texts),
        "texts_there": len(wanted.texts & texts),
        "tokens": estimate_tokens(describe_expansion(database.schema, expansion)),
    }


def _query(case: Case, database: BaseDatabase) -> Query | None:
    try:
        return parse(case.predicted_sql, tables=database.schema.names())
    except ParseError:
        return None


def _question(case: Case) -> str:
    return f"{case.question}\n{case.evidence or ''}"


def _whole_schema(case: Case, database: BaseDatabase) -> int:
    """Return the tokens of the whole schema as other prompts tell it."""
    query = _query(case, database)
    return estimate_tokens(describe_schema(database, question=_question(case), query=query))


def _shown(expansion: SchemaExpansion) -> set[tuple[Place, str]]:
    """Return the stored texts that an expansion tells, with their columns."""
    return {
        (column.place, value.casefold())
        for column in expansion.columns
        for value in (*column.values, *column.held)
    }


def report(folder: Path) -> list[str]:
    """Return a table for each benchmark."""
    parts = ["## What the expansion brings of the gold query\n"]
    for (name,), rows in grouped(read_csv(folder / FILE), "benchmark").items():
        lines = []
        for row in rows:
            cases = number(row, "cases")
            shares = [
                number(row, there) / max(number(row, of), 1)
                for there, of in (
                    ("tables_there", "tables"), ("all_tables", "cases"),
                    ("columns_there", "columns"), ("all_columns", "cases"),
                    ("texts_there", "texts"),
                )
            ]  # fmt: skip
            tokens = [number(row, key) / cases for key in ("tokens", "tokens_whole")]
            setting = ["query", "alone"] if row["k1"] == "1" else [row["k1"], row["k2"]]
            lines.append(
                [*setting, row["cases"], *(f"{share:.3f}" for share in shares),
                 *(f"{count:.0f}" for count in tokens)]
            )  # fmt: skip
        parts.append(f"### {name}\n\n{markdown_table(HEADER, lines)}")
    return parts
