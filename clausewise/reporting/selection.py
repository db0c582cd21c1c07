"""Which cases of many a report shows, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from clausewise.errors import InputError
from clausewise.reporting.contents import CaseDigest
from clausewise.types import ScoredCase, Verdict

ABSTAINED = "abstained"
ONLY = (*(verdict.value for verdict in Verdict), ABSTAINED)
"""What `only` can name: a verdict, or the cases that were abstained on."""


def _by_probability(case: ScoredCase) -> tuple[bool, float]:
    return case.p_correct is None, case.p_correct or 0.0


def _by_database(case: ScoredCase) -> tuple[Any, ...]:
    return case.db_id is None, case.db_id or "", *_by_probability(case)


def _by_id(case: ScoredCase) -> tuple[bool, bool, int, str]:
    number = case.question_id if isinstance(case.question_id, int) else 0
    return case.question_id is None, isinstance(case.question_id, str), number, str(
        case.question_id
    )  # fmt: skip


SORTS: dict[str, Callable[[ScoredCase], tuple[Any, ...]]] = {
    "p": _by_probability,
    "db": _by_database,
    "id": _by_id,
}
"""Orders by name: by rising p(correct), the likeliest wrong first and cases without a probability
last; by database, then so; by question id, numbers first."""


class Selection:
    """Chooses among cases that come one after the other; holds a few words of each that is kept.

    Parameters
    ----------
    only, top, sort
        As for `select_cases`, which raises the same InputError.
    """

    def __init__(
        self, only: Collection[str] = (), top: int | None = None, sort: str | None = None
    ) -> None:
        for name in only:
            if name not in ONLY:
                raise InputError(f"'{name}' is none of {', '.join(ONLY)}", field="only")
        if sort is not None and sort not in SORTS:
            raise InputError(f"'{sort}' is none of {', '.join(SORTS)}", field="sort")
        if top is not None and top < 1:
            raise InputError(f"must be 1 or more, is {top}", field="top")
        self._only = only
        self._top = top
        order = sort or ("p" if top is not None else None)
        self._key = None if order is None else SORTS[order]
        self._kept: list[tuple[int, CaseDigest]] = []
        self._keys: list[tuple[Any, ...]] = []

    def add(self, place: int, case: ScoredCase) -> None:
        """Take or leave the case at a place of the input."""
        if self._only and not _fits(case, self._only):
            return
        self._kept.append((place, CaseDigest.of(case)))
        if self._key is not None:
            self._keys.append(self._key(case))

    def chosen(self) -> list[tuple[int, CaseDigest]]:
        """Return places and digests of the chosen cases, in the order in which they are shown."""
        kept = self._kept
        if self._key is not None:
            kept = [kept[at] for at in sorted(range(len(kept)), key=self._keys.__getitem__)]
        return kept[: self._top]


def select_cases(
    cases: Sequence[ScoredCase],
    *,
    only: Collection[str] = (),
    top: int | None = None,
    sort: str | None = None,
) -> list[ScoredCase]:
    """Return the cases that a report shows.

    Parameters
    ----------
    cases
        All cases.
    only
        Names of `ONLY`: a case that fits any of them is kept; all cases where there is none.
    top
        How many cases are kept of those, the first in the order; all where None.
    sort
        A name of `SORTS`; None keeps the order of the cases, with `top` it means `p`.

    Raises
    ------
    InputError
        Where `only` or `sort` is unknown, or `top` is less than 1.
    """
    selection = Selection(only, top, sort)
    for place, case in enumerate(cases):
        selection.add(place, case)
    return [cases[place] for place, _ in selection.chosen()]


def selection_text(only: Collection[str], top: int | None, sort: str | None) -> str:
    """Return in words which cases are shown; empty where all are."""
    order = {"p": "lowest p(correct) first", "db": "by database", "id": "by question id"}
    words = []
    if only:
        words.append(f"only {' and '.join(only)}")
    if top is not None:
        words.append(f"the first {top}")
    if words and (sort or top):
        words.append(order[sort or "p"])
    return ", ".join(words)


def _fits(case: ScoredCase, only: Collection[str]) -> bool:
    return case.verdict.value in only or (case.abstained and ABSTAINED in only)
