"""The guard around functions that write SQL: what it asks for, takes and keeps."""

from __future__ import annotations

import asyncio
import inspect
import json
import sqlite3
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clausewise import IN_PROCESS, Database, GuardedQuery, GuardFeedback, check, guard
from clausewise.correction.guarded import GuardAttempt, feedback_text
from clausewise.datasets import sample_dir
from clausewise.errors import DatabaseError, InputError
from clausewise.models import DecisionRule, packaged_detector
from clausewise.testing.endpoint import Reply, ScriptedEndpoint
from clausewise.types import CaseStatus, ScoredCase, Verdict
from tests.correction.models import ALL, BROKEN, DAYS, PEOPLE

QUESTION = "How many people came?"


class StubDetector:
    """Stands for a detector: scores by query, None for one that cannot be checked."""

    def __init__(self, **scores: float | Exception | None) -> None:
        self.scores = {"ALL": ALL, "PEOPLE": PEOPLE, "DAYS": DAYS, "BROKEN": BROKEN}
        self.by_query = {self.scores[name]: value for name, value in scores.items()}
        self.asked: list[str] = []
        self.evidence: list[str | None] = []
        self.at_once = 0
        self.most_at_once = 0

    def score(self, cases: Any, _databases: Any, rule: DecisionRule | None) -> list[ScoredCase]:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        (case,) = cases
        self.asked.append(case.predicted_sql)
        self.evidence.append(case.evidence)
        p = self.by_query[case.predicted_sql]
        self.at_once -= 1
        if isinstance(p, Exception):
            raise p
        verdict = (rule or DecisionRule(0.5)).verdict(1.0 - p) if p is not None else None
        status = CaseStatus.OK if p else CaseStatus.NOT_EXECUTABLE
        return [
            ScoredCase(
                question_id=case.question_id,
                db_id=case.db_id,
                predicted_sql=case.predicted_sql,
                p_correct=p,
                verdict=verdict or Verdict.UNCHECKED,
                status=CaseStatus.UNCHECKED if p is None else status,
                reason=None if p else "for a test",
                findings=(),
                signals={},
            )
        ]


def scores_of(**scores: float | Exception | None) -> Any:
    return StubDetector(**scores)


class Writer:
    """Writes one query a call, raises what is an exception, and keeps what it was given."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.feedback: list[GuardFeedback | None] = []

    def __call__(self, question: str, feedback: GuardFeedback | None = None) -> Any:
        assert question == QUESTION
        self.feedback.append(feedback)
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


@pytest.fixture
def clinic(folder: Path) -> Path:
    return folder / "clinic" / "clinic.sqlite"


@pytest.fixture
def ask(clinic: Path) -> Iterator[Callable[..., GuardedQuery]]:
    """Guard a writer with given scores, and ask it."""
    opened = []

    def asked(writer: Callable[..., Any], scores: Any, **settings: Any) -> GuardedQuery:
        answer = guard(writer, clinic, detector=scores, **settings)
        opened.append(answer)
        found = answer(QUESTION)
        assert isinstance(found, GuardedQuery)
        return found

    yield asked
    for answer in opened:
        answer.close()


def test_a_good_query_is_taken_at_once(ask: Any) -> None:
    writer = Writer(PEOPLE)
    found = ask(writer, scores_of(PEOPLE=0.9))
    assert (found.sql, found.p_correct, found.accepted) == (PEOPLE, 0.9, True)
    assert [attempt.sql for attempt in found.attempts] == [PEOPLE]
    assert writer.feedback == [None]


def test_a_bad_query_is_asked_for_again_with_the_report(ask: Any) -> None:
    writer = Writer(ALL, f"```sql\n{PEOPLE}\n```")
    found = ask(writer, scores_of(ALL=0.2, PEOPLE=0.9))
    assert (found.sql, found.accepted, len(found.attempts)) == (PEOPLE, True, 2)
    feedback = writer.feedback[1]
    assert feedback is not None
    assert (feedback.sql, feedback.scored.p_correct) == (ALL, 0.2)
    assert feedback.report["error_report"] == []
    assert feedback.report["predicted_sql"] == ALL
    assert feedback.text == str(feedback)
    assert ALL in feedback.text
    assert "0.20" in feedback.text
    assert feedback.earlier == found.attempts[:1]


@pytest.mark.parametrize(("threshold", "asked"), [(0.1, 1), (0.3, 2), (0.95, 3), (None, 2)])
def test_the_threshold_is_a_probability_of_being_correct(
    ask: Any, threshold: float | None, asked: int
) -> None:
    scores = scores_of(ALL=0.2, PEOPLE=0.9, DAYS=0.3)
    found = ask(Writer(ALL, PEOPLE, DAYS), scores, threshold=threshold)
    assert len(found.attempts) == asked
    assert found.accepted == (asked < 3)


def test_the_best_is_returned_where_none_is_good(ask: Any) -> None:
    found = ask(Writer(DAYS, ALL, PEOPLE), scores_of(ALL=0.4, PEOPLE=0.4, DAYS=0.3))
    assert (found.sql, found.accepted, len(found.attempts)) == (ALL, False, 3)


def test_what_does_not_run_or_is_unchecked_counts_as_worst(ask: Any) -> None:
    found = ask(Writer(BROKEN, ALL, DAYS), scores_of(BROKEN=0.0, ALL=None, DAYS=0.01))
    assert found.sql == DAYS
    found = ask(Writer(BROKEN, ALL), scores_of(BROKEN=0.0, ALL=None), attempts=2)
    assert (found.sql, found.p_correct, found.accepted) == (ALL, None, False)
    found = ask(Writer(BROKEN), scores_of(BROKEN=0.0), attempts=1)
    assert (found.sql, found.accepted) == (BROKEN, False)


def test_a_query_is_scored_once(ask: Any) -> None:
    scores = scores_of(ALL=0.2, DAYS=0.1)
    replies = iter([ALL, DAYS, f"{ALL} ;"])
    found = ask(lambda question: next(replies), scores)
    assert scores.asked == [ALL, DAYS]
    assert len(found.attempts) == 3


def test_who_insists_is_not_asked_again(ask: Any) -> None:
    found = ask(Writer(ALL, ALL, PEOPLE), scores_of(ALL=0.2, PEOPLE=0.9))
    assert [attempt.sql for attempt in found.attempts] == [ALL, ALL]
    replies = iter([ALL, ALL, PEOPLE])
    found = ask(lambda question: next(replies), scores_of(ALL=0.2, PEOPLE=0.9))
    assert (found.sql, len(found.attempts)) == (PEOPLE, 3)  # it may draw another one


def test_what_is_raised_first_is_raised(ask: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        ask(Writer(ZeroDivisionError()), scores_of())
    with pytest.raises(InputError, match="no text but NoneType"):
        ask(Writer(None), scores_of())
    with pytest.raises(RuntimeError):
        ask(Writer(ALL), scores_of(ALL=RuntimeError()))


@pytest.mark.parametrize("trouble", [ZeroDivisionError(), None, DAYS])
def test_later_trouble_loses_nothing(
    ask: Any, trouble: Any, caplog: pytest.LogCaptureFixture
) -> None:
    scores = scores_of(ALL=0.2, DAYS=RuntimeError("no score"))
    found = ask(Writer(ALL, trouble, PEOPLE), scores)
    assert (found.sql, found.accepted, len(found.attempts)) == (ALL, False, 2)
    assert isinstance(found.attempts[1].error, ZeroDivisionError | InputError | RuntimeError)
    assert "attempt 2 failed" in caplog.text


def test_an_interrupt_is_no_answer(ask: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Writer(ALL, KeyboardInterrupt()), scores_of(ALL=0.2))


def test_parameters_are_filled_by_name(clinic: Path) -> None:
    given: list[Any] = []
    scores = scores_of(ALL=0.2, PEOPLE=0.9)

    def write(question: str, tenant: str, *, feedback: GuardFeedback | None, evidence: str) -> str:
        given.append((tenant, feedback and feedback.sql, evidence))
        return PEOPLE if feedback else ALL

    answer = guard(write, clinic, detector=scores)
    answer(QUESTION, tenant="a", evidence="people: persons")
    answer.close()
    assert given == [("a", None, "people: persons"), ("a", ALL, "people: persons")]
    assert scores.evidence == ["people: persons"] * 2


def test_what_takes_no_feedback_gets_none(ask: Any) -> None:
    def sampled(question: str, temperature: float = 0.5) -> str:
        assert temperature == 0.5
        return ALL

    scores = scores_of(ALL=0.2)
    assert len(ask(sampled, scores).attempts) == 3
    assert len(ask(partial(sampled, temperature=0.5), scores).attempts) == 3


def test_as_a_decorator(clinic: Path) -> None:
    @guard(database=clinic, detector=scores_of(ALL=0.2), attempts=2)
    def answer(question: str) -> str:
        """Count the people."""
        return ALL

    assert (answer.__name__, answer.__doc__) == ("answer", "Count the people.")
    assert "evidence" in inspect.signature(answer).parameters
    assert len(answer(QUESTION).attempts) == 2
    answer.close()


def test_a_coroutine_function_gives_one(clinic: Path) -> None:
    async def write(question: str, feedback: GuardFeedback | None = None) -> str:
        await asyncio.sleep(0)
        return PEOPLE if feedback else ALL

    class Asynchronous:
        async def __call__(self, question: str) -> str:
            return PEOPLE

    scores = scores_of(ALL=0.2, PEOPLE=0.9)
    for writer, asked in ((write, 2), (Asynchronous(), 1)):
        answer = guard(writer, clinic, detector=scores)
        assert inspect.iscoroutinefunction(answer)
        found = asyncio.run(answer(QUESTION))
        assert (found.sql, len(found.attempts)) == (PEOPLE, asked)
        answer.close()


def test_later_trouble_of_a_coroutine_loses_nothing(clinic: Path) -> None:
    writer = Writer(ALL, ZeroDivisionError())

    async def write(question: str, feedback: GuardFeedback | None = None) -> Any:
        return writer(question, feedback)

    answer = guard(write, clinic, detector=scores_of(ALL=0.2))
    assert asyncio.run(answer(QUESTION)).sql == ALL
    writer.replies = [asyncio.CancelledError()]
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(answer(QUESTION))
    answer.close()


def test_scoring_does_not_block_the_event_loop(clinic: Path) -> None:
    released = threading.Event()

    class Waits(StubDetector):
        def score(self, *given: Any, **more: Any) -> list[ScoredCase]:
            assert released.wait(30)
            return super().score(*given, **more)

    async def write(question: str) -> str:
        return PEOPLE

    async def release() -> None:
        await asyncio.sleep(0.01)
        released.set()

    async def both() -> GuardedQuery:
        return (await asyncio.gather(answer(QUESTION), release()))[0]

    waiting: Any = Waits(PEOPLE=0.9)
    answer = guard(write, clinic, detector=waiting)
    assert asyncio.run(both()).accepted
    answer.close()


def test_a_coroutine_by_mistake_is_explained(ask: Any) -> None:
    async def write(question: str) -> str:
        return PEOPLE

    with pytest.raises(InputError, match="give the coroutine function itself"):
        ask(lambda question: write(f"{question}"), scores_of())


def test_many_threads_write_at_once_and_score_in_turn(clinic: Path) -> None:
    together = threading.Barrier(4, timeout=30)
    scores = scores_of(ALL=0.2, PEOPLE=0.9)

    def write(question: str, feedback: GuardFeedback | None = None) -> str:
        if feedback is None:
            together.wait()
        return PEOPLE if feedback else ALL

    answer = guard(write, clinic, detector=scores)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: answer(QUESTION), range(4)))
    answer.close()
    assert [one.sql for one in found] == [PEOPLE] * 4
    assert scores.most_at_once == 1


@pytest.mark.parametrize("wrong", [{"threshold": 0.0}, {"threshold": 1.5}, {"attempts": 0}])
def test_what_cannot_be_is_refused(clinic: Path, wrong: Mapping[str, Any]) -> None:
    with pytest.raises(InputError):
        guard(Writer(), clinic, **wrong)


def test_a_function_and_a_database_are_needed(clinic: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="guard needs a database"):
        guard(str(clinic))  # type: ignore[call-overload]
    with pytest.raises(InputError, match="a function, not str"):
        guard("SELECT 1", clinic)  # type: ignore[call-overload]
    with pytest.raises(DatabaseError):
        guard(Writer(), tmp_path / "missing.sqlite")


HOSTILE = (
    "DROP TABLE visits",
    "SELECT 1; DELETE FROM visits",
    "ATTACH 'other.sqlite' AS other",
    "SELECT load_extension('x')",
    "",
    "\x00\ud800",
    "I cannot answer that.",
)


def test_hostile_queries_do_nothing(clinic: Path) -> None:
    replies = iter((*HOSTILE, ALL))
    seen: list[GuardFeedback | None] = []

    def write(question: str, *, feedback: GuardFeedback | None = None) -> str:
        seen.append(feedback)
        return next(replies)

    with Database(clinic) as database:
        answer = guard(write, database, attempts=8, threshold=0.001, isolation=IN_PROCESS)
        found = answer(QUESTION)
    assert (found.sql, found.accepted) == (ALL, True)
    statuses = [one.scored.status for one in found.attempts if one.scored is not None]
    assert CaseStatus.OK not in statuses[:-1]
    assert len(statuses) == 8
    assert all(one is not None and one.text.startswith("This query may be") for one in seen[1:])
    with sqlite3.connect(clinic) as connection:
        assert connection.execute("SELECT COUNT(*) FROM visits").fetchone() == (3,)
    connection.close()


def test_a_model_behind_an_endpoint_is_guarded_in_a_worker(clinic: Path) -> None:
    def reply(request: Mapping[str, Any]) -> Reply:
        prompt = request["messages"][0]["content"]
        return Reply(f"SQL: {PEOPLE}" if BROKEN in prompt else BROKEN)

    with ScriptedEndpoint(reply) as endpoint:

        @guard(database=clinic, threshold=0.01)
        def answer(question: str, feedback: GuardFeedback | None = None) -> str:
            prompt = question if feedback is None else f"{question}\n{feedback.text}"
            body = {"model": "scripted", "messages": [{"role": "user", "content": prompt}]}
            request = urllib.request.Request(
                f"{endpoint.url}/chat/completions", json.dumps(body).encode()
            )
            with urllib.request.urlopen(request, timeout=30) as response:
                text: str = json.load(response)["choices"][0]["message"]["content"]
            return text

        found = answer(QUESTION)
        answer.close()
    assert (found.sql, found.scored.predicted_sql, found.accepted) == (PEOPLE, PEOPLE, True)
    assert "no such table: nowhere" in endpoint.requests[1]["messages"][0]["content"]
    assert endpoint.count == 2
    report: Any = found.report
    assert report["predicted_sql"] == PEOPLE
    assert all(entry["correction_instruction"] for entry in report["error_report"])


QUESTION_OF_ONE = "Which book is the most expensive?"
WITH_PRICE = "SELECT title, price FROM books ORDER BY price DESC LIMIT 1"
MISSPELT = "SELECT title FROM books WHERE genre = 'Poetri'"
BOOKSHOP = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"


def test_a_convention_asks_again_only_where_it_counts() -> None:
    asked = {}
    for conventions in (None, "relaxed", "strict"):
        answer = guard(lambda _question: WITH_PRICE, BOOKSHOP, conventions=conventions, alarms=0.3)
        found = answer(QUESTION_OF_ONE)
        answer.close()
        asked[conventions] = (found.accepted, len(found.attempts))
    assert asked[None] == asked["relaxed"] == (True, 1)
    assert asked["strict"] == (False, 3)


def test_what_people_let_pass_is_no_problem_to_repair() -> None:
    scored = check(QUESTION_OF_ONE, WITH_PRICE, BOOKSHOP)
    assert "ranking_shown" in {finding.reason for finding in scored.findings}
    assert "What is suspicious" not in feedback_text(WITH_PRICE, scored)


def test_a_query_that_is_called_correct_goes_before_one_that_is_not() -> None:
    accepted = check(QUESTION_OF_ONE, WITH_PRICE, BOOKSHOP, rule=DecisionRule(0.001))
    called = check("Which books are poetry?", MISSPELT, BOOKSHOP, rule=DecisionRule(0.001))
    assert accepted.verdict is Verdict.CORRECT  # no finding says why it should not be
    better = replace(called, p_correct=0.999)
    assert GuardAttempt(WITH_PRICE, accepted).rank > GuardAttempt(MISSPELT, better).rank


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"alarms": 0.5}, "between 0.01 and 0.3"),
        ({"alarms": 0.0}, "between 0 and 1"),
        ({"alarms": 0.1, "threshold": 0.5}, "not both"),
        ({"conventions": "loose"}, "relaxed or strict"),
        ({"conventions": "strict", "detector": packaged_detector()}, "relaxed conventions"),
    ],
)
def test_what_cannot_decide_is_refused_before_the_first_query(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        guard(lambda _question: WITH_PRICE, BOOKSHOP, **settings)
