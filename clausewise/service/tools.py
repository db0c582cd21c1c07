"""The service's work as tools for agents, by the Model Context Protocol."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any, Literal, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from clausewise._version import __version__
from clausewise.datasets import as_scored_cases
from clausewise.reporting.error_report import strongest_first
from clausewise.reporting.passing import is_let_pass, passing_message
from clausewise.service.checking import CheckingService
from clausewise.service.configuration import ServiceConfig
from clausewise.service.logs import set_up_logs
from clausewise.service.metrics import ServiceMetrics
from clausewise.service.problems import ProblemError
from clausewise.types import CaseStatus, Finding, Json, OutcomeStatus, UnitInterval, Verdict

MOST_FINDINGS_SAID = 5
"""Findings in the text of an answer; the structured one has all."""
_MOST_NAMES = 50
_LEFT_OUT = frozenset(("signals", "signal_reasons", "explanation", "more_findings", "cost"))
"""Fields of a scored case that only its details have."""

_READING = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

CaseFields: TypeAlias = Annotated[
    dict[str, Any],
    Field(
        description="question_id (text or number), db_id, question, predicted_sql; where known "
        "evidence and candidates, a list of other queries for the question"
    ),
]
ReportFormat: TypeAlias = Literal["markdown", "html", "sarif", "json"]


class CheckedQuery(BaseModel):
    """What is answered for one query; the fields of the case are in it, too."""

    model_config = ConfigDict(extra="allow")

    question_id: str | int | None
    db_id: str | None
    predicted_sql: str | None
    p_correct: UnitInterval | None = Field(description="calibrated, high = likely correct")
    verdict: Verdict
    threshold: UnitInterval | None = Field(
        description="probability of being incorrect from which a query with a finding that says "
        "why is called incorrect"
    )
    abstained: bool
    status: CaseStatus
    reason: str | None = Field(description="why the status is not ok")
    findings: list[Finding]
    signals: dict[str, OutcomeStatus] = Field(description="how each signal ended")


class ScoredTogether(BaseModel):
    """What is answered for many cases."""

    verdicts: dict[str, int] = Field(description="how many cases have each verdict")
    cases: list[dict[str, Any]] = Field(
        description="in the order of the input: p_correct in [0, 1], verdict, status, findings "
        "and the fields of the case; with details also the outcome of every signal"
    )


class WrittenReport(BaseModel):
    """A report on scored cases."""

    format: ReportFormat
    report: str


class AgentTools:
    """The three tools.

    Parameters
    ----------
    service
        What does the work.
    """

    def __init__(self, service: CheckingService) -> None:
        self._service = service

    async def check(
        self,
        question: Annotated[str, Field(description="What the query should answer, in words.")],
        sql: Annotated[str, Field(description="The query to check. It is run, for reading only.")],
        database: Annotated[
            str | None,
            Field(description="Name of the database; may be left out where one is served."),
        ] = None,
        evidence: Annotated[
            str | None, Field(description="What is known besides: formulas, meanings of codes.")
        ] = None,
        candidates: Annotated[
            list[str] | None,
            Field(description="Other queries for the same question: agreement makes it surer."),
        ] = None,
    ) -> Annotated[CallToolResult, CheckedQuery]:
        """Say whether a SQL query answers a question, and which clause is wrong if it does not.

        Call it after writing a query and before relying on its result. The query is parsed, run
        for reading only under limits, and compared with the question, the schema and the data; no
        language model is asked. `p_correct` is a calibrated probability, `verdict` what follows
        from it. Each finding names a clause, says what is suspicious about it and often suggests
        a repair: change the query where you agree, and check it again. A finding is a hint, not a
        proof. `status` is `unparsable` or `not_executable` where the query does not run; `reason`
        has the database's message.
        """
        fields = {
            "question": question,
            "predicted_sql": sql,
            "db_id": database,
            "evidence": evidence,
            "candidates": candidates,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        try:
            checked = await self._service.check(given)
        except ProblemError as problem:
            raise ToolError(problem.detail) from None
        record = json.loads(checked.line)
        return CallToolResult(
            content=[TextContent(type="text", text=said_of(record))], structured_content=record
        )

    async def score(
        self,
        cases: Annotated[list[CaseFields], Field(min_length=1)],
        details: Annotated[
            bool, Field(description="Also how every signal ended: some kilobytes a case.")
        ] = False,
    ) -> Annotated[CallToolResult, ScoredTogether]:
        """Check many queries at once; every case is in the answer, in the order given.

        Use it to choose among queries for one question (the highest `p_correct`; give the others
        as `candidates` of each), or to find the queries of a collection that need attention. A
        case that cannot be read or checked has the status `unchecked` and the reason.
        """
        records = await self._scored(cases)
        counts = Counter(str(record["verdict"]) for record in records)
        shown = records if details else [_brief(record) for record in records]
        text = "\n".join(f"{record['question_id']}: {said_of(record)}" for record in records)
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content={"verdicts": dict(counts), "cases": shown},
        )

    async def report(
        self,
        cases: Annotated[
            list[dict[str, Any]],
            Field(min_length=1, description="Cases as for score, or what score gave with details."),
        ],
        format: Annotated[ReportFormat, Field(description="How it is written.")] = "markdown",
    ) -> Annotated[CallToolResult, WrittenReport]:
        """Write a report on queries for people (markdown, html) or programs (sarif, json).

        It has the suspicious cases first, each with its query, the clauses marked, and what was
        found. Cases that were not scored yet are scored first.
        """
        fresh = [row for row in cases if "verdict" not in row]
        scored = iter(await self._scored(fresh)) if fresh else iter(())
        rows = [row if "verdict" in row else next(scored) for row in cases]
        try:
            text = await asyncio.to_thread(self._service.report, rows, format)
        except ProblemError as problem:
            raise ToolError(problem.detail) from None
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content={"format": format, "report": text},
        )

    async def _scored(self, cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Json]]:
        most = self._service.config.limits.cases
        if len(cases) > most:
            raise ToolError(f"{len(cases)} cases are more than the {most} that may come together")
        numbered = [{"question_id": n, **case} for n, case in enumerate(cases, start=1)]
        return [json.loads(checked.line) async for checked in self._service.score(numbered)]


def make_server(service: CheckingService, *, alone: bool = False) -> MCPServer:
    """Return a server with the tools of a service.

    Parameters
    ----------
    service
        What does the work.
    alone
        Whether the server opens and closes the service's worker processes by itself.
    """

    @asynccontextmanager
    async def lifespan(_server: MCPServer) -> AsyncIterator[None]:
        service.dispatcher.open()
        try:
            yield
        finally:
            await service.dispatcher.close()

    names = ", ".join(service.names[:_MOST_NAMES])
    more = len(service.names) - _MOST_NAMES
    server = MCPServer(
        "clausewise",
        title="clausewise",
        version=__version__,
        instructions="Checks SQL queries that were written for questions in words against the "
        "database: how likely each is right, and which clause is wrong and why. Databases: "
        f"{names}{f' and {more} more' if more > 0 else ''}.",
        log_level="WARNING",
        lifespan=lifespan if alone else None,
    )
    tools = AgentTools(service)
    for tool, title in (
        (tools.check, "Check a query"),
        (tools.score, "Check many queries"),
        (tools.report, "Report on queries"),
    ):
        server.add_tool(tool, title=title, annotations=_READING)
    return server


def serve_agent(config: ServiceConfig) -> None:
    """Serve one agent over standard input and output until it closes them, or SIGTERM comes.

    Raises InputError and DetectorError where the configuration cannot be used.
    """
    set_up_logs()
    server = make_server(CheckingService(config, ServiceMetrics()), alone=True)

    async def run() -> None:
        task = asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, lambda: task and task.cancel())
        with suppress(asyncio.CancelledError):
            await server.run_stdio_async()

    asyncio.run(run())


def said_of(record: Mapping[str, Any]) -> str:
    """Return a few lines on a scored case: verdict, probability, reason, strongest findings.

    What people let pass comes last and without a suggestion.
    """
    p_correct = record["p_correct"]
    sure = "" if p_correct is None else f", p(correct) {p_correct:.2f}"
    reason = f": {record['reason']}" if record["reason"] else ""
    status = "" if record["status"] == "ok" else f" ({record['status']}{reason})"
    findings = strongest_first(as_scored_cases([record])[0].findings)
    lines = [f"{Verdict(record['verdict']).value}{sure}{status}"]
    for finding in findings[:MOST_FINDINGS_SAID]:
        wanted = None if is_let_pass(finding) else finding.suggestion
        repair = f" Suggestion: {wanted}" if wanted else ""
        place = f"{finding.clause.kind.value} `{finding.clause.text}`"
        lines.append(f"- {place}: {passing_message(finding)}{repair}")
    if len(findings) > MOST_FINDINGS_SAID:
        lines.append(f"- and {len(findings) - MOST_FINDINGS_SAID} more")
    return "\n".join(lines)


def _brief(record: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in record.items() if name not in _LEFT_OUT}
