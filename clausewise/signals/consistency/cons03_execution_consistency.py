"""CONS03: the question, executed by a model on a small instance, has another result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausewise.errors import NotAllChecked, NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.consistency._rivals import closest_rival
from clausewise.signals.consistency.agreement import other_candidates
from clausewise.signals.context import Context
from clausewise.sql import CLAUSE_ORDER
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Json, Need

if TYPE_CHECKING:
    from clausewise.equivalence import Instance, Suite
    from clausewise.equivalence.execution import QuestionExecution
    from clausewise.equivalence.results import QueryOutcome
    from clausewise.llm import CaseLLM

MOST_INSTANCES = 3
"""Instances on which the question is executed, those first that tell the most candidates apart."""
MOST_SAMPLES = 5
"""Answers on one instance by default, by which the number of calls is estimated."""
MOST_CANDIDATES = 50
"""Different candidates that are run on instances."""
MODEL_SECONDS = 900.0
"""The client has limits of its own for each try."""


@dataclass(frozen=True, slots=True)
class _Execution:
    """What queries give on one instance and what the question gives."""

    instance: Instance
    outcomes: Sequence[QueryOutcome]
    question: QuestionExecution

    def agrees(self, place: int) -> bool:
        from clausewise.equivalence.execution import gives_answer

        result = self.question.result
        return result is not None and gives_answer(self.outcomes[place], result)


@signal(
    code="CONS03",
    name="execution_consistency",
    group=Group.CONSISTENCY,
    family="execution",
    clauses={*CLAUSE_ORDER, Clause.QUERY} - {Clause.WITH},
    needs={Need.DATABASE, Need.QUESTION, Need.CANDIDATES, Need.LLM},
    cost=Cost.MODEL,
    calls=MOST_INSTANCES * MOST_SAMPLES,
    only_named=True,
    version=1,
    reasons={
        "other_result": "On a small instance most answers of the model to the question differ from "
        "the query's result."
    },
    time_limit=MODEL_SECONDS,
)
def execution_consistency(case: Case, context: Context) -> Iterator[Finding]:
    """The question, executed by a language model on a few rows, has another result than the query.

    What it measures
    ----------------
    Small instances of the database are made on which the query and other candidates give
    different results. On each, a model works out the answer to the question row by row, without
    any query in sight, five times (`--llm-samples`); what more than half of the answers say is the
    question's result. The score is the share of the instances with such a result on which the
    query's result is another one. Results are compared as multisets of rows; the order of columns
    does not count, numbers are equal within a tolerance. An instance without a majority says
    nothing.

    Why it points to an error
    -------------------------
    What a query misses often does not show in the rows that a database happens to hold. A handful
    of rows that tell two readings of a question apart is easy to work through, and a model judges
    rows better than it judges SQL.

    Fires on
    --------
    Which aircraft have how many flights? SELECT a.name, COUNT(f.id) FROM aircraft a JOIN flight f
    ON f.aid = a.id GROUP BY a.id, where a candidate has LEFT JOIN and the model gives 0 flights
    for an aircraft without any

    Stays silent on
    ---------------
    Which aircraft have how many flights? SELECT a.name, COUNT(f.id) FROM aircraft a LEFT JOIN
    flight f ON f.aid = a.id GROUP BY a.id

    Does not apply when
    -------------------
    It was not named, no language model was given, the case has no question or no candidates, no
    instance tells the query from another candidate, the model gives no majority on any of them, or
    no cell may be sent (`--llm-no-values`).

    How to repair
    -------------
    Read the instance and both results: where the model's answer is right, change the clause, or
    take the candidate in the evidence, whose results agree with the model's most often.

    Cost
    ----
    Up to three instances, up to five calls for each; no more once a majority is certain or out of
    reach. Up to 50 candidates are run on generated instances.

    References
    ----------
    SQLDriller, sections 3 and 4.2 (execution consistency, natural language execution).
    """
    llm = context.llm
    assert llm is not None
    if not llm.settings.send_values:
        raise NotApplicable("its prompt would hold rows, and no cell may be sent")
    texts = dict.fromkeys([case.predicted_sql, *(text for text, _ in other_candidates(case))])
    queries = [*texts][: MOST_CANDIDATES + 1]
    executions = _executed(_told_apart(queries, context), context, llm)
    answered = [found for found in executions if found.question.result is not None]
    if not answered:
        reasons = dict.fromkeys(found.question.reason for found in executions)
        raise NotApplicable(f"the model has no majority: {'; '.join(reasons)}")
    differing = [found for found in answered if not found.agrees(0)]
    if differing:
        yield _finding(queries, answered, differing, context, llm)
    if len(answered) < len(executions):
        left = len(executions) - len(answered)
        raise NotAllChecked(f"the model has no majority on {left} of {len(executions)} instances")


def _told_apart(queries: Sequence[str], context: Context) -> Suite:
    """Return the suite of the query, at the first place, and the other candidates.

    Raises NotApplicable where the query is not among those that can be compared.
    """
    from clausewise.equivalence import suite
    from clausewise.equivalence.model import AS_ASKED

    found = suite(queries, context.database, conventions=AS_ASKED)
    if 0 in found.left_out:
        raise NotApplicable(found.left_out[0])
    return found


def _executed(found: Suite, context: Context, llm: CaseLLM) -> list[_Execution]:
    """Execute the question on instances that tell the query from another candidate."""
    from clausewise.equivalence.differing import difference
    from clausewise.equivalence.execution import execute_question
    from clausewise.equivalence.model import AS_ASKED

    telling = [
        (instance, outcomes)
        for instance, outcomes in zip(found.instances, found.outcomes, strict=True)
        if any(difference(outcomes[0], other, AS_ASKED) is not None for other in outcomes[1:])
    ]
    if not telling:
        raise NotApplicable("no instance tells the query from another candidate")
    case = context.case
    return [
        _Execution(
            instance,
            outcomes,
            execute_question(
                case.question, instance, context.schema, llm, evidence=case.evidence
            ),
        )
        for instance, outcomes in telling[:MOST_INSTANCES]
    ]  # fmt: skip


def _finding(
    queries: Sequence[str],
    answered: Sequence[_Execution],
    differing: Sequence[_Execution],
    context: Context,
    llm: CaseLLM,
) -> Finding:
    from clausewise.equivalence import Counterexample, DifferenceKind
    from clausewise.equivalence.execution import PROMPT
    from clausewise.llm.templates import prompt_version

    shown = min(differing, key=lambda found: found.instance.row_count)
    agreeing = {
        place: sum(found.agrees(place) for found in answered) for place in range(1, len(queries))
    }
    most = max(agreeing.values())
    leaders = [queries[place] for place, count in agreeing.items() if count == most]
    own = len(answered) - len(differing)
    rival, clause = _rival(leaders if most > own else [], context)
    result = shown.question.result
    assert result is not None
    # Of an answer without rows the number of columns says nothing.
    same_width = not result.rows or len(result.columns) == len(shown.outcomes[0].result.columns)
    kind = DifferenceKind.ROWS if same_width else DifferenceKind.COLUMNS
    found = Counterexample(kind, shown.instance, shown.outcomes[0].result, result)
    evidence: dict[str, Json] = {
        "counterexample": found.to_dict(),
        "result_names": ["the query", "the executed question"],
        **shown.question.counts(),
        "instances": len(answered),
        "instances_against": len(differing),
        "rival_sql": rival,
        "rival_instances": most if rival is not None else None,
        "prompt": PROMPT,
        "prompt_version": prompt_version(PROMPT),
        "model": llm.settings.model,
    }
    return Finding(
        clause=clause,
        reason="other_result",
        measure=round(len(differing) / len(answered), 3),
        message=_message(answered, differing, shown.question),
        evidence=evidence,
        suggestion=None if rival is None else f"compare the clause with the one of: {rival}",
    )


def _rival(leaders: Sequence[str], context: Context) -> tuple[str | None, ClauseSpan]:
    """Return the candidate nearest to the query of those that agree more often, and where."""
    return closest_rival(context, leaders) if leaders else (None, context.query.span)


def _message(
    answered: Sequence[_Execution], differing: Sequence[_Execution], shown: QuestionExecution
) -> str:
    count = len(answered)
    where = "on a small instance" if count == 1 else f"on {len(differing)} of {count} instances"
    return (
        f"{where} a model's answer to the question is not the query's result "
        f"({shown.agreed} of {shown.asked} answers agree)"
    )
