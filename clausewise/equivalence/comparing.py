"""`compare`: are two queries equivalent, and if not, on what small instance do they differ?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from time import monotonic

from clausewise.databases import DatabaseProtocol, Schema, open_database
from clausewise.databases.instances import Instance
from clausewise.equivalence.generation import InstanceGenerator
from clausewise.equivalence.model import (
    Attempt,
    Conventions,
    Counterexample,
    EquivalenceResult,
    EquivalenceVerdict,
    Stage,
)
from clausewise.equivalence.outcomes import InstanceRunner, database_outcomes, difference
from clausewise.equivalence.plan import Plan, fitted, make_plan
from clausewise.equivalence.proof import Proof, prove
from clausewise.equivalence.searching import PairSearch
from clausewise.equivalence.solving import is_available, solved
from clausewise.errors import DatabaseError, NotComparable, ParseError
from clausewise.sql import parse, same_statement
from clausewise.sql.transpiling import SQLITE

MOST_INSTANCES = 200
"""Generated instances on which two queries are run."""
_BEFORE_SOLVING = 60


def compare(
    sql_a: str,
    sql_b: str,
    database: str | Path | DatabaseProtocol,
    *,
    dialect: str | None = None,
    conventions: Conventions | None = None,
    known: Sequence[Instance] = (),
    instances_tried: int = MOST_INSTANCES,
    seconds: float = 10.0,
    seed: int = 0,
    use_data: bool = True,
    real_values: bool = True,
) -> EquivalenceResult:
    """Say whether two queries always give the same result.

    Parameters
    ----------
    sql_a, sql_b : str
        Two queries on the same database.
    database : path, URL or Database
        Its schema is what an instance must obey; its data is the first instance tried.
    dialect : str, optional
        The dialect of both queries, by default the database's: `sqlite`, or `duckdb`, `postgres`,
        `mysql`, which are run in DuckDB (the extra clausewise[duckdb]) as far as they mean the
        same there.
    conventions : Conventions, optional
        What counts as a difference; by default SQL's own semantics.
    known : sequence of Instance
        Instances that are tried before new ones are made.
    instances_tried : int
        Generated instances at most.
    seconds : float
        A backstop in wall-clock time; the number of instances ends the search first.
    seed : int
        Seeds the generated instances.
    use_data : bool
        Whether the queries are run on the database itself.
    real_values : bool
        Whether frequent values of the database may appear in an instance. Columns whose names
        say that they hold secrets are never shown.

    Returns
    -------
    EquivalenceResult
        EQUIVALENT with a proof, NOT_EQUIVALENT with a counterexample on which both queries were
        run, or UNKNOWN with what was tried.

    Raises
    ------
    DatabaseError
        Where the database cannot be opened or read.
    MissingExtraError
        Where the engine for the dialect is not installed.
    InputError
        For an unknown dialect.
    """
    begin = monotonic()
    rules = conventions or Conventions()
    opened = open_database(database)
    dialect = dialect or opened.dialect
    if _have_one_text(sql_a, sql_b, dialect):
        return _same_query(sql_a, dialect)
    try:
        plan = make_plan((sql_a, sql_b), opened, dialect)
    except NotComparable as error:
        return EquivalenceResult(EquivalenceVerdict.UNKNOWN, reason=str(error))
    proof = prove(sql_a, sql_b, opened.schema, dialect, rules)
    attempts = [Attempt(Stage.CANONICAL, 1, "no proof" if proof is None else "proved")]
    on_data = _on_data(plan, rules, attempts) if use_data else None
    if proof is not None:
        let_pass = _let_pass(sql_a, sql_b, opened.schema, dialect, rules)
        return _proved(proof, let_pass, on_data, attempts, monotonic() - begin)
    try:
        generator = InstanceGenerator(plan, seed, real_values=real_values)
        with closing(InstanceRunner(plan)) as runner:
            search = PairSearch(plan, runner, generator.pools, rules, begin + seconds)
            search.attempts.extend(attempts)
            given = filter(None, (fitted(instance, plan) for instance in known))
            found = search.among(Stage.KNOWN, given) if known else None
            if found is None:
                found = _made(search, generator, instances_tried)
    except DatabaseError as error:
        return _without_instances(str(error), on_data, attempts, monotonic() - begin)
    return _result(found or on_data, search, monotonic() - begin)


def _without_instances(
    reason: str, on_data: Counterexample | None, attempts: list[Attempt], seconds: float
) -> EquivalenceResult:
    """Return what the database alone says, where its tables cannot be made anew."""
    attempts.append(Attempt(Stage.GENERATED, 0, reason))
    verdict = EquivalenceVerdict.UNKNOWN if on_data is None else EquivalenceVerdict.NOT_EQUIVALENT
    return EquivalenceResult(
        verdict,
        on_data,
        reason=reason if on_data is None else "",
        attempts=tuple(attempts),
        seconds=seconds,
    )


def _same_query(sql: str, dialect: str) -> EquivalenceResult:
    """Return that a query is equivalent to itself, if it is a query."""
    try:
        statement = parse(sql, dialect).statement
    except ParseError as error:
        reason = f"a query cannot be parsed: {error}"
    else:
        reason = "" if statement == "SELECT" else f"{statement} is not a query"
    if reason:
        return EquivalenceResult(EquivalenceVerdict.UNKNOWN, reason=reason)
    return EquivalenceResult(EquivalenceVerdict.EQUIVALENT, proof=("The texts are the same.",))


def _have_one_text(sql_a: str, sql_b: str, dialect: str) -> bool:
    """Whether both are one statement; in other dialects case may count where it does not here."""
    if dialect.lower() != SQLITE:
        return sql_a.strip() == sql_b.strip()
    return same_statement(sql_a) == same_statement(sql_b)


def _let_pass(
    sql_a: str, sql_b: str, schema: Schema, dialect: str, rules: Conventions
) -> tuple[str, ...]:
    """Return what has to be let pass for a proof: without it none is found."""
    return tuple(
        name
        for name, stricter in rules.counting_one_more()
        if prove(sql_a, sql_b, schema, dialect, stricter) is None
    )


def _proved(
    proof: Proof,
    let_pass: tuple[str, ...],
    on_data: Counterexample | None,
    attempts: list[Attempt],
    seconds: float,
) -> EquivalenceResult:
    """Return what a proof says, unless the database itself breaks what it rests on.

    A proof is about contents that obey the declared types and keys, of which SQLite checks few.
    """
    if on_data is None:
        verdict = EquivalenceVerdict.EQUIVALENT
        return EquivalenceResult(
            verdict,
            proof=proof.steps,
            let_pass=let_pass,
            attempts=tuple(attempts),
            seconds=seconds,
        )
    attempts[0] = Attempt(Stage.CANONICAL, 1, "proved for data that obeys its declarations")
    attempts[-1] = Attempt(Stage.DATABASE, 1, "told apart: it breaks what it declares")
    verdict = EquivalenceVerdict.NOT_EQUIVALENT
    return EquivalenceResult(verdict, on_data, attempts=tuple(attempts), seconds=seconds)


def _made(
    search: PairSearch, generator: InstanceGenerator, instances_tried: int
) -> Counterexample | None:
    """Try made instances, then solved ones, then more of the made: most pairs need few of these."""
    made = generator.instances()
    first = min(instances_tried, _BEFORE_SOLVING)
    found = search.among(Stage.GENERATED, islice(made, first))
    if found is not None or search.failure or first == instances_tried:
        return found
    if is_available():
        found = search.among(Stage.SOLVED, solved(search.plan, generator))
    else:
        search.attempts.append(Attempt(Stage.SOLVED, 0, "z3 is not installed"))
    return found or search.among(Stage.GENERATED, islice(made, instances_tried - first))


def _on_data(plan: Plan, rules: Conventions, attempts: list[Attempt]) -> Counterexample | None:
    """Run both queries on the database itself, where it speaks their dialect."""
    if plan.transpiled:
        attempts.append(Attempt(Stage.DATABASE, 0, "not run: it speaks another dialect"))
        return None
    try:
        a, b = database_outcomes(plan)
    except DatabaseError as error:
        attempts.append(Attempt(Stage.DATABASE, 0, f"not run: {error}"))
        return None
    kind = difference(a, b, rules)
    outcome = "told apart"
    if kind is None:
        reason = a.failure or b.failure or a.indeterminate or b.indeterminate
        outcome = f"no certain difference: {reason}" if reason else "no difference"
    attempts.append(Attempt(Stage.DATABASE, 1, outcome))
    return None if kind is None else Counterexample(kind, None, a.result, b.result)


def _result(found: Counterexample | None, search: PairSearch, seconds: float) -> EquivalenceResult:
    attempts = tuple(search.attempts)
    if found is not None:
        verdict = EquivalenceVerdict.NOT_EQUIVALENT
        return EquivalenceResult(verdict, found, attempts=attempts, seconds=seconds)
    reason = "no instance tells them apart, and no proof was found"
    if search.failure:
        reason = f"a query does not run: {search.failure}"
    return EquivalenceResult(
        EquivalenceVerdict.UNKNOWN, reason=reason, attempts=attempts, seconds=seconds
    )
