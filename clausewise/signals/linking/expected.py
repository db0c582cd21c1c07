"""What the words of a question lead one to expect of a query, and how far the query is from it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from clausewise.expectation import observed, packaged_expectation
from clausewise.question.language import unreadable_language
from clausewise.signals.linking.expected_columns import expected_column_gaps
from clausewise.signals.linking.verified import verifier_gaps

if TYPE_CHECKING:
    from clausewise.expectation import ShapeExpectation
    from clausewise.signals.context import Context

logger = logging.getLogger(__name__)


def expected_shape(context: Context) -> ShapeExpectation | None:
    """Return what is expected of the query's shape; None where the question cannot be read.

    To be used as `context.once(expected_shape)`.
    """
    case = context.case
    if not case.question.strip() or unreadable_language(case.question) is not None:
        return None
    expectation = context.expectation or packaged_expectation()
    return expectation.shape(case.question, case.evidence)


def observed_shape(context: Context) -> dict[str, str]:
    """Return the query's class of each attribute; to be used as `context.once(observed_shape)`."""
    return observed(context.query)


def shape_gaps(context: Context) -> dict[str, float]:
    """Return how much each attribute of the query's shape surprises, see `ShapeExpectation.gaps`.

    Empty where the question cannot be read.
    """
    expected = context.once(expected_shape)
    return {} if expected is None else expected.gaps_of(context.once(observed_shape))


def expectation_gaps(context: Context) -> dict[str, float]:
    """Return all gaps by name, 0 or more, high = surprising; never raises for what is in a case."""
    found: dict[str, float] = {}
    for gaps in (shape_gaps, expected_column_gaps, verifier_gaps):
        try:
            found |= context.once(gaps)
        except Exception:  # a defect here must not cost the case what its signals found
            logger.exception("nothing is expected of case %r", context.case.question_id)
    return found
