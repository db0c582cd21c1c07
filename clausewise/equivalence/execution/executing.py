"""The same question asked several times on one instance, and the answer that most of them give.

References
----------
SQLDriller, section 4.2 (natural language execution).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausewise.databases.instances import Instance
from clausewise.databases.model import QueryResult, Schema
from clausewise.equivalence.execution.comparison import same_answer
from clausewise.equivalence.execution.reply import ExecutedQuestion
from clausewise.equivalence.execution.tables_text import tables_text
from clausewise.errors import LLMReplyError
from clausewise.question.bounds import LONGEST_EVIDENCE, LONGEST_QUESTION, bounded

if TYPE_CHECKING:
    from clausewise.llm import CaseLLM

PROMPT = "execute_question"
TEMPERATURE = 0.7
"""Of several samples: at 0 they would be one answer given again."""
LONGEST_TABLES = 40_000
"""Characters of an instance that are put into a prompt."""


@dataclass(frozen=True, slots=True)
class QuestionExecution:
    """What a question gives on one instance, by the majority of a model's answers.

    `result` is None where there is no majority or nothing was asked; `reason` then says why.
    """

    result: QueryResult | None
    agreed: int
    """Answers that are `result`; without one, the most that are the same."""
    asked: int
    """Answers that were asked for; no more once the majority is certain or out of reach."""
    samples: int
    """Answers that would have been asked for at most; a majority is more than half of them."""
    malformed: int = 0
    """Of those asked for, the ones that could not be read, also when asked again."""
    reason: str = ""

    def counts(self) -> dict[str, int]:
        """Return the counts as plain JSON."""
        return {
            "agreed": self.agreed,
            "asked": self.asked,
            "samples": self.samples,
            "malformed": self.malformed,
        }


def execute_question(
    question: str,
    instance: Instance,
    schema: Schema,
    llm: CaseLLM,
    *,
    evidence: str | None = None,
    samples: int | None = None,
) -> QuestionExecution:
    """Let a model work out the answer to a question on an instance.

    Parameters
    ----------
    question, evidence : str
        What is asked, and what is known besides.
    instance : Instance
        All rows that there are; they are sent to the model.
    schema : Schema
        Types, descriptions and keys of its tables.
    llm : CaseLLM
        The client that is asked; its cache, budget and counts of the case are used.
    samples : int, optional
        Answers at most, 1 or more; by default `LLMSettings.samples`. One alone is asked for at
        temperature 0.

    Raises
    ------
    LLMError
        Where the endpoint, the budget or the cache gives no answer, or no answer can be read.
    """
    samples = llm.settings.samples if samples is None else samples
    tables = tables_text(instance, schema)
    if len(tables) > LONGEST_TABLES:
        return QuestionExecution(None, 0, 0, samples, reason="the instance is too large to show")
    known = bounded((evidence or "").strip(), LONGEST_EVIDENCE)
    variables = {
        "tables": tables,
        "question": bounded(question, LONGEST_QUESTION),
        "evidence": known or None,
    }
    needed = samples // 2 + 1
    groups: list[list[QueryResult]] = []
    malformed: list[LLMReplyError] = []
    for sample in range(samples):
        most = max(map(len, groups), default=0)
        if most >= needed or most + samples - sample < needed:
            break
        try:
            reply = llm.ask(
                PROMPT,
                ExecutedQuestion,
                variables,
                temperature=TEMPERATURE if samples > 1 else 0.0,
                sample=sample,
            )
        except LLMReplyError as error:
            malformed.append(error)
        else:
            _add(groups, reply.result(instance))
    if not groups:
        llm.record_failure(str(malformed[-1]))
        raise LLMReplyError(str(malformed[-1]))
    asked = sum(map(len, groups)) + len(malformed)
    largest = max(groups, key=len)
    found = largest[0] if len(largest) >= needed else None
    reason = "" if found else f"no answer was given {needed} times of {samples}"
    return QuestionExecution(found, len(largest), asked, samples, len(malformed), reason)


def _add(groups: list[list[QueryResult]], result: QueryResult) -> None:
    """Put a result to those that are the same; the first of them stands for all."""
    for group in groups:
        if same_answer(group[0], result) or same_answer(result, group[0]):
            group.append(result)
            return
    groups.append([result])
