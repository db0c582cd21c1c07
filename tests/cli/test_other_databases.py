"""`score` and `check` on other databases than SQLite, from the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.dialect_differences import DIFFERENCES
from tests.servers.sample import CASES, SQLITE, LoadedSample, in_dialect


def test_scores_and_checks_from_the_command_line(
    loaded: LoadedSample, tmp_path: Path, run: Callable
) -> None:
    differ = DIFFERENCES[loaded.dialect].cases()
    ours = [case for case in CASES if case.db_id == "bookshop" and case.question_id not in differ]
    # The probability knows the query's length, which a translation may change.
    ours = [case for case in ours if in_dialect(case, "sqlite") == in_dialect(case, loaded.dialect)]
    assert len(ours) > 10
    scores = {}
    for dialect, target in (
        ("sqlite", SQLITE.targets["bookshop"]),
        (loaded.dialect, loaded.targets["bookshop"]),
    ):
        cases = tmp_path / f"{dialect}.jsonl"
        lines = (json.dumps(in_dialect(case, dialect).carried()) for case in ours)
        cases.write_text("\n".join(lines))
        out = tmp_path / f"{dialect}-scores.jsonl"
        done = run("score", cases, "--db", target, "--out", out, "--jobs", 1)
        assert done.code == 1, done.err
        assert "password" not in done.err
        scores[dialect] = [json.loads(line) for line in out.read_text().splitlines()]
    for one, other in zip(*scores.values(), strict=True):
        for name in ("status", "verdict", "signals"):
            assert one[name] == other[name], one["question_id"]
        # What a question leads to expect is learned of the declared types, too, the verifier
        # reads them, and keys are declared NOT NULL outside SQLite.
        assert one["p_correct"] == pytest.approx(other["p_correct"], abs=0.08)
    question = "How many books cost more than 20?"
    asked = ("--question", question, "--sql", "SELECT COUNT(*) FROM books WHERE price > 2000")
    done = run("check", "--db", loaded.targets["bookshop"], *asked, "--format", "json")
    line = json.loads(done.out)
    assert line["status"] == "ok"
    assert {finding["signal"] for finding in line["findings"]} >= {"empty_predicate"}
