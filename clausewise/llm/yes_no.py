"""How likely a model takes the answer yes to be: from chances of words, or from its own number."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel, Field, field_validator

from clausewise.llm.messages import Answer, TokenChances

ONE_WORD = "Answer with one word: yes or no."
IN_NUMBERS = (
    "How likely is it, from 0 to 1, that the right answer is yes? "
    'Answer with one JSON object: {"probability_of_yes": <number>}'
)
PROBE_SYSTEM = "You answer questions truthfully and as briefly as you can."
PROBE_USER = f"Is seven a number?\n\n{ONE_WORD}"

ANSWER_TOKENS = 4
"""Room for a blank or a quote before the word."""

_WORDS = ("yes", "no")

_AROUND = " \t\r\n\"'*_`.,:!()[]\u2581\u0120\u010a"
"""What may stand around the word in a token, the blanks of vocabularies included."""


class VerbalProbability(BaseModel):
    """The number that a model writes."""

    probability_of_yes: float = Field(ge=0.0, le=1.0)

    @field_validator("probability_of_yes", mode="before")
    @classmethod
    def _read_percent(cls, value: Any) -> Any:
        if isinstance(value, str) and value.strip().endswith("%"):
            return float(value.strip()[:-1]) / 100
        return value


def chance_of_yes(answer: Answer) -> float | None:
    """Return P(yes) / (P(yes) + P(no)) at the first token with a word, over ways to write them.

    None where the answer has no chances of tokens, or where its word is neither: then what the
    two would have had says little.
    """
    for chances in answer.tokens:
        if word := _word(chances.token):
            return _share_of_yes(chances) if word in _WORDS else None
    return None


def _share_of_yes(chances: TokenChances) -> float | None:
    masses = dict.fromkeys(_WORDS, 0.0)
    # Servers list the token itself among the likely ones, or do not: by its text it counts once.
    listed = dict(chances.likely) | {chances.token: chances.logprob}
    for token, logprob in listed.items():
        if (word := _word(token)) in masses and not math.isnan(logprob):
            masses[word] += math.exp(min(logprob, 0.0))
    both = sum(masses.values())
    return masses["yes"] / both if both > 0 else None


def _word(token: str) -> str:
    return token.strip(_AROUND).casefold()
