"""What queries give on one instance, and whether that differs whatever the order of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from clausewise.databases import Cell, QueryResult
from clausewise.databases.instances import Instance, MemoryInstances
from clausewise.equivalence.model import Conventions, DifferenceKind, OrderRule
from clausewise.equivalence.plan import Plan
from clausewise.errors import QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What one query gives on one instance.

    `variants` are the different results that it may give where the query leaves that open (ties
    under a LIMIT, an arbitrary row of a group); one alone where it does not. `failure` is the
    database's message where the query does not run; there are no variants then.
    """

    variants: tuple[QueryResult, ...]
    ordered: bool
    """Whether the query asks for an order at its outermost level."""
    failure: str = ""
    indeterminate: str = ""
    """Why it cannot be said which results are possible; such a query differs from nothing."""

    @property
    def result(self) -> QueryResult:
        """The first variant."""
        return self.variants[0]


class InstanceRunner:
    """Runs the queries of a plan on one instance after another."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._memory = MemoryInstances(plan.tables)

    def outcomes(self, instance: Instance) -> tuple[QueryOutcome, ...]:
        """Return what each query of the plan gives on an instance."""
        flipped = instance.with_rows({table.name: table.rows[::-1] for table in instance.tables})
        runs = []
        for content in (instance, flipped):
            self._memory.fill(content)
            runs.append([self._run(query.text) for query in self.plan.queries])
        found = []
        for number, variants in enumerate(zip(*runs, strict=True)):
            failures = [variant for variant in variants if isinstance(variant, str)]
            results = tuple(variant for variant in variants if isinstance(variant, QueryResult))
            ordered = self.plan.is_ordered(number)
            found.append(QueryOutcome(() if failures else results, ordered, "".join(failures[:1])))
        return tuple(found)

    def close(self) -> None:
        """Close the database in memory."""
        self._memory.close()

    def _run(self, sql: str) -> QueryResult | str:
        try:
            return self._memory.run(sql)
        except (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge) as error:
            return str(error)


def database_outcomes(plan: Plan) -> tuple[QueryOutcome, ...]:
    """Return what each query of the plan gives on the database itself.

    The same care is taken as on instances: a result that SQL leaves open is `indeterminate`, and
    one that was cut off at the limit of rows differs from nothing.
    """
    found = []
    for number, query in enumerate(plan.queries):
        ordered = plan.is_ordered(number)
        is_open = any(s.limit is not None or s.group_by or s.has_aggregate for s in query.selects)
        reason = "ties are not looked at on a database" if is_open else ""
        try:
            result = plan.database.run(query.text)
        except (QueryDenied, QueryFailed, QueryTimeout, QueryTooLarge) as error:
            found.append(QueryOutcome((), ordered, str(error)))
        else:
            found.append(QueryOutcome((result,), ordered, indeterminate=reason))
    return tuple(found)


def difference(a: QueryOutcome, b: QueryOutcome, conventions: Conventions) -> DifferenceKind | None:
    """Return in what two outcomes differ for certain, None where they may be the same.

    They differ for certain where no variant of one is a variant of the other. A query that does
    not run differs from nothing, and so does one that is indeterminate or cut off.
    """
    if a.failure or b.failure or a.indeterminate or b.indeterminate:
        return None
    if any(result.truncated for result in (*a.variants, *b.variants)):
        return None
    if len(a.result.columns) != len(b.result.columns):
        return DifferenceKind.COLUMNS
    bags_a = {_bag(result, conventions) for result in a.variants}
    bags_b = {_bag(result, conventions) for result in b.variants}
    if not bags_a & bags_b:
        return DifferenceKind.ROWS
    counts = a.ordered if conventions.order is OrderRule.FIRST else a.ordered or b.ordered
    if not counts or conventions.order is OrderRule.NEVER:
        return None
    lists_a = {tuple(_plain(result.rows, conventions)) for result in a.variants}
    lists_b = {tuple(_plain(result.rows, conventions)) for result in b.variants}
    return None if lists_a & lists_b else DifferenceKind.ORDER


def _bag(result: QueryResult, conventions: Conventions) -> Hashable:
    rows = _plain(result.rows, conventions)
    if not conventions.duplicates:
        return frozenset(rows)
    return frozenset(Counter(rows).items())


def _plain(rows: Sequence[tuple[Cell, ...]], conventions: Conventions) -> list[tuple[Cell, ...]]:
    return [tuple(_plain_cell(cell, conventions.digits) for cell in row) for row in rows]


def _plain_cell(cell: Cell, digits: int) -> Cell:
    return float(f"{cell:.{digits}g}") if isinstance(cell, float) else cell
