"""The key is in no log, no cache, no error and no text of an object."""

import base64
import json
import logging
import pickle
import traceback

import pytest

from clausewise.errors import InputError, LLMError, LLMRefused
from clausewise.llm import LLMSettings
from clausewise.llm.messages import read_completion
from clausewise.llm.redaction import Redaction
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


SPELLINGS = {
    "as it is": KEY,
    "JSON": "".join(f"\\u{ord(letter):04x}" for letter in KEY),
    "JSON, some": KEY.replace("-", "\\u002D"),
    "JSON twice": KEY.replace("-", "\\\\u002d"),
    "slashes": "".join(f"\\{letter}" if letter == "-" else letter for letter in KEY),
    "address": "".join(f"%{ord(letter):02X}" for letter in KEY),
    "address twice": KEY.replace("-", "%252d"),
    "HTML": KEY.replace("-", "&#45;").replace("k", "&#x6b;"),
    "C": KEY.replace("-", "\\x2d"),
    "hexadecimal": KEY.encode().hex().upper(),
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 of a header": base64.b64encode(f"Bearer {KEY}".encode()).decode(),
    "base64 of a login": base64.urlsafe_b64encode(f"ab:{KEY}:x".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_the_key_is_kept(open_llm, judge, tmp_path, monkeypatch, spelling):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echo = SPELLINGS[spelling]
    reply = '{\\"suspicious\\": true, \\"reason\\": \\"ECHO.\\"}'
    raw = f'{{"choices": [{{"message": {{"content": "{reply}"}}}}]}}'
    once = echo.replace("\\", "\\\\\\\\") if spelling in ("C", "slashes") else echo
    script = [
        Reply(body=raw.replace("ECHO", once).encode()),
        Reply(status=401, error=f"{'x' * 170} {echo}."),
    ]
    with ScriptedEndpoint(script) as endpoint:
        llm = open_llm(endpoint)
        answer = judge(llm)
        with pytest.raises(LLMRefused) as caught:
            judge(llm, "another")
        llm.close()
    assert "[key]" in answer.reason
    assert "[key]" in str(caught.value)
    files = [path for path in (tmp_path / "answers").rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in files)
    assert b"[key]" in content
    for needle in (echo, json.dumps(echo)[1:-1], KEY, KEY[:20], KEY[-20:]):
        assert needle.encode() not in content
        assert needle not in str(caught.value) + answer.reason


def test_the_key_in_tokens_is_not_kept(open_llm, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    halves = [KEY[:15], KEY[15:]]
    tokens = [{"token": half, "logprob": -0.1, "top_logprobs": []} for half in halves]
    choice = {"message": {"content": "yes"}, "logprobs": {"content": tokens}}
    body = json.dumps({"choices": [choice]})
    answer = read_completion(body, 10, Redaction(KEY).clean)
    assert answer.tokens == ()


def test_the_key_in_the_traceback_of_a_log_is_taken_out(caplog):
    redaction = Redaction(KEY)
    redaction.guard_logs()
    try:
        try:
            raise ValueError(f"Bearer x{KEY}")
        except ValueError:
            logging.getLogger("openai").exception("it failed")
    finally:
        redaction.release_logs()
    assert "ValueError" in caplog.text
    assert KEY not in caplog.text


def test_a_long_answer_is_searched_in_no_time():
    """A pattern with many ways to match would take minutes here."""
    text = ("\\" * 5_000 + KEY[:-1]) * 20 + "%25" * 50_000
    assert Redaction(KEY).clean(text) == text


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
