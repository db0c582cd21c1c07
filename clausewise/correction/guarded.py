"""What a guarded function returns and what it is given: a query, its attempts, the feedback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clausewise.reporting.error_report import NOTICES, ProblematicClause, installed_signals
from clausewise.reporting.error_report import error_report as signal_reports
from clausewise.text import one_line, plain_json, shortened
from clausewise.types import CaseStatus, Json, ScoredCase, Verdict

MOST_PROBLEMS = 5
"""Suspicious clauses that the text of a feedback names; the report has all of them."""
_LONGEST_MESSAGE = 400
_LONGEST_QUERY = 4_000
"""Characters of one message, and of the query, in the text of a feedback."""

_NOT_OK = {
    CaseStatus.UNPARSABLE: "It is not one statement of this SQL dialect",
    CaseStatus.NOT_EXECUTABLE: "The database refuses to run it",
    CaseStatus.UNCHECKED: "It could not be checked",
}


@dataclass(frozen=True, slots=True)
class GuardAttempt:
    """One call of the guarded function.

    Attributes
    ----------
    sql
        The SQL in what it returned; None where it raised.
    scored
        The query with its probability and findings; None where there is none.
    error
        What it raised, or what kept its query from being scored.
    """

    sql: str | None
    scored: ScoredCase | None = None
    error: Exception | None = None

    @property
    def rank(self) -> tuple[int, float]:
        """How good the attempt is.

        First those that are called correct, then those that are called incorrect, both by
        p(correct); then unchecked ones, then all that do not run.
        """
        if self.scored is None:
            return (0, 0.0)
        if self.scored.status is CaseStatus.OK and self.scored.p_correct is not None:
            accepted = self.scored.verdict is Verdict.CORRECT
            return (4 if accepted else 3, self.scored.p_correct)
        return (2 if self.scored.status is CaseStatus.UNCHECKED else 1, 0.0)


@dataclass(frozen=True, slots=True)
class GuardFeedback:
    """What is wrong with the query of the attempt before.

    Attributes
    ----------
    sql
        The query.
    scored
        It with its probability and findings.
    report
        The same as `GuardedQuery.report`, of this query.
    text
        The same for a prompt, in plain text without markup. It quotes the query and may quote
        values of the database.
    earlier
        All attempts so far, that of this query the last.
    """

    sql: str
    scored: ScoredCase
    report: dict[str, Json]
    text: str
    earlier: tuple[GuardAttempt, ...]

    @classmethod
    def of(cls, earlier: Sequence[GuardAttempt]) -> GuardFeedback | None:
        """Return the feedback on the last attempt, None where it has no scored query."""
        if not earlier or earlier[-1].scored is None or earlier[-1].sql is None:
            return None
        sql, scored = earlier[-1].sql, earlier[-1].scored
        return cls(sql, scored, case_report(scored), feedback_text(sql, scored), tuple(earlier))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """The best query for a question.

    Attributes
    ----------
    sql
        The SQL alone, also where the guarded function returned it in a Markdown fence.
    scored
        The query with its probability and findings.
    attempts
        All attempts, in order.
    accepted
        Whether it is called correct: p(correct) is above the threshold, or no finding says why the
        query should be wrong.
    """

    sql: str
    scored: ScoredCase
    attempts: tuple[GuardAttempt, ...]
    accepted: bool

    @property
    def p_correct(self) -> float | None:
        """The probability in [0, 1] that the query is right; None where it could not be checked."""
        return self.scored.p_correct

    @property
    def report(self) -> dict[str, Json]:
        """The query's entry in `cases` of `clausewise report --format json`.

        `error_report` in it has four parts for each signal: description, example, correction
        instruction, problematic clauses.
        """
        return case_report(self.scored)


def case_report(scored: ScoredCase) -> dict[str, Json]:
    """Return a scored case with its error report, as JSON."""
    found = signal_reports(scored, {**NOTICES, **installed_signals()})
    record = scored.to_dict() | {"error_report": [entry.to_dict() for entry in found]}
    plain: dict[str, Json] = plain_json(record)
    return plain


def feedback_text(sql: str, scored: ScoredCase) -> str:
    """Return what is wrong with a query, in plain text for a prompt."""
    lines = ["This query may be wrong:", shortened(sql.strip(), _LONGEST_QUERY)]
    if scored.status is not CaseStatus.OK:
        reason = f": {one_line(scored.reason)}" if scored.reason else ""
        lines.append(shortened(f"{_NOT_OK[scored.status]}{reason}", _LONGEST_MESSAGE))
    elif scored.p_correct is not None:
        lines.append(f"The probability that it answers the question is {scored.p_correct:.2f}.")
    problems = _problems(scored)
    if problems:
        lines.append("What is suspicious:")
    for number, (clause, instruction) in enumerate(problems, start=1):
        lines += _problem_lines(number, clause, instruction)
    if not problems and scored.status is CaseStatus.OK:
        lines.append(
            "No single clause stands out. Compare all that the question asks for with the query."
        )
    return "\n".join(lines)


def _problems(scored: ScoredCase) -> list[tuple[ProblematicClause, str]]:
    """Return the strongest problems, each with its signal's instruction."""
    known = {**NOTICES, **installed_signals()}
    found = [
        (clause, entry.correction_instruction)
        for entry in signal_reports(scored, known)
        for clause in entry.problematic_clauses
    ]
    return sorted(found, key=lambda problem: -problem[0].score)[:MOST_PROBLEMS]


def _problem_lines(number: int, clause: ProblematicClause, instruction: str) -> list[str]:
    place = shortened(one_line(clause.text), _LONGEST_MESSAGE)
    message = shortened(one_line(clause.message), _LONGEST_MESSAGE)
    lines = [f"{number}. in {place}: {message}"]
    repair = clause.suggestion or instruction
    if repair:
        lines.append(f"   To repair it: {shortened(one_line(repair), _LONGEST_MESSAGE)}")
    return lines
