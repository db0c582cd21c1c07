"""The harness of corrections: replies of known worth, and figures over resampled questions."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel

from clausewise.corrected_case import CorrectedCase, CorrectionStatus
from clausewise.llm.replies import reply_schema
from clausewise.types import CaseStatus, ScoredCase, Verdict
from experiments.correction.figures import figures
from experiments.correction.recorded import ProposedQuery, reworded
from experiments.correction.trials import Corrected


class Part(BaseModel):
    meaning: str


class Asked(BaseModel):
    sql: str
    same: bool
    wrong: bool
    choice: Literal["a", "b"]
    parts: list[Part]
    confidence: float


def request(reply: type[BaseModel]) -> dict[str, Any]:
    schema = {"json_schema": {"schema": reply_schema(reply)}}
    return {"response_format": schema, "messages": []}


def test_a_reply_fits_the_schema_and_supports_the_query() -> None:
    replies = ProposedQuery("SELECT 1", answers={"confidence": 0.9})
    found = Asked.model_validate(json.loads(replies(request(Asked)).text))
    assert (found.sql, found.same, found.wrong, found.choice) == ("SELECT 1", False, True, "b")
    assert found.confidence == 0.9
    assert found.parts[0].meaning
    assert "SELECT 1" in replies({"messages": []}).text
    assert replies.asked == 2


def test_a_query_is_put_in_other_words() -> None:
    found = reworded("SELECT a, b AS c FROM t WHERE a = 1 AND b = 2")
    assert found == "SELECT a AS result_0, b AS c FROM t WHERE 2 = b AND 1 = a"
    assert reworded("no query (") is None


def corrected(before: bool, after: bool, question: str) -> Corrected:
    scored = ScoredCase(
        question_id=1,
        db_id="shop",
        predicted_sql="SELECT 1",
        p_correct=0.5,
        verdict=Verdict.CORRECT,
        status=CaseStatus.OK,
        reason=None,
        findings=(),
        signals={},
    )
    result = CorrectedCase(
        question_id=1,
        db_id="shop",
        predicted_sql="SELECT 1",
        corrected_sql="SELECT 2",
        changed=True,
        status=CorrectionStatus.CHANGED,
        reason="",
        strategy="some",
        p_before=0.5,
        p_after=0.6,
        cost={"calls": 2, "prompt_tokens": 10, "completion_tokens": 5, "usd": None},
    )
    return Corrected("spider", "some", question, scored, result, before, after)


def test_figures_count_what_became_of_the_queries() -> None:
    rows = [corrected(*row) for row in [(False, True, "a"), (True, False, "b"), (True, True, "b")]]
    found: Any = figures(rows, resamples=50)
    assert (found["fixed"], found["broken"], found["net"], found["cases"]) == (1, 1, 0, 3)
    assert (found["calls"], found["tokens"]) == (6, 45)
    assert found["ex_before"] == found["ex_after"] == 2 / 3
    assert found["gain_low"] <= 0 <= found["gain_high"]


def test_no_cases_have_no_figures_but_zeros() -> None:
    found: Any = figures([])
    assert found["cases"] == found["net"] == 0
