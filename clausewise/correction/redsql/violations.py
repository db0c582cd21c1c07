"""Constraint violations of a query: the signals' findings, all or those of RED-SQL's constraints.

References
----------
RED-SQL, section 4.3 and table 1 (constraints and their levels).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clausewise.reporting.error_report import NOTICES, installed_signals
from clausewise.text import one_line, shortened
from clausewise.types import Finding, Level

MOST_SHOWN = 12
"""Violations of one query that a prompt shows, the most severe first."""
LONGEST = 300
"""Characters of a clause or of a message."""

SEVERITY = {Level.INFO: 0, Level.WARNING: 1, Level.ERROR: 2}


class ViolationSource(StrEnum):
    """Which findings count as violations."""

    ALL = "all"
    """Every finding, at the level that was learned for its reason."""
    PAPER = "paper"
    """Those of RED-SQL's own constraints, at the paper's levels."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Constraint:
    """One of RED-SQL's constraints as a signal checks it.

    `reasons` are those of the signal's that the paper's definition covers, empty for all of them.
    """

    name: str
    level: Level
    reasons: frozenset[str] = frozenset()


_ABNORMAL = frozenset({"emptied_by_one_condition", "empty_together", "all_null"})

CONSTRAINTS: Mapping[str, Constraint] = {
    "empty_predicate": Constraint("predicate unsatisfiable", Level.INFO),
    "idle_predicate": Constraint(
        "idle predicate", Level.ERROR, frozenset({"compares_with_itself"})
    ),
    "cast_precision_loss": Constraint(
        "data precision loss", Level.WARNING, frozenset({"cast_cuts_fractions"})
    ),
    "incorrect_join_predicate": Constraint("join abnormal", Level.WARNING),
    "no_overlap_join": Constraint("wrong join", Level.ERROR),
    "abnormal_result": Constraint(
        "output abnormal", Level.WARNING, _ABNORMAL | {"null_in_the_table", "stored_blanks"}
    ),
    "duplicate_rows": Constraint("output abnormal", Level.WARNING),
    "wrong_calculation": Constraint("wrong calculation", Level.ERROR),
    "incompatible_comparison": Constraint("wrong comparison", Level.ERROR),
    "inconsistent_predicates": Constraint("predicates inconsistent", Level.ERROR),
    "uncertain_projection": Constraint("uncertain projection", Level.ERROR),
    "bare_column": Constraint("uncertain projection", Level.ERROR),
    "idle_group_by": Constraint("idle GROUP BY", Level.ERROR),
    "uncertain_having": Constraint("uncertain HAVING", Level.ERROR),
    "ranking_null": Constraint("ranking abnormal", Level.WARNING),
}
"""The signals of the set `redsql` by name."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A finding at the level at which it counts here."""

    finding: Finding
    level: Level
    name: str
    """The signal's, or the constraint's name in the paper."""

    def to_dict(self) -> dict[str, str]:
        """Return what a step keeps of it."""
        return {"signal": self.finding.signal, "name": self.name, "level": self.level.value}


def violations(findings: Iterable[Finding], source: ViolationSource) -> list[Violation]:
    """Return the violations among a query's findings, the most severe first.

    Equally severe ones come by falling score, then as they stand in the query. What parser and
    database say of a query that does not run is no violation.
    """
    found = [
        violation
        for finding in findings
        if finding.signal not in NOTICES and (violation := _violation(finding, source)) is not None
    ]
    return sorted(found, key=lambda one: (-SEVERITY[one.level], -one.finding.score, _place(one)))


def _violation(finding: Finding, source: ViolationSource) -> Violation | None:
    if source is ViolationSource.ALL:
        return Violation(finding, finding.level, finding.signal)
    constraint = CONSTRAINTS.get(finding.signal)
    if source is ViolationSource.NONE or constraint is None:
        return None
    if constraint.reasons and finding.reason not in constraint.reasons:
        return None
    return Violation(finding, constraint.level, constraint.name)


def _place(violation: Violation) -> tuple[int, int, str]:
    clause = violation.finding.clause
    return clause.start, clause.end, violation.finding.signal


def has_bugs(found: Iterable[Violation], least: Level) -> bool:
    """Whether one of the violations has at least a level."""
    return any(SEVERITY[violation.level] >= SEVERITY[least] for violation in found)


def violations_text(found: Sequence[Violation], *, send_values: bool) -> str:
    """Return violations one a line: level, place and message; empty where there are none.

    At most `MOST_SHOWN` are told, and how many there are beside. Without `send_values` the
    meaning of the reason stands for the message, which may quote cells.
    """
    lines = [_line(violation, send_values) for violation in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        lines.append(f"and {len(found) - MOST_SHOWN} more")
    return "\n".join(lines)


def _line(violation: Violation, send_values: bool) -> str:
    finding = violation.finding
    kind = finding.clause.kind.value.replace("_", " ").upper()
    told = finding.message if send_values else _meaning(finding)
    line = f"{violation.level.value.upper()} in {kind}, {_short(finding.clause.text)}: "
    line += f"{_short(told)} ({violation.name.replace('_', ' ')})"
    if send_values and finding.suggestion:
        line += f"; perhaps: {_short(finding.suggestion)}"
    return line


def _meaning(finding: Finding) -> str:
    """Return what the reason of a finding means, without anything of this query's data."""
    known = installed_signals()
    if finding.signal not in known:
        return "a vote from outside"
    notes = known[finding.signal]
    reason = getattr(notes, "reasons", {}).get(finding.reason)
    return notes.description if reason is None else str(reason.meaning)


def _short(text: str) -> str:
    return shortened(one_line(text), LONGEST)
