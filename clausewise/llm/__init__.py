"""The only client of language models: any endpoint that offers OpenAI's chat completions.

`LLM` is what a run holds, `CaseLLM` what a signal gets for its case. Only here are the client
of the protocol and the cache of answers imported, and both only when first asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.lazy_names import lazy_names

if TYPE_CHECKING:
    from clausewise.llm.client import LLM as LLM
    from clausewise.llm.client import CallGroup as CallGroup
    from clausewise.llm.client import CaseLLM as CaseLLM
    from clausewise.llm.client import Probability as Probability
    from clausewise.llm.endpoint import Patience as Patience
    from clausewise.llm.settings import Budget as Budget
    from clausewise.llm.settings import LLMSettings as LLMSettings
    from clausewise.llm.usage import Usage as Usage

_HOMES = {
    "Budget": "clausewise.llm.settings",
    "CallGroup": "clausewise.llm.client",
    "CaseLLM": "clausewise.llm.client",
    "LLM": "clausewise.llm.client",
    "LLMSettings": "clausewise.llm.settings",
    "Patience": "clausewise.llm.endpoint",
    "Probability": "clausewise.llm.client",
    "Usage": "clausewise.llm.usage",
}
"""Public name to the module that it is imported from."""

__all__ = sorted(_HOMES)  # noqa: PLE0605 - all of them are strings
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
