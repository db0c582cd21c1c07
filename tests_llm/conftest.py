"""One server, and one asking of ten cases, for all tests that a real model takes part in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clausewise.databases import Databases
from clausewise.datasets import read_cases, sample_dir
from clausewise.llm import LLM, LLMSettings
from clausewise.signals import SignalSpec, iter_inspections, select_signals
from clausewise.types import Case, Inspection
from tests_llm.server import real_model

CASES = int(os.environ.get("CLAUSEWISE_LLM_CASES", "10"))
"""How many cases of the sample the model is asked about; ten take a quarter of an hour or more."""

SIGNALS = os.environ.get("CLAUSEWISE_LLM_SIGNALS", "sqlens-llm")
"""Which signals ask; fewer of them can be asked about more cases."""


def specs() -> tuple[SignalSpec, ...]:
    """Return all signals, with those that ask."""
    return select_signals(f"all,{SIGNALS}", models=True)


@dataclass(frozen=True)
class Asked:
    """What the model was asked and what became of it."""

    settings: LLMSettings
    cases: list[Case]
    inspections: list[Inspection]


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with real_model() as address:
        yield address


@pytest.fixture(scope="session")
def settings(url: str, tmp_path_factory: pytest.TempPathFactory) -> LLMSettings:
    """Short prompts and answers: the model is small, and its judgment worthless anyway."""
    return LLMSettings(
        "SmolLM2-135M-Instruct",
        base_url=url,
        cache_folder=tmp_path_factory.mktemp("answers"),
        concurrency=1,
        timeout=1_800.0,
        attempts=1,
        schema_tokens=200,
        max_tokens=120,
    )


@pytest.fixture(scope="session")
def databases() -> Databases:
    return Databases(sample_dir() / "databases")


@pytest.fixture(scope="session")
def sample() -> list[Case]:
    """All cases of the sample, those with evidence first: they give every signal work."""
    cases = [case for case in read_cases(sample_dir() / "cases.jsonl") if isinstance(case, Case)]
    return sorted(cases, key=lambda case: case.evidence is None)


@pytest.fixture(scope="session")
def asked(settings: LLMSettings, sample: list[Case], databases: Databases) -> Asked:
    """The first cases, looked at by all signals, the model's included."""
    with LLM(settings) as llm:
        found = list(iter_inspections(sample[:CASES], databases, specs(), 1, llm))
    return Asked(settings, sample[:CASES], [item for item in found if isinstance(item, Inspection)])


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """A folder with one short prompt."""
    (tmp_path / "short.j2").write_text(
        "{# version: 1 #}{% block system %}You judge SQL queries.{% endblock %}"
        "{% block user %}{{ question | fence('question') }}"
        "Is the query SELECT COUNT(*) FROM books right?{% endblock %}",
        encoding="utf-8",
    )
    return tmp_path
