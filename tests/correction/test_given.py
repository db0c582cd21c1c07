"""The strategy `given`: what was corrected elsewhere is run and judged like any proposal."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import CorrectionStatus, correct
from clausewise.correction.given import GivenOptions
from clausewise.databases import Databases
from clausewise.errors import InputError
from clausewise.models import packaged_detector

WRONG = "SELECT COUNT(*) FROM visits WHERE person = 'ann'"
RIGHT = "SELECT COUNT(*) FROM visits WHERE person = 'Ann'"


@pytest.fixture
def run(databases: Databases, tmp_path: Path) -> Callable[..., Any]:
    """Correct one query by a file of lines: `run(sql, *lines)`."""

    def ran(sql: str, *lines: dict[str, Any]) -> Any:
        path = tmp_path / "corrected.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        case = {"question_id": 1, "db_id": "clinic", "question": "How many visits did Ann make?"}
        scored = packaged_detector().score([case | {"predicted_sql": sql}], databases)
        return correct(scored, databases, strategy="given", options={"file": str(path)})[0]

    return ran


def test_a_better_query_is_taken_and_a_worse_one_is_not(run: Any) -> None:
    found = run(WRONG, {"question_id": "1", "corrected_sql": RIGHT})
    assert (found.corrected_sql, found.reason) == (RIGHT, "the query of corrected.jsonl")
    found = run(RIGHT, {"question_id": 1, "corrected_sql": WRONG, "changed": True})
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, RIGHT)
    found = run(WRONG, {"question_id": 1, "corrected_sql": "DROP TABLE visits"})
    assert found.corrected_sql == WRONG


@pytest.mark.parametrize(
    "lines",
    [[{"question_id": 2, "corrected_sql": RIGHT}], [{"question_id": 1, "corrected_sql": None}]],
)
def test_without_a_query_the_original_stays(run: Any, lines: list[dict[str, Any]]) -> None:
    found = run(WRONG, *lines)
    assert found.reason == "corrected.jsonl has no query for the question"
    assert run(WRONG, {"question_id": 1, "corrected_sql": f"{WRONG};"}).changed is False


def test_a_file_that_cannot_be_used_is_refused_before_the_work(run: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="corrected_sql"):
        run(WRONG, {"question_id": 1, "sql": RIGHT})
    with pytest.raises(InputError, match="already used"):
        run(WRONG, *[{"question_id": 1, "corrected_sql": RIGHT}] * 2)
    with pytest.raises(InputError, match="nowhere"):
        GivenOptions(file=tmp_path / "nowhere.jsonl")
    with pytest.raises(InputError, match="option 'file' of 'given'"):
        correct([], tmp_path, strategy="given")


def test_options_can_be_sent_to_another_process(tmp_path: Path) -> None:
    path = tmp_path / "corrected.jsonl"
    path.write_text(json.dumps({"question_id": 1, "corrected_sql": RIGHT}) + "\n")
    sent = pickle.loads(pickle.dumps(GivenOptions(file=path)))
    assert sent.queries == {"1": RIGHT}


def test_other_queries_are_another_run(tmp_path: Path) -> None:
    path = tmp_path / "corrected.jsonl"
    dumped = set()
    for sql in (RIGHT, WRONG, RIGHT):
        path.write_text(json.dumps({"question_id": 1, "corrected_sql": sql}) + "\n")
        dumped.add(GivenOptions(file=path).model_dump_json())
    assert len(dumped) == 2
