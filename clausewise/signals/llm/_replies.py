"""What the prompts of the LLM signals ask for: one model of a reply for each of them.

Tolerant where nothing is lost by it (a number in quotes, `yes` for true, null for an empty text),
strict where a guess would be needed: a missing verdict or confidence is a malformed reply. No
limits are written into the JSON schema, since not every server's grammar knows them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from clausewise.llm.reply_fields import ParsedReply, Share, Text


def _not_empty(value: list[Any]) -> list[Any]:
    if not value:
        raise ValueError("it must not be empty")
    return value


ClauseName = Literal[
    "select", "from", "join", "where", "group_by", "having", "order_by", "limit",
    "set_operation", "with", "none",
]  # fmt: skip


def _as_clause_name(value: object) -> object:
    """Read `GROUP BY` as `group_by`, and whatever is no clause's name as `none`."""
    name = "_".join(str(value or "none").lower().split())
    return name if name in ClauseName.__args__ else "none"  # type: ignore[attr-defined]


class SelfCheck(ParsedReply):
    """Whether the query answers the question."""

    reason: Text = ""
    correct: bool
    confidence: Share
    fragment: Text = ""


class EvidenceViolation(ParsedReply):
    """Whether the query contradicts the evidence."""

    reason: Text = ""
    violated: bool
    confidence: Share
    fragment: Text = ""


class InsufficientEvidence(ParsedReply):
    """Whether enough is known to judge the query."""

    reason: Text = ""
    sufficient: bool
    confidence: Share
    missing: Text = ""


class Link(ParsedReply):
    """A phrase of the question and the part of the query that stands for it."""

    phrase: Text
    fragment: Text = ""
    clause: Annotated[ClauseName, BeforeValidator(_as_clause_name)] = "none"
    sure: bool
    confidence: Share
    reason: Text = ""


class Links(ParsedReply):
    """All links of one question; a question without any is a malformed reply."""

    links: Annotated[list[Link], AfterValidator(_not_empty)]


class Alternative(ParsedReply):
    """Another column that would serve in place of one that is used."""

    used: str
    other: str
    reason: Text = ""
    confidence: Share


class Alternatives(ParsedReply):
    """All of them; empty where there are none."""

    alternatives: list[Alternative]


class ResultReview(ParsedReply):
    """Whether the first rows and the columns are what the question asks for."""

    reason: Text = ""
    columns_right: bool
    rows_right: bool
    confidence: Share
    fragment: Text = ""


class Combined(ParsedReply):
    """The answers of one call that stands for several; without evidence none can violate it."""

    links: Annotated[list[Link], AfterValidator(_not_empty)]
    alternatives: list[Alternative]
    evidence_violation: EvidenceViolation | None = None
    insufficient_evidence: InsufficientEvidence | None = None
    self_check: SelfCheck
    probability: Share
