"""The key is in no log, no cache, no error and no text of an object."""

import logging
import pickle
import traceback

import pytest

from clausewise.errors import InputError, LLMError, LLMRefused
from clausewise.llm import LLMSettings
from clausewise.testing.endpoint import Reply, ScriptedEndpoint

KEY = "sk-distinctive-Zx81-not-to-be-written"
GOOD = '{"suspicious": true, "reason": "' + KEY + ' is what you sent"}'


@pytest.fixture
def all_logs(caplog, monkeypatch):
    """Everything that any logger says at its most talkative."""
    caplog.set_level(logging.DEBUG)
    for name in list(logging.root.manager.loggerDict):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.NOTSET)
    return caplog


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "CLAUSEWISE_LLM_API_KEY", "MY_KEY"])
def test_the_key_is_sent_and_written_nowhere(
    open_llm, judge, all_logs, tmp_path, monkeypatch, variable
):
    monkeypatch.setenv(variable, KEY)
    echo = {"X-Echo": f"Bearer {KEY}", "Set-Cookie": f"key={KEY}"}
    script = [
        Reply(status=500, error=f"cannot do it with {KEY}", headers=echo),
        Reply(GOOD, headers=echo),
        Reply(status=401, error=f"Incorrect API key provided: {KEY}", headers=echo),
    ]
    texts = []
    with ScriptedEndpoint(script) as endpoint:
        chosen = {"api_key_variable": "MY_KEY"} if variable == "MY_KEY" else {}
        llm = open_llm(endpoint, **chosen)
        answer = judge(llm)
        with pytest.raises(LLMRefused) as caught:
            judge(llm, "another")
        texts += ["".join(traceback.format_exception(caught.value)), repr(caught.value)]
        assert all(headers["authorization"] == f"Bearer {KEY}" for headers in endpoint.headers)
        texts += [repr(llm), repr(llm.settings), repr(llm.spent), repr(answer), repr(vars(llm))]
        llm.close()
    assert answer.reason == "[key] is what you sent"
    assert "Incorrect API key provided: [key]" in str(caught.value)
    texts += [record.getMessage() for record in all_logs.records]
    texts.append(all_logs.text)
    assert "Sending HTTP Request" in all_logs.text, "the client's own logs were listened to"
    assert "receive_response_headers" in all_logs.text, "and those of its transport"
    files = [path for path in (tmp_path / "answers").rglob("*") if path.is_file()]
    assert files
    content = b"".join(path.read_bytes() for path in files)
    assert b"is what you sent" in content, "the cache is not packed, so its bytes can be searched"
    for needle in (KEY, "Authorization"):
        assert needle.encode() not in content
        assert [text for text in texts if needle.lower() in text.lower()] == []


def test_without_a_key_a_stand_in_is_sent(open_llm, judge):
    with ScriptedEndpoint([Reply(GOOD)]) as endpoint:
        judge(open_llm(endpoint))
        assert endpoint.headers[0]["authorization"] == "Bearer none"


def test_the_own_variable_goes_first(open_llm, judge, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "the general one")
    monkeypatch.setenv("CLAUSEWISE_LLM_API_KEY", "the own one")
    with ScriptedEndpoint([Reply(GOOD)]) as endpoint:
        judge(open_llm(endpoint))
        assert endpoint.headers[0]["authorization"] == "Bearer the own one"


def test_no_redirect_carries_the_prompt_elsewhere(open_llm, judge):
    with ScriptedEndpoint([Reply(GOOD)]) as elsewhere:
        target = f"{elsewhere.url}/chat/completions"
        moved = Reply(status=307, headers={"Location": target})
        with ScriptedEndpoint([moved]) as endpoint, pytest.raises(LLMError):
            judge(open_llm(endpoint))
        assert elsewhere.count == 0


@pytest.mark.parametrize("url", [f"https://user:{KEY}@host/v1", f"https://host/v1?key={KEY}"])
def test_an_address_with_a_secret_is_refused_without_saying_it(url):
    with pytest.raises(InputError) as caught:
        LLMSettings("m", base_url=url)
    assert KEY not in str(caught.value)


def test_a_door_is_not_pickled_and_settings_are(open_llm):
    with ScriptedEndpoint() as endpoint:
        llm = open_llm(endpoint)
        with pytest.raises(TypeError, match="settings"):
            pickle.dumps(llm)
        assert pickle.loads(pickle.dumps(llm.settings)) == llm.settings
