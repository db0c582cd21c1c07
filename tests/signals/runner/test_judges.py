"""Signals that ask a model run in threads, and their results come in input order."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from clausewise.databases import Databases, create_database, open_database
from clausewise.errors import InputError, LLMReplyError
from clausewise.llm import LLM, LLMSettings
from clausewise.signals import iter_inspections
from clausewise.signals.base import SignalRegistry, signal
from clausewise.signals.context import Context
from clausewise.signals.runner.case import NO_MODEL
from clausewise.signals.runner.judges import (
    calls_per_case,
    require_model,
    with_model_signals,
)
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    Cost,
    Finding,
    Group,
    Need,
    OutcomeStatus,
)

REGISTRY = SignalRegistry()


class Nothing(BaseModel):
    """A reply that says nothing."""


@signal(
    code="TEST01", name="reads", group=Group.DATABASE, family="test", clauses={Clause.QUERY},
    needs={Need.DATABASE}, cost=Cost.PARSE, version=1, registry=REGISTRY,
)  # fmt: skip
def reads(case: Case, context: Context) -> Iterator[Finding]:
    """Fire always."""
    yield Finding(context.query.span, 0.5, "read")


@signal(
    code="TEST02", name="asks", group=Group.LLM, family="test", clauses={Clause.QUERY},
    needs={Need.LLM}, cost=Cost.MODEL, version=1, calls=2, registry=REGISTRY,
)  # fmt: skip
def asks(case: Case, context: Context) -> Iterator[Finding]:
    """Sleep the longer the earlier the case stands; fail where the question says so."""
    time.sleep(0.02 * (5 - int(case.question_id)))
    if "fail" in case.question:
        raise LLMReplyError("malformed")
    yield Finding(context.query.span, 0.7, f"asked about {case.question_id}")


SPECS = tuple(REGISTRY.values())


@pytest.fixture
def databases(tmp_path):
    """A table with one row."""
    script = "CREATE TABLE city (name TEXT); INSERT INTO city VALUES ('x');"
    return Databases(open_database(create_database(tmp_path / "city.sqlite", script)))


@pytest.fixture
def llm():
    """A client that nobody calls: the test signals only need one."""
    with LLM(LLMSettings("none", base_url="http://127.0.0.1:9/v1", concurrency=3)) as opened:
        yield opened


def case(number: int, question: str = "How many?", sql: str = "SELECT name FROM city") -> Case:
    return Case(question_id=number, db_id="city", question=question, predicted_sql=sql)


def test_results_come_in_input_order_whatever_takes_longest(databases, llm):
    found = list(iter_inspections([case(n) for n in range(5)], databases, SPECS, llm=llm))
    said = [item.outcomes["asks"].findings[0].message for item in found]
    assert said == [f"asked about {n}" for n in range(5)]
    assert all(item.outcomes["reads"].status is OutcomeStatus.FIRED for item in found)
    assert [list(item.outcomes) for item in found] == [["reads", "asks"]] * 5


def test_a_malformed_reply_is_a_fault_of_that_case_only(databases, llm):
    cases = [case(0), case(1, "fail"), case(2)]
    statuses = [
        item.outcomes["asks"].status for item in iter_inspections(cases, databases, SPECS, llm=llm)
    ]
    assert statuses == [OutcomeStatus.FIRED, OutcomeStatus.FAULT, OutcomeStatus.FIRED]


def test_without_a_model_the_signal_does_not_apply(databases):
    (found,) = iter_inspections([case(0)], databases, SPECS)
    outcome = found.outcomes["asks"]
    assert (outcome.status, outcome.reason) == (OutcomeStatus.NOT_APPLICABLE, NO_MODEL)
    assert found.cost is None


def test_a_query_that_does_not_run_is_not_asked_about(databases, llm):
    (found,) = iter_inspections([case(0, sql="SELECT x FROM city")], databases, SPECS, llm=llm)
    assert found.status is CaseStatus.NOT_EXECUTABLE
    assert found.outcomes["asks"].status is OutcomeStatus.NOT_APPLICABLE


def test_only_the_chosen_cases_are_asked_about(databases, llm):
    known = list(iter_inspections([case(n) for n in range(4)], databases, SPECS))
    found = list(with_model_signals(known, databases, SPECS, llm, chosen={1, 3}))
    fired = [item.outcomes["asks"].status is OutcomeStatus.FIRED for item in found]
    assert fired == [False, True, False, True]
    assert [item.cost is None for item in found] == [True, False, True, False]


def test_the_calls_of_a_case_are_counted():
    assert calls_per_case(SPECS, combined=False) == 2
    assert calls_per_case(SPECS[:1], combined=True) == 0


def test_a_signal_that_asks_needs_a_model(llm):
    require_model(SPECS, llm)
    with pytest.raises(InputError, match="asks ask a language model"):
        require_model(SPECS, None)
