"""What clients say of findings, collected in a file."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clausewise.datasets import read_feedback, sample_dir
from clausewise.errors import InputError
from clausewise.service.configuration import make_config
from clausewise.service.feedback import FeedbackFile
from clausewise.service.problems import ProblemError
from clausewise.types import CaseJudgment, FindingJudgment
from tests.service.running import Served, serving

DISMISSED = {
    "question_id": "q1",
    "signal": "idle_predicate",
    "reason": "always_true",
    "finding": "dismissed",
}


@pytest.fixture(scope="module")
def collecting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    folder = tmp_path_factory.mktemp("feedback")
    file = folder / "feedback.jsonl"
    options = ("--databases", sample_dir() / "databases", "--jobs", 1, "--feedback", file)
    with serving(folder / "log", *options) as served:
        yield served, file


def test_judgments_are_added_and_can_be_learned_from(collecting: tuple[Served, Path]) -> None:
    served, file = collecting
    rows: list[dict[str, Any]] = [{**DISMISSED, "note": "x"}, {"question_id": 2, "correct": False}]
    reply = served.ask("POST", "/v1/feedback", rows)
    assert (reply.status, reply.json()) == (200, {"added": 2})
    again = "\n".join(
        json.dumps({**DISMISSED, "finding": said}) for said in ("dismissed", "confirmed")
    )
    assert served.ask("POST", "/v1/feedback", again.encode()).json() == {"added": 2}
    assert read_feedback(file) == [
        FindingJudgment("q1", "idle_predicate", "always_true", "confirmed"),
        CaseJudgment(2, False),
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "note" not in file.read_text()


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        ({**DISMISSED, "reason": "no_such"}, "reason", "weighs no reason"),
        ({**DISMISSED, "finding": "maybe"}, "finding", ""),
        ({"question_id": 1}, "finding", "neither a finding nor a query"),
        ({"correct": True}, "question_id", "missing"),
        ("text", None, "must be an object"),
    ],
)
def test_one_wrong_row_is_named_and_nothing_is_added(
    collecting: tuple[Served, Path], row: object, field: str | None, said: str
) -> None:
    served, file = collecting
    before = file.read_bytes()
    reply = served.ask("POST", "/v1/feedback", [DISMISSED, row])
    assert reply.status == 422
    (error,) = reply.json()["errors"]
    assert (error["line"], error.get("field")) == (2, field)
    assert said in error["message"]
    assert file.read_bytes() == before


def test_without_a_file_none_is_collected(service: Served) -> None:
    reply = service.ask("POST", "/v1/feedback", [DISMISSED])
    assert reply.status == 404
    assert "--feedback" in reply.json()["detail"]


def test_the_file_does_not_grow_beyond_its_limit(tmp_path: Path) -> None:
    place = tmp_path / "feedback.jsonl"
    file = FeedbackFile(place, 150, {"idle_predicate.always_true"})
    assert file.add([DISMISSED]) == 1
    before = place.read_bytes()
    with pytest.raises(ProblemError) as raised:
        file.add([DISMISSED])
    assert raised.value.status == 507
    assert place.read_bytes() == before


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(InputError, match="cannot be written"):
        FeedbackFile(tmp_path / "link", 1_000, {"a.b"})
    assert target.read_text() == "mine"


def test_a_relative_file_is_beside_the_configuration(tmp_path: Path) -> None:
    fields = {"databases": {"a": {"path": "a.db"}}, "feedback": "f.jsonl", "folder": tmp_path}
    assert make_config(fields).feedback_file() == tmp_path / "f.jsonl"
