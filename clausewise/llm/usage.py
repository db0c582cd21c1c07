"""What questions to a language model cost: calls, tokens and money, and the limit on them."""

from __future__ import annotations

from dataclasses import dataclass

from clausewise.types import Json


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls and tokens, 0 or more each; `usd` is None where no price is known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        known = [usd for usd in (self.usd, other.usd) if usd is not None]
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            sum(known) if known else None,
        )

    def __sub__(self, earlier: Usage) -> Usage:
        usd = None if self.usd is None else self.usd - (earlier.usd or 0.0)
        return Usage(
            self.calls - earlier.calls,
            self.prompt_tokens - earlier.prompt_tokens,
            self.completion_tokens - earlier.completion_tokens,
            usd,
        )

    def to_json(self) -> dict[str, Json]:
        """Return the record that reports hold; money is rounded to a millionth of a dollar."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "usd": None if self.usd is None else round(self.usd, 6),
        }


def money(
    price: tuple[float, float] | None, prompt_tokens: int, completion_tokens: int
) -> float | None:
    """Return US dollars for these tokens, None without a price (per million tokens)."""
    if price is None:
        return None
    return (prompt_tokens * price[0] + completion_tokens * price[1]) / 1_000_000
