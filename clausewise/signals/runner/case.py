"""Inspecting one case: parse the query, run it, run every signal on it; nothing ever raises."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from clausewise.databases.model import QueryResult
from clausewise.errors import (
    DatabaseError,
    NotAllChecked,
    NotApplicable,
    NotProfiled,
    ParseError,
    QueryDenied,
    QueryFailed,
)
from clausewise.question.language import unreadable_language
from clausewise.signals.base import SignalSpec
from clausewise.signals.consistency.agreement import SIGNAL as COMPARING
from clausewise.signals.consistency.agreement import agreement
from clausewise.signals.context import PREDICTED_LIMITS, Context
from clausewise.signals.linking.expected import expectation_gaps
from clausewise.signals.reasons import graded
from clausewise.signals.runner.clock import SignalClock, SignalTimeout
from clausewise.signals.runner.notices import closing_notice, not_run_notice, wrapped_notice
from clausewise.sql import parse, shape
from clausewise.sql.model import Query
from clausewise.sql.unwrapping import bare_sql, bare_statement
from clausewise.text import one_line, shortened
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Cost,
    Finding,
    Inspection,
    Need,
    Outcome,
    OutcomeStatus,
    UncheckedCase,
)
from clausewise.workers import memory

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol, Databases
    from clausewise.llm import CaseLLM

logger = logging.getLogger(__name__)

READING_STATEMENTS = ("SELECT", "VALUES")
NO_QUESTION = "the question is empty: nothing says what the query should return"
NO_SELECT = "the query has no SELECT, so no signal can inspect it"
NO_TABLE = "the query reads no table of the database, so hardly any signal can inspect it"
NO_MODEL = "no language model was asked"
LONGEST_REFUSAL = 300
"""Characters that are kept of what a database says of a statement that it refuses."""


def inspect_or_explain(
    case: Case,
    databases: Databases,
    signals: Sequence[SignalSpec],
    found: dict[str, Outcome] | None = None,
) -> Inspection | UncheckedCase:
    """Inspect a case on its database, or return why that cannot be; nothing is raised.

    See `inspect_case` for `found`.
    """
    try:
        return inspect_case(case, databases.get(case.db_id), signals, found=found)
    except DatabaseError as error:
        return UncheckedCase.of(case, str(error))
    except MemoryError:
        memory.note_shortage()
        return UncheckedCase.of(case, "the case needs more memory than there is for it")
    except Exception as error:  # a defect of ours must not cost the other cases
        logger.exception("case %r cannot be inspected", case.question_id)
        return UncheckedCase.of(case, f"a defect in clausewise: {type(error).__name__}: {error}")


def inspect_case(
    case: Case,
    database: DatabaseProtocol,
    signals: Sequence[SignalSpec],
    llm: CaseLLM | None = None,
    found: dict[str, Outcome] | None = None,
) -> Inspection:
    """Parse the predicted query, run it, and run every signal on it.

    Signals that ask a language model are not applicable where `llm` is None. Never raises for
    anything in the case: what cannot be done is in the inspection's status and reason, and a
    signal that fails is a FAULT in its outcome.

    Of a query or a candidate in a Markdown fence or behind a label, as language models reply,
    the SQL alone is inspected; offsets stay those of the given text, and a notice says so.

    The outcome of each signal is put into `found` as soon as it has ended.
    """
    bare = _bare_case(case)
    inspection = _inspect(bare, database, signals, llm, {} if found is None else found)
    if bare is case:
        return inspection
    notices = inspection.notices
    if bare.predicted_sql != case.predicted_sql:
        notices = (*notices, wrapped_notice(case.predicted_sql, bare.predicted_sql))
    return dataclasses.replace(inspection, case=case, notices=notices)


def _bare_case(case: Case) -> Case:
    """Return the case with bare SQL in it, the case itself where it has nothing else."""
    predicted = bare_sql(case.predicted_sql)
    candidates = tuple(map(bare_statement, case.candidates))
    if predicted is None and candidates == case.candidates:
        return case
    bare = case.predicted_sql if predicted is None else predicted
    return case.model_copy(update={"predicted_sql": bare, "candidates": candidates})


def broken_off(
    case: Case, reason: str, signals: Sequence[SignalSpec], found: Mapping[str, Outcome]
) -> Inspection:
    """Return the inspection of a case that had to be broken off: unchecked, with what was found."""
    outcomes = {
        spec.name: found.get(spec.name) or _skipped(spec, "the case was broken off")
        for spec in signals
    }
    return Inspection(case, CaseStatus.UNCHECKED, reason, outcomes, {})


def _inspect(
    case: Case,
    database: DatabaseProtocol,
    signals: Sequence[SignalSpec],
    llm: CaseLLM | None,
    outcomes: dict[str, Outcome],
) -> Inspection:
    try:
        query = parse(case.predicted_sql, database.dialect, database.schema.names())
    except ParseError as error:
        return _unparsable(case, database, signals, error)
    features = shape(query, case.question)
    if query.statement not in READING_STATEMENTS:
        reason = f"{query.statement} is not a query that reads; only such queries are run"
        return _closed(case, CaseStatus.NOT_EXECUTABLE, reason, signals, query.span, features)
    if not database.has_data:
        return _unrun(case, query, database, signals, llm, outcomes, features)
    try:
        result: QueryResult | None = database.run(case.predicted_sql, PREDICTED_LIMITS)
    except (QueryFailed, QueryDenied) as error:
        return _not_executable(case, query, database, signals, str(error))
    except DatabaseError as error:
        return _closed(case, CaseStatus.UNCHECKED, str(error), signals, None, features)
    return _checked(case, query, database, signals, llm, outcomes, features, result)


def _unrun(
    case: Case,
    query: Query,
    database: DatabaseProtocol,
    signals: Sequence[SignalSpec],
    llm: CaseLLM | None,
    outcomes: dict[str, Outcome],
    features: dict[str, float],
) -> Inspection:
    """Inspect a query where only the schema is known; a notice says that it was not run.

    A name that the schema does not have would be refused by any database of that schema, unless
    some of the schema could not be read.
    """
    if query.unknown_names and not database.schema.left_out:
        written = query.unknown_names[0].written
        reason = f"there is no {written} in the schema, so the query would not run"
        return _not_executable(case, query, database, signals, reason)
    inspection = _checked(case, query, database, signals, llm, outcomes, features, None)
    return dataclasses.replace(inspection, notices=(*inspection.notices, not_run_notice(query)))


def _checked(
    case: Case,
    query: Query,
    database: DatabaseProtocol,
    signals: Sequence[SignalSpec],
    llm: CaseLLM | None,
    outcomes: dict[str, Outcome],
    features: dict[str, float],
    result: QueryResult | None,
) -> Inspection:
    """Run every signal on a query that runs, or that cannot be run for lack of data."""
    if not query.selects:
        return _closed(case, CaseStatus.UNCHECKED, NO_SELECT, signals, None, features)
    expectation = next((spec.expectation for spec in signals if spec.expectation), None)
    context = Context(case, query, database, result, llm, expectation)
    lacking = _lacking(case, llm is not None)
    with SignalClock() as clock:
        for spec in signals:
            outcomes[spec.name] = _run_signal(spec, context, lacking, clock)
    cost = None if llm is None else llm.usage.to_json()
    why = _why_not_judged(case, query)
    status = CaseStatus.OK if why is None else CaseStatus.UNCHECKED
    compared = COMPARING in outcomes and outcomes[COMPARING].answered
    return Inspection(
        case,
        status,
        why,
        outcomes,
        features,
        cost=cost,
        expectation=expectation_gaps(context),
        agreement=agreement(context).measures() if compared else {},
    )


def _why_not_judged(case: Case, query: Query) -> str | None:
    """Return why what the signals found is too little for a probability, None where it is not.

    A probability is learned from queries that read a schema and answer a question; where there is
    no table or no question, the silence of the signals would pass for a sign of correctness.
    """
    if not case.question.strip():
        return NO_QUESTION
    read = any(source.table for select in query.selects for source in select.sources)
    return None if read else NO_TABLE


def _run_signal(
    spec: SignalSpec, context: Context, lacking: frozenset[Need], clock: SignalClock
) -> Outcome:
    missing = _missing(spec.needs, lacking)
    if missing is None and spec.reads_english:
        missing = unreadable_language(context.case.question)
    if missing is not None:
        return plain_outcome(spec.name, OutcomeStatus.NOT_APPLICABLE, missing)
    try:
        clock.start(spec.time_limit)
        try:
            outcome = _outcome(spec, context)
        finally:
            clock.stop()
    except SignalTimeout:
        return _timed_out(spec)
    except KeyboardInterrupt:
        # The reader takes every interruption for Ctrl-C.
        if not clock.rang:
            raise
        return _timed_out(spec)
    except Exception as error:  # a signal's crash is data about the signal, not the case's end
        if isinstance(error, MemoryError):
            memory.note_shortage()
        outcome = plain_outcome(spec.name, OutcomeStatus.FAULT, f"{type(error).__name__}: {error}")
    # SQLite discards what the clock raises in one of its callbacks: the statement just fails.
    return _timed_out(spec) if clock.rang else outcome


def _outcome(spec: SignalSpec, context: Context) -> Outcome:
    """Run a signal; what it raises beside its notes and a missing profile is a crash."""
    findings: list[Finding] = []
    left_out: str | None = None
    try:
        for finding in spec.function(context.case, context):
            findings.append(_completed(finding, spec))
    except NotAllChecked as reason:
        left_out = str(reason)
    except NotApplicable as reason:
        return plain_outcome(spec.name, OutcomeStatus.NOT_APPLICABLE, str(reason))
    except NotProfiled as reason:
        if not findings:
            return plain_outcome(spec.name, OutcomeStatus.NOT_APPLICABLE, str(reason))
        left_out = str(reason)
    except QueryFailed as reason:
        if context.words.runs_every_probe:
            raise
        left_out = f"{context.words.title} refuses a statement of the signal: {one_line(reason)}"
        left_out = shortened(left_out, LONGEST_REFUSAL)
        if not findings:
            return plain_outcome(spec.name, OutcomeStatus.NOT_APPLICABLE, left_out)
    if findings:
        return Outcome(spec.name, OutcomeStatus.FIRED, tuple(findings), left_out)
    return plain_outcome(spec.name, OutcomeStatus.SILENT, left_out)


def _timed_out(spec: SignalSpec) -> Outcome:
    return plain_outcome(spec.name, OutcomeStatus.FAULT, f"not done after {spec.time_limit:g} s")


@lru_cache(maxsize=10_000)
def plain_outcome(name: str, status: OutcomeStatus, reason: str | None) -> Outcome:
    """Return an outcome without findings: one object for all cases, sent to the parent once."""
    return Outcome(name, status, (), reason)


def _completed(finding: Finding, spec: SignalSpec) -> Finding:
    """Fill in what follows from the signal and the reason."""
    score, level = finding.score, finding.level
    if spec.reasons:
        score, level = graded(finding, spec.reasons, spec.name)
    return dataclasses.replace(finding, signal=spec.name, code=spec.code, score=score, level=level)


_LACKING = {
    Need.QUESTION: "the case has no question",
    Need.EVIDENCE: "the case has no evidence",
    Need.CANDIDATES: "the case has no candidates",
    Need.LLM: NO_MODEL,
}
"""What a signal can need and a case lack, in the order in which it is reported."""


def _lacking(case: Case, model: bool) -> frozenset[Need]:
    has = {
        Need.QUESTION: bool(case.question.strip()),
        Need.EVIDENCE: bool((case.evidence or "").strip()),
        Need.CANDIDATES: bool(case.candidates),
        Need.LLM: model,
    }
    return frozenset(need for need, is_there in has.items() if not is_there)


@lru_cache(maxsize=256)
def _missing(needs: frozenset[Need], lacking: frozenset[Need]) -> str | None:
    """Return what the signal needs and the case lacks, None where it has all."""
    return next((text for need, text in _LACKING.items() if need in needs & lacking), None)


def _unparsable(
    case: Case, database: DatabaseProtocol, signals: Sequence[SignalSpec], error: ParseError
) -> Inspection:
    """Distinguish a query that is broken from one that only our parser does not understand."""
    if case.predicted_sql.strip():
        try:
            database.compile(case.predicted_sql)
        except DatabaseError:
            pass
        else:
            reason = f"the database accepts the query, but our parser does not: {error}"
            return _closed(case, CaseStatus.UNCHECKED, reason, signals, None, {})
    # White space may stand for what was around the query in the given text.
    text = case.predicted_sql[error.start : error.end]
    start = error.start + len(text) - len(text.lstrip()) if text.strip() else error.start
    place = ClauseSpan(Clause.QUERY, text.strip(), start, start + len(text.strip()))
    return _closed(case, CaseStatus.UNPARSABLE, str(error), signals, place, {})


def _not_executable(
    case: Case, query: Query, database: DatabaseProtocol, signals: Sequence[SignalSpec], reason: str
) -> Inspection:
    """Run what needs only the parse: it may say why the database refused the query."""
    context = Context(case, query, database, None)
    outcomes = {}
    lacking = _lacking(case, model=False)
    with SignalClock() as clock:
        for spec in signals:
            if spec.cost is Cost.PARSE:
                outcomes[spec.name] = _run_signal(spec, context, lacking, clock)
            else:
                outcomes[spec.name] = _skipped(spec, "the query does not run")
    place = query.unknown_names[0].place if query.unknown_names else query.span
    return Inspection(
        case,
        CaseStatus.NOT_EXECUTABLE,
        reason,
        outcomes,
        shape(query, case.question),
        (closing_notice(place, reason, CaseStatus.NOT_EXECUTABLE),),
    )


def _closed(
    case: Case,
    status: CaseStatus,
    reason: str,
    signals: Sequence[SignalSpec],
    place: ClauseSpan | None,
    features: dict[str, float],
) -> Inspection:
    """Return the inspection of a case that no signal could look at."""
    outcomes = {spec.name: _skipped(spec, f"the case is {status.value}") for spec in signals}
    notices = () if place is None else (closing_notice(place, reason, status),)
    return Inspection(case, status, reason, outcomes, features, notices)


def _skipped(spec: SignalSpec, reason: str) -> Outcome:
    return plain_outcome(spec.name, OutcomeStatus.NOT_APPLICABLE, reason)
