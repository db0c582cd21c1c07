"""The strategy `rules`: repairs that a finding determines, together and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from pydantic import field_validator

from clausewise.correction.base import CorrectionTask, Proposal, StrategyOptions, strategy
from clausewise.correction.rules.base import REPAIRS
from clausewise.correction.rules.suggesting import SuggestedRepair, suggest
from clausewise.errors import ParseError
from clausewise.sql import parse, same_statement
from clausewise.sql.edits import edited
from clausewise.sql.unwrapping import bare_sql
from clausewise.types import CaseStatus, Finding, Json, ScoredCase

ROUNDS = 4
MOST_REPAIRS = 12
"""Repairs of one round that are judged."""


_Repaired: TypeAlias = tuple[str, tuple[SuggestedRepair, ...]]
"""A repaired query, and the repairs in it."""


class RulesOptions(StrategyOptions):
    """What can be set of `rules`; names of repairs may be given as one text with commas."""

    risky: bool = False
    """Whether repairs that may change the meaning of a right query are made, too."""
    only: tuple[str, ...] = ()
    """The repairs to make, risky ones among them; none: all that `risky` lets through."""
    without: tuple[str, ...] = ()
    """Repairs to leave out."""

    @field_validator("only", "without", mode="before")
    @classmethod
    def _names(cls, given: Any) -> Any:
        names = given.replace(",", " ").split() if isinstance(given, str) else given
        for name in names if isinstance(names, (list, tuple)) else ():
            if name not in REPAIRS:
                raise ValueError(f"there is no repair '{name}'{REPAIRS.suggest(str(name))}")
        return names


@strategy(
    name="rules",
    description="Makes the repairs that a finding determines, without a language model.",
    rounds=ROUNDS,
    options=RulesOptions,
)
def rules(task: CorrectionTask) -> Proposal:
    """Propose all repairs together, after a refusal each alone; none that leaves its finding."""
    options = task.options
    assert isinstance(options, RulesOptions)
    suggested = suggest(
        task.scored,
        task.case,
        task.database,
        risky=options.risky,
        only=options.only,
        without=options.without,
    )[:MOST_REPAIRS]
    if not suggested:
        return Proposal(None, "no finding determines a repair")
    refused = {same_statement(done.proposal.sql or "") for done in task.earlier}
    for sql, repairs in _settling(task, suggested):
        if same_statement(sql) not in refused:
            return _proposal(task, sql, repairs)
    return Proposal(None, "no repair that settles its finding is left to propose")


def _settling(task: CorrectionTask, suggested: Sequence[SuggestedRepair]) -> list[_Repaired]:
    """Return the repaired queries whose findings are gone: all repairs together first."""
    judged = task.scores([task.case.predicted_sql, *(one.sql for one in suggested)], alone=True)
    before, after = judged[0], judged[1:]
    alone: list[tuple[_Repaired, ScoredCase]] = [
        ((one.sql, (one,)), now)
        for one, now in zip(suggested, after, strict=True)
        if _is_settled(before, now, [one.finding])
    ]
    for one, now in zip(suggested, after, strict=True):
        if not any(one in repairs for (_, repairs), _ in alone):
            message = f"{one.repair} does not settle {one.finding.signal}, or the query fails"
            task.record("discard", message, sql=one.sql, evidence=_evidence([one], now))
    alone.sort(key=lambda found: -(found[1].p_correct or 0.0))
    found = [repaired for repaired, _ in alone]
    together = _together(task, before, [one for _, (one,) in found])
    return found if together is None else [together, *found]


def _together(
    task: CorrectionTask, before: ScoredCase, repairs: Sequence[SuggestedRepair]
) -> _Repaired | None:
    """Return the query with several repairs made, None where they are in each other's way."""
    text = bare_sql(task.case.predicted_sql) or task.case.predicted_sql
    chosen: list[SuggestedRepair] = []
    for one in repairs:
        try:
            edited(text, [edit for made in (*chosen, one) for edit in made.edits])
        except ValueError:
            continue  # it waits for the next round
        chosen.append(one)
    if len(chosen) < 2:
        return None
    sql = edited(text, [edit for made in chosen for edit in made.edits]).strip()
    try:
        parse(sql, task.database.dialect)
    except ParseError:
        return None
    (now,) = task.scores([sql], alone=True)
    return (sql, tuple(chosen)) if _is_settled(before, now, [r.finding for r in chosen]) else None


def _is_settled(before: ScoredCase, after: ScoredCase, findings: Sequence[Finding]) -> bool:
    """Whether a repaired query runs and no longer has findings, nor others of their signals."""
    if after.status is not CaseStatus.OK:
        return False
    for of, settled in (
        (_by_signal, Counter(one.signal for one in findings)),
        (_by_place, Counter((one.signal, one.reason, one.clause.text) for one in findings)),
    ):
        had, has = of(before), of(after)
        if any(has[key] > had[key] - count for key, count in settled.items()):
            return False
    return True


def _by_signal(scored: ScoredCase) -> Counter[Any]:
    return Counter(one.signal for one in scored.findings) + Counter(scored.more_findings)


def _by_place(scored: ScoredCase) -> Counter[Any]:
    return Counter((one.signal, one.reason, one.clause.text) for one in scored.findings)


def _proposal(task: CorrectionTask, sql: str, repairs: Sequence[SuggestedRepair]) -> Proposal:
    reason = "; ".join(dict.fromkeys(one.message for one in repairs))
    task.record("repair", reason, sql=sql, evidence=_evidence(repairs, None))
    return Proposal(sql, reason)


def _evidence(repairs: Sequence[SuggestedRepair], judged: ScoredCase | None) -> dict[str, Json]:
    evidence: dict[str, Json] = {
        "repairs": [
            {
                "repair": one.repair,
                "may_change_meaning": one.risky,
                "signal": one.finding.signal,
                "reason": one.finding.reason,
                "clause": one.finding.clause.to_dict(),
            }
            for one in repairs
        ]
    }
    if judged is not None:
        evidence["status"] = judged.status.value
        evidence["findings_left"] = [
            f"{one.signal}: {one.reason}"
            for one in judged.findings
            if any(one.signal == made.finding.signal for made in repairs)
        ]
    return evidence
