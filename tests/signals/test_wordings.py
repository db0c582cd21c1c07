"""Right and wrong queries for questions in ten wordings each, over names as teams give them.

The files in `wordings/` hold a database and patterns: one query with its questions. Nothing may be
found in a right query but what is arguable; in a wrong one, the finding that is named.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.signals import inspect_case, select_signals
from clausewise.types import Case, CaseStatus, Finding, Group, OutcomeStatus

FOLDER = Path(__file__).parent / "wordings"
ARGUABLE = {
    ("table_similarity", "one_column"),
    ("omitted_records", "some_dropped"),
    ("projection_mismatch", "order"),
}
SIGNALS = [
    spec
    for spec in select_signals("all")
    if spec.group in (Group.DATABASE, Group.QUESTION) and not spec.code.startswith("EXP")
]
"""Rules; what is learned has a say of its own."""


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return content


RIGHT, WRONG = _read("right"), _read("wrong")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BaseDatabase]:
    folder = tmp_path_factory.mktemp("wordings")
    return {
        name: open_database(create_database(folder / f"{name}.sqlite", content["database"]))
        for name, content in (("right", RIGHT), ("wrong", WRONG))
    }


def _findings(database: BaseDatabase, pattern: dict[str, Any], question: str) -> list[Finding]:
    case = Case(
        question_id=1,
        db_id="wordings",
        question=question,
        predicted_sql=pattern["sql"],
        evidence=pattern.get("evidence"),
    )
    inspection = inspect_case(case, database, SIGNALS)
    assert inspection.status is CaseStatus.OK, inspection.reason
    outcomes = inspection.outcomes.values()
    assert not [item for item in outcomes if item.status is OutcomeStatus.FAULT]
    return [finding for outcome in outcomes for finding in outcome.findings]


@pytest.mark.parametrize("pattern", RIGHT["patterns"], ids=lambda pattern: pattern["name"])
def test_right_queries_are_not_flagged(opened: dict[str, BaseDatabase], pattern: Any) -> None:
    loud = [
        f"{question} {finding.signal} {finding.reason}: {finding.message}"
        for question in pattern["questions"]
        for finding in _findings(opened["right"], pattern, question)
        if (finding.signal, finding.reason) not in ARGUABLE
    ]
    assert loud == []


@pytest.mark.parametrize("pattern", WRONG["patterns"], ids=lambda pattern: pattern["name"])
def test_wrong_queries_are_flagged(opened: dict[str, BaseDatabase], pattern: Any) -> None:
    silent = []
    for question in pattern["questions"]:
        found = _findings(opened["wrong"], pattern, question)
        named = {f"{finding.signal}.{finding.reason}" for finding in found}
        if pattern["expect"] not in named:
            silent.append(f"{question} {sorted(named)}")
    assert silent == []
