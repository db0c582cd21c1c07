"""P(yes), from the chances of words where the server gives them, else from a number."""

import pytest

from clausewise.errors import LLMReplyError
from clausewise.llm import Probability
from clausewise.testing.endpoint import Reply, ScriptedEndpoint

VERBAL = '{"probability_of_yes": 0.8}'


def _ask(llm, question="Is it right?"):
    case = llm.for_case("q1")
    return case.probability("tiny", {"question": question}), case.usage


def test_case_and_blank_variants_are_added_up(open_llm):
    chances = {"Yes": 0.4, " yes": 0.1, "YES": 0.1, "No": 0.15, " no": 0.05, "Perhaps": 0.2}
    with ScriptedEndpoint([Reply("Yes", chances=chances)]) as endpoint:
        probability, usage = _ask(open_llm(endpoint))
        assert probability == Probability(0.75, "logprobs")
        assert usage.calls == 1, "the probe belongs to no case"
        probe, asked = endpoint.requests
    assert (asked["logprobs"], asked["top_logprobs"], asked["max_tokens"]) == (True, 20, 4)
    assert asked["messages"][1]["content"].endswith("Answer with one word: yes or no.")
    assert "Is it right?" not in str(probe)


def test_a_server_without_log_probs_is_asked_in_numbers_from_then_on(open_llm):
    with ScriptedEndpoint([Reply(VERBAL)]) as endpoint:
        llm = open_llm(endpoint)
        for number in range(3):
            probability, usage = _ask(llm, f"question {number}")
            assert probability == Probability(0.8, "verbal")
            assert usage.calls == 1
        assert endpoint.count == 1 + 3
    assert "logprobs" not in endpoint.requests[-1]


@pytest.mark.parametrize("refused", ["logprobs", "top_logprobs"])
def test_a_server_that_refuses_log_probs(open_llm, refused):
    with ScriptedEndpoint([Reply(VERBAL)], refuses=[refused]) as endpoint:
        assert _ask(open_llm(endpoint))[0] == Probability(0.8, "verbal")


def test_a_server_that_gives_fewer(open_llm):
    def reply(request):
        if request.get("top_logprobs", 0) > 5:
            return Reply(status=400, error="top_logprobs must be at most 5")
        return Reply("No", chances={"No": 0.9, "Yes": 0.1})

    with ScriptedEndpoint(reply) as endpoint:
        assert _ask(open_llm(endpoint))[0] == Probability(0.1, "logprobs")


def test_an_answer_that_is_neither_is_asked_for_in_numbers(open_llm):
    def reply(request):
        if "response_format" in request:
            return Reply(VERBAL)
        if "seven" in str(request):
            return Reply("Yes", chances={"Yes": 1.0})
        return Reply("The", chances={"The": 0.4, "Yes": 0.3, "No": 0.3})

    with ScriptedEndpoint(reply) as endpoint:
        probability, usage = _ask(open_llm(endpoint))
    assert (probability, usage.calls) == (Probability(0.8, "verbal"), 2)


def test_a_word_after_a_blank_counts(open_llm):
    body = (
        b'{"choices": [{"message": {"content": " yes"}, "logprobs": {"content": ['
        b'{"token": "\\n", "logprob": 0.0, "top_logprobs": []},'
        b'{"token": "yes", "logprob": -0.0001, "top_logprobs": []}]}}]}'
    )
    with ScriptedEndpoint([Reply(body=body)]) as endpoint:
        assert _ask(open_llm(endpoint))[0] == Probability(1.0, "logprobs")


@pytest.mark.parametrize("text", ['{"probability_of_yes": 7}', '{"probability_of_yes": "NaN"}'])
def test_a_number_out_of_range_is_no_probability(open_llm, text):
    with (
        ScriptedEndpoint([Reply(text)]) as endpoint,
        pytest.raises(LLMReplyError, match="probability_of_yes"),
    ):
        _ask(open_llm(endpoint))


def test_percent_is_read(open_llm):
    with ScriptedEndpoint([Reply('{"probability_of_yes": "35 %"}')]) as endpoint:
        assert _ask(open_llm(endpoint))[0].value == 0.35


@pytest.mark.parametrize("chances", [{"Yes": 0.7, "No": 0.3}, None])
def test_offline_gives_the_same(open_llm, chances):
    with ScriptedEndpoint([Reply(VERBAL, chances=chances)]) as endpoint:
        online = _ask(open_llm(endpoint))
        assert _ask(open_llm(endpoint, offline=True)) == online
