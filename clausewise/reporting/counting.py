"""The summary of a report, counted case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from clausewise.reporting.contents import DatabaseSummary, ReportSummary, SignalSummary
from clausewise.types import NOT_RUN, CaseStatus, Json, OutcomeStatus, ScoredCase, Verdict

_TOKENS = ("calls", "prompt_tokens", "completion_tokens")


class SummaryCounts:
    """Counts of cases: what they hold grows with databases and signals, not with the cases.

    Only what language models cost is kept for every case that has a price.
    """

    def __init__(self) -> None:
        self._verdicts: Counter[Verdict] = Counter()
        self._statuses: Counter[CaseStatus] = Counter()
        self._databases: dict[str, Counter[str]] = {}
        self._fired: Counter[str] = Counter()
        self._incorrect: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        self._asked = False
        self._not_run = 0
        self._money: list[float] = []

    def add(self, case: ScoredCase) -> None:
        """Count one case."""
        self._verdicts[case.verdict] += 1
        self._statuses[case.status] += 1
        database = self._databases.setdefault(case.db_id or "", Counter())
        database["cases"] += 1
        database["abstained"] += case.abstained
        database[case.verdict.value] += 1
        incorrect = case.verdict is Verdict.INCORRECT
        for name, outcome in case.signals.items():
            if outcome is OutcomeStatus.FIRED:
                self._fired[name] += 1
                self._incorrect[name] += incorrect
            elif outcome is OutcomeStatus.FAULT:
                self._faults[name] += 1
        self._not_run += any(finding.signal == NOT_RUN for finding in case.findings)
        if case.cost:
            self._add_cost(case.cost)

    def summary(self, shown: int) -> ReportSummary:
        """Return the summary of all cases so far, of which so many are shown."""
        return ReportSummary(
            cases=self._verdicts.total(),
            shown=shown,
            abstained=sum(counts["abstained"] for counts in self._databases.values()),
            verdicts={verdict: self._verdicts[verdict] for verdict in Verdict},
            statuses={status: self._statuses[status] for status in CaseStatus},
            databases={
                name: _of_database(counts) for name, counts in sorted(self._databases.items())
            },
            signals=self._by_signal(),
            cost=self._total_cost(),
            not_run=self._not_run,
        )

    def _by_signal(self) -> dict[str, SignalSummary]:
        fired, faults = self._fired, self._faults
        names = sorted({*fired, *faults}, key=lambda name: (-fired[name], -faults[name], name))
        return {
            name: SignalSummary(
                fired=fired[name], incorrect=self._incorrect[name], faults=faults[name]
            )
            for name in names
        }

    def _add_cost(self, cost: Mapping[str, Any]) -> None:
        self._asked = True
        for name in _TOKENS:
            self._tokens[name] += cost[name]
        if cost["usd"] is not None:
            self._money.append(cost["usd"])

    def _total_cost(self) -> dict[str, Json] | None:
        """Return the sum of what the cases cost; None where no language model was asked."""
        if not self._asked:
            return None
        usd = round(sum(self._money), 6) if self._money else None
        return {**{name: self._tokens[name] for name in _TOKENS}, "usd": usd}


def _of_database(counts: Counter[str]) -> DatabaseSummary:
    return DatabaseSummary(
        cases=counts["cases"],
        incorrect=counts[Verdict.INCORRECT.value],
        unchecked=counts[Verdict.UNCHECKED.value],
        abstained=counts["abstained"],
    )
