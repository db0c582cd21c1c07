"""Documentation of databases and rewriting of questions, against a scripted endpoint."""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.errors import LLMReplyError, LLMUnavailable
from clausewise.preparation import document_database, rewrite_question
from clausewise.preparation.documentation import COLUMNS_A_CALL, LONGEST
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import scripted_model
from clausewise.types import Case

SCHEMA = """
CREATE TABLE driver (id INTEGER PRIMARY KEY, "full name" TEXT, number INTEGER);
CREATE TABLE race (id INTEGER PRIMARY KEY, driver INTEGER REFERENCES driver(id));
INSERT INTO driver VALUES (1, 'Ann Other', 7), (2, 'Bo Zed', NULL);
"""


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    return open_database(create_database(tmp_path / "races.sqlite", SCHEMA))


def _notes(*pairs: tuple[str, str]) -> Reply:
    return Reply(json.dumps({"columns": [{"name": n, "description": d} for n, d in pairs]}))


class _Script:
    """Answers by the table that a request asks about, and keeps the requests."""

    def __init__(self, answer: Callable[[str], Reply]) -> None:
        self.messages: list[str] = []
        self._answer = answer

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        self.messages.append(request["messages"][-1]["content"])
        return self._answer(self.messages[-1])


def _by_table(message: str) -> Reply:
    columns = message.split('<data label="columns">')[1]
    if "TABLE driver" in columns:
        return _notes(
            ("FULL NAME", "First and last name  of\nthe driver."),
            ("number", "The racing number, if there is one."),
            ("id", "x" * (2 * LONGEST + 1)),
            ("age", "No such column."),
        )
    return _notes(("driver", "Who drove."), ("id", " "))


def test_every_table_is_documented_once(database: BaseDatabase, tmp_path: Path) -> None:
    script = _Script(_by_table)
    with scripted_model(script, tmp_path) as llm:
        case_llm = llm.for_case("1")
        notes = document_database(database, case_llm)
        assert notes == {
            ("driver", "full name"): "First and last name of the driver.",
            ("driver", "number"): "The racing number, if there is one.",
            ("race", "driver"): "Who drove.",
        }
        with ThreadPoolExecutor(8) as pool:
            again = list(pool.map(lambda _: document_database(database, case_llm), range(16)))
        assert all(found == notes for found in again)
        assert len(script.messages) == 2
        assert case_llm.usage.calls == 0
        assert llm.spent.calls == 2


def test_metadata_profile_and_annotation_are_told(database: BaseDatabase, tmp_path: Path) -> None:
    folder = Path(database.target).parent / "database_description"
    folder.mkdir()
    (folder / "driver.csv").write_text(
        "original_column_name,column_name,column_description,value_description\n"
        "number,car number,painted on the car,empty if none\n"
    )
    script = _Script(_by_table)
    with open_database(Path(database.target)) as described, scripted_model(script, tmp_path) as llm:
        document_database(described, llm.for_case("1"))
    assert (
        "- number: INTEGER\n  note: car number\n  note: painted on the car\n"
        "  note: empty if none\n  rows 2, NULL 1, distinct 1, stored as integer 1\n"
        "  from 7 to 7\n  most frequent: 7 (1 times)" in script.messages[0]
    )


def test_another_content_is_documented_anew(database: BaseDatabase, tmp_path: Path) -> None:
    other = open_database(create_database(tmp_path / "other.sqlite", SCHEMA + "DELETE FROM race;"))
    script = _Script(_by_table)
    with scripted_model(script, tmp_path) as llm:
        document_database(database, llm.for_case("1"))
        document_database(other, llm.for_case("2"))
        changed = open_database(
            create_database(tmp_path / "changed.sqlite", SCHEMA.replace("Bo", "Cy"))
        )
        before = len(script.messages)
        document_database(changed, llm.for_case("3"))
    assert len(script.messages) == before + 2


def test_wide_tables_are_asked_about_in_parts(tmp_path: Path) -> None:
    columns = ", ".join(f"c{number} INTEGER" for number in range(COLUMNS_A_CALL + 1))
    wide = open_database(create_database(tmp_path / "wide.sqlite", f"CREATE TABLE t ({columns})"))
    script = _Script(lambda message: _notes(("c0", "first"), (f"c{COLUMNS_A_CALL}", "last")))
    with scripted_model(script, tmp_path) as llm:
        notes = document_database(wide, llm.for_case("1"))
    assert len(script.messages) == 2
    assert notes == {("t", "c0"): "first", ("t", f"c{COLUMNS_A_CALL}"): "last"}


def test_useless_replies_are_not_asked_for_again(database: BaseDatabase, tmp_path: Path) -> None:
    script = _Script(lambda message: Reply("It is about races."))
    with scripted_model(script, tmp_path) as llm:
        for _ in range(3):
            with pytest.raises(LLMReplyError, match="documentation of races"):
                document_database(database, llm.for_case("1"))
    assert len(script.messages) == 2


def test_a_server_that_is_down_may_come_back(database: BaseDatabase, tmp_path: Path) -> None:
    state = {"down": True}
    script = _Script(lambda m: Reply(status=500) if state["down"] else _by_table(m))
    with scripted_model(script, tmp_path) as llm:
        with pytest.raises(LLMUnavailable):
            document_database(database, llm.for_case("1"))
        state["down"] = False
        assert document_database(database, llm.for_case("1"))


CASE = Case(
    question_id=1, db_id="races", question="Who has number seven?", evidence="number is the car's",
    predicted_sql="SELECT 1",
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            {"rewritten": "Which driver's  number is 7?", "changed": True},
            "Which driver's number is 7?",
        ),
        ({"rewritten": "Who has number seven?", "changed": True}, None),
        ({"rewritten": "Who has number 7?", "changed": False}, None),
        ({"rewritten": " ", "changed": True}, None),
    ],
)
def test_questions_are_rewritten_or_stay(
    reply: dict[str, object], expected: str | None, tmp_path: Path
) -> None:
    script = _Script(lambda message: Reply(json.dumps(reply)))
    with scripted_model(script, tmp_path) as llm:
        case_llm = llm.for_case("1")
        assert rewrite_question(CASE, "TABLE driver", case_llm) == expected
        assert case_llm.usage.calls == 1
    for part in ("TABLE driver", CASE.question, str(CASE.evidence)):
        assert part in script.messages[0]


def test_a_rewriting_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with (
        scripted_model(_Script(lambda message: Reply("Who?")), tmp_path) as llm,
        pytest.raises(LLMReplyError),
    ):
        rewrite_question(CASE, "TABLE driver", llm.for_case("1"))
