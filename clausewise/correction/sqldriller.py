"""The strategy of SQLDriller: the candidate that behaves like the executed question.

References
----------
SQLDriller, sections 3.2 and 4.3 (workflow, execution result scoring).
"""

from __future__ import annotations

from collections.abc import Sequence

from clausewise.correction.base import CorrectionTask, Proposal, strategy
from clausewise.correction.offered import offered_queries
from clausewise.databases.instances import Instance
from clausewise.databases.model import QueryResult
from clausewise.equivalence.execution import QuestionExecution, execute_question, gives_answer
from clausewise.equivalence.independence import independence
from clausewise.equivalence.model import result_dict
from clausewise.equivalence.results import QueryOutcome
from clausewise.equivalence.selection import SelectedCandidate, select
from clausewise.sql import same_statement
from clausewise.types import Json


@strategy(
    name="sqldriller",
    description="Takes the candidate whose results on small instances are those of the question, "
    "executed by a language model, or, without a model, those of most independent candidates.",
    margin=None,
    sends_rows=True,
)
def sqldriller(task: CorrectionTask) -> Proposal:
    """Propose the candidate with the highest score; the original stays unless one scores higher.

    Raises LLMError where the model gives no answer, with the executions before it recorded, and
    DatabaseError where the database cannot be read.
    """
    queries, systems = offered_queries(task.case)
    if len({same_statement(text) for text in queries}) < 2:
        return Proposal(None, "the case has no other candidate")
    asked = _AskedInstances(task)
    try:
        chosen = select(
            queries,
            task.database,
            weights=independence(queries, systems if any(systems) else ()).weights,
            execute=None if task.llm is None else asked,
            seed=task.seed,
        )
    except Exception:
        for instance, execution in asked.executions.items():
            _record_instance(task, instance, (), (), execution)
        raise
    _record_instances(task, queries, chosen, asked)
    text = queries[chosen.chosen] if chosen.changed else None
    task.record("select", chosen.reason, sql=text, evidence=_selection_evidence(queries, chosen))
    return Proposal(text, chosen.reason)


class _AskedInstances:
    """Executes the question of a task on instances and keeps what came of it."""

    def __init__(self, task: CorrectionTask) -> None:
        self._task = task
        self.executions: dict[Instance, QuestionExecution] = {}

    def __call__(self, instance: Instance) -> QueryResult | None:
        task = self._task
        assert task.llm is not None
        execution = execute_question(
            task.case.question,
            instance,
            task.database.schema,
            task.llm,
            evidence=task.case.evidence,
        )
        self.executions[instance] = execution
        return execution.result


def _record_instances(
    task: CorrectionTask, queries: Sequence[str], chosen: SelectedCandidate, asked: _AskedInstances
) -> None:
    """Record each instance on which candidates were compared, with all results on it."""
    seen = set()
    found = chosen.suite
    for instance, outcomes in zip(found.instances, found.outcomes, strict=True):
        seen.add(instance)
        _record_instance(task, instance, queries, outcomes, asked.executions.get(instance))
    for instance, execution in asked.executions.items():
        if instance not in seen:
            _record_instance(task, instance, (), (), execution)


def _record_instance(
    task: CorrectionTask,
    instance: Instance,
    queries: Sequence[str],
    outcomes: Sequence[QueryOutcome],
    execution: QuestionExecution | None,
) -> None:
    groups: dict[str, list[int]] = {}
    results: dict[str, dict[str, Json]] = {}
    failures: dict[str, Json] = {}
    answer = None if execution is None else execution.result
    for place, outcome in zip(range(len(queries)), outcomes, strict=True):
        if outcome.failure:
            failures[str(place)] = outcome.failure
            continue
        key = repr((outcome.result.columns, outcome.result.rows))
        groups.setdefault(key, []).append(place)
        agrees = None if answer is None else gives_answer(outcome, answer)
        results[key] = {**result_dict(outcome.result), "agrees": agrees}
    evidence: dict[str, Json] = {
        "tables": instance.to_dict(),
        "results": [{"candidates": groups[key], **result} for key, result in results.items()],
        "failures": failures,
    }
    count = f"{instance.row_count} row{'s' * (instance.row_count != 1)}"
    if execution is None:
        message = f"{len(results)} different results on an instance of {count}"
        task.record("compare", message, evidence=evidence)
        return
    evidence["answer"] = None if answer is None else result_dict(answer)
    evidence |= execution.counts()
    message = (
        f"the question was executed on an instance of {count}: "
        f"{execution.agreed} of {execution.asked} answers agree"
    )
    if answer is None:
        message += f"; {execution.reason}"
    task.record("execute", message, evidence=evidence)


def _selection_evidence(queries: Sequence[str], chosen: SelectedCandidate) -> dict[str, Json]:
    found = chosen.suite
    evidence: dict[str, Json] = {
        "candidates": list(queries),
        "scores": list(chosen.scores),
        "chosen": chosen.chosen,
        "groups": [list(group) for group in found.groups],
        "left_out": {str(place): reason for place, reason in found.left_out.items()},
        "instances_tried": found.tried,
        "rounds": chosen.rounds,
    }
    told = found.counterexample(0, chosen.chosen) if chosen.changed else None
    if told is not None:
        evidence["counterexample"] = told.to_dict()
        evidence["result_names"] = ["the predicted query", "the corrected query"]
    return evidence
