"""`compare`: are two queries equivalent, and if not, on what small instance do they differ?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from time import monotonic

from clausewise.databases import DatabaseProtocol, open_database
from clausewise.databases.instances import Instance
from clausewise.equivalence.generation import instances
from clausewise.equivalence.model import (
    Attempt,
    Conventions,
    Counterexample,
    EquivalenceResult,
    EquivalenceVerdict,
    Stage,
)
from clausewise.equivalence.outcomes import InstanceRunner, difference
from clausewise.equivalence.plan import make_plan
from clausewise.errors import NotComparable
from clausewise.sql import same_statement

MOST_INSTANCES = 200
"""Generated instances on which two queries are run."""


def compare(
    sql_a: str,
    sql_b: str,
    database: str | Path | DatabaseProtocol,
    *,
    dialect: str = "sqlite",
    conventions: Conventions | None = None,
    known: Sequence[Instance] = (),
    instances_tried: int = MOST_INSTANCES,
    seconds: float = 10.0,
    seed: int = 0,
) -> EquivalenceResult:
    """Say whether two queries always give the same result.

    Parameters
    ----------
    sql_a, sql_b : str
        Two queries on the same database.
    database : path, URL or Database
        Its schema is what an instance must obey; its data is the first instance tried.
    dialect : str
        The dialect of both queries.
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

    Returns
    -------
    EquivalenceResult
        EQUIVALENT with a proof, NOT_EQUIVALENT with a counterexample on which both queries were
        run, or UNKNOWN with what was tried.

    Raises
    ------
    DatabaseError
        Where the database cannot be opened or read.
    """
    begin = monotonic()
    rules = conventions or Conventions()
    if same_statement(sql_a) == same_statement(sql_b):
        return EquivalenceResult(EquivalenceVerdict.EQUIVALENT, proof=("The texts are the same.",))
    opened = open_database(database)
    try:
        plan = make_plan((sql_a, sql_b), opened, dialect)
    except NotComparable as error:
        return EquivalenceResult(EquivalenceVerdict.UNKNOWN, reason=str(error))
    tried = 0
    with closing(InstanceRunner(plan)) as runner:
        for instance in (*known, *islice(instances(plan, seed), instances_tried)):
            if monotonic() - begin > seconds:
                break
            tried += 1
            a, b = runner.outcomes(instance)
            kind = difference(a, b, rules)
            if kind is not None:
                return EquivalenceResult(
                    EquivalenceVerdict.NOT_EQUIVALENT,
                    Counterexample(kind, instance, a.result, b.result),
                    attempts=(Attempt(Stage.GENERATED, tried, "told apart"),),
                    seconds=monotonic() - begin,
                )
    return EquivalenceResult(
        EquivalenceVerdict.UNKNOWN,
        reason="no instance tells them apart, and no proof was found",
        attempts=(Attempt(Stage.GENERATED, tried, "no difference"),),
        seconds=monotonic() - begin,
    )
