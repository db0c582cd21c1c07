"""Requests over the loopback, from a process of its own: as many as are answered, or at a rate.

    python -m benchmarks.http_load HOST PORT BODIES [--connections 32] [--rate R] [--warm N]

BODIES has the body of one request to `/v1/check` on each line. Without a rate every connection
asks again as soon as it is answered. With one, requests come at random times (a Poisson process
with a fixed seed), and latency counts from when a request was due, so that waiting for a free
connection is in it. Prints one JSON object: requests a second, and quantiles of latency in
milliseconds. HTTP is spoken by hand: a client library takes longer than the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path


class Connection:
    """One kept connection."""

    def __init__(self, host: str, port: int) -> None:
        self._place = (host, port)
        self._head = f"POST /v1/check HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: "

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(*self._place)

    async def ask(self, body: bytes) -> int:
        """Send one request; return the status once all of the answer is there."""
        self._writer.write(f"{self._head}{len(body)}\r\n\r\n".encode() + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await self._reader.readexactly(int(length))
        return int(head[9:12])

    def close(self) -> None:
        self._writer.close()


async def full(connections: list[Connection], bodies: list[bytes]) -> dict[str, float]:
    """Ask for all bodies, each connection one after another."""
    waiting = iter(bodies)
    seconds: list[float] = []

    async def work(connection: Connection) -> None:
        for body in waiting:
            began = time.perf_counter()
            status = await connection.ask(body)
            assert status == 200, (status, body)
            seconds.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*map(work, connections))
    return summary(seconds, time.perf_counter() - began)


async def at_rate(
    connections: list[Connection], bodies: list[bytes], rate: float
) -> dict[str, float]:
    """Ask for each body at its time, by whatever connection is free."""
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for connection in connections:
        free.put_nowait(connection)
    seconds: list[float] = []

    async def work(body: bytes, due: float) -> None:
        connection = await free.get()
        status = await connection.ask(body)
        free.put_nowait(connection)
        assert status == 200, (status, body)
        seconds.append(time.perf_counter() - due)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for body, offset in zip(bodies, offsets(rate), strict=False):
            await asyncio.sleep(max(0.0, began + offset - time.perf_counter()))
            group.create_task(work(body, began + offset))
    return summary(seconds, time.perf_counter() - began)


def offsets(rate: float) -> Iterator[float]:
    """Yield the seconds at which requests are due."""
    numbers = random.Random(0)
    due = 0.0
    while True:
        yield due
        due += numbers.expovariate(rate)


def summary(seconds: list[float], elapsed: float) -> dict[str, float]:
    """Return requests a second and latencies in milliseconds."""
    cuts = statistics.quantiles(seconds, n=1000, method="inclusive")
    return {
        "a second": len(seconds) / elapsed,
        "p50": cuts[499] * 1e3,
        "p95": cuts[949] * 1e3,
        "p99": cuts[989] * 1e3,
        "longest": max(seconds) * 1e3,
    }


async def run(options: argparse.Namespace) -> dict[str, float]:
    bodies = options.bodies.read_bytes().splitlines()
    connections = [Connection(options.host, options.port) for _ in range(options.connections)]
    for connection in connections:
        await connection.open()
    if options.warm:
        await full(connections, bodies[: options.warm])
    if options.rate:
        found = await at_rate(connections, bodies, options.rate)
    else:
        found = await full(connections, bodies)
    for connection in connections:
        connection.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("bodies", type=Path)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--warm", type=int, default=0)
    print(json.dumps(asyncio.run(run(parser.parse_args()))))


if __name__ == "__main__":
    main()
