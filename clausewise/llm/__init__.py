"""The only client of language models: any endpoint that offers OpenAI's chat completions.

`LLM` is what a run holds, `CaseLLM` what a signal gets for its case. Only here are the client
of the protocol and the cache of answers imported, and both only when first asked.
"""

from clausewise.llm.client import LLM, CallGroup, CaseLLM, Probability
from clausewise.llm.endpoint import Patience
from clausewise.llm.settings import Budget, LLMSettings
from clausewise.llm.usage import Usage

__all__ = [
    "LLM",
    "Budget",
    "CallGroup",
    "CaseLLM",
    "LLMSettings",
    "Patience",
    "Probability",
    "Usage",
]
