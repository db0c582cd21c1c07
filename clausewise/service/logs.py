"""Logs of the service: one JSON object a line, with no SQL, question or token in it."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LOGGER = logging.getLogger("clausewise.service")
FIELDS = "fields"
"""Attribute of a log record that holds further fields of its line."""

_OWN = ("clausewise.service", "clausewise.databases", "uvicorn")
"""Loggers whose messages say nothing of cases; of others only where and what kind is logged."""


class JsonLines(logging.Formatter):
    """Writes a record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; the text of an exception may quote a query, so its kind alone is."""
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name.startswith(_OWN):
            entry["event"] = record.getMessage()
        entry.update(getattr(record, FIELDS, {}))
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            entry |= describe(error)
        return json.dumps(entry, ensure_ascii=True)


def describe(error: BaseException) -> dict[str, str]:
    """Return the kind of an exception and where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return {"error": type(error).__name__, "place": place}


def log(event: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event with fields."""
    LOGGER.log(level, event, extra={FIELDS: fields})


def set_up_logs() -> None:
    """Send all logs to standard error, one JSON object a line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    LOGGER.setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
