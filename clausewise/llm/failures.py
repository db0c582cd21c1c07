"""What an endpoint's errors mean: wait and retry, ask with fewer parameters, or give up."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausewise.errors import LLMRefused, LLMReplyError

if TYPE_CHECKING:
    from openai import APIStatusError

LONGEST_BODY = 512 * 1024
"""Bytes of one reply; the rest is not read."""

_RETRIED = frozenset({408, 409, 423, 425, 429})
_OF_ALL_CALLS = frozenset({401, 403, 404})
"""What refuses one call so refuses every call: the key, the right, the model's name."""

_TOO_LONG = (
    "context length",
    "context_length",
    "context window",
    "context size",
    "too many tokens",
)
_SHOWN = 200
_READ = 500


class Transient(Exception):
    """A failure that may be gone at the next try; the server may ask to `wait` so many seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        self.wait = wait
        super().__init__(reason)


class OversizedReply(Exception):
    """Raised while a reply is read that is too large, or packed so that its size is not known."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that the endpoint refuses. `of_all_calls`: it would refuse any other, too."""

    reason: str
    of_all_calls: bool

    def error(self) -> LLMRefused:
        """Return the error that a signal sees."""
        return LLMRefused(self.reason)


def classify(error: APIStatusError, said: str) -> Transient | Refusal:
    """Return what a status means; `said` is the server's message without the key."""
    status = error.status_code
    reason = f"HTTP {status}" + (f": {said}" if said else "")
    if status == 429 and error.code == "insufficient_quota":
        return Refusal(reason, of_all_calls=True)
    if status in _RETRIED or status >= 500:
        return Transient(reason, wanted_wait(error.response.headers))
    return Refusal(reason, of_all_calls=status in _OF_ALL_CALLS)


def server_message(error: APIStatusError, clean: Callable[[str], str]) -> str:
    """Return what the server says of its error, on one short line; `clean` takes out the key."""
    body = error.body
    message: object = body.get("message") if isinstance(body, Mapping) else body
    if isinstance(message, bytes):
        message = message.decode("utf-8", "replace")
    # Cleaned before it is cut: half a key would not be found.
    text = " ".join(clean(message).split()) if isinstance(message, str) else ""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def wanted_wait(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After, seconds or a date; None where there is none that can be read."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def unknown_parameter(error: APIStatusError, sent: Mapping[str, object]) -> str | None:
    """Return which of the parameters sent a 400 or 422 names, None where of none."""
    if error.status_code not in (400, 422):
        return None
    text = f"{error.param or ''} {error.code or ''} {_complaint(error.body)}".casefold()
    if any(phrase in text for phrase in _TOO_LONG):
        return None
    for parameter, words in _NAMES.items():
        if parameter in sent and any(word in text for word in words):
            return parameter
    return None


_NAMES: Mapping[str, tuple[str, ...]] = {
    "top_logprobs": ("logprobs",),
    "logprobs": ("logprobs",),
    "response_format": ("response_format", "json_schema", "json_object", "grammar", "schema"),
    "temperature": ("temperature",),
    "seed": ("seed",),
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "max_completion_tokens": ("max_completion_tokens",),
}
"""Parameters that some servers refuse, and the words by which their errors name them."""


def _complaint(body: object) -> str:
    """Return the server's words, without what it may echo of the prompt, which can say anything."""
    if isinstance(body, Mapping):
        if isinstance(details := body.get("detail"), list):
            places = [detail for detail in details if isinstance(detail, Mapping)]
            return " ".join(f"{place.get('loc')} {place.get('msg')}" for place in places)
        body = body.get("message") or body.get("detail")
    return body[:_READ] if isinstance(body, str) else ""


def oversized() -> LLMReplyError:
    """Return the error that a signal sees where a reply was not read to its end."""
    return LLMReplyError(f"the reply is packed or larger than {LONGEST_BODY // 1024} KiB")
