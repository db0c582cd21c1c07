"""What a command ends with: the exit code for what was found, and the options that choose it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from clausewise.cli.common import ExitCode
from clausewise.errors import InputError
from clausewise.types import CaseStatus, Level, Verdict

if TYPE_CHECKING:
    from clausewise.models.lines import ScoredLine


class FailOn(StrEnum):
    """The level of a finding from which on the exit code is 1."""

    WARNING = "warning"
    ERROR = "error"


FailOnOption: TypeAlias = Annotated[
    FailOn | None,
    typer.Option(
        "--fail-on",
        help="Exit with 1 where a finding is shown with this level or a higher one, whatever the "
        "verdict.",
    ),
]
ExitZeroOption: TypeAlias = Annotated[
    bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.")
]

_LEVELS = tuple(Level)


@dataclass
class Results:
    """Counts of scored cases, and the exit code for them."""

    verdicts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    levels: Counter[str] = field(default_factory=Counter)
    """Cases with a finding of a level; a query that does not run counts as an error."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one line of a scores file.

        Raises LookupError, TypeError or ValueError where it is none.
        """
        verdict, status = Verdict(record["verdict"]), CaseStatus(record["status"])
        levels = {Level(finding["level"]) for finding in record["findings"]}
        if status in (CaseStatus.UNPARSABLE, CaseStatus.NOT_EXECUTABLE):
            levels.add(Level.ERROR)
        self.verdicts[verdict] += 1
        self.statuses[status] += 1
        self.levels.update(levels)

    def add_line(self, line: ScoredLine) -> None:
        """Count a line that has been made in this run."""
        self.verdicts[line.verdict] += 1
        self.statuses[line.status] += 1
        self.levels.update(line.levels)

    @property
    def summary(self) -> str:
        """One line: the number of cases, by verdict, and by status where not all are ok."""
        total = sum(self.verdicts.values())
        verdicts = _listed(self.verdicts, Verdict)
        line = f"{total} {'case' if total == 1 else 'cases'}: {verdicts}"
        if self.statuses[CaseStatus.OK] == total:
            return line
        return f"{line} ({_listed(self.statuses, CaseStatus)})"

    def exit_code(
        self, fail_on: FailOn | None = None, exit_zero: bool = False, unanswered: bool = False
    ) -> ExitCode:
        """Return the exit code: a case that was not checked weighs more than a finding.

        Parameters
        ----------
        fail_on
            Level from which on a finding counts; None: the verdict counts.
        exit_zero
            Whether nothing that is found or missing changes the exit code.
        unanswered
            Whether a language model was asked and gave no answer for some case.
        """
        if exit_zero:
            return ExitCode.NOTHING_FOUND
        if unanswered or self.verdicts[Verdict.UNCHECKED]:
            return ExitCode.SOME_UNCHECKED
        if fail_on is None:
            found = self.verdicts[Verdict.INCORRECT] > 0
        else:
            least = _LEVELS.index(Level(fail_on.value))
            found = any(self.levels[level] for level in _LEVELS[least:])
        return ExitCode.FOUND if found else ExitCode.NOTHING_FOUND


def refuse_both(fail_on: FailOn | None, exit_zero: bool) -> None:
    """Raise InputError where one option takes the effect of the other."""
    if fail_on is not None and exit_zero:
        raise InputError("has no effect together with --exit-zero", field="--fail-on")


def _listed(counts: Mapping[str, int], kinds: Iterable[StrEnum]) -> str:
    return ", ".join(
        f"{counts[kind]} {kind.value.replace('_', ' ')}" for kind in kinds if counts.get(kind)
    )
