"""Findings that people let pass: reported, and neither errors nor anything to correct."""

from __future__ import annotations

from clausewise.types import Finding

LET_PASS = "let pass"
"""How a view marks such a finding."""


def is_let_pass(finding: Finding) -> bool:
    """Whether relaxed conventions let a finding pass: a convention that moved nothing."""
    if not finding.moves_nothing:
        return False
    from clausewise.signals.loading import conventions

    return (finding.signal, finding.reason) in conventions()


def passing_message(finding: Finding) -> str:
    """Return the message of a finding, with what it is said before where it is let pass."""
    return f"{LET_PASS}: {finding.message}" if is_let_pass(finding) else finding.message
