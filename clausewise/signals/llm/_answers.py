"""Asking the model on behalf of a signal, and what a finding keeps of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from pydantic import BaseModel

from clausewise.errors import LLMReplyError
from clausewise.llm.templates import prompt_version
from clausewise.preparation.examples import shortened_line
from clausewise.signals.llm._material import case_material, client
from clausewise.signals.llm._replies import Combined
from clausewise.types import Json

if TYPE_CHECKING:
    from clausewise.signals.context import Context

R = TypeVar("R", bound=BaseModel)

COMBINED = "combined"
MODEL_SECONDS = 900.0
"""Time limit of a signal that asks a model: the client has limits of its own for each try."""
LONGEST_REASON = 300
"""Characters of the model's reason that a finding keeps."""
LEAST = 0.01
"""Measure of a finding in which the model has no confidence at all: it is a finding still."""

Part = Literal["evidence_violation", "insufficient_evidence", "self_check"]


@dataclass(frozen=True, slots=True)
class SignalAnswer(Generic[R]):
    """A model's reply and the prompt that it answers."""

    reply: R
    prompt: str
    model: str

    def evidence(self, reason: str, **more: Json) -> dict[str, Json]:
        """Return what a finding keeps of the answer: enough to ask it again by hand."""
        kept = {
            name: shortened_line(value, LONGEST_REASON) if isinstance(value, str) else value
            for name, value in {"said": reason, **more}.items()
        }
        return {
            **kept,
            "prompt": self.prompt,
            "prompt_version": prompt_version(self.prompt),
            "model": self.model,
        }


def ask(
    context: Context, prompt: str, reply: type[R], variables: Mapping[str, object] | None = None
) -> SignalAnswer[R]:
    """Ask with a template, by default about the case's material.

    Raises the errors of `CaseLLM.ask`; the runner makes a FAULT of them.
    """
    llm = client(context)
    given = case_material(context) if variables is None else variables
    return SignalAnswer(llm.ask(prompt, reply, given), prompt, llm.settings.model)


def ask_combined(context: Context) -> SignalAnswer[Combined] | None:
    """Return the answer of the call that stands for several, None where each asks by itself.

    Asked once for a case; where it fails, it fails for all that read it.
    """
    if not client(context).settings.combined:
        return None
    return context.once(_combined)


def _combined(context: Context) -> SignalAnswer[Combined]:
    return ask(context, COMBINED, Combined)


def ask_part(context: Context, prompt: str, reply: type[R], part: Part) -> SignalAnswer[R]:
    """Return one part of the combined answer, or ask with the template of its own.

    Raises LLMReplyError where the combined answer leaves the part out, else as `ask`.
    """
    combined = ask_combined(context)
    if combined is None:
        return ask(context, prompt, reply)
    found = getattr(combined.reply, part)
    if not isinstance(found, reply):
        raise LLMReplyError(f"the combined answer has no '{part}'")
    return SignalAnswer(found, combined.prompt, combined.model)


def measured(confidence: float) -> float:
    """Return a finding's measure for the model's confidence in it: in (0, 1]."""
    return max(LEAST, confidence)


def because(start: str, reason: str) -> str:
    """Return a message with the model's reason behind it, where it gave one."""
    said = shortened_line(reason, LONGEST_REASON)
    return f"{start}: {said}" if said else start
