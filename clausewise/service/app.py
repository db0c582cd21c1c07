"""The HTTP application: endpoints, their description, and the service behind them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException

from clausewise._version import __version__
from clausewise.service import descriptions
from clausewise.service.bodies import read_object, read_rows
from clausewise.service.checking import REPORT_FORMATS, CheckingService
from clausewise.service.configuration import ServiceConfig
from clausewise.service.gate import Application, RequestGate
from clausewise.service.metrics import ServiceMetrics
from clausewise.service.problems import MEDIA_TYPE, ProblemError
from clausewise.service.tools import make_server

JSON_LINES = "application/x-ndjson"
NOT_BUFFERED = {"X-Accel-Buffering": "no"}
"""Asks a proxy to give lines on as they come."""


def create_app(config: ServiceConfig) -> Application:
    """Return the ASGI application of a service, with its worker processes started.

    Raises InputError, DetectorError and MissingExtraError where the configuration cannot be used.
    """
    metrics = ServiceMetrics()
    service = CheckingService(config, metrics)
    limits = config.limits
    return RequestGate(
        endpoints(service),
        metrics,
        token=config.token(),
        body_bytes=limits.body_bytes,
        requests=limits.requests,
        hosts=config.hosts,
    )


def endpoints(service: CheckingService) -> FastAPI:
    """Return the endpoints of a service."""

    server = make_server(service)
    agents = server.streamable_http_app(
        streamable_http_path="/mcp",
        stateless_http=True,
        json_response=True,
        max_request_body_size=service.config.limits.body_bytes,
        # The gate has looked at the names already.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        service.dispatcher.open()
        try:
            async with server.session_manager.run():
                yield
        finally:
            await service.dispatcher.close()

    app = FastAPI(
        title="clausewise",
        version=__version__,
        summary="Says whether a SQL query generated from a question is right, and if not, where.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _refused)
    _add_work(app, service)
    _add_operation(app, service)
    app.router.routes.extend(agents.routes)
    descriptions.describe(app, token=service.config.token_env is not None)
    return app


def _add_work(app: FastAPI, service: CheckingService) -> None:
    limits = service.config.limits

    @app.post("/v1/check", **descriptions.CHECK)
    async def check(request: Request) -> Response:
        checked = await service.check(read_object(await request.body()))
        return Response(checked.line + b"\n", media_type="application/json")

    @app.post("/v1/score", **descriptions.SCORE)
    async def score(request: Request) -> Response:
        rows = read_rows(await request.body(), limits.cases)

        async def lines() -> AsyncIterator[bytes]:
            async for checked in service.score(rows):
                yield checked.line + b"\n"

        return StreamingResponse(lines(), media_type=JSON_LINES, headers=NOT_BUFFERED)

    @app.post("/v1/report", **descriptions.REPORT)
    async def report(
        request: Request,
        file_format: str = Query("html", alias="format", description="of the report"),
        details: bool = Query(False, description="write out every case and finding"),
    ) -> Response:
        from asyncio import to_thread

        rows = read_rows(await request.body(), limits.cases)
        text = await to_thread(service.report, rows, file_format, details=details)
        return Response(text, media_type=REPORT_FORMATS[file_format])

    @app.post("/v1/feedback", **descriptions.FEEDBACK)
    async def feedback(request: Request) -> Response:
        from asyncio import to_thread

        rows = read_rows(await request.body(), limits.cases)
        return JSONResponse({"added": await to_thread(service.add_feedback, rows)})

    @app.get("/v1/databases", **descriptions.DATABASES)
    async def databases() -> Response:
        served = service.config.databases
        names = [{"name": name, "description": served[name].description} for name in service.names]
        return JSONResponse({"databases": names})


def _add_operation(app: FastAPI, service: CheckingService) -> None:
    @app.get("/health", **descriptions.HEALTH)
    async def health() -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    @app.get("/ready", **descriptions.READY)
    async def ready() -> Response:
        if not service.dispatcher.ready:
            detail = "no process has prepared its databases yet"
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "1"})
        failed = sorted(service.dispatcher.problems)
        return JSONResponse({"status": "ready", "not_prepared": failed})

    @app.get("/metrics", **descriptions.METRICS)
    async def numbers() -> Response:
        text, media_type = service.metrics.text()
        return Response(text, media_type=media_type)


async def _problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    body = json.dumps(error.to_dict())
    return Response(body, error.status.value, error.headers, MEDIA_TYPE)


async def _refused(request: Request, error: Exception) -> Response:
    """Answer for what the framework refuses: an unknown path or method."""
    assert isinstance(error, HTTPException)
    headers: dict[str, Any] = dict(error.headers or {})
    detail = f"{request.method} is not answered there; /openapi.json lists what is"
    return await _problem(request, ProblemError(HTTPStatus(error.status_code), detail, (), headers))
