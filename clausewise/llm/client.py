"""The client of a language model: `LLM` for a run, `CaseLLM` for each case of it."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NoReturn, Self, TypeVar

from pydantic import BaseModel

from clausewise.caching import cache_folder
from clausewise.errors import LLMError, LLMReplyError, LLMUnavailable, MissingExtraError
from clausewise.llm.budget import Meter
from clausewise.llm.cache import AnswerCache
from clausewise.llm.endpoint import Endpoint, Patience
from clausewise.llm.messages import Answer, Request
from clausewise.llm.session import ModelSession
from clausewise.llm.settings import LLMSettings
from clausewise.llm.templates import PROMPT_FOLDER, PromptFolder
from clausewise.llm.usage import Usage, money

R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")

_NEEDED = ("aiolimiter", "diskcache", "openai", "tenacity")

_DIGITS = 6
"""Digits of a probability; servers' own noise lies below."""

_CLOSING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Probability:
    """How likely the model takes the answer yes to be: `value` lies in [0, 1]."""

    value: float
    source: Literal["logprobs", "verbal"]
    """From the chances of the words yes and no, or from a number that the model wrote."""


class Failures:
    """Which cases asked the model and which of them lack an answer; safe in many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: set[str] = set()
        self._failed: set[str] = set()
        self._reasons: Counter[str] = Counter()

    def record_asked(self, case_name: str) -> None:
        """Count a case that asked."""
        with self._lock:
            self._asked.add(case_name)

    def record(self, case_name: str, reason: str) -> None:
        """Count a case that got no answer to one of its questions."""
        with self._lock:
            self._failed.add(case_name)
            self._reasons[reason] += 1

    def __bool__(self) -> bool:
        return bool(self._failed)

    def __str__(self) -> str:
        """One sentence: how many cases, and the most frequent reason, the first of equals."""
        if not self:
            return "every case got an answer"
        reason = min(self._reasons, key=lambda text: (-self._reasons[text], text))
        return f"{len(self._failed)} of {len(self._asked)} cases lack an answer: {reason}"


class CallGroup:
    """Calls of many threads that can be ended together; safe in many threads.

    Ended, every call in flight and every later one raises LLMUnavailable. An answer that is on
    its way is still kept in the cache if it comes before the client is closed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: set[Future[Any]] = set()
        self.ended = False

    def end(self) -> None:
        """End all calls; harmless when done twice."""
        with self._lock:
            self.ended = True
            flying = tuple(self._flying)
        for future in flying:
            future.cancel()

    def add(self, future: Future[Any]) -> None:
        """Note a call; it is canceled where the group has ended."""
        with self._lock:
            self._flying.add(future)
        if self.ended:
            future.cancel()

    def discard(self, future: Future[Any]) -> None:
        """Forget a call that is over."""
        with self._lock:
            self._flying.discard(future)


class LLM:
    """A language model behind an OpenAI-compatible endpoint; safe to use from many threads.

    All requests go through one event loop in a thread of its own, which begins with the first
    question. `prompts` is the folder of the templates. Raises MissingExtraError without the
    extra `clausewise[llm]`.

    >>> settings = LLMSettings("some-model", offline=True)
    >>> with LLM(settings) as llm:
    ...     llm.for_case("q1").usage.calls
    0
    """

    def __init__(
        self,
        settings: LLMSettings,
        *,
        prompts: Path = PROMPT_FOLDER,
        patience: Patience | None = None,
    ) -> None:
        if not all(importlib.util.find_spec(name) for name in _NEEDED):
            raise MissingExtraError("a language model", "llm")
        self.settings = settings
        self.prompts = PromptFolder(prompts)
        self._meter = Meter(settings)
        folder = settings.cache_folder or cache_folder() / "llm"
        patience = patience or Patience()
        self._asker = ModelSession(
            settings,
            AnswerCache(folder),
            lambda: Endpoint(settings, self._meter, patience),
        )
        self._failures = Failures()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def failures(self) -> Failures:
        """The cases for which the model was asked and gave no answer that can be used."""
        return self._failures

    def for_case(self, case_name: str, group: CallGroup | None = None) -> CaseLLM:
        """Return the client for one case, which counts what its answers cost. Cheap.

        Its calls end with those of the `group`, where one is given.
        """
        return CaseLLM(self, case_name, group)

    @property
    def spent(self) -> Usage:
        """What this process really sent, retries included, answers from the cache not.

        Where no answer came back its tokens are not known and not counted.
        """
        return self._meter.spent

    def run(
        self, ask: Callable[[ModelSession], Coroutine[Any, Any, T]], group: CallGroup | None = None
    ) -> T:
        """Run a coroutine of the asker in the loop's thread and wait for it.

        Raises LLMUnavailable after `close`, and where the group of calls is ended.
        """
        with self._lock:
            if self._closed:
                raise LLMUnavailable("the client of the language model is closed")
            loop = self._running_loop()
            future = asyncio.run_coroutine_threadsafe(ask(self._asker), loop)
        group = group or CallGroup()
        group.add(future)
        try:
            return future.result()
        except CancelledError:
            raise LLMUnavailable("the client of the language model was closed") from None
        except BaseException:
            future.cancel()
            raise
        finally:
            group.discard(future)

    def close(self) -> None:
        """End all that is in flight; it cannot be used afterward. Closing twice is harmless."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._end(), loop).result(_CLOSING_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSING_SECONDS)
        loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("an LLM stays in its process; pass its settings and open another")

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="clausewise-llm", daemon=True
            )
            self._thread.start()
        return self._loop

    async def _end(self) -> None:
        await self._asker.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class CaseLLM:
    """Asks for one case and counts it; every method may be called from many threads."""

    def __init__(self, llm: LLM, case_name: str, group: CallGroup | None = None) -> None:
        self._llm = llm
        self._group = group or CallGroup()
        self.case_name = case_name
        self._lock = threading.Lock()
        self._usage = Usage(usd=money(llm.settings.price, 0, 0))

    @property
    def settings(self) -> LLMSettings:
        """The run's settings."""
        return self._llm.settings

    @property
    def usage(self) -> Usage:
        """What this case's answers cost, the same whether they came from the cache or not.

        A call is an answer here: tries that failed are in `LLM.spent` only.
        """
        return self._usage

    def beside_cases(self, name: str) -> CaseLLM:
        """Return a client for work that serves many cases; its cost counts for none of them."""
        return self._llm.for_case(name, self._group)

    def ask(
        self,
        prompt: str,
        reply: type[R],
        variables: Mapping[str, object],
        *,
        temperature: float = 0.0,
        sample: int | None = None,
    ) -> R:
        """Ask with the template `prompts/<prompt>.j2` and return the checked answer. Blocks.

        `reply` says what the JSON object of the answer must hold; all its fields are asked for.
        With `sample`, a number from 0, the answer is one of several: each number is a request of
        its own with a seed of its own, and a malformed one alone is no failure of the case; where
        none is left that can be used, `record_failure` says so.

        Raises LLMUnavailable, LLMRefused, LLMReplyError, LLMBudgetExceeded or LLMOffline, and
        InputError where the template cannot be filled in.
        """
        request = self._request(prompt, variables)
        request = replace(request, temperature=temperature, sample=sample or 0)
        return self._run(
            lambda asker: asker.ask(request, reply, self._count), others=sample is not None
        )

    def record_failure(self, reason: str) -> None:
        """Count the case among those that lack an answer."""
        self._llm.failures.record(self.case_name, reason)

    def probability(self, prompt: str, variables: Mapping[str, object]) -> Probability:
        """Return how likely the answer to the template's yes-or-no question is yes. Blocks.

        The template only asks; how to answer (one word, or a number) is added here. Raises as
        `ask` does.
        """
        request = self._request(prompt, variables)
        chance = self._run(lambda asker: asker.chance(request, self._count))
        if chance is not None:
            return Probability(round(chance, _DIGITS), "logprobs")
        value = self._run(lambda asker: asker.verbal(request, self._count))
        return Probability(round(value, _DIGITS), "verbal")

    def _run(
        self, ask: Callable[[ModelSession], Coroutine[Any, Any, T]], others: bool = False
    ) -> T:
        try:
            return self._llm.run(ask, self._group)
        except LLMError as error:
            one_of_several = others and isinstance(error, LLMReplyError)
            if not (self._group.ended or one_of_several):
                self.record_failure(str(error))
            raise
        finally:
            self._llm.failures.record_asked(self.case_name)

    def _request(self, prompt: str, variables: Mapping[str, object]) -> Request:
        filled = self._llm.prompts.render(prompt, variables)
        return Request.of(filled, self.settings.max_tokens)

    def _count(self, answer: Answer) -> None:
        usd = money(self.settings.price, answer.prompt_tokens, answer.completion_tokens)
        with self._lock:
            self._usage += Usage(1, answer.prompt_tokens, answer.completion_tokens, usd)
