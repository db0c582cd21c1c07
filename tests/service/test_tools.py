"""The tools for agents, asked by the official client over standard input and over HTTP."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from clausewise.datasets import sample_dir
from tests.service.running import CASE, Served

ROW = {"question_id": 1, **CASE}
WRONG = {**ROW, "question_id": 2, "predicted_sql": "SELECT COUNT(*) FROM boks"}
Session = Callable[[Client], Awaitable[None]]


def _over_standard_input(session: Session, log: Path) -> None:
    options = ("serve", "--mcp", "--databases", str(sample_dir() / "databases"))
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "clausewise", *options], env=dict(os.environ)
    )

    async def run() -> None:
        with log.open("w") as errors:
            async with Client(stdio_client(parameters, errlog=errors)) as client:
                await session(client)

    asyncio.run(run())


def _over_http(session: Session, service: Served) -> None:
    async def run() -> None:
        place = f"http://{service.host}:{service.port}/mcp"
        async with Client(streamable_http_client(place)) as client:
            await session(client)

    asyncio.run(run())


@pytest.fixture(params=["standard input", "http"])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Session], None]:
    if request.param == "http":
        service = request.getfixturevalue("service")
        return lambda session: _over_http(session, service)
    return lambda session: _over_standard_input(session, tmp_path / "log")


def _text(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def test_three_tools_with_structured_answers(ask: Callable[[Session], None]) -> None:
    async def session(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"check", "score", "report"}
        for tool in tools.values():
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert tool.output_schema is not None
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.Draft202012Validator.check_schema(schema)

        async def call(name: str, **arguments: Any) -> Any:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, _text(result)
            jsonschema.validate(result.structured_content, tools[name].output_schema or {})
            return result

        asked = {"question": CASE["question"], "database": "bookshop"}
        checked = await call("check", sql=CASE["predicted_sql"], **asked)
        assert checked.structured_content["verdict"] == "correct"
        assert _text(checked).startswith("correct, p(correct) 0.")
        assert checked.structured_content["threshold"] > 0.1
        checked = await call("check", sql=WRONG["predicted_sql"], **asked)
        assert "incorrect, p(correct) 0.00 (not_executable: no such table: boks)" in _text(checked)
        assert "Suggestion: use books" in _text(checked)

        scored = await call("score", cases=[ROW, WRONG, {"question_id": 3}])
        answer = scored.structured_content
        assert answer["verdicts"] == {"correct": 1, "incorrect": 1, "unchecked": 1}
        assert [case["question_id"] for case in answer["cases"]] == [1, 2, 3]
        assert "signals" not in answer["cases"][0]
        detailed = await call("score", cases=[ROW], details=True)
        assert "signals" in detailed.structured_content["cases"][0]

        known = detailed.structured_content["cases"]
        report = await call("report", cases=[*known, WRONG], format="markdown")
        assert report.structured_content["report"] == _text(report)
        assert "2 cases: 1 correct, 1 incorrect, 0 unchecked" in _text(report)

    ask(session)


def test_a_mistake_is_said_to_the_agent(ask: Callable[[Session], None]) -> None:
    async def session(client: Client) -> None:
        wrong = {"question": "How many?", "sql": "SELECT 1", "database": "bookshpo"}
        result = await client.call_tool("check", wrong)
        assert result.is_error
        assert "there is no database 'bookshpo'; did you mean 'bookshop'?" in _text(result)
        result = await client.call_tool("check", {"question": "How many?", "sql": "SELECT 1"})
        assert result.is_error
        assert "field 'db_id'" in _text(result)

    ask(session)
