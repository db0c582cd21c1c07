"""The question in the words of the schema (DART-SQL, section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.llm.reply_fields import ParsedReply

if TYPE_CHECKING:
    from clausewise.llm import CaseLLM
    from clausewise.types import Case

PROMPT = "rewrite_question"


class Rewriting(ParsedReply):
    """The model's reply."""

    rewritten: str
    changed: bool


def rewrite_question(case: Case, schema: str, llm: CaseLLM) -> str | None:
    """Return the question in words that can be read in one way only, None where it stays.

    `schema` is the text of `describe_schema`, with the values that the question says. The
    original question stays in every prompt and decides: the paper reports rewritten questions
    that lost or replaced what was asked. Raises the errors of `CaseLLM.ask`.
    """
    variables = {"schema": schema, "question": case.question, "evidence": case.evidence}
    reply = llm.ask(PROMPT, Rewriting, variables)
    rewritten = " ".join(reply.rewritten.split())
    same = rewritten.casefold() == " ".join(case.question.split()).casefold()
    return None if same or not rewritten or not reply.changed else rewritten
