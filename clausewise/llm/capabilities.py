"""What one endpoint can do, learned from what it refuses."""

from __future__ import annotations

from typing import Any

from clausewise.llm.messages import Request
from clausewise.llm.replies import schema_instruction
from clausewise.llm.settings import LLMSettings

_MOST_LIKELY = 20
"""Tokens whose chances are asked for: the most that the protocol allows."""

_FEWER_LIKELY = 5
"""The most that some servers allow."""

_FORMATS = ("json_schema", "json_object", None)
"""From the strictest to none; an endpoint that refuses one is asked with the next."""


class Capabilities:
    """Turns requests into parameters, leaving out what the endpoint has refused.

    What was refused once is not sent again: the first request pays for what is learned.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._format = 0
        self._format_works = False
        self._left_out: set[str] = set()
        self._likely = _MOST_LIKELY
        self._limit = "max_tokens"

    def parameters(self, request: Request) -> dict[str, Any]:
        """Return the keyword arguments of a chat completion."""
        messages = [{"role": role, "content": text} for role, text in request.messages]
        parameters: dict[str, Any] = {
            "model": self._settings.model,
            "messages": messages,
            "temperature": request.temperature,
            "seed": self._settings.seed + request.sample,
            self._limit: request.max_tokens,
        }
        if request.logprobs:
            parameters |= {"logprobs": True, "top_logprobs": self._likely}
        if request.schema is not None:
            schema = dict(request.schema)
            kind = _FORMATS[self._format]
            if kind == "json_schema":
                named = {"name": request.schema_name, "strict": True, "schema": schema}
                parameters["response_format"] = {"type": kind, "json_schema": named}
            else:
                messages[0]["content"] += "\n\n" + schema_instruction(schema)
                if kind is not None:
                    parameters["response_format"] = {"type": kind}
        return {name: value for name, value in parameters.items() if name not in self._left_out}

    def works(self, parameters: dict[str, Any]) -> None:
        """Note that the endpoint took these parameters."""
        if parameters.get("response_format", {}).get("type") == _FORMATS[self._format]:
            self._format_works = True

    def learn(self, sent: dict[str, Any], refused: str | None) -> bool:
        """Leave something out after a refusal; returns whether it is worth to ask again.

        `refused` is the parameter that the endpoint named. Where it named none, the format is
        the likeliest cause as long as it has never worked.
        """
        if refused is None and "response_format" in sent and not self._format_works:
            refused = "response_format"
        if refused is None:
            return False
        if refused == "response_format":
            self._degrade_format(sent)
        elif refused == "top_logprobs" and sent["top_logprobs"] > _FEWER_LIKELY:
            self._likely = _FEWER_LIKELY
        elif refused in ("top_logprobs", "logprobs"):
            self._left_out |= {"logprobs", "top_logprobs"}
        elif refused == "max_tokens":
            self._limit = "max_completion_tokens"
        else:
            self._left_out.add(refused)
        return True

    def _degrade_format(self, sent: dict[str, Any]) -> None:
        # Requests in flight together are refused together, and must not degrade it twice.
        if sent["response_format"]["type"] == _FORMATS[self._format]:
            self._format += 1
            self._format_works = False
