"""Reading what models really write as the answer to an executed question."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from clausewise.databases.instances import Instance, InstanceTable
from clausewise.equivalence.execution.reply import ExecutedQuestion
from clausewise.llm.replies import Malformed, parse_reply, reply_schema

NOTHING = Instance.of([InstanceTable("t", ("a",), ())])


def rows(value: Any, columns: Any = None) -> Any:
    reply = ExecutedQuestion.model_validate({"rows": value, "columns": columns})
    return reply.result(NOTHING).rows


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ([[1, "a"], [2.5, None]], ((1, "a"), (2.5, None))),
        ([], ()),
        ([[True], [False]], ((1,), (0,))),
        ([["NULL"], ["None"], ["null"]], ((None,), (None,), (None,))),
        ([3], ((3,),)),
        (["a", "b"], (("a",), ("b",))),
        ([{"name": "Ann", "n": 2}], (("Ann", 2),)),
        ({"n": 2}, ((2,),)),
        ("[[1, 2]]", ((1, 2),)),
        ([["3"]], (("3",),)),
        ([[10**30]], ((str(10**30),),)),
    ],
)
def test_what_is_read(written: Any, read: Any) -> None:
    assert rows(written) == read


@pytest.mark.parametrize(
    ("written", "columns"),
    [
        (None, []),
        (3, ["n"]),
        ("two rows", ["n"]),
        ([[1], [1, 2]], ["n"]),
        ([[]], []),
        (["Ann", 3], ["name", "n"]),
        ([[[1]]], ["n"]),
        ([[1]] * 501, ["n"]),
    ],
)
def test_what_is_malformed(written: Any, columns: Any) -> None:
    with pytest.raises(ValidationError):
        rows(written, columns)


def test_a_word_for_null_that_is_data_stays_text() -> None:
    stored = Instance.of([InstanceTable("t", ("a",), (("None",),))])
    reply = ExecutedQuestion.model_validate({"rows": [["None"], ["NULL"]]})
    assert reply.result(stored).rows == (("None",), (None,))


def test_columns_get_numbers_where_their_names_do_not_fit() -> None:
    reply = ExecutedQuestion.model_validate({"columns": ["name"], "rows": [["a", 1]]})
    assert reply.result(NOTHING).columns == ("column 1", "column 2")


def test_steps_come_first_and_every_field_is_asked_for() -> None:
    schema = reply_schema(ExecutedQuestion)
    assert list(schema["properties"]) == ["steps", "columns", "rows"]
    assert schema["required"] == ["steps", "columns", "rows"]


def test_prose_around_the_answer_is_passed_over() -> None:
    text = "I look at {row 1}.\n```json\n" + json.dumps({"steps": "one", "rows": [[1]]}) + "\n```"
    assert parse_reply(text, ExecutedQuestion).rows == [[1]]
    with pytest.raises(Malformed, match="rows"):
        parse_reply('{"steps": [], "columns": []}', ExecutedQuestion)
