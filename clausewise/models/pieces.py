"""Pieces of evidence: several signals that see the same place in a condition see one thing.

Four signals may look at one literal: it is nowhere in its column, another spelling is, the result
is empty for it, and the evidence gives another value. The strongest of them counts whole, each
other one a part: that they agree says something, but not four times as much.
"""

from __future__ import annotations

from clausewise.types import Clause, Finding, Inspection

ECHO = 0.25
"""What a finding counts that marks the same place as a stronger one of another signal. It ranks
databases that were left out nearly as well as 1 does, and says less of one literal."""
_CONDITIONS = frozenset({Clause.WHERE, Clause.HAVING, Clause.JOIN})

Key = tuple[str, str]
"""Signal and reason."""


def echoes(inspection: Inspection) -> frozenset[Key]:
    """Return the reasons whose findings only repeat what a stronger one marks in a condition."""
    found = [
        finding
        for outcome in inspection.outcomes.values()
        for finding in outcome.findings
        if finding.clause.kind in _CONDITIONS
    ]
    if len(found) < 2:
        return frozenset()
    first: list[Finding] = []
    whole: set[Key] = set()
    repeated: set[Key] = set()
    for finding in sorted(found, key=lambda one: (-one.score, one.signal, one.reason)):
        key = (finding.signal, finding.reason)
        if any(_is_same_place(finding, other) for other in first):
            repeated.add(key)
        else:
            first.append(finding)
            whole.add(key)
    return frozenset(repeated - whole)


def _is_same_place(finding: Finding, other: Finding) -> bool:
    a, b = finding.clause, other.clause
    return (
        finding.signal != other.signal and a.kind is b.kind and a.start < b.end and b.start < a.end
    )
