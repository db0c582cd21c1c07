"""From a request to a checked answer: cache, one sending for equal requests, one re-ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from clausewise.errors import LLMError, LLMOffline, LLMReplyError
from clausewise.llm.cache import AnswerCache
from clausewise.llm.endpoint import Endpoint
from clausewise.llm.messages import Answer, Request
from clausewise.llm.replies import Malformed, parse_reply, reply_schema
from clausewise.llm.settings import LLMSettings
from clausewise.llm.yes_no import (
    ANSWER_TOKENS,
    IN_NUMBERS,
    ONE_WORD,
    PROBE_SYSTEM,
    PROBE_USER,
    VerbalProbability,
    chance_of_yes,
)

R = TypeVar("R", bound=BaseModel)

Count = Callable[[Answer], None]
"""Called with every answer that a case used, from the cache or not."""


class ModelSession:
    """Asks one model. To be used from one event loop."""

    def __init__(
        self, settings: LLMSettings, cache: AnswerCache, connect: Callable[[], Endpoint]
    ) -> None:
        self._settings = settings
        self._cache = cache
        self._connect = connect
        self._endpoint: Endpoint | None = None
        self._flying: dict[str, asyncio.Task[Answer]] = {}
        self._gives_chances: bool | None = None

    async def ask(self, request: Request, reply: type[R], count: Count) -> R:
        """Return the checked answer, asked for once more where the first is malformed."""
        request = structured(request, reply)
        answer = await self._counted(request, count)
        try:
            return parse_reply(answer.text, reply)
        except Malformed as error:
            complaint = str(error)
        answer = await self._counted(request.again(answer.text, complaint), count)
        try:
            return parse_reply(answer.text, reply)
        except Malformed as error:
            complaint = str(error)
        cut = ", cut off at the limit of tokens" if answer.finish == "length" else ""
        raise LLMReplyError(f"malformed reply, also when asked again: {complaint}{cut}")

    async def chance(self, request: Request, count: Count) -> float | None:
        """Return P(yes) from the chances of words; None where the model does not give them."""
        if not await self.gives_chances():
            return None
        return chance_of_yes(await self._counted(in_one_word(request), count))

    async def verbal(self, request: Request, count: Count) -> float:
        """Return P(yes) as the model writes it."""
        reply = await self.ask(request.with_user(IN_NUMBERS), VerbalProbability, count)
        return reply.probability_of_yes

    async def close(self) -> None:
        """End what is in flight and close connections and files."""
        flying = list(self._flying.values())
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)
        if self._endpoint is not None:
            await self._endpoint.close()
        await self._cache.close()

    async def gives_chances(self) -> bool:
        """Whether the endpoint gives chances of words, by a question that belongs to no case.

        Asked of a case's own question, the calls counted for it would depend on which came first.
        """
        if self._gives_chances is None:
            messages = (("system", PROBE_SYSTEM), ("user", PROBE_USER))
            probe = Request("probe", 1, messages, ANSWER_TOKENS, logprobs=True)
            self._gives_chances = chance_of_yes(await self._answer(probe)) is not None
        return self._gives_chances

    async def _counted(self, request: Request, count: Count) -> Answer:
        answer = await self._answer(request)
        count(answer)
        if answer.refusal or answer.finish == "content_filter":
            raise LLMReplyError("the model refuses to answer")
        return answer

    async def _answer(self, request: Request) -> Answer:
        key = request.key(self._settings)
        task = self._flying.get(key)
        if task is None:
            task = asyncio.create_task(self._fetch(key, request))
            self._flying[key] = task
            task.add_done_callback(lambda done: self._landed(key, done))
        try:
            # Others may wait for the same answer: one that gives up must not take it from them.
            return await asyncio.shield(task)
        except LLMError as error:
            failure = type(error)(str(error))
        # Each waiter needs an error of its own: a shared one would gather all their tracebacks.
        raise failure

    def _landed(self, key: str, task: asyncio.Task[Answer]) -> None:
        self._flying.pop(key, None)
        if not task.cancelled():
            task.exception()

    async def _fetch(self, key: str, request: Request) -> Answer:
        kept = await self._cache.get(key)
        answer = None if kept is None else Answer.from_text(kept)
        if answer is not None:
            return answer
        if self._settings.offline:
            raise LLMOffline(f"no answer to the prompt '{request.prompt}' is in the cache")
        if self._endpoint is None:
            self._endpoint = self._connect()
        answer = await self._endpoint.send(request)
        await self._cache.put(key, answer.to_text())
        return answer


def structured(request: Request, reply: type[BaseModel]) -> Request:
    """Return the request with the schema of its reply."""
    return replace(request, schema_name=reply.__name__, schema=reply_schema(reply))


def in_one_word(request: Request) -> Request:
    """Return the request that wants yes or no, and the chances of both."""
    return replace(request.with_user(ONE_WORD), max_tokens=ANSWER_TOKENS, logprobs=True)
