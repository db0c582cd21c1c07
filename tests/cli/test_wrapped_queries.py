"""Queries as language models reply them: in a fence, behind a label, with prose around."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.types import WRAPPED_QUERY

Run = Callable[..., Any]

SQL = "SELECT name FROM customers WHERE city = 'dublin town'"
REPLIES = [
    f"```sql\n{SQL}\n```",
    f"```\n{SQL}",
    f"SQL: {SQL}",
    f"SQLQuery: {SQL}",
    f"Answer: {SQL}",
    f"Here's what you're looking for:\n\n```sql\n{SQL};\n```\n\nIt lists names.",
]


def _check(run: Run, sample: Path, sql: str, *more: object) -> tuple[Any, dict[str, Any]]:
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    done = run("check", "--db", database, "-q", "Who lives in Dublin?", "-s", sql, "-f", "json")
    return done, json.loads(done.out)


@pytest.mark.parametrize("reply", REPLIES)
def test_a_wrapped_query_is_scored_like_the_bare_one(run: Run, sample: Path, reply: str) -> None:
    _, bare = _check(run, sample, SQL)
    done, wrapped = _check(run, sample, reply)
    assert done.code == 1
    assert wrapped["predicted_sql"] == reply
    assert (wrapped["p_correct"], wrapped["status"]) == (bare["p_correct"], "ok")
    assert wrapped["signals"] == bare["signals"]
    for finding in wrapped["findings"]:
        clause = finding["clause"]
        assert reply[clause["start"] : clause["end"]] == clause["text"]
    (notice,) = [f for f in wrapped["findings"] if f["signal"] == WRAPPED_QUERY]
    assert (notice["level"], notice["score"], notice["code"]) == ("info", 0.0, "CASE03")
    start, end = notice["evidence"]["inspected"]
    assert reply[start:end].rstrip(";") == SQL
    others = [f for f in wrapped["findings"] if f["signal"] != WRAPPED_QUERY]
    assert [f["clause"]["text"] for f in others] == [f["clause"]["text"] for f in bare["findings"]]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "sarif"])
def test_every_report_says_that_text_was_left_out(run: Run, sample: Path, form: str) -> None:
    database = sample / "databases" / "bookshop" / "bookshop.sqlite"
    done = run(
        "check", "--db", database, "-q", "Who lives in Dublin?", "-s", REPLIES[0], "-f", form
    )
    assert "only the SQL was inspected" in done.out
    assert not done.err or "Traceback" not in done.err


def test_a_wrapped_query_that_is_broken_is_marked_inside_the_fence(run: Run, sample: Path) -> None:
    reply = "```sql\nSELECT name FROM WHERE\n```"
    done, record = _check(run, sample, reply)
    assert (done.code, record["status"]) == (1, "unparsable")
    for finding in record["findings"]:
        clause = finding["clause"]
        assert reply[clause["start"] : clause["end"]] == clause["text"]
    reply = "```sql\nSELECT nme FROM customers\n```"
    done, record = _check(run, sample, reply)
    assert (done.code, record["status"]) == (1, "not_executable")
    assert record["findings"][0]["clause"]["text"] == "nme"
    assert record["findings"][0]["clause"]["start"] == reply.index("nme")


def test_a_statement_that_changes_data_stays_refused_in_a_fence(run: Run, sample: Path) -> None:
    _, record = _check(run, sample, "```sql\nDELETE FROM books\n```")
    assert record["status"] != "ok"


def test_fences_around_candidates_do_not_hide_agreement(run: Run, sample: Path, tmp_path) -> None:
    def scored(name: str, candidates: list[str], sql: str) -> dict:
        case = {
            "question_id": 1, "db_id": "bookshop", "question": "How many books are there?",
            "predicted_sql": sql, "candidates": candidates,
        }  # fmt: skip
        (tmp_path / name).write_text(json.dumps(case) + "\n")
        return run("score", tmp_path / name, "--databases", sample / "databases").lines()[0]

    sql = "SELECT COUNT(*) FROM books"
    others = ["SELECT COUNT(isbn) FROM books", "SELECT COUNT(*) FROM customers"]
    bare = scored("bare.jsonl", [sql, *others], sql)
    fenced = scored("fenced.jsonl", [f"```sql\n{text}\n```" for text in [sql, *others]], sql)
    both = scored("both.jsonl", [f"SQL: {text}" for text in [sql, *others]], f"```sql\n{sql}\n```")
    assert bare["p_correct"] == fenced["p_correct"] == both["p_correct"]
    assert fenced["candidates"][0] == f"```sql\n{sql}\n```"
    assert bare["signals"] == fenced["signals"] == both["signals"]
