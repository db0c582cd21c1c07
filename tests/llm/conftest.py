"""A client of a scripted endpoint, with waits too short to notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from clausewise.llm import LLM, CaseLLM, LLMSettings
from clausewise.llm.endpoint import Patience
from clausewise.testing.endpoint import ScriptedEndpoint

PROMPTS = Path(__file__).parent / "prompts"

QUICK = Patience(first_wait=0.01, longest_wait=0.02, longest_asked_wait=0.3, breaker_pause=3600.0)


class Judgment(BaseModel):
    """What the tiny prompt is answered with."""

    suspicious: bool
    reason: str


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "CLAUSEWISE_LLM_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def open_llm(tmp_path: Path) -> Iterator[Callable[..., LLM]]:
    """Open clients that are closed at the end: `open_llm(endpoint, timeout=..., ...)`."""
    with ExitStack() as stack:

        def opened(
            endpoint: ScriptedEndpoint | str, *, patience: Patience = QUICK, **settings: Any
        ) -> LLM:
            url = endpoint if isinstance(endpoint, str) else endpoint.url
            given: dict[str, Any] = {"cache_folder": tmp_path / "answers", "timeout": 60.0}
            chosen = LLMSettings("scripted", base_url=url, **(given | settings))
            return stack.enter_context(LLM(chosen, prompts=PROMPTS, patience=patience))

        yield opened


@pytest.fixture
def judge() -> Callable[..., Judgment]:
    """Ask the tiny prompt: `judge(llm or case_llm, question)`."""

    def judged(llm: LLM | CaseLLM, question: str = "How many?") -> Judgment:
        case = llm.for_case("q1") if isinstance(llm, LLM) else llm
        return case.ask("tiny", Judgment, {"question": question})

    return judged
