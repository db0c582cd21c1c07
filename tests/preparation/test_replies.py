"""Recorded replies to the prompts of the preparation steps, with what comes of each."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from clausewise.databases import create_database, open_database
from clausewise.errors import LLMReplyError
from clausewise.llm import CaseLLM
from clausewise.preparation import document_database, rewrite_question
from clausewise.testing.replies import RecordedReplies, scripted_model
from clausewise.types import Case

FILES = sorted((Path(__file__).parent / "replies").glob("*.yaml"))
RECORDED = [
    (content["prompt"], case)
    for path in FILES
    for content in [yaml.safe_load(path.read_text(encoding="utf-8"))]
    for case in content["cases"]
]
CASE = Case(question_id=1, db_id="land", question="Which country is IE?", predicted_sql="SELECT 1")


def _outcome(prompt: str, case_llm: CaseLLM, folder: Path) -> Any:
    if prompt == "rewrite_question":
        return rewrite_question(CASE, "TABLE land", case_llm)
    file = create_database(folder / "land.sqlite", "CREATE TABLE land (code TEXT)")
    notes = document_database(open_database(file), case_llm)
    return {column: note for (_, column), note in notes.items()}


@pytest.mark.parametrize(
    ("prompt", "case"), RECORDED, ids=[f"{prompt}: {case['name']}" for prompt, case in RECORDED]
)
def test_recorded_replies(prompt: str, case: dict[str, Any], tmp_path: Path) -> None:
    replies = RecordedReplies(case["replies"])
    with scripted_model(replies, tmp_path) as llm:
        if case["expect"] == "fault":
            with pytest.raises(LLMReplyError):
                _outcome(prompt, llm.for_case("1"), tmp_path)
        else:
            assert _outcome(prompt, llm.for_case("1"), tmp_path) == case["expect"]
    assert replies.left == 0
