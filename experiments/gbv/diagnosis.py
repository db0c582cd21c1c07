"""Execution accuracy with and without the golds that are likely wrong: GBV-SQL's table 3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clausewise.types import Case, ScoredCase
from experiments.common.data import Benchmark
from experiments.common.results import Cell, Row, interval, interval_columns, number
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace
from experiments.correction.figures import question_weights
from experiments.correction.predictions import Matcher, chosen_cases
from experiments.correction.trials import Corrected
from experiments.gbv.golds import Flagged, flagged_golds

FILE = "diagnostic.csv"
PREDICTED = "as predicted"
AS_THEY_ARE, REPAIRED = "as they are", "repaired"
ALL, SUBSET, WITHOUT = "all", "gold error subset", "without gold errors"
SUBSETS = (ALL, SUBSET, WITHOUT)
EVERY, NOT_VACUOUS = "all", "without vacuous golds"
RESAMPLES = 1_000
_KEYS = ("benchmark", "system", "queries", "questions", "golds")


@dataclass(frozen=True)
class Judged:
    """One query for one question, and whether it is right by either gold query."""

    benchmark: str
    system: str
    queries: str
    """Which queries these are: as predicted, or after a strategy."""
    question: str
    """The gold query of its question: predictions of one question are not independent."""
    flagged: bool
    vacuous: bool
    """Whether its gold query, as it is, returns nothing, so that a query that finds nothing is
    right."""
    right: bool
    right_repaired: bool


@dataclass(frozen=True)
class Golds:
    """The golds of a benchmark as they are and repaired."""

    flagged: Flagged
    given: Matcher
    repaired: Matcher

    def judged(
        self, system: str, queries: str, case: Case | ScoredCase, sql: str | None, vacuous: bool
    ) -> Judged:
        """Return a query with whether it is right."""
        return Judged(
            self.given.benchmark.name,
            system,
            queries,
            self.given.gold(case),
            case.question_id in self.flagged,
            vacuous,
            self.given.is_right(case, sql),
            self.repaired.is_right(case, sql),
        )


def diagnosed(
    workspace: Workspace,
    audits: Path | None,
    *,
    systems: Sequence[str] = (),
    limit: int | None = None,
    after: Mapping[str, Sequence[Corrected]] | None = None,
) -> list[dict[str, Cell]]:
    """Return the lines of the table.

    Parameters
    ----------
    workspace, audits
        The benchmarks, and the folder of their audits; None: they are audited here.
    systems, limit
        Empty: all systems; None: all their predictions.
    after
        Corrections of the same predictions, by the name that they get in the table.
    """
    rows: list[dict[str, Cell]] = []
    for name in workspace.benchmarks:
        benchmark = workspace.benchmark(name)
        flagged = flagged_golds(workspace, name, audits)
        repairs = {gold.question_id: gold.repaired for gold in flagged.values() if gold.repaired}
        with closing(benchmark.databases) as databases:
            golds = Golds(
                flagged,
                Matcher(benchmark, databases),
                Matcher(benchmark, databases, replaced=repairs),
            )
            found = [
                golds.judged(system, PREDICTED, case, case.predicted_sql, vacuous)
                for system in benchmark.system_names()
                if not systems or system in systems
                for case, vacuous in _predictions(benchmark, system, limit)
            ]
            for queries, corrected in (after or {}).items():
                found += [
                    golds.judged(row.system, queries, row.scored, row.result.corrected_sql, False)
                    for row in corrected
                    if row.benchmark == name
                ]
        asked = len(benchmark.gold())
        of_golds = {
            "golds_all": asked,
            "golds_flagged": len(flagged),
            "golds_repaired": len(repairs),
        }
        rows += [{**of_golds, **line} for line in lines(found)]
        print(
            f"{name}: {len(flagged)} of {asked} golds flagged, {len(repairs)} repaired", flush=True
        )
    return rows


def _predictions(
    benchmark: Benchmark, system: str, limit: int | None
) -> Iterator[tuple[Case, bool]]:
    """Yield a system's predictions, and whether the gold of each returns nothing.

    With a limit those alone of which the gold returns something: the same that are corrected.
    """
    if limit is not None:
        yield from ((case, False) for case in chosen_cases(benchmark, system, limit=limit))
        return
    labels = benchmark.labels(system)
    for case in benchmark.cases(system):
        if isinstance(case, Case):
            yield case, case.question_id not in labels


def lines(found: Sequence[Judged]) -> Iterator[dict[str, Cell]]:
    """Yield the line of each group of queries, all systems together first."""
    groups: dict[tuple[str, str, str, str], list[Judged]] = {}
    for of_all in (True, False):
        for one in found:
            for questions in (EVERY,) if one.vacuous else (EVERY, NOT_VACUOUS):
                key = (one.benchmark, ALL if of_all else one.system, one.queries, questions)
                groups.setdefault(key, []).append(one)
    for (benchmark, system, queries, questions), group in groups.items():
        line = {"benchmark": benchmark, "system": system, "queries": queries}
        for golds in (AS_THEY_ARE, REPAIRED):
            yield {**line, "questions": questions, "golds": golds, **_figures(group, golds)}


def _figures(group: Iterable[Judged], golds: str) -> dict[str, Cell]:
    columns: dict[str, Cell] = {}
    for subset in SUBSETS:
        rows = [one for one in group if subset == ALL or one.flagged == (subset == SUBSET)]
        right = [one.right if golds == AS_THEY_ARE else one.right_repaired for one in rows]
        name = subset.replace(" ", "_")
        columns[f"n_{name}"] = len(rows)
        columns |= interval_columns(f"ex_{name}", _share(rows, right))
    return columns


def _share(rows: Sequence[Judged], right: Sequence[bool]) -> list[float]:
    """Return the share of right queries with its interval, NaN where there are none."""
    if not rows:
        return [float("nan")] * 3
    weights = question_weights([one.question for one in rows], RESAMPLES)
    shares = (weights * np.array(right, dtype=float)).sum(1) / np.maximum(weights.sum(1), 1)
    low, high = np.percentile(shares[1:], [2.5, 97.5])
    return [float(shares[0]), float(low), float(high)]


def table(rows: Sequence[Row]) -> str:
    """Return lines of the CSV file as a Markdown table in the form of the paper's."""
    header = list(_KEYS)
    for subset in SUBSETS:
        header += [f"n, {subset}", f"EX, {subset}"]
    return markdown_table(header, [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    cells = [row[key] for key in _KEYS]
    for subset in SUBSETS:
        name = subset.replace(" ", "_")
        count = number(row, f"n_{name}")
        share = interval_text(interval(row, f"ex_{name}")) if count else "-"
        cells += [f"{count:.0f}", share]
    return cells
