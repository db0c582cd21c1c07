"""What tests of the audit make by hand."""

from __future__ import annotations

from typing import Any


def finding(signal: str, reason: str, sql: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a finding at a text of a query, as a line of a scores file has it."""
    start = sql.index(text)
    clause = {"kind": "where", "text": text, "start": start, "end": start + len(text)}
    made = {
        "signal": signal, "code": "X", "clause": clause, "score": 0.9, "message": "it is wrong",
        "evidence": {}, "suggestion": None, "level": "error", "contribution": 1.0,
        "reason": reason, "measure": None,
    }  # fmt: skip
    return made | more
