"""Bringing scores and labels together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clausewise.errors import InputError
from clausewise.evaluation.measuring import Sample
from clausewise.evaluation.metrics import Flags
from clausewise.evaluation.results import Excluded
from clausewise.types import CaseStatus, OutcomeStatus, ScoredCase, Verdict


def id_key(question_id: object) -> str:
    """Return the text as which question ids are compared: 7 and "7" are one, as in CSV files."""
    return str(question_id)


@dataclass(frozen=True, slots=True)
class LabeledCases:
    """Checked cases with their labels; `incorrect` and `executable` are arrays `[n]`."""

    cases: Sequence[ScoredCase]
    incorrect: Flags
    executable: Flags
    excluded: Excluded

    def detector(self) -> Sample:
        """Return the detector's probabilities and verdicts.

        A query that does not parse or does not run counts as surely incorrect, whatever stands
        in its line.
        """
        incorrect_by_score = [1.0 - (case.p_correct or 0.0) for case in self.cases]
        called = [case.verdict is Verdict.INCORRECT for case in self.cases]
        return Sample(
            self.incorrect,
            np.where(self.executable, np.array(incorrect_by_score, dtype=float), 1.0),
            np.array(called, dtype=bool) | ~self.executable,
            probability=True,
        )

    def answered(self) -> Flags:
        """Return `[n]` where the detector did not abstain."""
        return np.array([not case.abstained for case in self.cases], dtype=bool)

    def baselines(self) -> dict[str, Sample]:
        """Return the two rankings that need no detector.

        `length`: characters of the SQL text; `vote_count`: signals that fired. Neither knows
        whether the query runs, so `executable_only` is where they compare fairly.
        """
        lengths = [len(case.predicted_sql or "") for case in self.cases]
        counts = [
            sum(outcome is OutcomeStatus.FIRED for outcome in case.signals.values())
            for case in self.cases
        ]
        return {
            "length": Sample(self.incorrect, np.array(lengths, dtype=float)),
            "vote_count": Sample(self.incorrect, np.array(counts, dtype=float)),
        }


def match_labels(cases: Sequence[ScoredCase], labels: Mapping[str | int, bool]) -> LabeledCases:
    """Return the checked cases that have a label, in the order of `cases`.

    Unchecked cases and those without a label are left out and counted.

    Raises InputError where a label is not a boolean, or where two labels or two checked cases
    have the same question id.
    """
    known = _labels_by_key(labels)
    seen: dict[str, int] = {}
    labeled: list[ScoredCase] = []
    unchecked = unlabeled = 0
    in_scores = {id_key(case.question_id) for case in cases}
    for place, case in enumerate(cases, start=1):
        key = id_key(case.question_id)
        if case.status is CaseStatus.UNCHECKED:
            unchecked += 1
            continue
        if key in seen:
            raise InputError(
                f"'{key}' is also the id of case {seen[key]}; a label must belong to one case",
                path="scores",
                line=place,
                field="question_id",
            )
        seen[key] = place
        if key in known:
            labeled.append(case)
        else:
            unlabeled += 1
    incorrect = [not known[id_key(case.question_id)] for case in labeled]
    executable = [case.status is CaseStatus.OK for case in labeled]
    return LabeledCases(
        cases=labeled,
        incorrect=np.array(incorrect, dtype=bool),
        executable=np.array(executable, dtype=bool),
        excluded=Excluded(unchecked, unlabeled, sum(key not in in_scores for key in known)),
    )


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
