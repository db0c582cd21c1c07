"""What queries give on one instance, with all that SQL leaves open.

SQL gives a set of possible results where rows tie under a LIMIT, where a column beside an aggregate
comes from any row of its group, where a scalar sub-query gives several rows, and where a function
hangs on the order of rows. Each of these open points of a query is checked on the instance by a
statement of its own (`clausewise.sql.ties`), so a query whose checks pass has one bag of rows
there, whatever the database does. Ties under the outermost LIMIT are counted out instead: the rows
that are in every result, and those between which the choice is open. A query with any other open
point that makes a difference is `indeterminate`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clausewise.databases import QueryResult
from clausewise.databases.instances import Instance, MemoryInstances, constraints_of
from clausewise.equivalence.differing import difference
from clausewise.equivalence.engines import InstanceEngine, TranspiledInstances
from clausewise.equivalence.plan import Plan
from clausewise.equivalence.results import OpenRows, QueryOutcome, Row
from clausewise.errors import DatabaseError, NotComparable
from clausewise.sql import Query
from clausewise.sql.ties import Determinacy, RankedVariants, TieCheck, examine_ties

__all__ = ["InstanceRunner", "OpenRows", "QueryOutcome", "database_outcomes", "difference"]

Run = Callable[[str], QueryResult]

_CUT = "ties under LIMIT"
_COLLATION = "texts that are equal under a collation, of which one is shown"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """One query of a plan with what it leaves open."""

    text: str
    ordered: bool
    ties: Determinacy


class InstanceRunner:
    """Runs the queries of a plan on one instance after another.

    Raises DatabaseError where the tables of the plan cannot be made, and MissingExtraError where
    the engine for the queries' dialect is not installed.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._queries = _prepared(plan, trust_keys=True)
        self._is_mixed = len({query.ordered for query in self._queries}) > 1
        constraints = constraints_of(plan.database)
        self._collated = any(constraints.collations(t.name) for t in plan.tables if not t.is_view)
        self._collated |= any(query.has_keyword("COLLATE") for query in plan.queries)
        self._memory: InstanceEngine = (
            TranspiledInstances(plan.tables, plan.transpiled, plan.used)
            if plan.transpiled
            else MemoryInstances(plan.tables, constraints=constraints, views=_views_read(plan))
        )

    def outcomes(self, instance: Instance) -> tuple[QueryOutcome, ...]:
        """Return what each query of the plan gives on an instance.

        Raises DatabaseError where a value of the instance cannot be stored.
        """
        try:
            self._memory.fill(instance)
        except NotComparable as error:
            return tuple(
                QueryOutcome((), query.ordered, indeterminate=str(error)) for query in self._queries
            )
        run = self._memory.run
        merged = self._collated and _has_equal_texts(instance)
        found = [_outcome(query, run, merged) for query in self._queries]
        if self._is_mixed:
            self._add_flipped(instance, found)
        return tuple(found)

    def close(self) -> None:
        """Close the database in memory."""
        self._memory.close()

    def _add_flipped(self, instance: Instance, found: list[QueryOutcome]) -> None:
        """Run the queries without an order on the rows in reverse, to compare them with ordered."""
        wanted = [
            number
            for number, outcome in enumerate(found)
            if not outcome.ordered and not outcome.failure and len(outcome.result.rows) > 1
        ]
        if not wanted:
            return
        rows = {table.name: table.rows[::-1] for table in instance.tables}
        self._memory.fill(instance.with_rows(rows))
        for number in wanted:
            flipped = _try(self._memory.run, self._queries[number].text)
            found[number] = replace(found[number], flipped=flipped)


def database_outcomes(plan: Plan) -> tuple[QueryOutcome, ...]:
    """Return what each query of the plan gives on the database itself.

    The same care is taken as on instances, and more: primary keys are not trusted. A result that
    was cut off at the limit of rows differs from nothing.
    """
    run = plan.database.run
    constraints = constraints_of(plan.database)
    collated = any(constraints.collations(table.name) for table in plan.tables if not table.is_view)
    collated |= any(query.has_keyword("COLLATE") for query in plan.queries)
    return tuple(
        _outcome(query, run, collated, is_small=False)
        for query in _prepared(plan, trust_keys=False)
    )


def _prepared(plan: Plan, trust_keys: bool) -> list[_Prepared]:
    names = plan.schema.names()
    keys = {table.name: table.primary_key for table in plan.tables} if trust_keys else {}
    views = _views_read(plan)
    of_views = [examine_ties(view, names, keys, is_view=True) for view in plan.views]
    if views and len(plan.views) < len(plan.constraints.view_statements(views)):
        of_views.append(Determinacy("a view that cannot be parsed"))
    found = []
    for number, query in enumerate(plan.queries):
        ties = examine_ties(query, names, keys)
        if _sources(query) & set(views):
            ties = _joined(ties, of_views)
        found.append(_Prepared(query.text, plan.is_ordered(number), ties))
    return found


def _joined(ties: Determinacy, of_views: Sequence[Determinacy]) -> Determinacy:
    """Add to what a query leaves open what the views leave open that it may read."""
    parts = (ties, *of_views)
    return replace(
        ties,
        reason=next((part.reason for part in parts if part.reason), ""),
        checks=tuple(check for part in parts for check in part.checks),
        merges=any(part.merges for part in parts),
    )


def _sources(query: Query) -> set[str]:
    sources = (source for select in query.selects for source in select.sources)
    return {source.table for source in sources if source.table is not None}


def _views_read(plan: Plan) -> list[str]:
    read = set().union(*(_sources(query) for query in plan.queries))
    return sorted(
        table.name for table in plan.schema.tables if table.is_view and table.name in read
    )


def _outcome(query: _Prepared, run: Run, merged: bool, is_small: bool = True) -> QueryOutcome:
    """Run a query and its checks.

    `merged`: texts are there that a collation takes for equal. `is_small`: all rows of the query
    are soon counted out.
    """
    try:
        result = run(query.text)
    except DatabaseError as error:
        return QueryOutcome((), query.ordered, str(error))
    plain = QueryOutcome((result,), query.ordered)
    ties = query.ties
    if result.truncated or not (ties.reason or ties.checks or ties.ranked or merged):
        return plain
    open_point = ties.reason or (_COLLATION if merged and ties.merges else "")
    failed = [check for check in ties.checks if not _holds(check, run)] if not open_point else []
    if open_point or failed:
        sure = not open_point and all(check.keeps_count for check in failed)
        return replace(plain, indeterminate=open_point or failed[0].what, has_sure_count=sure)
    return plain if ties.ranked is None else _ranked(plain, ties.ranked, run, is_small)


def _holds(check: TieCheck, run: Run) -> bool:
    """Whether an open point makes no difference on the data at hand."""
    first = _try(run, check.statement)
    if first is None or first.truncated:
        return False
    if check.other is None:
        return not first.rows
    other = _try(run, check.other)
    return other is not None and not other.truncated and _same_bag(first, other)


def _ranked(plain: QueryOutcome, ranked: RankedVariants, run: Run, is_small: bool) -> QueryOutcome:
    """Add what the outermost ORDER BY and LIMIT leave open."""
    rows = plain.result.rows
    is_whole = ranked.is_exact and ranked.offset == 0
    is_whole &= ranked.limit is None or len(rows) < ranked.limit or ranked.limit == 0
    if is_whole and (len(rows) < 2 or not plain.ordered):
        return plain
    if is_whole or not (is_small and ranked.is_exact):
        pair = _both(run, ranked.ascending, ranked.descending)
        if pair is None:
            return plain if is_whole else replace(plain, indeterminate=_CUT)
        # Rows from the middle of a tie can be the same in both variants, and others be possible.
        if is_whole or (ranked.is_exact and ranked.offset == 0 and _same_bag(*pair)):
            return replace(plain, ranked=pair) if plain.ordered else plain
    whole = _both(run, ranked.all_ascending, ranked.all_descending) if ranked.is_exact else None
    begin = ranked.offset
    end = sys.maxsize if ranked.limit is None else begin + ranked.limit
    pool = None if whole is None else _open_rows(whole, begin, end)
    if whole is None or pool is None:
        return replace(plain, indeterminate=_CUT)
    first, second = (QueryResult(way.columns, way.rows[begin:end]) for way in whole)
    if pool.choice:
        return replace(plain, variants=(plain.result, first, second), pool=pool)
    return replace(plain, ranked=(first, second)) if plain.ordered else plain


def _open_rows(whole: tuple[QueryResult, QueryResult], begin: int, end: int) -> OpenRows | None:
    """Count out the ties: rows of a group of ties that is cut may or may not be in the result.

    A group of ties ends where both variants have given the same bag of rows so far; an end found
    within a group is one between equal rows, so it does not matter. None where the variants do not
    hold the same rows.
    """
    sure: list[Row] = []
    choice: list[Row] = []
    group: list[Row] = []
    balance: Counter[Row] = Counter()
    start = 0
    for place, (one, other) in enumerate(zip(whole[0].rows, whole[1].rows, strict=True), 1):
        group.append(one)
        if one != other:
            balance[one] += 1
            balance[other] -= 1
        if any(balance.values()):
            continue
        if begin <= start and place <= end:
            sure += group
        elif start < end and begin < place:
            choice += group
        group, start = [], place
        balance.clear()
    return None if group else OpenRows(tuple(sure), tuple(choice))


def _both(run: Run, one: str, other: str) -> tuple[QueryResult, QueryResult] | None:
    """Run both variants; None where one fails or is cut off, or they are not the same rows."""
    first, second = _try(run, one), _try(run, other)
    if first is None or second is None or first.truncated or second.truncated:
        return None
    return (first, second) if len(first.rows) == len(second.rows) else None


def _try(run: Run, statement: str) -> QueryResult | None:
    try:
        return run(statement)
    except DatabaseError:
        return None


def _same_bag(first: QueryResult, second: QueryResult) -> bool:
    return first.rows == second.rows or Counter(first.rows) == Counter(second.rows)


def _has_equal_texts(instance: Instance) -> bool:
    """Whether two texts differ only in what NOCASE or RTRIM leaves aside."""
    texts = {
        cell
        for table in instance.tables
        for row in table.rows
        for cell in row
        if isinstance(cell, str)
    }
    return len({text.casefold().rstrip() for text in texts}) < len(texts)
