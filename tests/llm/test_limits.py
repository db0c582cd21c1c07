"""Requests in flight, requests a minute and the budget, over real HTTP with many threads."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from clausewise.errors import LLMBudgetExceeded, LLMError
from clausewise.llm import Budget
from clausewise.testing.endpoint import Reply, ScriptedEndpoint

GOOD = Reply('{"suspicious": false, "reason": ""}', delay=0.02)


def _ask_many(llm, judge, count):
    """Return how many of so many different questions were answered, and the errors."""

    def asked(number):
        try:
            judge(llm, f"question {number:04d}")
        except LLMError as error:
            return error
        return None

    with ThreadPoolExecutor(16) as pool:
        errors = [error for error in pool.map(asked, range(count)) if error is not None]
    return count - len(errors), errors


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_in_flight_than_allowed(open_llm, judge, concurrency):
    together = threading.Barrier(concurrency, timeout=60)
    with ScriptedEndpoint([Reply(GOOD.text, before=together.wait, delay=0.02)]) as endpoint:
        answered, _ = _ask_many(open_llm(endpoint, concurrency=concurrency), judge, 24)
        assert answered == 24
        assert endpoint.most_in_flight == concurrency


def test_requests_are_spaced_evenly(open_llm, judge):
    with ScriptedEndpoint([GOOD]) as endpoint:
        _ask_many(open_llm(endpoint, requests_per_minute=600), judge, 8)
        assert endpoint.times[-1] - endpoint.times[0] >= 0.5


def test_a_wait_that_one_is_told_holds_for_all(open_llm, judge):
    first = Reply(status=429, headers={"Retry-After": "0.25"})
    with ScriptedEndpoint([first, GOOD]) as endpoint:
        llm = open_llm(endpoint, concurrency=1)
        answered, _ = _ask_many(llm, judge, 4)
        assert answered == 4
        assert endpoint.times[1] - endpoint.times[0] >= 0.25


def test_calls_are_never_more_than_the_budget(open_llm, judge):
    with ScriptedEndpoint([GOOD]) as endpoint:
        llm = open_llm(endpoint, concurrency=16, budget=Budget(calls=10))
        answered, errors = _ask_many(llm, judge, 40)
        assert endpoint.count == 10
    assert (answered, llm.spent.calls) == (10, 10)
    assert {type(error) for error in errors} == {LLMBudgetExceeded}
    assert "the budget of 10 calls" in str(errors[0])


def test_retries_count_as_calls(open_llm, judge):
    with ScriptedEndpoint([Reply(status=500)]) as endpoint:
        llm = open_llm(endpoint, budget=Budget(calls=2))
        with pytest.raises(LLMBudgetExceeded):
            judge(llm)
        assert endpoint.count == 2


@pytest.mark.parametrize("budget", [Budget(tokens=20_000), Budget(usd=0.02)], ids=["tokens", "usd"])
def test_tokens_and_money_are_never_more_than_the_budget(open_llm, judge, budget):
    reply = Reply(GOOD.text, delay=0.02, usage=(400, 1_000))
    with ScriptedEndpoint([reply]) as endpoint:
        llm = open_llm(endpoint, concurrency=16, budget=budget, price=(1.0, 1.0), max_tokens=1_000)
        answered, errors = _ask_many(llm, judge, 40)
        assert {type(error) for error in errors} == {LLMBudgetExceeded}
        assert llm.spent.tokens <= 20_000
        # In the end at most one request's estimate is left unused.
        assert llm.spent.tokens >= 20_000 - 2_500
    assert answered == llm.spent.calls == endpoint.count


def test_what_may_have_been_charged_stays_out_of_the_budget(open_llm, judge):
    with ScriptedEndpoint([Reply(delay=9.0)]) as endpoint:
        llm = open_llm(endpoint, timeout=0.2, max_tokens=1_000, budget=Budget(tokens=3_500))
        with pytest.raises(LLMBudgetExceeded):
            judge(llm)
        assert endpoint.count < 4
    assert llm.spent.tokens == 0


def test_the_cache_costs_no_budget(open_llm, judge):
    with ScriptedEndpoint([GOOD]) as endpoint:
        judge(open_llm(endpoint))
        llm = open_llm(endpoint, budget=Budget(calls=0))
        assert not judge(llm).suspicious
        with pytest.raises(LLMBudgetExceeded):
            judge(llm, "another")


def test_a_server_that_counts_nothing_is_taken_at_the_most(open_llm, judge):
    with ScriptedEndpoint([Reply(GOOD.text, usage=None)]) as endpoint:
        llm = open_llm(endpoint)
        judge(llm)
        sent = "".join(message["content"] for message in endpoint.requests[0]["messages"])
    assert llm.spent.prompt_tokens >= len(sent.encode())
    assert llm.spent.completion_tokens == len(GOOD.text)


def test_questions_of_many_threads_are_in_flight_together(open_llm, judge):
    """No reply is sent before all have asked: one after the other they would never be answered."""
    together = threading.Barrier(8, timeout=60)
    with ScriptedEndpoint([Reply(GOOD.text, before=together.wait)]) as endpoint:
        answered, _ = _ask_many(open_llm(endpoint, concurrency=8), judge, 8)
    assert answered == 8


COUNTS: tuple[dict[str, int] | None, ...] = (
    {"prompt_tokens": 0, "completion_tokens": 0},
    {"prompt_tokens": -5},
    {},
    None,
)


@pytest.mark.parametrize("usage", [*COUNTS, {"prompt_tokens": None, "completion_tokens": None}])
def test_a_server_that_says_zero_cannot_empty_the_budget(open_llm, judge, usage):
    message = {"content": GOOD.text}
    body = json.dumps({"choices": [{"message": message}], "usage": usage}).encode()
    with ScriptedEndpoint([Reply(body=body)]) as endpoint:
        llm = open_llm(endpoint, budget=Budget(tokens=4_000), max_tokens=100, concurrency=1)
        answered, errors = _ask_many(llm, judge, 30)
        sent = sum(
            len(message["content"].encode())
            for request in endpoint.requests
            for message in request["messages"]
        )
    assert {type(error) for error in errors} == {LLMBudgetExceeded}
    assert 0 < answered < 30
    assert sent + answered * len(GOOD.text) <= llm.spent.tokens <= 4_000
