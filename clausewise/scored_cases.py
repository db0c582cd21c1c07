"""Scored cases together: a list that becomes a data frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from clausewise.notebook import table_html
from clausewise.types import Json, ScoredCase, Verdict

if TYPE_CHECKING:
    import pandas as pd

SUMMARY_COLUMNS = (
    "question_id",
    "db_id",
    "p_correct",
    "verdict",
    "abstained",
    "status",
    "reason",
    "findings",
    "signal",
    "clause",
    "message",
)
"""`findings` is their number; `signal`, `clause` and `message` are of the strongest one."""
_ROWS_SHOWN = 20


def summary_row(case: ScoredCase) -> dict[str, Json]:
    """Return the case under the names of `SUMMARY_COLUMNS`; None where there is nothing."""
    strongest = max(
        case.findings,
        key=lambda finding: (not finding.moves_nothing, finding.score),
        default=None,
    )
    return {
        "question_id": case.question_id,
        "db_id": case.db_id,
        "p_correct": None if case.p_correct is None else round(case.p_correct, 6),
        "verdict": case.verdict.value,
        "abstained": case.abstained,
        "status": case.status.value,
        "reason": case.reason,
        "findings": len(case.findings) + sum(case.more_findings.values()),
        "signal": None if strongest is None else strongest.signal,
        "clause": None if strongest is None else strongest.clause.kind.value,
        "message": None if strongest is None else strongest.message,
    }


class ScoredCases(list[ScoredCase]):
    """Scored cases in the order of the input: a list, with a data frame and a view for notebooks.

    >>> ScoredCases()
    ScoredCases(0 cases)
    """

    def to_frame(self) -> pd.DataFrame:
        """Return one row a case.

        The columns are `SUMMARY_COLUMNS`, then `predicted_sql`, then every other field of the
        input. `p_correct` lies in [0, 1], high = likely correct, NaN where unchecked.
        """
        import pandas as pd

        rows = [
            summary_row(case)
            | {"predicted_sql": case.predicted_sql}
            | {name: value for name, value in case.carried.items() if name not in _OWN}
            for case in self
        ]
        carried = dict.fromkeys(name for row in rows for name in row)
        columns = list(dict.fromkeys((*SUMMARY_COLUMNS, "predicted_sql", *carried)))
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({"p_correct": "float64"})

    @overload
    def __getitem__(self, place: SupportsIndex) -> ScoredCase: ...

    @overload
    def __getitem__(self, place: slice) -> ScoredCases: ...

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return ScoredCases(found) if isinstance(place, slice) else found

    def __repr__(self) -> str:
        return f"ScoredCases({_counted(self)})"

    def _repr_html_(self) -> str:
        """Return counts and the first cases as a table, for notebooks."""
        rows = [
            [summary_row(case)[name] for name in SUMMARY_COLUMNS] for case in self[:_ROWS_SHOWN]
        ]
        more = len(self) - len(rows)
        rest = f"<div>and {more} more; .to_frame() has all</div>" if more > 0 else ""
        return f"<div>{_counted(self)}</div>{table_html(SUMMARY_COLUMNS, rows)}{rest}"


_OWN = frozenset((*SUMMARY_COLUMNS, "predicted_sql"))


def _counted(cases: Iterable[ScoredCase]) -> str:
    counts = Counter(case.verdict for case in cases)
    total = sum(counts.values())
    parts = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    return f"{total} {'case' if total == 1 else 'cases'}" + (
        f": {', '.join(parts)}" if parts else ""
    )
