"""What a prompt of RED-SQL shows of a query, gathered for each round anew.

References
----------
RED-SQL, section 4.2 (execution), 4.4 (context expansion) and 4.5 (refinement).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clausewise.correction.judging import DOES_NOT_RUN
from clausewise.correction.prompting import client, parsed_query, without_quotes
from clausewise.correction.redsql.violations import (
    Violation,
    has_bugs,
    violations,
    violations_text,
)
from clausewise.errors import LLMReplyError
from clausewise.preparation import (
    SchemaExpansion,
    case_material,
    count_rows,
    describe_expansion,
    document_database,
    expand_schema,
    show_rows,
)
from clausewise.text import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clausewise.correction.base import CorrectionTask, QueryExecution
    from clausewise.correction.redsql.strategy import RedSQLOptions
    from clausewise.preparation.examples import Place
    from clausewise.types import Json, Level, ScoredCase

LONGEST_REJECTED = 2_000
"""Characters of a query that was turned down."""


@dataclass(slots=True)
class QueryContext:
    """A query in a round, with everything that is known of it."""

    task: CorrectionTask
    options: RedSQLOptions
    scored: ScoredCase
    """The query with its findings."""
    found: list[Violation] = field(init=False)
    execution: QueryExecution = field(init=False)

    def __post_init__(self) -> None:
        self.found = violations(self.scored.findings, self.options.violations)
        self.execution = self.task.run(self.sql)

    @property
    def sql(self) -> str:
        """The query's text."""
        return self.scored.predicted_sql or ""

    def has_bugs(self, least: Level) -> bool:
        """Whether the query does not run, or has a violation of at least a level."""
        return self.execution.result is None or has_bugs(self.found, least)

    def variables(self) -> tuple[dict[str, object], dict[str, Json]]:
        """Return what the prompt is filled in with, and what the step keeps of it.

        Raises the errors of `case_material` and `document_database`, a reply that is no
        documentation aside, and DatabaseError where the database cannot be read.
        """
        llm = client(self.task)
        send_values = llm.settings.send_values
        expansion = self._expansion(send_values)
        schema = describe_expansion(
            self.task.database.schema,
            expansion,
            tokens=llm.settings.schema_tokens,
            send_values=send_values,
            documentation=self._documentation(),
        )
        variables = case_material(
            self.task.case, self.task.database, llm, sql=self.sql, schema=schema
        )
        variables |= self._executed(send_values)
        variables["violations"] = violations_text(self.found, send_values=send_values)
        variables["rejected"] = _rejected(self.task, send_values)
        kept: dict[str, Json] = {
            "violations": [violation.to_dict() for violation in self.found],
            "tables": [table.name for table in expansion.tables],
            "columns": len(expansion.columns),
        }
        return variables, kept

    def _expansion(self, send_values: bool) -> SchemaExpansion:
        """Return the part of the schema that is shown: that of the query alone if not expanded."""
        options, case = self.options, self.task.case
        return expand_schema(
            self.task.database,
            question=f"{case.question}\n{case.evidence or ''}",
            query=parsed_query(self.task, self.sql),
            sql=self.sql,
            tables=options.tables if options.expansion else 1,
            columns=options.columns if options.expansion else 1,
            send_values=send_values and options.expansion,
        )

    def _documentation(self) -> Mapping[Place, str] | None:
        """Return the model's descriptions of columns, None where they are not wanted or fail."""
        llm = client(self.task)
        if not self.options.documentation and "documentation" not in llm.settings.prepare:
            return None
        try:
            return document_database(self.task.database, llm)
        except LLMReplyError as error:
            # The database's annotations stand in for it.
            self.task.record("document", f"the columns are not documented: {error}")
            return None

    def _executed(self, send_values: bool) -> dict[str, object]:
        """Return result, count and error for the prompt, each None where it is not to be shown."""
        result, error = self.execution.result, self.execution.error
        if not self.options.execution:
            return {"result": None, "rows_shown": None, "error": None}
        if result is None:
            shown = error if send_values else without_quotes(error, self.sql)
            return {"result": None, "rows_shown": None, "error": shown}
        count = f"{len(result.rows)}{' or more' * result.truncated} rows"
        return {
            "result": show_rows(result) if send_values else None,
            "rows_shown": count_rows(result) if send_values else count,
            "error": None,
        }


def _rejected(task: CorrectionTask, send_values: bool) -> str:
    """Return the queries of earlier rounds that were not taken, and why, empty for none.

    How probable the detector finds them is not told: a model is to answer the question, not to
    please the detector.
    """
    told = []
    for earlier in task.earlier:
        if earlier.refused and earlier.proposal.sql is not None:
            sql = earlier.proposal.sql
            why = "it was judged no better than the query"
            if earlier.refused.startswith(DOES_NOT_RUN):
                why = earlier.refused.removeprefix("the proposed query ")
                why = why if send_values else without_quotes(why, sql)
            told.append(f"{shortened(one_line(sql), LONGEST_REJECTED)}\n  -- {one_line(why)}")
    return "\n".join(told)
