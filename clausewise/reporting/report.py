"""A report: made of scored cases, shown in a notebook as its HTML view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import Any

from clausewise.datasets import as_scored_cases
from clausewise.reporting.contents import (
    DatabaseSummary,
    ReportContents,
    ReportedCase,
    ReportSummary,
    SignalSummary,
)
from clausewise.reporting.error_report import (
    NOTICES,
    SignalNotes,
    error_report,
    installed_signals,
)
from clausewise.reporting.selection import select_cases, selection_text
from clausewise.text import plain_json
from clausewise.types import CaseStatus, Json, OutcomeStatus, ScoredCase, Verdict


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(ReportContents):
    """A report that a notebook shows as a page."""

    def _repr_html_(self) -> str:
        """Return the HTML report in a frame of its own, for notebooks."""
        from clausewise.reporting.markup_views import html_view

        page = escape(html_view(self), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="600" frameborder="0"></iframe>'


def build_report(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    settings: Mapping[str, Any] | None = None,
    *,
    signals: Mapping[str, SignalNotes] | None = None,
    only: Collection[str] = (),
    top: int | None = None,
    sort: str | None = None,
) -> Report:
    """Return the report of scored cases.

    Parameters
    ----------
    scored
        Scored cases, or dictionaries like a line of a scores file.
    settings
        Given back as they are.
    signals
        What is known of signals by name; every installed one where None. A signal that is not
        among them is described as a vote from outside.
    only, top, sort
        Which cases are shown, see `select_cases`; the summary counts all.

    Raises
    ------
    InputError
        Where a score is neither a scored case nor a dictionary like one, or a choice is unknown.
    """
    cases = as_scored_cases(scored)
    shown = select_cases(cases, only=only, top=top, sort=sort)
    notes = {**NOTICES, **(installed_signals() if signals is None else signals)}
    return Report(
        settings=plain_json(settings or {}),
        selection=selection_text(only, top, sort),
        summary=_summary(cases, len(shown)),
        cases=tuple(_reported(case, notes) for case in shown),
    )


def report_dict(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    settings: Mapping[str, Any] | None = None,
    *,
    signals: Mapping[str, SignalNotes] | None = None,
) -> dict[str, Any]:
    """Return `build_report` of all cases as a dictionary: what `report --format json` writes."""
    return build_report(scored, settings, signals=signals).to_dict()


def _reported(case: ScoredCase, notes: Mapping[str, SignalNotes]) -> ReportedCase:
    values = {part.name: getattr(case, part.name) for part in fields(ScoredCase)}
    return ReportedCase(**values, error_report=error_report(case, notes))


def _summary(cases: Sequence[ScoredCase], shown: int) -> ReportSummary:
    verdicts = Counter(case.verdict for case in cases)
    statuses = Counter(case.status for case in cases)
    by_database: dict[str, list[ScoredCase]] = {}
    for case in cases:
        by_database.setdefault(case.db_id or "", []).append(case)
    return ReportSummary(
        cases=len(cases),
        shown=shown,
        abstained=sum(case.abstained for case in cases),
        verdicts={verdict: verdicts[verdict] for verdict in Verdict},
        statuses={status: statuses[status] for status in CaseStatus},
        databases={name: _of_database(by_database[name]) for name in sorted(by_database)},
        signals=_by_signal(cases),
        cost=_total_cost(cases),
    )


def _of_database(cases: Sequence[ScoredCase]) -> DatabaseSummary:
    verdicts = Counter(case.verdict for case in cases)
    return DatabaseSummary(
        cases=len(cases),
        incorrect=verdicts[Verdict.INCORRECT],
        unchecked=verdicts[Verdict.UNCHECKED],
        abstained=sum(case.abstained for case in cases),
    )


def _by_signal(cases: Sequence[ScoredCase]) -> dict[str, SignalSummary]:
    fired: Counter[str] = Counter()
    incorrect: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for case in cases:
        for name, outcome in case.signals.items():
            fired[name] += outcome is OutcomeStatus.FIRED
            faults[name] += outcome is OutcomeStatus.FAULT
            incorrect[name] += outcome is OutcomeStatus.FIRED and case.verdict is Verdict.INCORRECT
    names = [name for name in fired if fired[name] or faults[name]]
    names.sort(key=lambda name: (-fired[name], -faults[name], name))
    return {
        name: SignalSummary(fired=fired[name], incorrect=incorrect[name], faults=faults[name])
        for name in names
    }


def _total_cost(cases: Sequence[ScoredCase]) -> dict[str, Json] | None:
    """Return the sum of what the cases cost; None where no language model was asked."""
    costs: list[Mapping[str, Any]] = [case.cost for case in cases if case.cost]
    if not costs:
        return None
    counted = {
        name: sum(cost[name] for cost in costs)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    money = [cost["usd"] for cost in costs if cost["usd"] is not None]
    return counted | {"usd": round(sum(money), 6) if money else None}
