"""The strategy of GBV-SQL: the query in words beside the question, then its form and its result.

References
----------
GBV-SQL, sections 3.4 (SQL2TextValidator) and 3.5 (SQLChecker, algorithm 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from clausewise.correction.base import (
    CorrectionTask,
    Proposal,
    QueryExecution,
    StrategyOptions,
    strategy,
)
from clausewise.correction.prompting import (
    CorrectedQuery,
    RunnableQuery,
    ask_for_query,
    client,
    material,
    parsed_query,
    runnable,
)
from clausewise.databases.model import QueryResult
from clausewise.errors import DatabaseError, LLMError
from clausewise.llm.reply_fields import Text
from clausewise.llm.templates import prompt_version
from clausewise.preparation import back_translate, blind_material, count_rows, show_rows
from clausewise.preparation.back_translation import COMPARE, BackTranslation
from clausewise.preparation.condition_values import VALUES, condition_values
from clausewise.preparation.examples import shortened_line
from clausewise.sql import same_statement
from clausewise.sql.unwrapping import bare_statement
from clausewise.types import Json

CORRECT, SELECT, FORMAT, CHECK = "gbv_correct", "gbv_select", "gbv_format", "gbv_check"
CHECKS = 3
"""Rounds of the checker (section 4.1.4)."""
LONGEST_REASON = 300
"""Characters of what the model says that a step keeps."""
_PREFIX = "query"


class GbvOptions(StrategyOptions):
    """Which parts work; each of them can be left out, as in table 4 of the paper."""

    validator: bool = True
    """Back-translation, comparison, and the query that is asked for where they differ."""
    selector: bool = True
    """The choice between both queries; without it the corrected one is taken."""
    format: bool = True
    """The rules of form."""
    checker: bool = True
    """The rounds over the result."""
    checks: int = Field(default=CHECKS, ge=0, le=10)
    """Rounds of the checker at most."""
    values: int = Field(default=VALUES, ge=1, le=50)
    """Stored values that the checker shows of a column in a condition."""


def _as_choice(value: object) -> object:
    """Read `Query B` as `b`."""
    return str(value).strip().strip("\"'.").lower().removeprefix(_PREFIX).strip()


class QueryChoice(BaseModel):
    """The selector's reply: the query that was there, or the corrected one."""

    reason: Text = ""
    choice: Annotated[Literal["a", "b"], BeforeValidator(_as_choice)]


@strategy(
    name="gbv",
    description="Puts the query into words without the question in sight, asks for another query "
    "where they differ and selects between both; then keeps to rules of form and checks results "
    "that are an error, empty, zero or NULL.",
    needs_model=True,
    sends_rows=True,
    options=GbvOptions,
)
def gbv(task: CorrectionTask) -> Proposal:
    """Propose what the validator and the checker make of the query.

    A part that fails is recorded, and the others go on with what was reached. Raises the first
    LLMError where one failed and nothing was changed, and DatabaseError where the database cannot
    be read.
    """
    work = _Work(task)
    if work.options.validator:
        work.validate()
    if work.options.format:
        work.reduce_format()
    if work.options.checker:
        work.check()
    if same_statement(work.sql) != same_statement(work.original):
        return Proposal(work.sql, "; ".join(work.reasons))
    if work.failures:
        raise work.failures[0]
    return Proposal(None, "neither its words nor its form or result ask for another query")


@dataclass(slots=True)
class _Work:
    """The query of one task on its way through the parts."""

    task: CorrectionTask
    original: str = field(init=False)
    sql: str = field(init=False)
    """The best query so far."""
    reasons: list[str] = field(default_factory=list)
    failures: list[LLMError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.original = self.sql = bare_statement(self.task.case.predicted_sql).strip()

    @property
    def options(self) -> GbvOptions:
        """The options, the defaults where the task has none of its own."""
        given = self.task.options
        return given if isinstance(given, GbvOptions) else GbvOptions()

    def validate(self) -> None:
        """Correct the query where in words it is not the question, and select between both.

        A corrected query that the database refuses is repaired first: the selector is to see its
        result.
        """
        found = self._in_words()
        if found is None or found.comparison.same:
            return
        variables = {"description": found.text, "difference": _differing(found)}
        corrected = self._ask("correct", CORRECT, variables, self.sql)
        repaired = None if corrected is None else self._repaired(corrected)
        if repaired is not None and self._is_selected(repaired):
            self.sql = repaired.sql
            difference = shortened_line(found.comparison.reason, LONGEST_REASON)
            self.reasons.append(f"in words, the query was not the question: {difference}")

    def reduce_format(self) -> None:
        """Show only what is asked for, in its order and as it is stored."""
        reduced = self._ask("format", FORMAT, {}, self.sql)
        if reduced is None:
            return
        after = self.task.run(reduced)
        if after.result is None and self.task.run(self.sql).result is not None:
            self.task.record(
                "run",
                f"the query in another form does not run, and is left: {after.error}",
                evidence={"refused": reduced, "error": after.error},
            )
            return
        self.sql = reduced
        self.reasons.append("what it shows was brought into the form that is asked for")

    def check(self) -> None:
        """Ask for another query while the result is suspicious, at most `checks` times.

        What comes out of it is taken where its result is not suspicious any more, or where it
        runs and the first one did not. Algorithm 1 takes the last query in any case: where three
        corrections did not change a suspicious result, it may well be right.
        """
        before = found = self.task.run(self.sql)
        sql, said = self.sql, suspicion(before)
        for _ in range(self.options.checks):
            if not suspicion(found):
                break
            checked = self._checked(sql, found)
            if checked is None:
                break
            sql, found = checked, self.task.run(checked)
        cured = not suspicion(found) or (before.result is None and found.result is not None)
        if sql != self.sql and cured:
            self.sql = sql
            self.reasons.append(f"{_lowered(said)}, and the proposed one does not do that")
        elif sql != self.sql:
            message = f"after the checks {_lowered(suspicion(found))}: the query before them stays"
            self.task.record("check", message, evidence={"refused": sql})

    def _in_words(self) -> BackTranslation | None:
        """Return the query in words and what differs; None where the model gave no answer."""
        task, llm = self.task, client(self.task)
        query = parsed_query(task, self.sql)
        try:
            blind = blind_material(task.database, llm, sql=self.sql, query=query)
            found = back_translate(llm, blind, material(task, self.sql))
        except LLMError as error:
            self._fail("compare", error)
            return None
        step, said = found.differing_step, found.comparison
        reason = shortened_line(said.reason, LONGEST_REASON)
        start = "the query in words " + ("is the question" if said.same else "is not the question")
        evidence: dict[str, Json] = {
            "description": shortened_line(found.description.summary, LONGEST_REASON),
            "step": None if step is None else shortened_line(step.meaning, LONGEST_REASON),
            "confidence": said.confidence,
            **self._asked(COMPARE, reason),
        }
        task.record("compare", f"{start}: {reason}" if reason else start, evidence=evidence)
        return found

    def _repaired(self, sql: str) -> RunnableQuery | None:
        try:
            return runnable(self.task, sql)
        except LLMError as error:
            self._fail("repair", error)
            return None

    def _is_selected(self, corrected: RunnableQuery) -> bool:
        """Whether the corrected query goes on, with the results of both in view.

        Nobody is asked where the first one does not run. Where the selector gives no answer, the
        corrected one goes on: the loop judges it still.
        """
        before = self.task.run(self.sql).result
        if not self.options.selector:
            return True
        if before is None:
            self.task.record("select", "only the corrected query runs, and is taken")
            return True
        variables = {
            **material(self.task, self.sql),
            "rows_shown": count_rows(before),
            "result": show_rows(before),
            "other": corrected.sql,
            "other_rows_shown": count_rows(corrected.result),
            "other_result": show_rows(corrected.result),
        }
        try:
            reply = client(self.task).ask(SELECT, QueryChoice, variables)
        except LLMError as error:
            self._fail("select", error)
            return True
        taken = reply.choice == "b"
        said = shortened_line(reply.reason, LONGEST_REASON)
        start = f"the model selects the {'corrected' if taken else 'first'} query"
        message = f"{start}: {said}" if said else start
        self.task.record("select", message, evidence=self._asked(SELECT, said))
        return taken

    def _ask(
        self,
        action: str,
        prompt: str,
        more: Mapping[str, object],
        sql: str,
        evidence: Mapping[str, Json] | None = None,
    ) -> str | None:
        """Return another query; None where this one stays or the model gives no answer."""
        task = self.task
        try:
            variables = {**material(task, sql), **more}
            asked = ask_for_query(
                task,
                prompt,
                variables,
                CorrectedQuery,
                current=sql,
                action=action,
                evidence=evidence,
            )
        except LLMError as error:
            self._fail(action, error)
            return None
        return asked.sql

    def _checked(self, sql: str, found: QueryExecution) -> str | None:
        """Return another query than one whose outcome is suspicious, None where it stays."""
        said, values = suspicion(found), self._values(sql)
        result = found.result
        shown = {
            "outcome": f"{said}. " + ("Its message:" if result is None else _counted(result)),
            "result": found.error if result is None else show_rows(result),
            "values": values,
        }
        return self._ask("check", CHECK, shown, sql, {"outcome": said, "values": values})

    def _values(self, sql: str) -> str:
        """Return what is stored in the columns of the conditions, empty where that fails."""
        case, query = self.task.case, parsed_query(self.task, sql)
        if query is None:
            return ""
        said = f"{case.question}\n{case.evidence or ''}"
        try:
            return condition_values(self.task.database, query, said, self.options.values)
        except DatabaseError:
            return ""

    def _asked(self, prompt: str, said: str) -> dict[str, Json]:
        """Return what a step keeps of an answer."""
        version, model = prompt_version(prompt), client(self.task).settings.model
        return {"said": said, "prompt": prompt, "prompt_version": version, "model": model}

    def _fail(self, action: str, error: LLMError) -> None:
        self.failures.append(error)
        self.task.record("fail", f"no answer to '{action}': {type(error).__name__}: {error}")


def suspicion(execution: QueryExecution) -> str:
    """Return what is suspicious of an outcome: an error, no rows, zero, NULL; empty for nothing."""
    result = execution.result
    if result is None:
        return "The database refuses to run the query"
    if not result.rows:
        return "The query returns no rows"
    if len(result.rows) == 1 and result.rows[0] == (0,):
        return "The query returns zero"
    if any(cell is None for row in result.rows for cell in row):
        return "The query returns NULL"
    return ""


def _counted(result: QueryResult) -> str:
    return f"Its result, {count_rows(result)}:"


def _differing(found: BackTranslation) -> str:
    """Return the reason of the comparison, and the step that it names."""
    step = found.differing_step
    lines = [found.comparison.reason or "The reader gave no reason."]
    lines += [] if step is None else [f"Step {found.comparison.step}: {step.meaning}"]
    return "\n".join(lines)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
