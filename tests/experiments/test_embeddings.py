"""The ways of using embeddings, with cosines that are written down in place of a model's."""

from __future__ import annotations

import pytest

from clausewise.databases import Databases
from clausewise.datasets import sample_dir
from clausewise.signals import inspect_case
from clausewise.signals.predicate.pred06_value_ambiguity import MARGIN
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    Inspection,
    Outcome,
    OutcomeStatus,
)
from experiments.common.data import System
from experiments.embeddings.run import changes, plain_sum
from experiments.embeddings.variants import (
    SIGNAL,
    Rule,
    Use,
    nearest,
    other_by_meaning,
    own_by_meaning,
    whole_names,
    with_rule,
)

NEAR = {frozenset({"kind", "genre"}): 0.5, frozenset({"posh", "price"}): 0.4}
BOOKS = "What kind are the books?"


def similarity(first: str, second: str) -> float:
    return 1.0 if first == second else NEAR.get(frozenset({first, second}), 0.0)


def whole(first: str, second: str) -> float:
    return {"genre": 0.6, "price": 0.6 - MARGIN}.get(first, 0.0) if second == BOOKS else 0.0


def fired(question: str, sql: str, rule: Rule) -> list[str]:
    case = Case(question_id=1, db_id="bookshop", question=question, predicted_sql=sql)
    database = Databases(sample_dir() / "databases").get("bookshop")
    outcome = inspect_case(case, database, [with_rule(rule)]).outcomes[SIGNAL]
    assert outcome.status is not OutcomeStatus.FAULT
    return [str(finding.evidence["other"]) for finding in outcome.findings]


def by_letters(use: Use, found: Finding | None) -> Finding | None:
    return found


def test_the_nearest_word_is_found_and_short_ones_have_no_meaning() -> None:
    assert nearest("kind", ["price", "genre"], similarity) == 0.5
    assert nearest("kind", ["of"], similarity) == 0
    assert nearest("no", ["genre"], similarity) == 0


def test_the_other_column_is_found_by_meaning() -> None:
    sql = "SELECT price FROM books"
    assert fired(BOOKS, sql, by_letters) == []
    assert fired(BOOKS, sql, other_by_meaning(similarity, 0.3)) == ["books.genre"]
    assert fired(BOOKS, sql, other_by_meaning(similarity, 0.6)) == []


def test_the_other_column_must_be_nearer_by_the_margin() -> None:
    question = "What posh kind are the books?"
    sql = "SELECT price FROM books"
    assert fired(question, sql, other_by_meaning(similarity, 0.3)) == []


def test_a_column_whose_meaning_is_said_is_left_alone() -> None:
    question = "What is the genre of the posh books?"
    sql = "SELECT price FROM books"
    assert fired(question, sql, by_letters) == ["genre"]
    assert fired(question, sql, own_by_meaning(similarity, 0.3)) == []
    assert fired(question, sql, own_by_meaning(similarity, 0.5)) == ["genre"]


def test_whole_names_are_compared_with_the_question() -> None:
    assert fired(BOOKS, "SELECT price FROM books", whole_names(whole)) == ["books.genre"]
    assert fired(BOOKS, "SELECT genre FROM books", whole_names(whole)) == []


def inspection(question: int, scores: dict[str, float]) -> Inspection:
    span = ClauseSpan(Clause.QUERY, "SELECT 1", 0, 8)
    outcomes = {
        name: Outcome(name, OutcomeStatus.FIRED, (Finding(span, score, "odd"),))
        if score
        else Outcome(name, OutcomeStatus.SILENT)
        for name, score in scores.items()
    }
    case = Case(question_id=question, db_id="db", question="Q?", predicted_sql="SELECT 1")
    return Inspection(case, CaseStatus.OK, None, outcomes, {})


def test_gained_and_lost_firings_are_told_from_the_totals() -> None:
    labels: dict[str | int, bool] = {0: False, 1: True, 2: False}

    def system(*scores: float) -> System:
        items = [inspection(n, {"signal": score}) for n, score in enumerate(scores)]
        return System("b", "s", list(items), dict(labels))

    assert changes([system(0.5, 0.5, 0)], [system(0.5, 0, 0.5)], "signal") == {
        "before": 2,
        "precision_before": 0.5,
        "after": 2,
        "precision_after": 1.0,
        "gained": 1,
        "precision_gained": 1.0,
        "lost": 1,
        "precision_lost": 0.0,
    }


def test_the_plain_sum_adds_scores_and_length() -> None:
    assert plain_sum(inspection(0, {"a": 0.5, "b": 0.25})) == pytest.approx(1.5 + 0.5 * 2.0794415)
