"""What speaks against an annotation before it is ranked, and how several of a kind are one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clausewise.audited_case import AuditedCategory
from clausewise.auditing.ranking import score_of
from clausewise.auditing.typology import Category
from clausewise.types import ClauseSpan, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """One thing that was found; `lift` is what it adds to the log-odds, 0 or more."""

    category: Category
    lift: float
    message: str
    clause: ClauseSpan | None = None
    evidence: Mapping[str, Json] = field(default_factory=dict)
    source: str = ""
    suggestion: str | None = None


def merged(suspects: Iterable[Suspect]) -> list[tuple[float, AuditedCategory]]:
    """Return each category once with its lift, the strongest first; ties in order of arrival."""
    by_name: dict[str, list[Suspect]] = {}
    for suspect in suspects:
        by_name.setdefault(suspect.category.name, []).append(suspect)
    found = []
    for same in by_name.values():
        best = max(same, key=lambda suspect: suspect.lift)
        found.append((best.lift, _record(best, len(same) - 1)))
    return sorted(found, key=lambda item: -item[0])


def _record(suspect: Suspect, more: int) -> AuditedCategory:
    return AuditedCategory(
        side=suspect.category.side,
        name=suspect.category.name,
        typology=suspect.category.typology,
        score=score_of(suspect.lift),
        message=suspect.message,
        clause=suspect.clause,
        evidence=suspect.evidence,
        source=suspect.source,
        suggestion=suspect.suggestion,
        more=more,
    )
