"""What Prometheus is told of a service, over all its server processes."""

from __future__ import annotations

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

from clausewise.service.job import CheckedCase

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder in which several server processes share their numbers."""
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300)
"""Upper bounds of the histogram of requests, in seconds."""


class ServiceMetrics:
    """Counters of one service; made once in a process."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "clausewise_requests",
            "Requests that were answered",
            ["endpoint", "method", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "clausewise_request_seconds",
            "Seconds from a request to the end of its answer",
            ["endpoint"],
            buckets=BUCKETS,
            registry=registry,
        )
        self._cases = Counter(
            "clausewise_cases",
            "Cases that were answered",
            ["status", "verdict"],
            registry=registry,
        )
        self._faults = Counter(
            "clausewise_signal_faults", "Signals that failed on a case", ["signal"],
            registry=registry,
        )  # fmt: skip
        self._ended = Counter(
            "clausewise_workers_ended",
            "Processes that were ended over a limit, or died",
            ["why"],
            registry=registry,
        )
        self._waiting = Gauge(
            "clausewise_queue_length",
            "Cases that wait for a process",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._in_flight = Gauge(
            "clausewise_requests_in_flight",
            "Requests that are being answered",
            registry=registry,
            multiprocess_mode="livesum",
        )

    def queued(self, change: int) -> None:
        """Count cases that begin (positive) or end (negative) waiting."""
        self._waiting.inc(change)

    def worker_ended(self, why: str) -> None:
        """Count a worker that had to be ended or has died."""
        self._ended.labels(why).inc()

    def checked(self, case: CheckedCase) -> None:
        """Count a case that was answered."""
        self._cases.labels(case.status, case.verdict).inc()
        for signal in case.faults:
            self._faults.labels(signal).inc()

    def begun(self) -> None:
        """Count a request that came."""
        self._in_flight.inc()

    def answered(self, endpoint: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._in_flight.dec()
        self._requests.labels(endpoint, method, status).inc()
        self._seconds.labels(endpoint).observe(seconds)

    def text(self) -> tuple[bytes, str]:
        """Return the numbers of all server processes, and the media type."""
        registry = self._registry
        if FOLDER_VARIABLE in os.environ:
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
