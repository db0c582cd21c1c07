"""`clausewise audit`: formats, exit codes, decisions there and back, resuming."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausewise.databases import create_database
from clausewise.reporting import load_schema

Run = Callable[..., Any]
GOLDS = [
    ("How many people are from Oslo?", "SELECT COUNT(*) FROM person WHERE city = 'Oslo'"),
    ("Who are at least 30 years old?", "SELECT name FROM person WHERE age > 30"),
    ("What are the names of all people?", "SELECT name FROM person"),
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def databases(tmp_path: Path) -> Path:
    folder = tmp_path / "databases"
    (folder / "town").mkdir(parents=True)
    create_database(
        folder / "town" / "town.sqlite",
        """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
        INSERT INTO person VALUES (1, 'Ann', 'Oslo ', 30), (2, 'Bob', 'Rome ', 41),
            (3, 'Cid', 'Oslo ', 52), (4, 'Eve', 'Bonn ', 19);
        """,
    )
    return folder


@pytest.fixture
def golds(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    lines = [
        {"question_id": f"q{n}", "db_id": "town", "question": question, "gold_sql": sql}
        for n, (question, sql) in enumerate(GOLDS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_jsonl_has_every_case_in_order(run, golds, databases, tmp_path):
    out = tmp_path / "audit.jsonl"
    done = run("audit", golds, "--databases", databases, "--out", out)
    assert done.code == 1
    assert done.out == ""
    assert f"2 flagged, 1 clean; written to {out}" in done.err
    found = records(out)
    assert [case["question_id"] for case in found] == ["q0", "q1", "q2"]
    for case in found:
        Draft202012Validator(load_schema("audit")).validate(case)
    assert [case["categories"][0]["name"] for case in found[:2]] == [
        "stray_blanks",
        "wrong_condition",
    ]
    assert found[1]["gold_sql"] == GOLDS[1][1]
    assert not list(tmp_path.glob("*.partial*"))


def test_csv_is_marked_and_fed_back(run, golds, databases, tmp_path):
    out, marked, labels = tmp_path / "a.csv", tmp_path / "marked.csv", tmp_path / "labels.jsonl"
    run("audit", golds, "--databases", databases, "--out", out)
    found = rows(out)
    suspicion = [float(row["suspicion"]) for row in found]
    assert suspicion == sorted(suspicion, reverse=True)
    assert {row["decision"] for row in found} == {row["note"] for row in found} == {""}
    assert {row["gold_sql"] for row in found} == {sql for _, sql in GOLDS}
    found[0] |= {"decision": "Wrong", "note": "no, it is >="}
    found[2]["decision"] = "right"
    with marked.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    again = tmp_path / "again.jsonl"
    done = run(
        "audit", golds, "--databases", databases, "--out", again, "--decisions", marked,
        "--labels", labels,
    )  # fmt: skip
    assert "decisions: 1 wrong, 1 right; 2 cases are left out" in done.err
    assert [case["question_id"] for case in records(again)] == [found[1]["question_id"]]
    assert records(labels) == [
        {"question_id": found[0]["question_id"], "correct": False, "note": "no, it is >="},
        {"question_id": found[2]["question_id"], "correct": True},
    ]


def test_a_decision_that_is_none_is_an_input_error(run, golds, databases, tmp_path):
    marked = tmp_path / "marked.csv"
    marked.write_text("question_id,decision\nq0,perhaps\n", encoding="utf-8")
    done = run("audit", golds, "--databases", databases, "--decisions", marked)
    assert done.code == 2
    assert f"{marked}:2" in done.err
    assert "decision" in done.err
    assert "wrong, right, ambiguous, skip" in done.err


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not {name for name, _ in attrs} & {"src", "href", "onclick", "style"}

    def handle_data(self, data):
        self.text += data


def test_html_shows_what_was_found_and_loads_nothing(run, golds, databases, tmp_path):
    out = tmp_path / "audit.html"
    line = {"question_id": "<x>", "db_id": "town", "question": "<script>alert(1)</script>"}
    with golds.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"gold_sql": "SELECT nme FROM person"}) + "\n")
    done = run("audit", golds, "--databases", databases, "--out", out)
    assert done.code == 1
    page = Page()
    page.feed(out.read_text(encoding="utf-8"))
    assert not page.tags & {"script", "img", "a", "link", "iframe"}
    assert "Audit of 4 cases: 3 flagged, 1 clean" in page.text
    assert "Blanks around stored values" in page.text
    assert "<script>alert(1)</script>" in page.text
    assert "no such column: nme" in page.text
    assert page.text.index("<x>") < page.text.index("q1 (town)")


def test_text_goes_to_standard_output(run, golds, databases):
    done = run("audit", golds, "--databases", databases, "--top", 1)
    assert done.code == 1
    assert "C stray_blanks: 1 case, 1 flagged" in done.out
    assert sum(line.startswith("0.") for line in done.out.splitlines()) == 1


def test_exit_codes(run, golds, databases, tmp_path):
    clean = tmp_path / "clean.jsonl"
    clean.write_text(golds.read_text(encoding="utf-8").splitlines()[2] + "\n", encoding="utf-8")
    assert run("audit", clean, "--databases", databases).code == 0
    assert run("audit", golds, "--databases", databases, "--exit-zero").code == 0
    assert run("audit", golds, "--databases", tmp_path / "none").code == 2
    assert run("audit", golds, "--databases", databases, "--format", "pdf").code == 2
    assert run("audit", golds, "--databases", databases, "--out", golds).code == 2
    assert run("audit", golds, "--databases", databases, "--labels", tmp_path / "l").code == 2
    lost = tmp_path / "lost.jsonl"
    lost.write_text(clean.read_text(encoding="utf-8").replace("town", "moon"), encoding="utf-8")
    done = run("audit", lost, "--databases", databases)
    assert done.code == 3
    assert "1 unchecked" in done.err


@pytest.mark.parametrize("name", ["query", "SQL", "predicted_sql"])
def test_other_names_of_the_query_are_read(run, golds, databases, tmp_path, name):
    items = [json.loads(line) for line in golds.read_text(encoding="utf-8").splitlines()]
    for item in items:
        item[name] = item.pop("gold_sql")
        if name != "predicted_sql":
            del item["question_id"]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    done = run("audit", path, "--databases", databases, "--format", "jsonl")
    assert [case["gold_sql"] for case in done.lines()] == [sql for _, sql in GOLDS]
    if name != "predicted_sql":
        assert [case["question_id"] for case in done.lines()] == [0, 1, 2]


def test_a_record_without_a_query_is_unchecked(run, golds, databases):
    with golds.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"question_id": 9, "db_id": "town", "question": "?"}) + "\n")
    done = run("audit", golds, "--databases", databases, "--format", "jsonl")
    assert done.code == 3
    assert done.lines()[3]["status"] == "unchecked"
    assert "gold_sql" in done.lines()[3]["reason"]


def test_text_of_a_line_that_is_no_case_says_why_and_nothing_else(run, golds, databases):
    golds.write_text("not json\n", encoding="utf-8")
    done = run("audit", golds, "--databases", databases)
    assert done.code == 3
    assert "not JSON" in done.out
    assert "None" not in done.out


def test_a_killed_run_is_resumed(run, golds, databases, tmp_path, monkeypatch):
    from clausewise.auditing import auditor

    whole, out = tmp_path / "whole.csv", tmp_path / "audit.csv"
    run("audit", golds, "--databases", databases, "--out", whole)
    judged, seen = auditor.audited, []

    def killed(scored, faults_of):
        seen.append(scored.question_id)
        if seen == ["q0", "q1"]:
            raise KeyboardInterrupt
        return judged(scored, faults_of)

    monkeypatch.setattr(auditor, "audited", killed)
    done = run("audit", golds, "--databases", databases, "--out", out)
    assert done.code == 130
    assert "continue with --resume" in done.err
    assert not out.exists()
    partial = out.with_name("audit.csv.partial")
    assert len(partial.read_text(encoding="utf-8").splitlines()) == 1
    done = run("audit", golds, "--databases", databases, "--out", out, "--resume")
    assert "resuming after 1 cases" in done.err
    assert seen == ["q0", "q1", "q1", "q2"]
    assert out.read_bytes() == whole.read_bytes()


def test_two_processes_write_the_same(run, golds, databases, tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    run("audit", golds, "--databases", databases, "--out", one)
    shutil.rmtree(tmp_path / "cache")
    run("audit", golds, "--databases", databases, "--out", two, "--jobs", 2)
    assert one.read_bytes() == two.read_bytes()


def test_conventions_say_whether_a_column_more_is_suspicious(run, databases, tmp_path):
    gold = {
        "question_id": "q0",
        "db_id": "town",
        "question": "Who is the oldest person?",
        "gold_sql": "SELECT name, age FROM person ORDER BY age DESC LIMIT 1",
    }
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(gold) + "\n", encoding="utf-8")

    def sources(*options: str) -> set[str]:
        out = tmp_path / "audit.jsonl"
        assert run("audit", path, "--databases", databases, "--out", out, *options).code in (0, 1)
        (record,) = records(out)
        return {category["source"] for category in record["categories"]}

    shown = "projection_mismatch.ranking_shown"
    assert shown in sources()
    assert shown not in sources("--conventions", "relaxed")
    assert shown in sources("--conventions", "strict")
