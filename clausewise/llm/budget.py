"""The budget of a run: checked before a request leaves, so that it cannot be overshot."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from clausewise.errors import LLMBudgetExceeded
from clausewise.llm.settings import LLMSettings
from clausewise.llm.usage import Usage, money

_MESSAGE_TOKENS = 16
"""More than any chat format spends around one message."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The most that one request can cost: what is set aside for it while it is in flight."""

    prompt_tokens: int
    completion_tokens: int


def estimate(texts: list[str], max_tokens: int) -> Estimate:
    """Return an upper bound: a token is at least one byte long, and an answer has its limit.

    True prompts have three to four bytes a token, so this is three to four times too much; it
    only matters for the last requests that a budget still allows.
    """
    size = sum(len(text.encode("utf-8")) + _MESSAGE_TOKENS for text in texts)
    return Estimate(size + _MESSAGE_TOKENS, max_tokens)


class Meter:
    """Counts what is sent. To be used from one event loop; `spent` may be read anywhere.

    Tokens are set aside before a request leaves and replaced by the true number when its answer
    comes. Where no answer comes the endpoint may charge all the same, so the budget keeps what
    was set aside, while `spent` counts the call without tokens.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._budget = settings.budget
        self._price = settings.price
        self._settled = Usage()
        self._flying = Usage()
        self._changed = asyncio.Condition()
        self.spent = Usage(usd=money(settings.price, 0, 0))

    async def reserve(self, wanted: Estimate) -> None:
        """Set aside what one request may cost, waiting for others to end where that may help.

        Raises LLMBudgetExceeded where it does not fit.
        """
        usage = self._usage(wanted.prompt_tokens, wanted.completion_tokens)
        async with self._changed:
            while True:
                if limit := self._over(self._settled + usage):
                    raise LLMBudgetExceeded(f"the budget of {limit} allows no further request")
                if not self._over(self._settled + self._flying + usage):
                    break
                await self._changed.wait()
            self._flying = self._flying + usage

    async def settle(self, wanted: Estimate, true: tuple[int, int] | None) -> None:
        """Replace what was set aside by tokens of prompt and answer; None where none came."""
        kept = self._usage(wanted.prompt_tokens, wanted.completion_tokens)
        async with self._changed:
            self._flying = _less(self._flying, kept)
            self._settled = self._settled + (kept if true is None else self._usage(*true))
            self.spent = self.spent + self._usage(*(true or (0, 0)))
            self._changed.notify_all()

    def _usage(self, prompt_tokens: int, completion_tokens: int) -> Usage:
        usd = money(self._price, prompt_tokens, completion_tokens)
        return Usage(1, prompt_tokens, completion_tokens, usd)

    def _over(self, usage: Usage) -> str | None:
        """Name the limit that this would go over, None where it fits."""
        budget = self._budget
        if budget.calls is not None and usage.calls > budget.calls:
            return f"{budget.calls:,} calls"
        if budget.tokens is not None and usage.tokens > budget.tokens:
            return f"{budget.tokens:,} tokens"
        if budget.usd is not None and (usage.usd or 0.0) > budget.usd:
            return f"{budget.usd:.2f} US dollars"
        return None


def _less(usage: Usage, part: Usage) -> Usage:
    return Usage(
        usage.calls - part.calls,
        usage.prompt_tokens - part.prompt_tokens,
        usage.completion_tokens - part.completion_tokens,
        None if usage.usd is None else usage.usd - (part.usd or 0.0),
    )
