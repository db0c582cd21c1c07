"""Asking a model for another query: the material, the reply, the record, and repair of syntax.

What the strategies that ask a model share. Prompts for corrections begin with `_corrector.j2`, show
the case by `_case.j2`, and end with `_corrected_json.j2`, which asks for a `CorrectedQuery`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator

from clausewise.databases.model import QueryResult
from clausewise.errors import ParseError
from clausewise.llm.reply_fields import Text
from clausewise.llm.templates import prompt_version
from clausewise.preparation import case_material
from clausewise.preparation.examples import shortened_line
from clausewise.sql import parse, same_statement
from clausewise.sql.unwrapping import bare_statement
from clausewise.types import Json

if TYPE_CHECKING:
    from clausewise.correction.base import CorrectionTask
    from clausewise.llm import CaseLLM
    from clausewise.sql.model import Query

LONGEST_SAID = 300
"""Characters of the model's reason that a step keeps."""
REPAIR_ROUNDS = 3
"""How often at most a model is asked for a query that runs."""
REPAIR_PROMPT = "repair_query"

_NO_CHANGE = frozenset({"", "none", "null", "n/a", "unchanged", "no change"})
"""What models write in place of an empty text."""


def _as_statement(value: object) -> object:
    """Read null and words for it as an empty text, and take SQL out of what surrounds it."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    text = bare_statement(value.strip()).strip()
    return "" if text.rstrip(".").casefold() in _NO_CHANGE else text


Statement = Annotated[str, BeforeValidator(_as_statement)]
"""SQL without a fence or a label around it; empty where the query stays."""


class CorrectedQuery(BaseModel):
    """The model's reply: another query, or an empty text where the query stays as it is."""

    reason: Text = ""
    sql: Statement


Q = TypeVar("Q", bound=CorrectedQuery)


@dataclass(frozen=True, slots=True)
class AskedQuery(Generic[Q]):
    """What the model proposes: `sql`, None where the query stays; and its whole reply."""

    sql: str | None
    reply: Q

    @property
    def reason(self) -> str:
        """Why, in the model's words, on one line of at most `LONGEST_SAID` characters."""
        return shortened_line(self.reply.reason, LONGEST_SAID)


@dataclass(frozen=True, slots=True)
class RunnableQuery:
    """A query that runs, its rows, and how often the model was asked to repair it."""

    sql: str
    result: QueryResult
    repairs: int = 0


Hint: TypeAlias = Callable[[str, str], str]
"""Gets a query and what the database says against it; returns what helps, empty for nothing."""


def client(task: CorrectionTask) -> CaseLLM:
    """Return the task's client; the loop calls no strategy that needs a model without one."""
    assert task.llm is not None
    return task.llm


def material(task: CorrectionTask, sql: str | None = None) -> dict[str, object]:
    """Return the variables of `_case.j2` for a query, by default the current one.

    Raises the errors of `case_material`.
    """
    text = task.case.predicted_sql if sql is None else sql
    return case_material(
        task.case, task.database, client(task), sql=text, query=parsed_query(task, text)
    )


def parsed_query(task: CorrectionTask, sql: str) -> Query | None:
    """Return a query parsed against the database's schema, None where it cannot be."""
    try:
        return parse(sql, task.database.dialect, task.database.schema.names())
    except ParseError:
        return None


def ask_for_query(
    task: CorrectionTask,
    prompt: str,
    variables: Mapping[str, object],
    reply: type[Q],
    *,
    current: str | None = None,
    action: str = "ask",
    evidence: Mapping[str, Json] | None = None,
    temperature: float = 0.0,
    sample: int | None = None,
) -> AskedQuery[Q]:
    """Ask the model for another query and record the answer as a step.

    Parameters
    ----------
    prompt
        Name of a template in `clausewise/llm/prompts/`.
    variables
        What it is filled in with, such as `material(task)` and more.
    reply
        `CorrectedQuery`, or a subclass with more fields.
    current
        The query that the model was shown, by default the task's. One that says the same is no
        proposal.
    action, evidence
        Of the step; prompt, its version, the model and what it said are added.
    temperature, sample
        As in `CaseLLM.ask`.

    Raises
    ------
    LLMError
        The errors of `CaseLLM.ask`; the loop makes a failed round of them.
    """
    llm = client(task)
    answer = llm.ask(prompt, reply, variables, temperature=temperature, sample=sample)
    shown = task.case.predicted_sql if current is None else current
    same = not answer.sql or same_statement(answer.sql) == same_statement(shown)
    asked = AskedQuery(None if same else answer.sql, answer)
    start = "the model keeps the query" if same else "the model proposes another query"
    task.record(
        action,
        f"{start}: {asked.reason}" if asked.reason else start,
        sql=asked.sql,
        evidence={
            **(evidence or {}),
            "said": asked.reason,
            "prompt": prompt,
            "prompt_version": prompt_version(prompt),
            "model": llm.settings.model,
        },
    )
    return asked


def runnable(
    task: CorrectionTask,
    sql: str,
    rounds: int = REPAIR_ROUNDS,
    *,
    hint: Hint | None = None,
    given: Mapping[str, object] | None = None,
    prompt: str = REPAIR_PROMPT,
) -> RunnableQuery | None:
    """Return the query, repaired by the model while the database refuses it; None where it fails.

    Every refusal and every repair is a step. It ends without a query where the model gives none,
    or the same once more, or the last of `rounds` repairs is refused, too.

    Parameters
    ----------
    rounds
        Repairs at most, 0 or more.
    hint
        What else the model is told about a refusal.
    given
        The `material` of the case where it was made already; its query is replaced.
    prompt
        Gets the material and `error` and `hint`, and asks for a `CorrectedQuery`.

    Raises
    ------
    LLMError
        The errors of `ask_for_query`.
    DatabaseError
        Where the database itself cannot be read.
    """
    for repairs in range(rounds + 1):
        execution = task.run(sql)
        if execution.result is not None:
            return RunnableQuery(sql, execution.result, repairs)
        task.record(
            "run",
            f"the database refuses the proposed query: {execution.error}",
            evidence={"refused": sql, "error": execution.error, "repairs": repairs},
        )
        if repairs == rounds:
            break
        given = material(task, sql) if given is None else {**given, "sql": sql.strip()}
        helps = "" if hint is None else hint(sql, execution.error)
        asked = ask_for_query(
            task,
            prompt,
            {**given, "error": _sendable_error(task, sql, execution.error), "hint": helps},
            CorrectedQuery,
            current=sql,
            action="repair",
            evidence={"refused": sql, "hint": helps} if helps else {"refused": sql},
        )
        if asked.sql is None:
            break
        sql = asked.sql
    return None


def _sendable_error(task: CorrectionTask, sql: str, error: str) -> str:
    """Return what a database says, without what it may quote of cells where none may be sent."""
    return error if client(task).settings.send_values else without_quotes(error, sql)


def without_quotes(message: str, known: str) -> str:
    """Return a message of a database without what it quotes, unless it stands in `known`.

    >>> without_quotes("no integer in 'day': 'Ann'", "SELECT day FROM visits")
    "no integer in 'day': ..."
    """
    folded = known.casefold()
    return _QUOTED.sub(
        lambda found: found[0] if found[0][1:-1].casefold() in folded else "...", message
    )


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
