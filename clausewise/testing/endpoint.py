"""A real HTTP server on the loopback that plays an OpenAI-compatible endpoint from a script.

::

    with ScriptedEndpoint([Reply(status=500), Reply('{"suspicious": true}')]) as endpoint:
        settings = LLMSettings("scripted", base_url=endpoint.url)
        ...
        endpoint.count  # 2
"""

from __future__ import annotations

import json
import math
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True)
class Reply:
    """What the endpoint does with one request; by default it answers with `text` at once."""

    text: str = "{}"
    """Content of the message of the only choice."""
    status: int = 200
    error: str = "scripted"
    """Message of the error where `status` is not 200."""
    error_param: str | None = None
    error_code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], object] | None = None
    """Called before anything is sent, in the request's thread: it may wait."""
    delay: float = 0.0
    """Seconds before anything is sent."""
    drip: float = 0.0
    """Seconds between the bytes of the body."""
    body: bytes | None = None
    """Sent as it is, in place of a chat completion."""
    cut: bool = False
    """Whether the connection is cut in the middle of the body."""
    choices: bool = True
    """Whether there is a choice at all."""
    refusal: str | None = None
    finish: str = "stop"
    chances: Mapping[str, float] | None = None
    """Probability of each likely first token, given where the request asks for log-probs."""
    usage: tuple[int, int] | None = (100, 10)
    """Tokens of prompt and answer; None leaves them out."""


def fitting(request: Mapping[str, Any], *, verdict: bool = False) -> str:
    """Return the JSON text of a reply that fits the schema of a request, `{}` without any.

    Every boolean is `verdict`, every number 1, every text empty, every list has one item.
    """
    wanted = request.get("response_format", {}).get("json_schema", {}).get("schema")
    if wanted is None:
        return "{}"
    return json.dumps(_filled(wanted, wanted.get("$defs", {}), verdict))


def _filled(schema: Mapping[str, Any], named: Mapping[str, Any], verdict: bool) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if choices := schema.get("anyOf"):
        return _filled(choices[0], named, verdict)
    if "$ref" in schema:
        return _filled(named[schema["$ref"].rsplit("/", 1)[1]], named, verdict)
    if "properties" in schema:
        parts = schema["properties"].items()
        return {name: _filled(part, named, verdict) for name, part in parts}
    if "items" in schema:
        return [_filled(schema["items"], named, verdict)]
    plain = {"boolean": verdict, "integer": 1, "number": 1, "null": None}
    return plain.get(schema.get("type", ""), "")


class ScriptedEndpoint:
    """Serves chat completions from a script, in threads, until the end of the `with` block.

    `replies` are given in order, the last one again and again; or a function of the request's
    JSON object chooses each. A request that holds one of the parameters `refuses` gets a 400 that
    names it.
    """

    def __init__(
        self,
        replies: Sequence[Reply] | Callable[[Mapping[str, Any]], Reply] = (Reply(),),
        *,
        refuses: Sequence[str] = (),
    ) -> None:
        self._replies = replies
        self._refuses = tuple(refuses)
        self._lock = threading.Lock()
        self._in_flight = 0
        self._served = 0
        self.requests: list[Mapping[str, Any]] = []
        """The JSON objects of all requests, in order of arrival."""
        self.headers: list[Mapping[str, str]] = []
        """Their headers, names in small letters."""
        self.times: list[float] = []
        """When each request came, by `time.monotonic`."""
        self.most_in_flight = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.script = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL, with the protocol's version in its path."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def count(self) -> int:
        """How many requests have come."""
        return len(self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def arrive(self, request: Mapping[str, Any], headers: Mapping[str, str]) -> Reply:
        """Note a request and return what is to be done with it."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            for name in self._refuses:
                if name in request:
                    message = f"Unsupported parameter: '{name}'"
                    return Reply(status=400, error=message, error_param=name)
            if callable(self._replies):
                return self._replies(request)
            reply = self._replies[min(self._served, len(self._replies) - 1)]
            self._served += 1
            return reply

    def leave(self) -> None:
        """Note that a request is done with."""
        with self._lock:
            self._in_flight -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    script: ScriptedEndpoint

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server
    _TYPE: ClassVar[str] = "application/json"

    def do_POST(self) -> None:
        """Answer a request as the script says."""
        size = int(self.headers.get("Content-Length", "0"))
        request = json.loads(self.rfile.read(size))
        script = self.server.script
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = script.arrive(request, headers)
        try:
            if reply.before is not None:
                reply.before()
            time.sleep(reply.delay)
        finally:
            # Before the answer leaves: its receiver may send the next request at once.
            script.leave()
        self._send(reply, _body(reply, request))

    def _send(self, reply: Reply, body: bytes) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", self._TYPE)
        self.send_header("Content-Length", str(len(body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.cut:
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if reply.drip:
            for at in range(len(body)):
                self.wfile.write(body[at : at + 1])
                self.wfile.flush()
                time.sleep(reply.drip)
            return
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing to standard error."""


def _body(reply: Reply, request: Mapping[str, Any]) -> bytes:
    if reply.body is not None:
        return reply.body
    if reply.status != 200:
        error = {
            "message": reply.error,
            "type": "scripted",
            "param": reply.error_param,
            "code": reply.error_code,
        }
        return json.dumps({"error": error}).encode()
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": reply.text, "refusal": reply.refusal},
        "finish_reason": reply.finish,
        "logprobs": None,
    }
    if reply.chances is not None and request.get("logprobs"):
        choice["logprobs"] = {"content": [_token(reply.chances)]}
    completion: dict[str, Any] = {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model"),
        "choices": [choice] if reply.choices else [],
    }
    if reply.usage is not None:
        prompt, written = reply.usage
        completion["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        }
    return json.dumps(completion).encode()


def _token(chances: Mapping[str, float]) -> dict[str, Any]:
    likely = [
        {"token": token, "logprob": math.log(chance), "bytes": list(token.encode())}
        for token, chance in sorted(chances.items(), key=lambda item: -item[1])
    ]
    return {**likely[0], "top_logprobs": likely}
