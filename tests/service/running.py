"""A service in a process of its own, and requests to it over the loopback."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

COMMAND = (sys.executable, "-m", "clausewise", "serve")


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.decode().splitlines()]


@dataclass
class Served:
    """A running service."""

    process: subprocess.Popen[str]
    host: str
    port: int
    log: Path

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=120)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        connection = self.connection()
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, sent, dict(headers or {}))
        return finished(connection)

    def check(self, **fields: Any) -> Reply:
        return self.ask("POST", "/v1/check", {**CASE, **fields})

    def wait_until_ready(self) -> None:
        while self.ask("GET", "/ready").status != 200:
            pass

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def logged(self) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line[0] == "{" and line[-1] == "\n"]


CASE = {
    "db_id": "bookshop",
    "question": "How many books are there?",
    "predicted_sql": "SELECT COUNT(*) FROM books",
}


def finished(connection: http.client.HTTPConnection) -> Reply:
    response = connection.getresponse()
    reply = Reply(response.status, dict(response.headers), response.read())
    connection.close()
    return reply


@contextmanager
def serving(
    log: Path, *options: object, environment: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """Run a service on a free port until the block ends."""
    command = [*COMMAND, "--port", "0", *map(str, options)]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            text=True,
            env={**os.environ, **(environment or {})},
        ) as process,
    ):
        try:
            place = urlsplit(_announced(process, log))
            served = Served(process, str(place.hostname), int(place.port or 0), log)
            served.wait_until_ready()
            yield served
        finally:
            process.kill()


def _announced(process: subprocess.Popen[str], log: Path) -> str:
    while True:
        for line in log.read_text().splitlines():
            if line.startswith("serving on "):
                return line.split()[-1]
        if process.poll() is not None:
            raise AssertionError(log.read_text())


SLOW = "SELECT COUNT(*) FROM books a, books b, books c, books d, books e, books f"
"""Takes seconds, until its steps are used up."""
ENDLESS = "SELECT instr(printf('%.*c', 4900000, 'a'), printf('%.*c', 2400000, 'a') || 'b')"
"""One call of a function: minutes, in which SQLite looks at no limit."""


def begin(served: Served, path: str, body: Any) -> http.client.HTTPConnection:
    """Send a request and do not wait for its answer."""
    connection = served.connection()
    connection.request("POST", path, json.dumps(body).encode())
    return connection


def wait_for(served: Served, metric: str, least: float) -> None:
    """Wait until a metric has reached a value."""
    while True:
        lines = served.ask("GET", "/metrics").body.decode().splitlines()
        values = [line.split() for line in lines if line.startswith(metric)]
        if sum(float(value) for _, value in values) >= least:
            return
