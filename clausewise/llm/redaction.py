"""Keeping the key out of everything that is written down."""

from __future__ import annotations

import base64
import logging
import re
import traceback

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
    """Takes one key out of texts, and as a filter out of log records.

    The key is found as it is, in hexadecimal digits, in base64 wherever it begins in what was
    encoded, and with any of its characters escaped as in JSON, C, HTML or an address.
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        known = key != NO_KEY and len(key) >= _SHORTEST
        self._pattern = _spellings(key) if known else None

    def clean(self, text: str) -> str:
        """Return the text without the key."""
        return self._pattern.sub(REDACTED, text) if self._pattern else text

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record where it holds a key, its traceback too; every record passes."""
        message = record.getMessage()
        cleaned = _BEARER.sub(rf"\1 {REDACTED}", self.clean(message))
        if cleaned != message:
            record.msg, record.args = cleaned, ()
        if record.exc_info and record.exc_info[1] is not None:
            trace = "".join(traceback.format_exception(record.exc_info[1])).rstrip()
            record.exc_text = _BEARER.sub(rf"\1 {REDACTED}", self.clean(trace))
            record.exc_info = None
        return True

    def guard_logs(self) -> None:
        """Watch the loggers of the client and of its transport."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def release_logs(self) -> None:
        """Watch them no longer."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)


def _spellings(key: str) -> re.Pattern[str]:
    data = key.encode("utf-8")
    escaped = "".join(_character(character) for character in key)
    return re.compile("|".join([escaped, f"(?i:{data.hex()})", *_in_base64(data)]))


def _character(character: str) -> str:
    """Return a pattern for a character of the key, as it is or escaped once or several times."""
    code = ord(character)
    escapes = [
        rf"\\*{re.escape(character)}",
        rf"\\+(?i:u0*{code:x}|u\{{0*{code:x}\}}|x{code:02x})",
        rf"&#(?:0*{code}|(?i:x0*{code:x}));",
        "".join(f"%(?:25)*(?i:{byte:02x})" for byte in character.encode("utf-8")),
    ]
    return f"(?:{'|'.join(escapes)})"


def _in_base64(data: bytes) -> list[str]:
    """Return patterns of what stands for the whole key, with 0, 1 or 2 bytes before it."""
    patterns = []
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + data).decode("ascii").rstrip("=")
        # The first and the last digit may hold bits of what stands around the key as well.
        first = (before * 8 + 5) // 6
        last = (before + len(data)) * 8 // 6
        core = re.escape(encoded[first:last]).replace(r"\+", "[+-]").replace("/", "[/_]")
        patterns.append(f"[A-Za-z0-9+/_-]?{core}[A-Za-z0-9+/_-]?=*")
    return patterns
