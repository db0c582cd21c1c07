"""A guard around a function that writes SQL: score each query, ask again where it looks wrong."""

from __future__ import annotations

import asyncio
import copy
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast, overload

from clausewise.correction.guarded import GuardAttempt, GuardedQuery, GuardFeedback
from clausewise.databases import Databases, open_database
from clausewise.errors import InputError
from clausewise.sql import same_statement
from clausewise.sql.unwrapping import bare_statement
from clausewise.types import Case, ScoredCase, Verdict

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.models import DecisionRule, Detector
    from clausewise.workers import Isolation

logger = logging.getLogger(__name__)

Generate: TypeAlias = Callable[..., str]
AsyncGenerate: TypeAlias = Callable[..., Awaitable[str]]


class GuardedFunction(Protocol):
    """A function from a question to a `GuardedQuery`."""

    __name__: str

    def __call__(
        self, question: str, *, evidence: str | None = None, **passed: Any
    ) -> GuardedQuery:
        """Return the best query for a question; see `guard`."""

    def close(self) -> None:
        """Close the database, unless it was given open; a later call opens it again."""


class AsyncGuardedFunction(Protocol):
    """A coroutine function from a question to a `GuardedQuery`."""

    __name__: str

    async def __call__(
        self, question: str, *, evidence: str | None = None, **passed: Any
    ) -> GuardedQuery:
        """Return the best query for a question; see `guard`."""

    def close(self) -> None:
        """Close the database, unless it was given open; a later call opens it again."""


class GuardDecorator(Protocol):
    """What `guard` returns where no function is given."""

    @overload
    def __call__(self, generate: AsyncGenerate) -> AsyncGuardedFunction: ...
    @overload
    def __call__(self, generate: Generate) -> GuardedFunction: ...


@overload
def guard(
    generate: AsyncGenerate,
    database: str | Path | DatabaseProtocol,
    *,
    threshold: float | None = None,
    alarms: float | None = None,
    conventions: str | None = None,
    attempts: int = 3,
    detector: str | Path | Detector | None = None,
    isolation: Isolation | None = None,
) -> AsyncGuardedFunction: ...
@overload
def guard(
    generate: Generate,
    database: str | Path | DatabaseProtocol,
    *,
    threshold: float | None = None,
    alarms: float | None = None,
    conventions: str | None = None,
    attempts: int = 3,
    detector: str | Path | Detector | None = None,
    isolation: Isolation | None = None,
) -> GuardedFunction: ...
@overload
def guard(
    generate: None = None,
    *,
    database: str | Path | DatabaseProtocol,
    threshold: float | None = None,
    alarms: float | None = None,
    conventions: str | None = None,
    attempts: int = 3,
    detector: str | Path | Detector | None = None,
    isolation: Isolation | None = None,
) -> GuardDecorator: ...


def guard(
    generate: Callable[..., Any] | None = None,
    database: str | Path | DatabaseProtocol | None = None,
    *,
    threshold: float | None = None,
    alarms: float | None = None,
    conventions: str | None = None,
    attempts: int = 3,
    detector: str | Path | Detector | None = None,
    isolation: Isolation | None = None,
) -> Any:
    """Wrap a function from a question to SQL: score its query, ask again where it looks wrong.

    The function is called with the question. If p(correct) of its query is not above the threshold
    and a finding says why, it is called again, and the best query is returned with its report.
    Detector and database are opened once; the database keeps its worker process for the next query.
    Safe to use from several threads, in which queries are written at the same time and scored one
    after another; a coroutine function never blocks the event loop.

    Parameters
    ----------
    generate : callable
        From a question, given first, to SQL as text. Where it has a parameter `feedback`, each
        call after the first gets a `GuardFeedback` on the query before; where that parameter has
        no default, the first one gets None. Where it has a parameter `evidence`, it gets that of
        the call. Without it, `guard` returns a decorator: ``@guard(database=...)``.
    database : path, URL or Database
        What queries are scored against, read-only and under limits.
    threshold : float, optional
        A query is accepted where p(correct) is above this, in (0, 1), or no finding says why it
        should be wrong. By default the detector's.
    alarms : float, optional
        Share in (0, 1) of right queries that may be refused, instead of a threshold; see
        `DecisionRule`.
    conventions : {"relaxed", "strict"}, optional
        Whether what people let pass, such as a column more than asked, makes it ask again; by
        default as the detector was fitted, which is relaxed for the packaged one.
    attempts : int
        How many times at most `generate` is called for a question, 1 or more. It is called no
        more where it gives the same query again in spite of a feedback.
    detector : path or Detector, optional
        The packaged detector where none is given.
    isolation : Isolation, optional
        Hard limits on time and memory of the scoring; see `check`.

    Returns
    -------
    function
        ``answer(question, *, evidence=None, **passed) -> GuardedQuery``, a coroutine function
        where `generate` is one; other named arguments are passed to `generate`.
        ``answer.close()`` closes the database.

    Raises
    ------
    InputError
        Where the threshold, the share of false alarms or the number of attempts is out of range,
        the detector was fitted for other conventions, or no database is given.
    DatabaseError, DetectorError
        Where the database or the detector cannot be opened.

    Notes
    -----
    What `generate` raises at the first attempt is raised; so is InputError where it returns no
    text. Once there is a query, an exception ends the attempts, is logged and kept in
    `GuardedQuery.attempts`, and the best query so far is returned. Among several, one that is
    called correct goes before one that is called incorrect, that before one that could not be
    checked, and that before one that does not run; of equal ones the first is taken.

    Examples
    --------
    >>> from clausewise import guard
    >>> from clausewise.datasets import sample_dir
    >>> database = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"
    >>> answer = guard(lambda question: "SELECT COUNT(*) FROM books", database)
    >>> answer("How many books are there?").accepted
    True
    >>> answer.close()
    """
    if database is None:
        raise InputError("guard needs a database: guard(generate, database) or @guard(database=..)")
    if generate is not None and not callable(generate):
        raise InputError(f"what guard wraps is a function, not {type(generate).__name__}")
    if attempts < 1:
        raise InputError(f"attempts must be at least 1, got {attempts}")
    from clausewise.models.detector import load_detector

    rule = _rule(threshold, alarms)
    judge = load_detector(detector, conventions=conventions)
    if alarms is not None:
        judge.threshold_for(rule)  # refused now, not at the first query
    scorer = _GuardScorer(database, judge, rule, isolation)

    def wrap(function: Callable[..., Any]) -> GuardedFunction | AsyncGuardedFunction:
        return _wrapped(function, scorer, attempts)

    return wrap if generate is None else wrap(generate)


def _rule(threshold: float | None, alarms: float | None) -> DecisionRule | None:
    from clausewise.models import DecisionRule

    if alarms is not None:
        return DecisionRule(None if threshold is None else 1.0 - threshold, alarms=alarms)
    if threshold is None:
        return None
    if not 0.0 < threshold < 1.0:
        raise InputError(f"the threshold is a probability in (0, 1), not {threshold}")
    return DecisionRule(1.0 - threshold)


class _GuardScorer:
    """Scores queries on one database, one at a time, for threads and for coroutines."""

    def __init__(
        self,
        database: str | Path | DatabaseProtocol,
        detector: Detector,
        rule: DecisionRule | None,
        isolation: Isolation | None,
    ) -> None:
        self._database = open_database(database)
        self._is_own = self._database is not database
        self._databases = Databases(self._database)
        self._detector = detector
        if isolation is not None:
            self._detector = copy.copy(self._detector)
            self._detector.isolation = isolation
        self._rule = rule
        self._lock = threading.Lock()
        self._thread = _own_thread()

    def score(self, question: str, evidence: str | None, sql: str) -> ScoredCase:
        """Return a query with its probability and findings."""
        case = Case(
            question_id="guard",
            db_id=self._database.name,
            question=question,
            predicted_sql=sql,
            evidence=evidence,
        )
        with self._lock:
            return self._detector.score([case], self._databases, rule=self._rule)[0]

    async def score_async(self, question: str, evidence: str | None, sql: str) -> ScoredCase:
        """Return the same from a thread of its own, so that none of the loop's waits its turn."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self.score, question, evidence, sql)

    def close(self) -> None:
        """Close what was opened here."""
        ended, self._thread = self._thread, _own_thread()
        ended.shutdown(wait=False)
        with self._lock:
            if self._is_own:
                self._database.close()


def _own_thread() -> ThreadPoolExecutor:
    """Return one thread, which is started when it is needed."""
    return ThreadPoolExecutor(1, thread_name_prefix="clausewise-guard")


@dataclass(slots=True)
class _Conversation:
    """What became of one question so far, and what the function is called with next."""

    most: int
    names: frozenset[str]
    """Parameters of the function that the guard fills."""
    wants_feedback: bool
    """Whether it needs them at the first call too."""
    evidence: str | None
    passed: Mapping[str, Any]
    attempts: list[GuardAttempt] = field(default_factory=list)
    is_over: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the named arguments of the next call."""
        given = dict(self.passed)
        if "evidence" in self.names:
            given["evidence"] = self.evidence
        if "feedback" in self.names and (self.attempts or self.wants_feedback):
            given["feedback"] = GuardFeedback.of(self.attempts)
        return given

    def known(self, sql: str) -> ScoredCase | None:
        """Return the score of a query that was given before."""
        same = same_statement(sql)
        for attempt in self.attempts:
            if attempt.sql is not None and same_statement(attempt.sql) == same:
                return attempt.scored
        return None

    def add(self, sql: str, scored: ScoredCase) -> None:
        """Keep a scored query."""
        insisted = "feedback" in self.names and self.known(sql) is not None
        self.attempts.append(GuardAttempt(sql, scored))
        accepted = scored.verdict is Verdict.CORRECT
        self.is_over = accepted or insisted or len(self.attempts) >= self.most

    def fail(self, sql: str | None, error: Exception) -> None:
        """Keep an error after which the attempts end. Raises it where there is no query yet."""
        if not self.attempts:
            raise error
        number = len(self.attempts) + 1
        logger.warning(
            "attempt %d failed, and the best query before it is taken: %r", number, error
        )
        self.attempts.append(GuardAttempt(sql, error=error))
        self.is_over = True

    def result(self) -> GuardedQuery:
        """Return the best query."""
        best = max(self.attempts, key=lambda attempt: attempt.rank)
        assert best.sql is not None
        assert best.scored is not None
        accepted = best.scored.verdict is Verdict.CORRECT
        return GuardedQuery(best.sql, best.scored, tuple(self.attempts), accepted)


def _wrapped(
    generate: Callable[..., Any], scorer: _GuardScorer, attempts: int
) -> GuardedFunction | AsyncGuardedFunction:
    names, wants_feedback = _parameters(generate)

    def begun(evidence: str | None, passed: Mapping[str, Any]) -> _Conversation:
        return _Conversation(attempts, names, wants_feedback, evidence, passed)

    def answer(question: str, *, evidence: str | None = None, **passed: Any) -> GuardedQuery:
        talk = begun(evidence, passed)
        while not talk.is_over:
            sql = None
            try:
                sql = _query(generate(question, **talk.arguments()))
                talk.add(sql, talk.known(sql) or scorer.score(question, evidence, sql))
            except Exception as error:
                talk.fail(sql, error)
        return talk.result()

    async def answer_async(
        question: str, *, evidence: str | None = None, **passed: Any
    ) -> GuardedQuery:
        talk = begun(evidence, passed)
        while not talk.is_over:
            sql = None
            try:
                sql = _query(await generate(question, **talk.arguments()))
                talk.add(sql, talk.known(sql) or await scorer.score_async(question, evidence, sql))
            except Exception as error:
                talk.fail(sql, error)
        return talk.result()

    made: Any = answer_async if _is_async(generate) else answer
    # Not the annotations and not `__wrapped__`: parameters and result are others.
    update_wrapper(made, generate, ("__module__", "__name__", "__qualname__", "__doc__"), ())
    del made.__wrapped__
    made.close = scorer.close
    return cast("GuardedFunction | AsyncGuardedFunction", made)


def _parameters(generate: Callable[..., Any]) -> tuple[frozenset[str], bool]:
    """Return which parameters the guard fills, and whether `feedback` among them has no default."""
    try:
        parameters = inspect.signature(generate).parameters
    except (TypeError, ValueError):  # one that is not written in Python
        return frozenset(), False
    by_name = {
        name: parameters[name]
        for name in ("feedback", "evidence")
        if name in parameters
        and parameters[name].kind
        in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    }
    feedback = by_name.get("feedback")
    return frozenset(by_name), feedback is not None and feedback.default is inspect.Parameter.empty


def _is_async(generate: Callable[..., Any]) -> bool:
    called = getattr(generate, "__call__", None)  # noqa: B004 - an object may have an async one
    return inspect.iscoroutinefunction(generate) or inspect.iscoroutinefunction(called)


def _query(returned: object) -> str:
    """Return the SQL in what the function returned. Raises InputError where it is no text."""
    if isinstance(returned, str):
        return bare_statement(returned).strip()
    if inspect.iscoroutine(returned):
        returned.close()
        raise InputError("the function returned a coroutine: give the coroutine function itself")
    raise InputError(f"the function returned no text but {type(returned).__name__}")
