"""The one door to a language model: `LLM` for a run, `CaseLLM` for each case of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self, TypeVar

from pydantic import BaseModel

from clausewise.llm.settings import LLMSettings
from clausewise.llm.usage import Usage

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Probability:
    """How likely the model takes the answer yes to be: `value` lies in [0, 1]."""

    value: float
    source: Literal["logprobs", "verbal"]
    """From the chances of the words yes and no, or from a number that the model wrote."""


class LLM:
    """A language model behind an OpenAI-compatible endpoint; safe to use from many threads.

    Raises InputError for settings that cannot be used and MissingExtraError without the extra
    `clausewise[llm]`.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self.settings = settings

    def for_case(self, case_name: str) -> CaseLLM:
        """Return the door for one case, which counts what its answers cost. Cheap."""
        return CaseLLM(self, case_name)

    @property
    def spent(self) -> Usage:
        """What this process really sent, retries included, answers from the cache not."""
        raise NotImplementedError

    def close(self) -> None:
        """End all that is in flight; it cannot be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class CaseLLM:
    """Asks for one case and counts it; every method may be called from many threads."""

    def __init__(self, llm: LLM, case_name: str) -> None:
        self._llm = llm
        self.case_name = case_name

    @property
    def settings(self) -> LLMSettings:
        """The run's settings."""
        return self._llm.settings

    @property
    def usage(self) -> Usage:
        """What this case's answers cost, the same whether they came from the cache or not."""
        raise NotImplementedError

    def ask(self, prompt: str, reply: type[R], variables: Mapping[str, object]) -> R:
        """Ask with the template `prompts/<prompt>.j2` and return the checked answer. Blocks.

        Raises LLMUnavailable, LLMRefused, LLMReplyError, LLMBudgetExceeded or LLMOffline.
        """
        raise NotImplementedError

    def probability(self, prompt: str, variables: Mapping[str, object]) -> Probability:
        """Return how likely the answer to the template's yes-or-no question is yes. Blocks.

        The template only asks; how to answer (one word, or a number) is added here. Raises as
        `ask` does.
        """
        raise NotImplementedError
