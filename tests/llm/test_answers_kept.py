"""The cache of answers: what hits it, what it holds, and that it never stands in the way."""

import pickle
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import diskcache
import pytest

from clausewise.errors import LLMOffline, LLMReplyError, LLMUnavailable
from clausewise.llm import LLM, Usage
from clausewise.testing.endpoint import Reply, ScriptedEndpoint

GOOD = Reply('{"suspicious": true, "reason": "the join lacks a key"}')


def test_an_answer_is_paid_for_once_and_counted_the_same(open_llm, judge):
    with ScriptedEndpoint([Reply("no"), GOOD]) as endpoint:
        usages = []
        for _ in range(2):
            llm = open_llm(endpoint, price=(1.0, 1.0))
            case = llm.for_case("q1")
            assert judge(case).suspicious
            usages.append(case.usage)
        assert endpoint.count == 2
    assert usages == [Usage(2, 200, 20, 0.00022)] * 2
    assert llm.spent == Usage(0, 0, 0, 0.0)


def test_a_malformed_answer_stays_a_fault_without_being_asked_again(open_llm, judge):
    messages = []
    with ScriptedEndpoint([Reply("no")]) as endpoint:
        for offline in (False, True):
            with pytest.raises(LLMReplyError) as caught:
                judge(open_llm(endpoint, offline=offline))
            messages.append(str(caught.value))
        assert endpoint.count == 2
    assert messages[0] == messages[1]


def test_what_failed_is_asked_again(open_llm, judge):
    with ScriptedEndpoint([Reply(status=500), GOOD]) as endpoint:
        with pytest.raises(LLMUnavailable):
            judge(open_llm(endpoint, attempts=1))
        assert judge(open_llm(endpoint)).suspicious


@pytest.mark.parametrize(
    "other", [{"seed": 1}, {"max_tokens": 9}, {"base_url": "/v2"}, {"question": "Another?"}]
)
def test_whatever_shapes_the_answer_is_in_the_key(open_llm, judge, other):
    with ScriptedEndpoint([GOOD]) as endpoint:
        judge(open_llm(endpoint))
        question = other.pop("question", "How many?")
        # The port is part of the address, so a server of another address is simply not there.
        url = endpoint.url + other.pop("base_url", "")
        with pytest.raises(LLMOffline, match="the prompt 'tiny'"):
            judge(open_llm(url, offline=True, **other), question)
        assert judge(open_llm(endpoint, offline=True)).suspicious
        assert endpoint.count == 1


@pytest.mark.parametrize("other", [{"concurrency": 1}, {"timeout": 9.0}, {"price": (1.0, 1.0)}])
def test_what_shapes_no_answer_is_not(open_llm, judge, other):
    with ScriptedEndpoint([GOOD]) as endpoint:
        judge(open_llm(endpoint))
        assert judge(open_llm(endpoint, offline=True, **other)).suspicious


def test_offline_sends_nothing_and_needs_no_server(open_llm, judge):
    with ScriptedEndpoint([GOOD]) as endpoint:
        judge(open_llm(endpoint))
        url = endpoint.url
    llm = open_llm(url, offline=True)
    assert judge(llm).suspicious
    with pytest.raises(LLMOffline):
        judge(llm, "never asked")
    assert llm.spent.calls == 0


@pytest.fixture
def wait_for_all(monkeypatch):
    """Return a function that makes a function which waits until so many have asked."""
    asked = threading.Semaphore(0)
    run = LLM.run

    def counted(llm, ask, group=None):
        async def noted(asker):
            # The asker looks for an equal question in flight before it first gives way.
            asked.release()
            return await ask(asker)

        return run(llm, noted, group)

    monkeypatch.setattr(LLM, "run", counted)

    def for_all(count):
        return lambda: [asked.acquire(timeout=60) for _ in range(count)]

    return for_all


def test_equal_questions_at_once_are_sent_once(open_llm, judge, wait_for_all):
    with ScriptedEndpoint([Reply(GOOD.text, before=wait_for_all(16))]) as endpoint:
        llm = open_llm(endpoint, concurrency=16)
        cases = [llm.for_case(f"q{number}") for number in range(16)]
        with ThreadPoolExecutor(16) as pool:
            assert all(answer.suspicious for answer in pool.map(judge, cases))
        assert endpoint.count == 1
    assert {case.usage for case in cases} == {Usage(1, 100, 10)}


def test_equal_questions_at_once_fail_each_with_an_error_of_its_own(open_llm, judge, wait_for_all):
    def failed(case):
        with pytest.raises(LLMUnavailable) as caught:
            judge(case)
        return caught.value

    with ScriptedEndpoint([Reply(status=500, before=wait_for_all(4))]) as endpoint:
        llm = open_llm(endpoint, attempts=1)
        with ThreadPoolExecutor(4) as pool:
            errors = list(pool.map(failed, [llm.for_case(str(n)) for n in range(4)]))
        assert endpoint.count == 1
    assert len({id(error) for error in errors}) == 4
    assert len({str(error) for error in errors}) == 1


def test_a_folder_that_cannot_be_used_costs_only_money(open_llm, judge, tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    with ScriptedEndpoint([GOOD]) as endpoint:
        llm = open_llm(endpoint, cache_folder=tmp_path / "file" / "below")
        for number in range(3):
            assert judge(llm, f"question {number}").suspicious
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_damaged_cache_costs_only_money(open_llm, judge, tmp_path, caplog):
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "cache.db").write_bytes(b"this is no database" * 1_000)
    with ScriptedEndpoint([GOOD]) as endpoint:
        assert judge(open_llm(endpoint)).suspicious
    assert "cannot use the cache" in caplog.text


class _Bomb:
    def __reduce__(self):
        return (print, ("a pickle of the cache was run",))


def test_a_forged_cache_runs_no_code(open_llm, judge, tmp_path, capfd):
    folder = tmp_path / "answers"
    with ScriptedEndpoint([GOOD]) as endpoint:
        open_llm(endpoint).for_case("q1")
        llm = open_llm(endpoint)
        judge(llm)
        llm.close()
        with sqlite3.connect(folder / "cache.db") as connection:
            connection.execute(
                "UPDATE Cache SET mode = 4, filename = NULL, value = ?", (pickle.dumps(_Bomb()),)
            )
        connection.close()
        for _ in range(2):
            llm = open_llm(endpoint)
            assert judge(llm).suspicious
            llm.close()
        assert endpoint.count == 2
    assert "was run" not in capfd.readouterr().out


def test_text_that_is_no_answer_is_asked_for_anew(open_llm, judge, tmp_path):
    with ScriptedEndpoint([GOOD]) as endpoint:
        llm = open_llm(endpoint)
        judge(llm)
        llm.close()
        with diskcache.Cache(str(tmp_path / "answers")) as cache:
            for key in list(cache):
                cache[key] = "[1, 2]"
        assert judge(open_llm(endpoint)).suspicious
        assert endpoint.count == 2


DEEP = "[" * 200_000 + "]" * 200_000


@pytest.mark.parametrize(
    "value",
    [
        DEEP,
        "{}",
        5,
        b"bytes",
        '{"text": 5, "refusal": null, "finish": null, "tokens": [], '
        '"prompt_tokens": 1, "completion_tokens": 1}',
        '{"text": "", "refusal": null, "finish": null, "tokens": [{"token": 1}], '
        '"prompt_tokens": 1, "completion_tokens": 1}',
        f'{{"text": {DEEP}}}',
    ],
    ids=["deep", "empty", "number", "bytes", "wrong text", "wrong token", "deep text"],
)
def test_a_damaged_answer_is_asked_for_anew_and_kept(open_llm, judge, tmp_path, caplog, value):
    with ScriptedEndpoint([GOOD]) as endpoint:
        llm = open_llm(endpoint)
        judge(llm)
        llm.close()
        with diskcache.Cache(str(tmp_path / "answers")) as cache:
            for key in list(cache):
                cache[key] = value
        for _ in range(2):
            llm = open_llm(endpoint)
            assert judge(llm).suspicious
            llm.close()
        assert endpoint.count == 2
    assert "cannot use the cache" not in caplog.text


def test_only_the_user_may_read_it(open_llm, judge, tmp_path):
    with ScriptedEndpoint([GOOD]) as endpoint:
        judge(open_llm(endpoint))
    assert (tmp_path / "answers").stat().st_mode & 0o077 == 0
