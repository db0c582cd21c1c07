"""Settings, budgets and keys."""

import dataclasses
import subprocess
import sys

import pytest

from clausewise.errors import InputError
from clausewise.llm import LLM, Budget, LLMSettings, Usage
from clausewise.llm.settings import key_from_environment


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("calls=1000,tokens=2000000,usd=1.50", Budget(1000, 2_000_000, 1.5)),
        (" usd = 0.5 ", Budget(usd=0.5)),
        ("tokens=2_000,calls=0", Budget(calls=0, tokens=2_000)),
    ],
)
def test_a_budget_is_read(text, budget):
    assert Budget.parse(text) == budget


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "cannot read ''"),
        ("1000", "cannot read '1000'"),
        ("euros=3", "cannot read 'euros=3'"),
        ("calls=1,calls=2", "cannot read 'calls=2'"),
        ("calls=many", "'many' is no number for the budget's calls"),
        ("calls=1.5", "'1.5' is no number"),
        ("usd=-1", "must be 0 or more"),
        ("usd=nan", "must be 0 or more"),
    ],
)
def test_a_budget_that_cannot_be_read(text, complaint):
    with pytest.raises(InputError, match=complaint):
        Budget.parse(text)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"model": " "}, "needs a name"),
        ({"concurrency": 0}, "concurrency must be at least 1, not 0"),
        ({"attempts": 0}, "attempts must be at least 1"),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"requests_per_minute": float("nan")}, "requests_per_minute must be above 0"),
        ({"price": (-1.0, 0.0)}, "prices must be 0 or more"),
        ({"budget": Budget(usd=1.0)}, "needs the price"),
        ({"prepare": frozenset({"rewritting"})}, "unknown preparation 'rewritting'; known: doc"),
        ({"base_url": "localhost:8000/v1"}, "must begin with http"),
        ({"base_url": "http://[half/v1"}, "must begin with http"),
        ({"base_url": "ftp://host/v1"}, "must begin with http"),
    ],
)
def test_settings_that_cannot_be_used(settings, complaint):
    with pytest.raises(InputError, match=complaint):
        LLMSettings(**{"model": "m"} | settings)


def test_the_address_comes_from_the_argument_the_environment_or_the_protocols_home(monkeypatch):
    assert LLMSettings("m").endpoint == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://here:1/v1/")
    assert LLMSettings("m").endpoint == "http://here:1/v1"
    assert LLMSettings("m", base_url="http://there/v1").endpoint == "http://there/v1"


def test_the_key_is_read_when_it_is_needed(monkeypatch):
    settings = LLMSettings("m", api_key_variable="MY_KEY")
    assert key_from_environment(settings) == "none"
    monkeypatch.setenv("MY_KEY", " mine ")
    assert key_from_environment(settings) == "mine"
    assert "mine" not in str(dataclasses.asdict(settings))


def test_usage_adds_up():
    assert Usage(1, 2, 3) + Usage(1, 2, 3) == Usage(2, 4, 6)
    assert Usage(1, 2, 3, 0.1) + Usage(1, 2, 3) == Usage(2, 4, 6, 0.1)
    assert Usage(1, 2, 3, 0.1234567).to_json() == {
        "calls": 1,
        "prompt_tokens": 2,
        "completion_tokens": 3,
        "usd": 0.123457,
    }


def test_a_door_that_is_not_used_starts_nothing_and_loads_nothing():
    code = """
import sys, threading
from clausewise.llm import LLM, LLMSettings
with LLM(LLMSettings("m")) as llm:
    llm.for_case("q1").usage
heavy = {"openai", "httpx2", "diskcache", "tenacity", "aiolimiter"} & set(sys.modules)
assert not heavy, heavy
assert threading.active_count() == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_extra_the_command_is_named(monkeypatch):
    from clausewise.errors import MissingExtraError

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"run: pip install .*\[llm\]'"):
        LLM(LLMSettings("m"))
