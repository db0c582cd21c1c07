"""A request and its answer, as they are sent, read and cached."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, Self

from pydantic import BaseModel, TypeAdapter, ValidationError

from clausewise.llm.replies import complaint_message, quoted, strip_thoughts
from clausewise.llm.settings import LLMSettings
from clausewise.llm.templates import Prompt, without_marks

_KEY_VERSION = 1
"""Part of every key; raise it when the same question would be sent in other words."""

_KEPT_TOKENS = 8
"""Tokens of an answer whose chances are kept."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one question asks, whatever parameters the endpoint accepts."""

    prompt: str
    version: int
    messages: tuple[tuple[str, str], ...]
    """Role and text, in order."""
    max_tokens: int
    schema_name: str | None = None
    schema: Mapping[str, Any] | None = None
    """JSON schema of the reply; None asks for plain text."""
    logprobs: bool = False
    temperature: float = 0.0
    sample: int = 0
    """Which of several answers to the same question; each is asked for and kept by itself."""

    @classmethod
    def of(cls, prompt: Prompt, max_tokens: int, **more: Any) -> Self:
        """Make a request of a filled-in prompt."""
        messages = (("system", prompt.system), ("user", prompt.user))
        return cls(prompt.name, prompt.version, messages, max_tokens, **more)

    def again(self, text: str, complaint: str) -> Self:
        """Return the request that reports a bad reply."""
        more = [("user", complaint_message(complaint, dict(self.schema or {})))]
        # A reply repeats what it was given to read, or can be led to.
        if shown := quoted(without_marks(strip_thoughts(text))):
            more.insert(0, ("assistant", shown))
        return replace(self, messages=(*self.messages, *more))

    def with_user(self, addition: str) -> Self:
        """Return the request with a paragraph more at the end of the user's message."""
        *before, (role, text) = self.messages
        return replace(self, messages=(*before, (role, f"{text}\n\n{addition}")))

    def key(self, settings: LLMSettings) -> str:
        """Return the SHA-256 of everything that shapes the answer."""
        request = asdict(self)
        for name in ("temperature", "sample"):
            # Left out where they say nothing: keys from before there were samples stay the same.
            if not request[name]:
                del request[name]
        content = {
            "key_version": _KEY_VERSION,
            "endpoint": settings.endpoint,
            "model": settings.model,
            "seed": settings.seed,
            "request": request,
        }
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class TokenChances:
    """One token of an answer, and the likeliest tokens in its place with their log-chances."""

    token: str
    logprob: float
    likely: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `prompt_tokens` and `completion_tokens` are the server's own counts."""

    text: str
    refusal: str | None
    finish: str | None
    tokens: tuple[TokenChances, ...]
    """The first tokens; empty where the server gives no chances."""
    prompt_tokens: int
    completion_tokens: int

    def to_text(self) -> str:
        """Return the answer as JSON, for the cache."""
        return json.dumps(asdict(self), ensure_ascii=True)

    @staticmethod
    def from_text(text: str) -> Answer | None:
        """Read an answer from the cache, None where it is none."""
        try:
            return _answers().validate_json(text)
        except ValidationError:
            return None


@cache
def _answers() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


class _Likely(BaseModel):
    token: str
    logprob: float


class _LikelyToken(_Likely):
    top_logprobs: list[_Likely] | None = None


class _Logprobs(BaseModel):
    content: list[_LikelyToken] | None = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _CompletionUsage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: _CompletionUsage | None = None


def read_completion(body: str, prompt_tokens: int, clean: Callable[[str], str]) -> Answer | None:
    """Read the body of a chat completion, None where it is none.

    A server that counts no tokens, or says that they are none, is taken to have read
    `prompt_tokens` and to have written one token for each byte: no less than the truth. An empty
    list of choices is an empty answer. `clean` takes the key out of each text.
    """
    try:
        completion = _Completion.model_validate_json(clean(body))
    except ValidationError:
        return None
    choice = completion.choices[0] if completion.choices else _Choice(message=_Message())
    text = clean(choice.message.content or "")
    refusal = choice.message.refusal
    usage = completion.usage or _CompletionUsage()
    written = len(f"{text}{refusal or ''}".encode("utf-8", "replace"))
    read, answered = usage.prompt_tokens or 0, usage.completion_tokens or 0
    return Answer(
        text=text,
        refusal=None if refusal is None else clean(refusal),
        finish=None if choice.finish_reason is None else clean(choice.finish_reason),
        tokens=_chances(choice.logprobs, clean),
        prompt_tokens=read if read > 0 else prompt_tokens,
        completion_tokens=answered if answered > 0 else written,
    )


def _chances(logprobs: _Logprobs | None, clean: Callable[[str], str]) -> tuple[TokenChances, ...]:
    """Return the first tokens with their chances; none where together they spell the key."""
    content = ((logprobs.content if logprobs else None) or [])[:_KEPT_TOKENS]
    spelled = "".join(token.token for token in content)
    if clean(spelled) != spelled:
        return ()
    return tuple(
        TokenChances(
            token.token,
            token.logprob,
            tuple((clean(other.token), other.logprob) for other in token.top_logprobs or ()),
        )
        for token in content
    )
