"""A query put into words without the question in sight, and these words beside the question.

References
----------
GBV-SQL, section 3.4 (SQL2TextValidator).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from clausewise.llm.reply_fields import ParsedReply, Share, Text

if TYPE_CHECKING:
    from clausewise.llm import CaseLLM

DESCRIBE = "back_translation_describe"
COMPARE = "back_translation_compare"


class Step(ParsedReply):
    """One part of a query and what it does."""

    fragment: Text = ""
    meaning: str


def _not_empty(value: list[Step]) -> list[Step]:
    if not value:
        raise ValueError("it must not be empty")
    return value


class Description(ParsedReply):
    """A query in words."""

    steps: Annotated[list[Step], AfterValidator(_not_empty)]
    summary: str


class StatementComparison(ParsedReply):
    """Whether a description fits the question; `step` counts from 1, 0 for none."""

    reason: Text = ""
    same: bool
    confidence: Share
    step: int = 0


@dataclass(frozen=True, slots=True)
class BackTranslation:
    """A query in words, and what a model says of these words and the question."""

    description: Description
    comparison: StatementComparison

    @property
    def text(self) -> str:
        """The description in numbered steps and one sentence."""
        return description_text(self.description)

    @property
    def differing_step(self) -> Step | None:
        """The step that differs from the question, None where none was named."""
        steps = self.description.steps
        place = self.comparison.step
        return steps[place - 1] if 0 < place <= len(steps) else None


def description_text(description: Description) -> str:
    """Return a description as numbered steps, one a line, and one sentence."""
    steps = [f"{at}. {step.meaning}" for at, step in enumerate(description.steps, 1)]
    return "\n".join([*steps, f"In one sentence: {description.summary}"])


def back_translate(
    llm: CaseLLM, blind: Mapping[str, object], given: Mapping[str, object]
) -> BackTranslation:
    """Describe a query without the question, and compare the words without the query: two calls.

    Parameters
    ----------
    llm
        The client of the case.
    blind
        `blind_material`: schema and query.
    given
        `case_material`: of it dialect, question, rewritten question and evidence are shown.

    Raises
    ------
    LLMError
        The errors of `CaseLLM.ask`.
    """
    description = llm.ask(DESCRIBE, Description, blind)
    shared = ("dialect", "question", "rewritten", "evidence")
    known = {name: given[name] for name in shared}
    shown = {**known, "description": description_text(description)}
    return BackTranslation(description, llm.ask(COMPARE, StatementComparison, shown))
