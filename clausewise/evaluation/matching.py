"""Bringing scores and labels together."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from clausewise.errors import InputError
from clausewise.evaluation.measuring import Sample
from clausewise.evaluation.metrics import Counts, Flags, Floats
from clausewise.evaluation.results import Excluded
from clausewise.types import CaseStatus, OutcomeStatus, ScoredCase, Verdict


def id_key(question_id: object) -> str:
    """Return the text as which question ids are compared: 7 and "7" are one, as in CSV files."""
    return str(question_id)


@dataclass(frozen=True, slots=True)
class LabeledCases:
    """What is measured of the checked cases that have a label: arrays `[n]`.

    `incorrect` is the truth; `executable` where the query parses and runs; `answered` where the
    detector did not abstain; `databases` has the places in the arrays by `db_id`, in the order of
    first appearance.
    """

    incorrect: Flags
    executable: Flags
    answered: Flags
    score: Floats
    called: Flags
    lengths: Floats
    votes: Floats
    databases: Mapping[str, Counts]
    excluded: Excluded

    def detector(self) -> Sample:
        """Return the detector's probabilities and verdicts.

        A query that does not parse or does not run counts as surely incorrect, whatever stands
        in its line.
        """
        return Sample(
            self.incorrect,
            np.where(self.executable, self.score, 1.0),
            self.called | ~self.executable,
            probability=True,
        )

    def baselines(self) -> dict[str, Sample]:
        """Return the two rankings that need no detector.

        `length`: characters of the SQL text; `vote_count`: signals that fired. Neither knows
        whether the query runs, so `executable_only` is where they compare fairly.
        """
        return {
            "length": Sample(self.incorrect, self.lengths),
            "vote_count": Sample(self.incorrect, self.votes),
        }


class _Columns:
    """The figures of the labeled cases, 36 bytes a case."""

    def __init__(self) -> None:
        self.flags: dict[str, array[int]] = {
            name: array("b") for name in ("incorrect", "executable", "answered", "called")
        }
        self.floats = {name: array("d") for name in ("score", "lengths", "votes")}
        self.databases: dict[str, array[int]] = {}

    def add(self, case: ScoredCase, incorrect: bool) -> None:
        """Take the figures of one case."""
        place = len(self.flags["incorrect"])
        self.databases.setdefault(str(case.db_id), array("q")).append(place)
        fired = sum(outcome is OutcomeStatus.FIRED for outcome in case.signals.values())
        for name, flag in (
            ("incorrect", incorrect),
            ("executable", case.status is CaseStatus.OK),
            ("answered", not case.abstained),
            ("called", case.verdict is Verdict.INCORRECT),
        ):
            self.flags[name].append(flag)
        for name, number in (
            ("score", 1.0 - (case.p_correct or 0.0)),
            ("lengths", len(case.predicted_sql or "")),
            ("votes", fired),
        ):
            self.floats[name].append(number)

    def labeled(self, excluded: Excluded) -> LabeledCases:
        """Return the columns as arrays."""
        return LabeledCases(
            **{name: np.array(flags, dtype=bool) for name, flags in self.flags.items()},
            **{name: np.array(numbers, dtype=float) for name, numbers in self.floats.items()},
            databases={
                name: np.array(places, dtype=np.int64) for name, places in self.databases.items()
            },
            excluded=excluded,
        )


def match_labels(
    cases: Iterable[ScoredCase],
    labels: Mapping[str | int, bool],
    look: Callable[[ScoredCase, bool], object] = lambda _case, _incorrect: None,
) -> LabeledCases:
    """Return the figures of the checked cases that have a label, in the order of `cases`.

    Every such case is given to `look` with whether it is incorrect, and not kept. Unchecked cases
    and those without a label are left out and counted.

    Raises InputError where a label is not a boolean, or where two labels or two checked cases
    have the same question id; what `cases` raises comes first.
    """
    known, problem = _known_labels(labels)
    seen: dict[str, int] = {}
    without_case = set(known)
    columns = _Columns()
    unchecked = unlabeled = 0
    for place, case in enumerate(cases, start=1):
        key = id_key(case.question_id)
        without_case.discard(key)
        if case.status is CaseStatus.UNCHECKED:
            unchecked += 1
            continue
        if key in seen:
            problem = problem or InputError(
                f"'{key}' is also the id of case {seen[key]}; a label must belong to one case",
                path="scores",
                line=place,
                field="question_id",
            )
            continue
        seen[key] = place
        if key in known:
            columns.add(case, not known[key])
            look(case, not known[key])
        else:
            unlabeled += 1
    if problem is not None:
        raise problem
    return columns.labeled(Excluded(unchecked, unlabeled, len(without_case)))


def _known_labels(
    labels: Mapping[str | int, bool],
) -> tuple[dict[str, bool], InputError | None]:
    """Return the labels by key, or what is wrong with them."""
    try:
        return _labels_by_key(labels), None
    except InputError as error:
        return {}, error


def _labels_by_key(labels: Mapping[str | int, bool]) -> dict[str, bool]:
    known: dict[str, bool] = {}
    for question_id, correct in labels.items():
        key = id_key(question_id)
        if not isinstance(correct, (bool, np.bool_)):
            raise InputError(
                f"the label of question '{key}' is {correct!r}, neither true nor false",
                path="labels",
                field="correct",
            )
        if key in known:
            raise InputError(
                f"'{key}' is given twice (7 and \"7\" are the same id)",
                path="labels",
                field="question_id",
            )
        known[key] = bool(correct)
    return known
