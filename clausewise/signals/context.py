"""What a signal can see of a case beside the case itself: the parsed query and the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from clausewise.databases.model import Limits, QueryResult, Schema
from clausewise.errors import LLMError, NoData
from clausewise.question.bounds import LONGEST_EVIDENCE, LONGEST_QUESTION, bounded
from clausewise.sql import with_prefix
from clausewise.sql.model import ColumnUse, Comparison, Query, Select, Source
from clausewise.sql.probe_dialects import ProbeDialect, probe_dialect
from clausewise.types import Case, Clause, ClauseSpan

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.expectation import Expectation
    from clausewise.llm import CaseLLM

T = TypeVar("T")

PREDICTED_LIMITS = Limits(seconds=60.0)
"""What the predicted query itself may spend."""

PROBE_LIMITS = Limits(steps=20_000_000, seconds=20.0, rows=1_000)
"""What one statement of a signal may spend; the steps end it first, also on a busy machine."""


class Context:
    """The parsed query, the database, and a way to run parts of the query.

    Everything here is read-only and shared by all signals of a case: what one of them has
    computed or run, the next one gets for nothing.
    """

    def __init__(
        self,
        case: Case,
        query: Query,
        database: DatabaseProtocol,
        result: QueryResult | None,
        llm: CaseLLM | None = None,
        expectation: Expectation | None = None,
    ) -> None:
        self.case, self.unread = _bounded(case)
        """The case with as much of its question and evidence as is read, and what is left out."""
        self.query = query
        self.database = database
        self._result = result
        self.llm = llm
        """The client of a language model, metered for this case; None where none was given."""
        self.expectation = expectation
        """What is expected of queries; None for what is packaged."""
        self._made: dict[Callable[[Context], Any], Any] = {}
        self.words: ProbeDialect = probe_dialect(database.dialect)
        """How the database's dialect writes what probes need beside pieces of the query."""
        self.statements: list[str] = []
        """Every statement that signals ran for this case, in order."""

    def once(self, make: Callable[[Context], T]) -> T:
        """Return `make(self)`, computed when it is first asked for.

        `make` is a function of a module, the same object at each call. What it raises is raised
        at each call; an LLMError without asking again, since that costs.
        """
        if make not in self._made:
            try:
                self._made[make] = make(self)
            except LLMError as error:
                # A copy: the traceback would keep the context and its database alive.
                self._made[make] = type(error)(str(error))
        made: T | LLMError = self._made[make]
        if isinstance(made, LLMError):
            raise type(made)(str(made))
        return made

    @property
    def result(self) -> QueryResult | None:
        """Rows of the predicted query; None where it does not run.

        Raises NoData where there is nothing to run it on.
        """
        if self._result is None and not self.database.has_data:
            raise NoData
        return self._result

    @property
    def schema(self) -> Schema:
        """The database's tables and keys."""
        return self.database.schema

    @cached_property
    def clauses(self) -> tuple[ClauseSpan, ...]:
        """Every clause of the query in text order."""
        return self.query.clauses

    def run(self, sql: str, *, rows: int | None = None) -> QueryResult:
        """Run a statement of the signal's own on the database, read-only, under `PROBE_LIMITS`.

        Raises QueryFailed, QueryTimeout, QueryTooLarge or QueryDenied.
        """
        self.statements.append(sql)
        limits = PROBE_LIMITS if rows is None else _limits_for(rows)
        return self.database.run(sql, limits)

    def keeps_a_row(self, sql: str) -> bool:
        """Whether a statement returns at least one row."""
        return bool(self.run(sql, rows=1).rows)

    def row_probe(self, source: Source, condition: str) -> str:
        """Return the statement that asks whether `source` alone has a row under `condition`."""
        prefix = with_prefix(self.query)
        return f"{prefix}SELECT 1 FROM {source.piece.text} WHERE {condition} LIMIT 1"

    def enclosing_clause(self, start: int, end: int) -> ClauseSpan:
        """Return the innermost clause that holds the stretch, the whole query where none does."""
        holding = [item for item in self.clauses if item.start <= start and end <= item.end]
        return min(holding, key=lambda item: item.end - item.start, default=self.query.span)

    def span(self, kind: Clause, start: int, end: int) -> ClauseSpan:
        """Return a stretch of the query as a span of that kind."""
        return ClauseSpan(kind, self.query.text[start:end], start, end)

    def comparisons(self) -> Iterator[tuple[Select, Comparison]]:
        """Yield every comparison of a column with constants, with its SELECT."""
        for select in self.query.selects:
            for comparison in select.comparisons:
                yield select, comparison

    def columns(self) -> Iterator[ColumnUse]:
        """Yield every mention of a column in the whole query."""
        for select in self.query.selects:
            yield from select.columns


def _bounded(case: Case) -> tuple[Case, str]:
    """Return the case with what is read of it, and a sentence on the rest, empty for none."""
    evidence = case.evidence or ""
    if len(case.question) <= LONGEST_QUESTION and len(evidence) <= LONGEST_EVIDENCE:
        return case, ""
    question = bounded(case.question, LONGEST_QUESTION)
    read = bounded(evidence, LONGEST_EVIDENCE)
    parts = [
        f"only {len(part):,} of the {len(whole):,} characters of the {name} are read"
        for name, part, whole in (
            ("question", question, case.question),
            ("evidence", read, evidence),
        )
        if len(part) < len(whole)
    ]
    changes = {"question": question, "evidence": None if case.evidence is None else read}
    return case.model_copy(update=changes), "; ".join(parts)


def _limits_for(rows: int) -> Limits:
    return Limits(steps=PROBE_LIMITS.steps, seconds=PROBE_LIMITS.seconds, rows=rows)
