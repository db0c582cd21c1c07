"""Keeping the key out of everything that is written down."""

from __future__ import annotations

import logging
import re

from clausewise.llm.settings import NO_KEY

REDACTED = "[key]"

_SHORTEST = 8
"""Shorter words are stand-ins for a key (`none`, `EMPTY`), and may well occur in an answer."""

_BEARER = re.compile(r"(?i)\b(bearer)\s+[^\s'\",;]+")

_LOGGERS = (
    "openai",
    "openai._base_client",
    "openai._response",
    "openai._legacy_response",
    "httpx2",
    "httpcore2",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
    "httpcore2.proxy",
    "httpcore2.socks",
)
"""A filter sees only what its own logger makes, so each logger below needs one."""


class Redaction(logging.Filter):
    """Takes one key out of texts, and as a filter out of log records."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key if key != NO_KEY and len(key) >= _SHORTEST else None

    def clean(self, text: str) -> str:
        """Return the text without the key."""
        return text.replace(self._key, REDACTED) if self._key else text

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record where it holds a key; every record passes."""
        message = record.getMessage()
        cleaned = _BEARER.sub(rf"\1 {REDACTED}", self.clean(message))
        if cleaned != message:
            record.msg, record.args = cleaned, ()
        return True

    def guard_logs(self) -> None:
        """Watch the loggers of the client and of its transport."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def release_logs(self) -> None:
        """Watch them no longer."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
