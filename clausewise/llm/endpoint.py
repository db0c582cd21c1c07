"""Sending requests to one endpoint: limits, retries, and the parameters that it accepts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clausewise.errors import LLMError, LLMUnavailable
from clausewise.llm.breaker import CircuitBreaker
from clausewise.llm.budget import Estimate, Meter, estimate
from clausewise.llm.capabilities import Capabilities
from clausewise.llm.failures import (
    LONGEST_BODY,
    OversizedReply,
    Refusal,
    Transient,
    classify,
    oversized,
    server_message,
    unknown_parameter,
)
from clausewise.llm.messages import Answer, Request, read_completion
from clausewise.llm.redaction import Redaction
from clausewise.llm.replies import schema_instruction
from clausewise.llm.settings import LLMSettings, key_from_environment

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI
    from tenacity import RetryCallState


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an endpoint in trouble, in seconds; failures are calls in a row."""

    first_wait: float = 0.5
    """Before the second try; doubled for each further one, with jitter."""
    longest_wait: float = 30.0
    longest_asked_wait: float = 60.0
    """Of what a server asks for by Retry-After, the most that is granted."""
    breaker_failures: int = 5
    breaker_pause: float = 30.0
    clock: Callable[[], float] = time.monotonic
    """What the breaker's pause is measured by."""


class Endpoint:
    """One endpoint and one model. To be used from one event loop."""

    def __init__(self, settings: LLMSettings, meter: Meter, patience: Patience) -> None:
        from aiolimiter import AsyncLimiter

        self._settings = settings
        self._meter = meter
        self._patience = patience
        self._breaker = CircuitBreaker(
            patience.breaker_failures, patience.breaker_pause, patience.clock
        )
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._limiter = None
        if settings.requests_per_minute is not None:
            # One request a period spaces them evenly; a bucket of a minute would let a burst pass.
            self._limiter = AsyncLimiter(1, 60.0 / settings.requests_per_minute)
        self._not_before = 0.0
        self._form = Capabilities(settings)
        key = key_from_environment(settings)
        self._redaction = Redaction(key)
        self._redaction.guard_logs()
        self._client = _client(settings, key)

    async def send(self, request: Request) -> Answer:
        """Return the endpoint's answer.

        Raises LLMUnavailable, LLMRefused, LLMReplyError or LLMBudgetExceeded.
        """
        with self._breaker.call() as trial:
            attempts = 1 if trial else self._settings.attempts
            # The client's own errors carry the request with its headers, so none is chained.
            failure: Transient | Refusal
            try:
                outcome = await self._tries(request, attempts, trial)
            except Transient as error:
                failure = error
            else:
                if isinstance(outcome, Answer):
                    self._breaker.succeed()
                    return outcome
                failure = outcome
            raise self._given_up(failure, attempts)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
        self._redaction.release_logs()

    def _given_up(self, failure: Transient | Refusal, attempts: int) -> LLMError:
        if isinstance(failure, Refusal):
            if failure.of_all_calls:
                self._breaker.fail(failure.reason)
            else:
                self._breaker.succeed()
            return failure.error()
        self._breaker.fail(str(failure))
        tries = "1 try" if attempts == 1 else f"{attempts} tries"
        return LLMUnavailable(f"no answer in {tries}; the last: {failure}")

    async def _tries(self, request: Request, attempts: int, trial: bool) -> Answer | Refusal:
        """Try until there is an answer or a refusal. Raises the last Transient."""
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

        async for attempt in AsyncRetrying(
            stop=stop_after_attempt(attempts),
            wait=self._wait,
            retry=retry_if_exception_type(Transient),
            reraise=True,
        ):
            with attempt:
                if not trial:
                    self._breaker.check()
                return await self._try(request)
        raise AssertionError("tenacity ends with a result or an error")

    def _wait(self, state: RetryCallState) -> float:
        from tenacity import wait_random_exponential

        patience = self._patience
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, Transient) and error.wait is not None:
            return min(error.wait, patience.longest_asked_wait)
        backoff = wait_random_exponential(
            multiplier=patience.first_wait, max=patience.longest_wait, min=patience.first_wait / 2
        )
        return backoff(state)

    async def _try(self, request: Request) -> Answer | Refusal:
        """Send once, and again with fewer parameters as long as the endpoint refuses some."""
        while True:
            parameters = self._form.parameters(request)
            async with self._slots:
                await self._pace()
                outcome = await self._metered(request, parameters)
            if not isinstance(outcome, _Taught):
                if isinstance(outcome, Answer):
                    self._form.works(parameters)
                return outcome
            if not self._form.learn(parameters, outcome.parameter):
                return outcome.refusal

    async def _pace(self) -> None:
        if (pause := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(pause)
        if self._limiter is not None:
            await self._limiter.acquire()

    async def _metered(
        self, request: Request, parameters: dict[str, Any]
    ) -> Answer | Refusal | _Taught:
        wanted = _estimate(request)
        await self._meter.reserve(wanted)
        used: tuple[int, int] | None = None
        try:
            outcome = await self._exchange(parameters, wanted)
            # What a server refuses or fails to do it does not charge.
            used = (0, 0)
            if isinstance(outcome, Answer):
                used = (outcome.prompt_tokens, outcome.completion_tokens)
            elif isinstance(outcome, Transient):
                raise outcome
            return outcome
        finally:
            await self._meter.settle(wanted, used)

    async def _exchange(
        self, parameters: dict[str, Any], wanted: Estimate
    ) -> Answer | Refusal | Transient | _Taught:
        """Send once. Raises Transient where no reply came, since its work may be charged."""
        import httpx2
        import openai

        seconds = self._settings.timeout
        problem: Transient
        try:
            async with asyncio.timeout(seconds):
                # The generic call: the typed one spends a millisecond on checking what was built
                # here, and what comes back is read by rules of its own anyway.
                reply = await self._client.post(
                    "/chat/completions", body=parameters, cast_to=httpx2.Response
                )
                body = reply.text
        except (TimeoutError, openai.APITimeoutError):
            problem = Transient(f"no reply within {seconds:g} seconds")
        except openai.APIConnectionError as error:
            # Some versions of the client take any error while reading for a lost connection.
            if isinstance(error.__cause__, OversizedReply):
                raise oversized() from None
            problem = Transient(f"the connection failed ({_kind(error)})")
        except openai.APIStatusError as error:
            return self._read_status(error, parameters)
        except OversizedReply:
            raise oversized() from None
        else:
            answer = read_completion(body, wanted.prompt_tokens, self._redaction.clean)
            if answer is not None:
                return answer
            problem = Transient("the reply is no chat completion")
        raise problem

    def _read_status(self, error: Any, parameters: dict[str, Any]) -> Refusal | Transient | _Taught:
        outcome = classify(error, server_message(error, self._redaction.clean))
        if isinstance(outcome, Transient):
            if outcome.wait is not None:
                # The others are asked to wait, too; each would only be turned away in its turn.
                wait = min(outcome.wait, self._patience.longest_asked_wait)
                self._not_before = max(self._not_before, time.monotonic() + wait)
            return outcome
        if error.status_code in (400, 422):
            return _Taught(unknown_parameter(error, parameters), outcome)
        return outcome


@dataclass(frozen=True, slots=True)
class _Taught:
    """A refusal that may be of some parameters only."""

    parameter: str | None
    refusal: Refusal


def _estimate(request: Request) -> Estimate:
    texts = [text for _, text in request.messages]
    if request.schema is not None:
        texts.append(schema_instruction(dict(request.schema)))
    return estimate(texts, request.max_tokens)


def _kind(error: BaseException) -> str:
    return type(error.__cause__ or error).__name__


def _client(settings: LLMSettings, key: str) -> AsyncOpenAI:
    import httpx2
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    http_client = DefaultAsyncHttpxClient(
        # A prompt goes where the user sends it and nowhere else.
        follow_redirects=False,
        limits=httpx2.Limits(max_connections=settings.concurrency + 1),
        timeout=settings.timeout,
        # Unpacked, a small reply could be a large one.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_limit_reply]},
    )
    return AsyncOpenAI(
        api_key=key,
        base_url=settings.endpoint,
        max_retries=0,
        timeout=settings.timeout,
        http_client=http_client,
    )


async def _limit_reply(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") not in ("", "identity"):
        raise OversizedReply
    response.stream = _limited(response.stream)


def _limited(stream: Any) -> httpx2.AsyncByteStream:
    import httpx2

    class Limited(httpx2.AsyncByteStream):
        """Ends the reading of a reply that is too large."""

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in stream:
                size += len(part)
                if size > LONGEST_BODY:
                    raise OversizedReply
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return Limited()
