"""What a run may ask of a language model, and what it may spend; never the key."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from clausewise.errors import InputError

KEY_VARIABLE = "CLAUSEWISE_LLM_API_KEY"
"""Environment variable whose key goes before that of `LLMSettings.api_key_variable`."""

NO_KEY = "none"
"""Sent where no key is set: servers of one's own want none, but the protocol wants a word."""

DEFAULT_BASE_URL = "https://api.openai.com/v1"

PREPARATIONS = frozenset({"documentation", "rewriting"})
"""What may be made ready before the prompts: column descriptions, the question in plain words."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one run may send; None sets no limit.

    `calls` counts every request that leaves, retries included; `tokens` those of prompts and
    answers together; `usd` is money and needs a price. Answers from the cache cost nothing.
    Raises InputError for a negative limit.
    """

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "usd"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise InputError(f"a budget's {name} must be 0 or more, not {value}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `calls=1000,tokens=2000000,usd=1.50`, any part of it, in any order.

        Raises InputError for an unknown, repeated or malformed part.
        """
        known = {field.name: float if field.name == "usd" else int for field in fields(cls)}
        limits: dict[str, float] = {}
        for part in text.split(","):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or name not in known or name in limits:
                raise InputError(
                    f"cannot read '{part.strip()}' in the budget '{text}': "
                    "write it as calls=1000,tokens=2000000,usd=1.50, each at most once"
                )
            try:
                limits[name] = known[name](value.replace("_", ""))
            except ValueError:
                raise InputError(f"'{value}' is no number for the budget's {name}") from None
        return cls(**limits)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """What shapes a run's questions to a language model. Picklable; it never holds a key.

    Raises InputError for values out of range, a budget in money without a price, and a base URL
    that carries a secret.
    """

    model: str
    base_url: str | None = None
    """None: `OPENAI_BASE_URL` of the environment, else OpenAI's own service."""
    api_key_variable: str = "OPENAI_API_KEY"
    """Name of the environment variable of the key; `CLAUSEWISE_LLM_API_KEY` goes before it."""
    concurrency: int = 8
    """Most requests in flight at once."""
    requests_per_minute: float | None = None
    """Requests are spaced evenly to stay within it; None sets no limit."""
    timeout: float = 60.0
    """Seconds for one try, from sending to the last byte."""
    attempts: int = 4
    """Most tries for one request; waits grow between them."""
    budget: Budget = Budget()
    price: tuple[float, float] | None = None
    """US dollars per million tokens of prompts and of answers."""
    offline: bool = False
    """Answer from the cache alone; nothing is sent."""
    cache_folder: Path | None = None
    """None: `llm` in the folder of all caches of clausewise."""
    send_values: bool = True
    """Whether prompts may hold cells of the database."""
    combined: bool = False
    """One call that answers several signals at once, in place of one call for each."""
    prepare: frozenset[str] = frozenset()
    """Subset of `PREPARATIONS`."""
    schema_tokens: int = 3_000
    """Size limit of the schema's text in a prompt, estimated."""
    seed: int = 0
    max_tokens: int = 2_048
    """Most tokens of one answer, thoughts of reasoning models included."""
    samples: int = 5
    """Times that one question is asked at most where the majority of the answers counts."""

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("the language model needs a name")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= least):
                raise InputError(f"{name} must be at least {least}, not {value}")
        for name in ("timeout", "requests_per_minute"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(f"{name} must be above 0, not {value}")
        if self.price is not None and not all(math.isfinite(p) and p >= 0 for p in self.price):
            raise InputError(f"prices must be 0 or more, not {self.price}")
        if self.budget.usd is not None and self.price is None:
            raise InputError("a budget in US dollars needs the price of a million tokens")
        if unknown := sorted(self.prepare - PREPARATIONS):
            raise InputError(
                f"unknown preparation '{unknown[0]}'; known: {', '.join(sorted(PREPARATIONS))}"
            )
        checked_base_url(self.endpoint)

    @property
    def endpoint(self) -> str:
        """The address that requests go to, without a slash at its end."""
        chosen = self.base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        return chosen.rstrip("/")

    def of_result(self) -> str:
        """Return the settings that change answers or what is asked, the same in every process.

        How fast and how often requests are sent is left out.
        """
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("concurrency", "requests_per_minute", "timeout", "attempts", "cache_folder"):
            del shown[name]
        shown |= {"base_url": self.endpoint, "prepare": sorted(self.prepare)}
        return repr(shown)


_LEAST = {"concurrency": 1, "attempts": 1, "schema_tokens": 1, "max_tokens": 1, "samples": 1}


def checked_base_url(url: str) -> str:
    """Return the address; raises InputError where it is none, or carries a secret."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise InputError("the base URL of the language model must begin with http:// or https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "the base URL of the language model must hold no user, password or query: "
            f"put the key into the environment variable {KEY_VARIABLE}"
        )
    return url


def key_from_environment(settings: LLMSettings) -> str:
    """Return the key, or `NO_KEY` where none is set."""
    for variable in (KEY_VARIABLE, settings.api_key_variable):
        if key := os.environ.get(variable, "").strip():
            return key
    return NO_KEY
