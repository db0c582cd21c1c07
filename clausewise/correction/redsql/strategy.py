"""The rounds of RED-SQL: all refinement, bug-only refinement, and their order.

References
----------
RED-SQL, sections 3.1, 4.5 and 5.1.5 (refinement, its two strategies, the settings).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from clausewise.correction.base import CorrectionTask, Proposal, StrategyOptions, strategy
from clausewise.correction.prompting import CorrectedQuery, ask_for_query, runnable
from clausewise.correction.redsql.context import QueryContext
from clausewise.correction.redsql.violations import ViolationSource
from clausewise.errors import LLMError
from clausewise.preparation.expansion import COLUMNS, TABLES
from clausewise.types import Level, ScoredCase

PROMPT = "redsql_refine"
LONGEST_ORDER = 6
"""Rounds at most."""
ALL, BUG_ONLY = "A", "B"

_REFINE, _PASS = "refine", "pass"
_NO_BUG = "the query runs and violates nothing, so this round leaves it alone"
_OVER = "every round of the order is over"


def _upper(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


Order = Annotated[
    str, BeforeValidator(_upper), Field(pattern=rf"^[{ALL}{BUG_ONLY}]{{1,{LONGEST_ORDER}}}$")
]
"""A letter for each round."""


class RedSQLOptions(StrategyOptions):
    """What can be set of the strategy; the defaults are the paper's, where it names one."""

    order: Order = ALL + BUG_ONLY
    """A letter for each round: A refines whatever comes, B only what has bugs."""
    chain: bool = False
    """Whether each round goes on from the output of the one before, as in the paper, and the last
    output alone is proposed. Else it goes on from what the auditor took."""
    tables: Annotated[int, Field(ge=1)] = TABLES
    """Tables of the expanded schema at most, the paper's k1; those of the query always stay."""
    columns: Annotated[int, Field(ge=1)] = COLUMNS
    """Its columns at most, the paper's k2; those that the query names always stay."""
    violations: ViolationSource = ViolationSource.ALL
    """Which findings are told as violations, and count as bugs."""
    bugs: Level = Level.WARNING
    """The least level of a violation that is a bug."""
    documentation: bool = True
    """Whether columns are described by the model, once for a database."""
    execution: bool = True
    """Whether the result of the query, or the database's message, is told."""
    expansion: bool = True
    """Whether more than the tables and columns of the query is told in detail, and values."""
    repairs: Annotated[int, Field(ge=0, le=10)] = 1
    """How often at most the model is asked to repair a query that the database refuses."""


@strategy(
    name="redsql",
    description="Shows a language model the constraints that a query violates, its result and "
    "the part of the database around it, in rounds: all queries, then those with bugs.",
    rounds=LONGEST_ORDER,
    needs_model=True,
    options=RedSQLOptions,
)
def redsql(task: CorrectionTask) -> Proposal:
    """Propose what the model makes of the query in the next round of the order.

    Where the model keeps the query, the rounds are over: it would be asked the same again.

    Raises LLMError where the model gives no answer, and DatabaseError where the database cannot
    be read; what was recorded before stays.
    """
    options = task.options
    assert isinstance(options, RedSQLOptions)
    if options.chain:
        return _chained(task, options)
    for place in range(_rounds_done(task), len(options.order)):
        context = QueryContext(task, options, task.scored)
        if _passes(task, options, context, place):
            continue
        return _refined(task, options, context, place)
    return Proposal(None, _kept_reason(task))


def _chained(task: CorrectionTask, options: RedSQLOptions) -> Proposal:
    """Refine the output of each round in the next, and propose the last one."""
    if task.round:
        return Proposal(None, _kept_reason(task))
    current: ScoredCase = task.scored
    last = Proposal(None, _NO_BUG)
    for place in range(len(options.order)):
        context = QueryContext(task, options, current)
        if _passes(task, options, context, place):
            continue
        try:
            refined = _refined(task, options, context, place)
        except LLMError as error:
            if last.sql is None:
                raise
            task.record("fail", f"the rounds before stay: {type(error).__name__}: {error}")
            break
        if refined.sql is None:
            last = refined if last.sql is None else last
            break
        last = refined
        if place + 1 < len(options.order):
            (current,) = task.scores([refined.sql])
    return last


def _rounds_done(task: CorrectionTask) -> int:
    """Return how many letters of the order were used in the case."""
    return sum(step.action in (_REFINE, _PASS) for step in task.steps)


def _kept_reason(task: CorrectionTask) -> str:
    """Return why the query stays at the end: what was refused last says more than the end."""
    if task.earlier and task.earlier[-1].refused:
        return task.earlier[-1].refused
    if task.steps and task.steps[-1].action == _PASS:
        return _NO_BUG
    return _OVER


def _passes(
    task: CorrectionTask, options: RedSQLOptions, context: QueryContext, place: int
) -> bool:
    """Whether a round leaves the query alone; it is recorded then."""
    if options.order[place] == ALL or context.has_bugs(options.bugs):
        return False
    task.record(_PASS, _NO_BUG, evidence={"order": options.order, "place": place})
    return True


def _refined(
    task: CorrectionTask, options: RedSQLOptions, context: QueryContext, place: int
) -> Proposal:
    """Ask for the query of one round; one that the database refuses is repaired first.

    Where no repair helps, it is proposed as it is: the loop says why it is not taken, and the
    next round is told.
    """
    variables, kept = context.variables()
    asked = ask_for_query(
        task,
        PROMPT,
        variables,
        CorrectedQuery,
        current=context.sql,
        action=_REFINE,
        evidence={"order": options.order, "place": place, **kept},
    )
    reason = asked.reason or "the model gives no reason"
    if asked.sql is None:
        return Proposal(None, f"the model keeps the query: {reason}")
    if options.repairs:
        repaired = runnable(task, asked.sql, options.repairs, given=variables)
        return Proposal(asked.sql if repaired is None else repaired.sql, reason)
    return Proposal(asked.sql, reason)
