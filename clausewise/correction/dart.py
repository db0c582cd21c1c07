"""The strategy of DART-SQL: the question rewritten, rows in view, refinement by execution.

The paper writes a query from the rewritten question and the rows, and refines it. A correction
begins with a query, so by default that one is refined; `regenerate` asks for one afresh first.

References
----------
DART-SQL, section 3 (rewriting, context-aware prompts, refinement) and algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from clausewise.correction.base import CorrectionTask, Proposal, StrategyOptions, strategy
from clausewise.correction.column_hints import column_hint
from clausewise.correction.prompting import (
    CorrectedQuery,
    ask_for_query,
    client,
    material,
    parsed_query,
)
from clausewise.databases.model import QueryResult
from clausewise.errors import LLMReplyError
from clausewise.preparation import count_rows, describe_rows, rewrite_question, show_rows
from clausewise.preparation.nearest_rows import MOST_ROWS, ROW_TOKENS
from clausewise.sql import same_statement
from clausewise.sql.model import Query

GENERATE, REFINE = "dart_generate", "dart_refine"
RESULT_ROWS = 15
"""Rows of a result that the model sees (the paper's M)."""
REFINEMENTS = 3
"""How often at most a query is shown with its result (the paper's R)."""


class ForbiddenPart(StrEnum):
    """What a query may be asked to do without."""

    LEFT_JOIN = "left join"
    SELECT_STAR = "select *"

    def stands_in(self, query: Query) -> bool:
        """Whether it is a part of the query, in any of its SELECTs."""
        if self is ForbiddenPart.LEFT_JOIN:
            return any(join.kind == "left" for select in query.selects for join in select.joins)
        return any(item.star for select in query.selects for item in select.projections)


def _as_parts(value: object) -> object:
    """Read a list in one text, `left join, select *`, whatever its case."""
    if not isinstance(value, str):
        return value
    return tuple(part for one in value.split(",") if (part := " ".join(one.lower().split())))


class DartOptions(StrategyOptions):
    """What can be set of the strategy."""

    regenerate: bool = False
    """Whether a query is written afresh, without the given one in sight, before the refinement."""
    rewrite: bool = True
    """Whether the question is also given in the words of the schema."""
    rows: Annotated[int, Field(ge=0, le=100)] = MOST_ROWS
    """Rows of each table that the prompts hold, 0 for none."""
    row_tokens: Annotated[int, Field(ge=1)] = ROW_TOKENS
    """Limit of all these rows in tokens."""
    refinements: Annotated[int, Field(ge=0, le=10)] = REFINEMENTS
    """How often at most the model sees a query with its result, 0 for never."""
    forbid: Annotated[tuple[ForbiddenPart, ...], BeforeValidator(_as_parts)] = ()
    """What a query must do without, with commas between; the paper forbids both."""


@dataclass(frozen=True, slots=True)
class ShownExecution:
    """What the model is shown of a query: its rows, or what stands against it."""

    result: QueryResult | None
    error: str = ""
    hint: str = ""


@strategy(
    name="dart",
    description="Shows a language model the query with its result and rows of the tables, and "
    "takes the query that it ends with.",
    needs_model=True,
    sends_rows=True,
    options=DartOptions,
)
def dart(task: CorrectionTask) -> Proposal:
    """Propose the query that the refinement ends with.

    Raises LLMError where the model cannot be asked, and DatabaseError where the database cannot be
    read. A malformed answer only ends what it was asked for: the question stays as it is, and the
    refinement ends with the latest query that ran.
    """
    options = task.options
    assert isinstance(options, DartOptions)
    given = _first_prompt(task, options)
    sql = task.case.predicted_sql
    if options.regenerate:
        sql = _generated(task, given) or sql
    return _refined(task, given, sql, options)


def _first_prompt(task: CorrectionTask, options: DartOptions) -> dict[str, object]:
    """Return what every prompt begins with: schema, both questions, evidence, and rows."""
    given = material(task)
    if options.rewrite and given["rewritten"] is None:
        given["rewritten"] = _rewritten(task, str(given["schema"]))
    asked = (given["question"], given["rewritten"], given["evidence"])
    query = parsed_query(task, task.case.predicted_sql)
    rows = describe_rows(
        task.database,
        "\n".join(str(text) for text in asked if text),
        most=options.rows,
        seed=task.seed,
        first=() if options.regenerate or query is None else _tables(query),
        tokens=options.row_tokens,
        send_values=client(task).settings.send_values,
    )
    return {**given, "rows": rows}


def _tables(query: Query) -> list[str]:
    sources = (source for select in query.selects for source in select.sources)
    return [source.table for source in sources if source.table is not None]


def _rewritten(task: CorrectionTask, schema: str) -> str | None:
    try:
        rewritten = rewrite_question(task.case, schema, client(task))
    except LLMReplyError as error:
        task.record("rewrite", f"the question stays as it is: {error}")
        return None
    said = "the question stays as it is" if rewritten is None else "the question is rewritten"
    task.record("rewrite", said, evidence={} if rewritten is None else {"rewritten": rewritten})
    return rewritten


def _generated(task: CorrectionTask, given: dict[str, object]) -> str | None:
    """Return a query written without the given one in sight, None where there is none."""
    try:
        asked = ask_for_query(task, GENERATE, given, CorrectedQuery, action="generate")
    except LLMReplyError as error:
        task.record("generate", f"the given query is refined: {error}")
        return None
    return asked.sql


def _refined(
    task: CorrectionTask, given: dict[str, object], sql: str, options: DartOptions
) -> Proposal:
    """Show a query with its result until the model keeps it, as algorithm 1 does."""
    ran: str | None = None
    reason = "the model was asked for a query afresh"
    for number in range(1, options.refinements + 1):
        execution = _execute(task, sql, options)
        if execution.result is not None:
            ran = sql
        try:
            asked = ask_for_query(
                task,
                REFINE,
                {**given, "sql": sql.strip(), **_shown(execution)},
                CorrectedQuery,
                current=sql,
                action="refine",
                evidence={"refined": sql, "refinement": number, **_evidence(execution)},
            )
        except LLMReplyError as error:
            task.record("refine", f"the refinement ends: {error}")
            return _proposal(task, ran, "the refinement ended with a malformed answer")
        reason = asked.reason or "the model gives no reason"
        if asked.sql is None:
            # What is kept although the database refuses it is no query to propose.
            return _proposal(task, ran if execution.result is None else sql, reason)
        sql = asked.sql
    if _execute(task, sql, options).result is None:
        return _proposal(task, ran, f"the last query is refused: {reason}")
    return _proposal(task, sql, reason)


def _proposal(task: CorrectionTask, sql: str | None, reason: str) -> Proposal:
    if sql is None or same_statement(sql) == same_statement(task.case.predicted_sql):
        return Proposal(None, f"the model ends with the given query: {reason}")
    return Proposal(sql, reason)


def _execute(task: CorrectionTask, sql: str, options: DartOptions) -> ShownExecution:
    """Run a query; a forbidden part counts as a refusal, and so it is not run."""
    query = parsed_query(task, sql)
    if query is not None:
        found = [part.value.upper() for part in options.forbid if part.stands_in(query)]
        if found:
            message = f"{' and '.join(found)} must not be used here: write the query without it"
            return ShownExecution(None, message)
    execution = task.run(sql)
    if execution.result is not None:
        return ShownExecution(execution.result)
    hint = column_hint(query, execution.error, task.database.schema)
    return ShownExecution(None, execution.error, hint)


def _shown(execution: ShownExecution) -> dict[str, object]:
    """Return the variables of the prompt that say what came of a query."""
    result = execution.result
    return {
        "error": execution.error,
        "hint": execution.hint,
        "result": "" if result is None else show_rows(result, RESULT_ROWS),
        "rows_shown": "" if result is None else count_rows(result, RESULT_ROWS),
    }


def _evidence(execution: ShownExecution) -> dict[str, str]:
    shown = {name: str(text) for name, text in _shown(execution).items() if text}
    shown.pop("result", None)
    return shown
