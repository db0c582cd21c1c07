"""A report: made of scored cases, shown in a notebook as its HTML view."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any, SupportsIndex, overload

from clausewise.datasets import ScoresFile, as_scored_cases
from clausewise.errors import CaseError
from clausewise.reporting.contents import CaseDigest, ReportContents, ReportedCase
from clausewise.reporting.counting import SummaryCounts
from clausewise.reporting.error_report import (
    NOTICES,
    SignalNotes,
    error_report,
    installed_signals,
)
from clausewise.reporting.selection import Selection, selection_text
from clausewise.text import plain_json
from clausewise.types import Json, ScoredCase

_CASE_FIELDS = tuple(part.name for part in fields(ScoredCase))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(ReportContents):
    """A report that a notebook shows as a page."""

    cases: tuple[ReportedCase, ...]

    def _repr_html_(self) -> str:
        """Return the HTML report in a frame of its own, for notebooks."""
        from clausewise.reporting.markup_views import html_view

        page = escape("".join(html_view(self)), quote=True)
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
    report = stream_report(
        as_scored_cases(scored), settings, signals=signals, only=only, top=top, sort=sort
    )
    return Report(
        settings=report.settings,
        selection=report.selection,
        summary=report.summary,
        cases=tuple(report.cases),
    )


def report_dict(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    settings: Mapping[str, Any] | None = None,
    *,
    signals: Mapping[str, SignalNotes] | None = None,
) -> dict[str, Any]:
    """Return `build_report` of all cases as a dictionary: what `report --format json` writes."""
    return build_report(scored, settings, signals=signals).to_dict()


def stream_report(
    scored: Iterable[ScoredCase | Mapping[str, Json]],
    settings: Mapping[str, Any] | None = None,
    *,
    signals: Mapping[str, SignalNotes] | None = None,
    only: Collection[str] = (),
    top: int | None = None,
    sort: str | None = None,
) -> StreamedReport:
    """Return the report that `build_report` makes, without holding its cases.

    All parameters and errors are those of `build_report`. Of a `ScoresFile`, which must stay
    open, the cases are read again whenever they are asked for; of anything else they are held.
    """
    selection, counts = Selection(only, top, sort), SummaryCounts()
    cases = scored if isinstance(scored, ScoresFile) else as_scored_cases(scored)
    for place, case in enumerate(cases):
        counts.add(case)
        selection.add(place, case)
    chosen = selection.chosen()
    notes = {**NOTICES, **(installed_signals() if signals is None else signals)}
    return StreamedReport(
        settings=plain_json(settings or {}),
        selection=selection_text(only, top, sort),
        summary=counts.summary(len(chosen)),
        cases=CasesOnDemand(cases, [place for place, _ in chosen], notes),
        known=[digest for _, digest in chosen],
    )


class CasesOnDemand(Sequence[ReportedCase]):
    """The shown cases, each read and given its error report whenever it is asked for.

    Parameters
    ----------
    cases
        All cases; read at the places asked for.
    places
        Which of them are shown, in their order.
    notes
        What is known of signals, by name.
    """

    def __init__(
        self,
        cases: Sequence[ScoredCase],
        places: Sequence[int],
        notes: Mapping[str, SignalNotes],
    ) -> None:
        self._cases = cases
        self._places = places
        self._notes = notes
        self._last = 0

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: SupportsIndex) -> ReportedCase: ...

    @overload
    def __getitem__(self, place: slice) -> list[ReportedCase]: ...

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        return _reported(self.scored(place), self._notes)

    def scored(self, place: int) -> ScoredCase:
        """Return a case without its error report."""
        self._last = self._places[place]
        return self._cases[self._last]

    def error(self, message: str) -> CaseError:
        """Return an error that names the case that was read last by its file and line."""
        cases, place = self._cases, self._last
        if isinstance(cases, ScoresFile):
            return CaseError(message, path=cases.path, line=cases.line_number(place))
        return CaseError(message, path="scores", line=place + 1)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StreamedReport(ReportContents):
    """A report whose cases are made when they are asked for."""

    cases: CasesOnDemand
    known: Sequence[CaseDigest] = field(repr=False)
    """`digests`, so that they need no second reading."""

    def scored(self) -> Iterable[ScoredCase]:
        """Return the shown cases without their error reports."""
        return map(self.cases.scored, range(len(self.cases)))

    def digests(self) -> Sequence[CaseDigest]:
        """Return the digest of each shown case, in their order."""
        return self.known


def _reported(case: ScoredCase, notes: Mapping[str, SignalNotes]) -> ReportedCase:
    values = {name: getattr(case, name) for name in _CASE_FIELDS}
    return ReportedCase(**values, error_report=error_report(case, notes))
