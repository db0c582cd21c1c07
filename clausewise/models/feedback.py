"""What a team says of findings: confirmed or dismissed, learned by the detector of its domain.

A reason's weight is known from databases elsewhere, from one to the next of which it differs by a
standard deviation that is known too (`spread` in the strengths). Each judgment is one more query
here: the weight moves to where weight and judgments together are most likely. Three dismissals of
one reason are felt, and thirty make it silent. The counts are kept with the detector, and with them
the weights before any judgment, so judgments may come in any order and in as many files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from clausewise.errors import InputError
from clausewise.models.classifiers.additive import AdditiveClassifier
from clausewise.models.classifiers.warm_start import WarmStartClassifier
from clausewise.models.learned import Learned
from clausewise.models.probability import logit, sigmoid
from clausewise.models.table import REASON
from clausewise.signals.reasons import strengths
from clausewise.types import CaseJudgment, FindingJudgment, ScoredCase

COUNTS, BEFORE = "feedback", "weights_before_feedback"
"""Keys in `Learned.training`: judgments by reason, and the weights before any of them."""
USUAL_SPREAD = 1.0
"""Standard deviation of a reason's weight between databases where the strengths do not say it."""


def with_feedback(learned: Learned, judgments: Iterable[FindingJudgment]) -> Learned:
    """Return what is known, the weights of reasons moved by a team's judgments.

    Raises
    ------
    InputError
        Where the detector has no weight for a reason that was judged, or none for single reasons.
    """
    classifier = _additive(learned)
    known: Mapping[str, Mapping[str, int]] = learned.training.get(COUNTS, {})
    counts: dict[str, Counter[str]] = {name: Counter(of) for name, of in known.items()}
    before = dict(learned.training.get(BEFORE, {}))
    for judgment in judgments:
        name = f"{judgment.signal}.{judgment.reason}"
        if REASON + name not in classifier.weights_:
            raise InputError(
                f"the detector weighs no reason '{judgment.reason}' of a signal "
                f"'{judgment.signal}'",
                field="reason",
            )
        counts.setdefault(name, Counter())[judgment.finding] += 1
        before.setdefault(name, classifier.weights_[REASON + name])
    moved = AdditiveClassifier(classifier.strength)
    moved.intercept_ = classifier.intercept_
    moved.weights_ = dict(classifier.weights_)
    base = float(logit(np.array([learned.class_balance]))[0])
    for name, of in counts.items():
        moved.weights_[REASON + name] = round(
            judged_weight(before[name], spread_of(name), of["confirmed"], of["dismissed"], base), 4
        )
    training = {
        **learned.training,
        COUNTS: {name: dict(sorted(of.items())) for name, of in sorted(counts.items())},
        BEFORE: dict(sorted(before.items())),
    }
    return replace(learned, classifier=_replaced(learned, moved), training=training)


def findings_judged(
    judgments: Iterable[FindingJudgment | CaseJudgment], scored: Iterable[ScoredCase]
) -> list[FindingJudgment]:
    """Return judgments of findings, those of queries as judgments of what was found in them.

    A finding in a query that turned out correct is dismissed, one in an incorrect query confirmed:
    how often a query with it is incorrect, is what a reason's weight says.

    Parameters
    ----------
    judgments
        What a team says.
    scored
        The scores that the judged queries had.

    Raises
    ------
    InputError
        Where a judged query is not among the scored ones.
    """
    known = {str(case.question_id): case for case in scored}
    found: list[FindingJudgment] = []
    for judgment in judgments:
        if isinstance(judgment, FindingJudgment):
            found.append(judgment)
            continue
        case = known.get(str(judgment.question_id))
        if case is None:
            raise InputError(
                f"question {judgment.question_id!r} is judged as a whole and is not among the "
                "scores: give the scores that it had (--scores)",
                field="question_id",
            )
        said: Literal["confirmed", "dismissed"] = "dismissed" if judgment.correct else "confirmed"
        reasons = {
            (finding.signal, finding.reason): None
            for finding in case.findings
            if (finding.contribution or 0.0) > 0.0 and finding.reason
        }
        found += [FindingJudgment(judgment.question_id, *reason, said) for reason in reasons]
    return found


def judged_weight(
    before: float, spread: float, confirmed: int, dismissed: int, base: float
) -> float:
    """Return the weight of a reason, 0 or more, after findings were judged.

    Parameters
    ----------
    before
        Its weight in log-odds elsewhere.
    spread
        Standard deviation of it between databases, above 0.
    confirmed, dismissed
        How many findings of it were judged right, and wrong.
    base
        Log-odds of a query being incorrect beside the finding.
    """
    from scipy.optimize import brentq

    def slope(weight: float) -> float:
        believed = float(sigmoid(np.array([base + weight]))[0])
        given = confirmed * (1.0 - believed) - dismissed * believed
        return (before - weight) / spread**2 + given

    if slope(0.0) <= 0.0:
        return 0.0
    # each confirmation raises the weight by less than the variance
    return float(brentq(slope, 0.0, before + (confirmed + 1) * spread**2))


def spread_of(reason: str) -> float:
    """Return how a reason's log-odds differ between databases, as a standard deviation."""
    signal, _, name = reason.partition(".")
    saved: Mapping[str, Any] = strengths().get(signal, {}).get(name, {})
    return float(saved.get("spread") or USUAL_SPREAD)


def _additive(learned: Learned) -> AdditiveClassifier:
    classifier: Any = learned.classifier
    if isinstance(classifier, WarmStartClassifier):
        return classifier.start
    if isinstance(classifier, AdditiveClassifier):
        return classifier
    raise InputError(
        "only a detector with the additive classifier, or one that was started from such a "
        "detector, learns from feedback on findings"
    )


def _replaced(learned: Learned, moved: AdditiveClassifier) -> Any:
    classifier: Any = learned.classifier
    if not isinstance(classifier, WarmStartClassifier):
        return moved
    other = WarmStartClassifier(moved, classifier.inner)
    other.share_, other.has_teacher = classifier.share_, classifier.has_teacher
    return other
