"""The base of replies of language models, and types of fields that many of them have.

Tolerant where nothing is lost by it (a number in quotes, null for an empty text), strict where a
guess would be needed. No limits are written into the JSON schema, since not every server's grammar
knows them.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict


class ParsedReply(BaseModel):
    """What a reply holds; its validator is built when the first one is read."""

    model_config = ConfigDict(defer_build=True)


def _as_share(value: object) -> object:
    """Read `85%` as 0.85; true and false are no numbers here."""
    if isinstance(value, bool):
        raise ValueError("it must be a number from 0 to 1")
    if isinstance(value, str) and value.strip().endswith("%"):
        return float(value.strip()[:-1]) / 100
    return value


def _in_unit_interval(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError("it must be a number from 0 to 1")
    return value


def _as_text(value: object) -> object:
    return "" if value is None else value


Share = Annotated[float, BeforeValidator(_as_share), AfterValidator(_in_unit_interval)]
"""A number in [0, 1]."""
Text = Annotated[str, BeforeValidator(_as_text)]
"""A text; null is an empty one."""
