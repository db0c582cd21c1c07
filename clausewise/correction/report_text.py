"""The error report of a case as text for a prompt: most certain signal first, cells only on leave.

References
----------
SQLens, section 4.4 and appendix A.6 (the four parts of an error report).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from clausewise.correction.prompting import without_quotes
from clausewise.reporting.error_report import (
    NOTICES,
    ProblematicClause,
    SignalNotes,
    SignalReport,
    error_report,
    installed_signals,
)
from clausewise.reporting.evidence_text import evidence_text
from clausewise.text import one_line, shortened
from clausewise.types import ScoredCase

CLAUSES_SHOWN = 5
"""Clauses of one signal."""
LONGEST = 400
"""Characters of a clause, a message or a suggestion."""
_OF_THE_ASKING = ("prompt", "prompt_version", "model")
"""What the evidence of a signal that asks a model holds for people alone."""


def known_notes() -> Mapping[str, SignalNotes]:
    """Return what is known of every installed signal, and of what parser and database report."""
    return MappingProxyType({**NOTICES, **installed_signals()})


def certain_first(case: ScoredCase, notes: Mapping[str, SignalNotes]) -> list[SignalReport]:
    """Return the entries of the case's error report, the most certain signal first.

    By what its findings together add to the log-odds of the query's being incorrect, then by their
    largest score, then as in the error report.
    """
    certainty: dict[str, tuple[float, float]] = {}
    for finding in case.findings:
        added, score = certainty.get(finding.signal, (0.0, 0.0))
        own = added + (finding.contribution or 0.0)
        certainty[finding.signal] = (own, max(score, finding.score))
    nothing = (-math.inf, 0.0)  # fired without a finding: a vote from outside
    return sorted(
        error_report(case, notes),
        key=lambda entry: certainty.get(entry.signal, nothing),
        reverse=True,
    )


def report_text(
    reports: Sequence[SignalReport], notes: Mapping[str, SignalNotes], *, send_values: bool
) -> str:
    """Return the entries in words, one numbered part each.

    Without `send_values` messages, evidence and suggestions are left out, since they may quote
    cells; of a finding then stays the meaning of its reason, and of what the database or the
    parser says of a query that does not run, what quotes nothing but the query.
    """
    return "\n\n".join(
        _entry(number, report, notes.get(report.signal), send_values)
        for number, report in enumerate(reports, start=1)
    )


def _entry(number: int, report: SignalReport, notes: SignalNotes | None, send_values: bool) -> str:
    lines = [f"{number}. {report.signal}: {one_line(report.signal_description)}"]
    if report.example:
        lines.append(f"   Found for example in: {one_line(report.example)}")
    lines.append(f"   Repair in general: {one_line(report.correction_instruction)}")
    for clause in report.problematic_clauses[:CLAUSES_SHOWN]:
        lines += _clause_lines(clause, report, notes, send_values)
    more = len(report.problematic_clauses) - CLAUSES_SHOWN
    if more > 0:
        lines.append(f"   and {more} more of the kind")
    return "\n".join(lines)


def _clause_lines(
    clause: ProblematicClause, report: SignalReport, notes: SignalNotes | None, send_values: bool
) -> list[str]:
    kind = clause.kind.value.replace("_", " ").upper()
    lines = [f"   - {kind}: {_line(clause.text)}"]
    if report.signal in NOTICES and not send_values:
        return [*lines, f"     found: {_line(without_quotes(clause.message, clause.text))}"]
    if not send_values:
        meaning = getattr(notes, "reasons", {}).get(clause.reason)
        return lines + ([f"     found: {one_line(meaning.meaning)}"] if meaning else [])
    lines.append(f"     found: {_line(clause.message)}")
    told = evidence_text(clause.evidence, without=_OF_THE_ASKING)
    lines += [f"     {label}: {text}" for label, text in told]
    if clause.suggestion:
        lines.append(f"     suggestion: {_line(clause.suggestion)}")
    return lines


def _line(text: str) -> str:
    return shortened(one_line(text), LONGEST)
