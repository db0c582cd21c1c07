"""What every request passes: token, limits of size and number; then it is counted and logged."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from time import perf_counter
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from clausewise.service.logs import describe, log
from clausewise.service.metrics import ServiceMetrics
from clausewise.service.problems import MEDIA_TYPE, ProblemError, overloaded

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN_PATHS = frozenset(("/health", "/ready"))
"""Asked without a token, by what starts and watches processes."""
COUNTED = ("/v1/", "/mcp")
"""Beginnings of the paths whose requests in flight are limited."""
PATHS = OPEN_PATHS | {
    "/metrics",
    "/openapi.json",
    "/mcp",
    "/v1/check",
    "/v1/score",
    "/v1/report",
    "/v1/feedback",
    "/v1/databases",
}
"""Paths that are counted by name; others are counted as "other"."""
METHODS = frozenset(("GET", "HEAD", "POST", "DELETE", "OPTIONS"))


@dataclass(slots=True)
class _Exchange:
    """One request and what has been answered."""

    scope: Scope
    send: Send
    status: int = 0
    sent: int = 0

    async def forward(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.sent += len(message.get("body", b""))
        await self.send(message)

    async def refuse(self, problem: ProblemError) -> None:
        """Answer with problem details; nothing, where an answer has begun."""
        if self.status:
            return
        body = json.dumps(problem.to_dict()).encode()
        headers = {
            "content-type": MEDIA_TYPE,
            "content-length": str(len(body)),
            **{name.lower(): value for name, value in problem.headers.items()},
        }
        lines = [(name.encode(), value.encode()) for name, value in headers.items()]
        start = {"type": "http.response.start", "status": problem.status.value, "headers": lines}
        await self.forward(start)
        await self.forward({"type": "http.response.body", "body": body})


class RequestGate:
    """An ASGI application around another.

    Parameters
    ----------
    application
        What answers.
    metrics
        What counts.
    token
        The bearer token; None where none is asked for.
    body_bytes
        Most bytes of a body.
    requests
        Most requests in flight.
    hosts
        Names by which the service may be asked; any where there are none.
    """

    def __init__(
        self,
        application: Application,
        metrics: ServiceMetrics,
        *,
        token: str | None,
        body_bytes: int,
        requests: int,
        hosts: Collection[str] = (),
    ) -> None:
        self._application = application
        self._metrics = metrics
        self._expected = None if token is None else f"Bearer {token}".encode()
        self._body_bytes = body_bytes
        self._requests = requests
        self._hosts = frozenset(hosts)
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; nothing is raised."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        begun = perf_counter()
        exchange = _Exchange(scope, send)
        counted = scope["path"].startswith(COUNTED)
        self._in_flight += counted
        self._metrics.begun()
        failure: dict[str, str] = {}
        try:
            self._examine(scope, counted)
            await self._application(scope, self._limited(receive), exchange.forward)
        except ProblemError as problem:
            await exchange.refuse(problem)
        except Exception as error:  # a defect of ours: its text may quote the request
            failure = describe(error)
            detail = "an error of the service itself; its log says more"
            await exchange.refuse(ProblemError(HTTPStatus.INTERNAL_SERVER_ERROR, detail))
        finally:
            self._in_flight -= counted
            self._report(exchange, perf_counter() - begun, failure)

    def _examine(self, scope: Scope, counted: bool) -> None:
        """Raise ProblemError for a request that is not let in."""
        headers = dict(scope["headers"])
        self._examine_origin(headers)
        if self._expected is not None and scope["path"] not in OPEN_PATHS:
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                raise ProblemError(
                    HTTPStatus.UNAUTHORIZED,
                    "the header Authorization: Bearer TOKEN is missing or wrong",
                    headers={"WWW-Authenticate": "Bearer"},
                )
        if int(headers.get(b"content-length", b"0") or 0) > self._body_bytes:
            raise self._too_large()
        if counted and self._in_flight > self._requests:
            raise overloaded(f"{self._requests} requests are in flight; try again later")

    def _examine_origin(self, headers: Mapping[bytes, bytes]) -> None:
        """Raise ProblemError for another name than the service has, and for other sites' pages."""
        host = headers.get(b"host", b"").decode("latin-1")
        if self._hosts and (urlsplit(f"//{host}").hostname or "") not in self._hosts:
            detail = "the service does not answer under this name; its configuration names hosts"
            raise ProblemError(HTTPStatus.MISDIRECTED_REQUEST, detail)
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and urlsplit(origin).netloc != host:
            raise ProblemError(HTTPStatus.FORBIDDEN, "pages of other sites may not ask")

    def _limited(self, receive: Receive) -> Receive:
        """Return what raises ProblemError where more arrives than a body may have."""
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._body_bytes:
                raise self._too_large()
            return message

        return limited

    def _too_large(self) -> ProblemError:
        detail = f"the body has more than the {self._body_bytes} bytes that it may have"
        return ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)

    def _report(self, exchange: _Exchange, seconds: float, failure: dict[str, str]) -> None:
        scope = exchange.scope
        path = scope["path"].rstrip("/") or "/"
        endpoint = path if path in PATHS else "other"
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._metrics.answered(endpoint, method, exchange.status, seconds)
        log(
            "request",
            logging.ERROR if failure else logging.INFO,
            endpoint=endpoint,
            method=method,
            status=exchange.status,
            ms=round(seconds * 1000, 1),
            bytes=exchange.sent,
            **failure,
        )
