"""Agreement among the candidates for one question."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.databases.model import Limits
from clausewise.errors import NotApplicable
from clausewise.signals import inspect_case, select_signals
from clausewise.signals.consistency import agreement as candidates
from clausewise.signals.consistency.agreement import (
    Agreement,
    agreement,
    other_candidates,
)
from clausewise.signals.context import Context
from clausewise.sql import parse
from clausewise.testing import STRESS_QUERIES
from clausewise.types import Case, OutcomeStatus

SCHEMA = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);
INSERT INTO item VALUES (1, 'pen', 1.5), (2, 'ink', 3.0), (3, 'pen', 1.5), (4, 'nib', NULL);
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER, title TEXT, price REAL);
"""
SLOW = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000) "
    "SELECT COUNT(*) FROM n"
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> BaseDatabase:
    folder = tmp_path_factory.mktemp("candidates")
    return open_database(create_database(folder / "shop.sqlite", SCHEMA), cache_dir=folder)


def context_of(sql: str, others: Sequence[str], database: BaseDatabase) -> Context:
    case = Case(
        question_id=1, db_id="shop", question="", predicted_sql=sql, candidates=tuple(others)
    )
    return Context(case, parse(sql, tables=database.schema.names()), database, database.run(sql))


def agreement_of(sql: str, others: Sequence[str], database: BaseDatabase) -> Agreement:
    context = context_of(sql, others, database)
    return agreement(context)


def counts(found: Agreement) -> tuple[int, int, int]:
    return found.agreeing, found.near, found.disagreeing


@pytest.mark.parametrize(
    ("sql", "other", "expected"),
    [
        ("SELECT 2", "SELECT 2.0", "agreeing"),
        ("SELECT 0.1 + 0.2", "SELECT 0.3", "agreeing"),
        ("SELECT 1234567", "SELECT 1234567.0000001", "agreeing"),
        ("SELECT 1234567", "SELECT 1234568", "disagreeing"),
        ("SELECT 1.23456", "SELECT 1.23457", "disagreeing"),
        ("SELECT -1", "SELECT -2", "disagreeing"),
        ("SELECT 1e308 * 10", "SELECT -1e308 * 10", "disagreeing"),
        ("SELECT 1", "SELECT '1'", "disagreeing"),
        ("SELECT 'a'", "SELECT x'61'", "disagreeing"),
        ("SELECT NULL", "SELECT 'None'", "disagreeing"),
        ("SELECT NULL", "SELECT 1 WHERE 0", "disagreeing"),
        ("SELECT 'a', 'b'", "SELECT 'a'', ''b'", "disagreeing"),
        ("SELECT 'a\nb'", "SELECT 'a' UNION SELECT 'b'", "disagreeing"),
        ("SELECT name FROM item", "SELECT name AS n FROM item ORDER BY id DESC", "agreeing"),
        ("SELECT name FROM item", "SELECT DISTINCT name FROM item", "near"),
        ("SELECT id FROM item ORDER BY id", "SELECT id FROM item ORDER BY id DESC", "near"),
        ("SELECT id, name FROM item", "SELECT name, id FROM item", "near"),
        ("SELECT id FROM item", "SELECT id FROM item LIMIT 3", "disagreeing"),
        ("SELECT id FROM item WHERE 0", "SELECT name, id FROM item WHERE 0", "agreeing"),
    ],
)
def test_what_is_the_same_result(
    sql: str, other: str, expected: str, database: BaseDatabase
) -> None:
    found = agreement_of(sql, [other], database)
    assert {name for name in ("agreeing", "near", "disagreeing") if getattr(found, name)} == {
        expected
    }
    assert found.executable == 1


def test_groups_failures_and_repetitions(database: BaseDatabase) -> None:
    others = [
        "SELECT COUNT(*) FROM item WHERE price > 2",
        "SELECT 5",
        "SELECT 3 + 2",
        "SELECT 5",
        "SELECT nothing",
        "DELETE FROM item",
        "",
        "SELECT COUNT(name) FROM item",
    ]
    found = agreement_of("SELECT COUNT(*) FROM item", others, database)
    assert (found.candidates, found.executable, found.skipped) == (8, 5, 0)
    assert counts(found) == (1, 0, 4)
    assert found.rival_queries == ("SELECT 5", "SELECT 3 + 2")
    assert (found.rival_size, found.rival_rows, found.majority) == (3, 1, 3)
    assert found.majority_share == pytest.approx(3 / 5)


def test_of_equally_large_groups_the_first_is_the_rival(database: BaseDatabase) -> None:
    found = agreement_of("SELECT 1", ["SELECT 2", "SELECT 3"], database)
    assert found.rival_queries == ("SELECT 2",)


def test_the_predicted_query_is_taken_out_once() -> None:
    texts = ("SELECT 2", " SELECT\n1 ; ", "SELECT 1")
    case = Case(question_id=1, db_id="d", question="", predicted_sql="SELECT 1", candidates=texts)
    assert other_candidates(case) == [("SELECT 2", None), ("SELECT 1", None)]


def test_an_agreement_on_nothing_is_worth_less(database: BaseDatabase) -> None:
    empty = agreement_of("SELECT id FROM item WHERE 0", ["SELECT 1 WHERE 0"] * 4, database)
    null = agreement_of("SELECT NULL", ["SELECT MAX(id) FROM item WHERE 0"] * 4, database)
    full = agreement_of("SELECT 1", ["SELECT 1 + 0"] * 4, database)
    assert empty.agreeing == null.agreeing == full.agreeing == 4
    assert empty.doubt == null.doubt > full.doubt


def test_results_that_were_cut_off_are_not_those_that_end_there(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "PREDICTED_LIMITS", Limits(rows=2))
    others = ["SELECT id FROM item", "SELECT id FROM item LIMIT 2"]
    found = agreement_of("SELECT id FROM item WHERE id < 3", others, database)
    assert counts(found) == (1, 0, 1)
    assert found.rival_queries == ("SELECT id FROM item",)


def test_after_two_timeouts_the_rest_is_skipped(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "PREDICTED_LIMITS", Limits(steps=100_000))
    others = ["SELECT 1", SLOW, f"{SLOW} WHERE 1", SLOW, "SELECT 1", "SELECT 2", "SELECT 3"]
    found = agreement_of("SELECT 1 + 0", others, database)
    assert (found.candidates, found.executable, found.skipped) == (7, 2, 2)
    assert counts(found) == (2, 0, 0)


def test_without_time_nothing_is_started(
    database: BaseDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MOST_SECONDS", 0.0)
    found = agreement_of("SELECT 1", ["SELECT 2", "SELECT 1", "SELECT 1"], database)
    assert (found.executable, found.skipped) == (1, 1)


def test_a_context_is_worked_out_once_and_each_text_run_once(database: BaseDatabase) -> None:
    context = context_of("SELECT 1", ["SELECT 2", "SELECT 2", "SELECT 1"], database)
    assert agreement(context) is agreement(context)
    assert context.statements == ["SELECT 2"]


def test_a_query_without_a_result_has_no_agreement(database: BaseDatabase) -> None:
    case = Case(question_id=1, db_id="d", question="", predicted_sql="SELECT 1")
    context = Context(case, parse("SELECT 1"), database, None)
    with pytest.raises(NotApplicable, match="did not run"):
        agreement(context)


POOL = [
    "SELECT name FROM item",
    "SELECT name FROM item ORDER BY id DESC",
    "SELECT DISTINCT name FROM item",
    "SELECT price FROM item",
    "SELECT price * 1.0 FROM item",
    "SELECT COUNT(*) FROM item",
    "SELECT 4",
    "SELECT wrong FROM item",
]


@given(
    st.sampled_from([sql for sql in POOL if "wrong" not in sql]),
    st.lists(st.sampled_from(POOL), max_size=50),
    st.randoms(use_true_random=False),
)
def test_properties(
    database: BaseDatabase, sql: str, others: list[str], rnd: random.Random
) -> None:
    found = agreement_of(sql, others, database)
    assert found.executable == sum(counts(found)) <= found.candidates
    assert found.candidates == len(others) - (sql in others)
    assert 0 < found.doubt < 1
    assert max(found.agreeing, found.rival_size) == found.majority
    assert found.rival_size <= found.near + found.disagreeing
    mixed = list(others)
    rnd.shuffle(mixed)
    again = agreement_of(sql, mixed, database)
    assert (counts(again), again.doubt) == (counts(found), found.doubt)
    assert found.voices == again.voices
    assert bool(found.executable) <= found.voices <= found.executable
    # One more independent vote for the query never adds doubt, one against never takes any away.
    agreeing = f"WITH answer_of_another_person AS ({sql}) SELECT * FROM answer_of_another_person"
    assert agreement_of(sql, [*others, agreeing], database).doubt <= found.doubt + 1e-12
    against = "WITH somebody_else(n) AS (VALUES (77)) SELECT n AS quite_another FROM somebody_else"
    assert agreement_of(sql, [*others, against], database).doubt >= found.doubt


@pytest.mark.parametrize("sql", STRESS_QUERIES)
def test_awkward_queries_among_awkward_candidates(sql: str, database: BaseDatabase) -> None:
    (spec,) = select_signals("candidate_disagreement")
    case = Case(
        question_id=1,
        db_id="shop",
        question="",
        predicted_sql=sql,
        candidates=(*STRESS_QUERIES, "VALUES (1)", "EXPLAIN SELECT 1", "SELECT 'x' 'y'"),
    )
    first = inspect_case(case, database, [spec]).outcomes[spec.name]
    assert first == inspect_case(case, database, [spec]).outcomes[spec.name]
    assert first.status is not OutcomeStatus.FAULT, first.reason
    for finding in first.findings:
        clause = finding.clause
        assert sql[clause.start : clause.end] == clause.text
        assert clause.kind in spec.clauses


def test_a_query_without_select_is_compared_by_its_result(database: BaseDatabase) -> None:
    (spec,) = select_signals("candidate_disagreement")
    context = context_of("VALUES (1)", ["SELECT 2", "SELECT 1", "SELECT 2"], database)
    (finding,) = spec.function(context.case, context)
    assert finding.clause.text == "VALUES (1)"
