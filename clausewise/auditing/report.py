"""The lines that an audit wrote, ranked without being held, and what they come to."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clausewise.audited_case import AuditStatus
from clausewise.auditing.typology import CATEGORIES
from clausewise.datasets import load_line


@dataclass
class AuditSummary:
    """Counts over all audited cases."""

    statuses: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    """Cases with a category."""
    strongest: Counter[str] = field(default_factory=Counter)
    """Flagged cases of which a category is the strongest."""
    databases: Counter[str] = field(default_factory=Counter)
    """Cases by database."""
    flagged: Counter[str] = field(default_factory=Counter)
    """Flagged cases by database."""
    partly: int = 0
    """Cases of which something could not be checked."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one line. Raises LookupError or ValueError where it is none."""
        status = AuditStatus(record["status"])
        names = [category["name"] for category in record["categories"]]
        self.statuses[status] += 1
        self.categories.update(names)
        self.partly += bool(record["unchecked"])
        self.databases[str(record["db_id"])] += 1
        if status is AuditStatus.FLAGGED:
            self.flagged[str(record["db_id"])] += 1
            self.strongest.update(names[:1])

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return self.statuses.total()

    @property
    def line(self) -> str:
        """One line: the number of cases, and how many there are of each status."""
        total = self.cases
        counts = [f"{self.statuses[of]} {of.value}" for of in AuditStatus if self.statuses[of]]
        line = f"{total} {'case' if total == 1 else 'cases'}: {', '.join(counts)}"
        return f"{line} ({self.partly} not checked in full)" if self.partly else line

    def by_category(self) -> list[tuple[str, str, str, int, int]]:
        """Return side, name, title, cases, and flagged cases of which it is the strongest."""
        return [
            (category.side.value, name, category.title, self.categories[name], self.strongest[name])
            for name, category in CATEGORIES.items()
            if self.categories[name]
        ]


class AuditReport:
    """The cases of a file of audited cases, the most suspicious first.

    Memory holds the suspicion and the place of each line, and nothing of its contents.

    Parameters
    ----------
    path
        JSONL that `clausewise audit` wrote.
    top
        Show this many at most.

    Raises ValueError, LookupError or TypeError where a line is no audited case.
    """

    def __init__(self, path: Path, top: int | None = None) -> None:
        self.path = path
        self.summary = AuditSummary()
        starts, suspicion = array("Q"), array("d")
        place = 0
        with path.open("rb") as lines:
            for line in lines:
                if line.strip():
                    record = load_line(line.decode("utf-8"))
                    self.summary.add(record)
                    starts.append(place)
                    # What could not be judged comes last.
                    known = record["suspicion"]
                    suspicion.append(-1.0 if known is None else known)
                place += len(line)
        ranked = sorted(range(len(starts)), key=lambda at: (-suspicion[at], at))[:top]
        self._starts = array("Q", [starts[at] for at in ranked])
        self.top = top

    def __len__(self) -> int:
        return len(self._starts)

    def cases(self, *, in_order: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the shown cases by suspicion, or in the order of the input; each read anew."""
        with self.path.open("rb") as lines:
            for start in sorted(self._starts) if in_order else self._starts:
                lines.seek(start)
                record: dict[str, Any] = load_line(lines.readline().decode("utf-8"))
                yield record
