"""What the verifier makes of a case's question beside its query."""

from __future__ import annotations

from clausewise.databases.model import Schema
from clausewise.expectation.columns import ExpectedColumns
from clausewise.expectation.verifier_inputs import QuestionInputs, asked_of, verifier_inputs
from clausewise.expectation.verifier_model import Verified, packaged_verifier
from clausewise.question.bounds import LONG
from clausewise.question.language import unreadable_language
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.context import Context
from clausewise.signals.linking.expected_columns import expected_of

MOST = 3.0
"""Log-odds beyond which, on either side, the verifier is taken to be no surer."""
MOST_KEPT = 16
"""Questions that a schema keeps, each 2 MB where it has a thousand columns."""


def verified(context: Context) -> Verified | None:
    """Return what the verifier makes of a case; None where there is nothing to read.

    To be used as `context.once(verified)`.
    """
    reading = read_question(context.case)
    if unreadable_language(reading.question) is not None or not context.query.selects:
        return None
    expected = expected_of(context)
    if expected is None:
        return None
    model = packaged_verifier()
    asked = _asked(reading, expected, context)
    inputs = verifier_inputs(asked, context.query, expected.words, model.vocabulary, model.keywords)
    return model.verify(inputs)


def verifier_gaps(context: Context) -> dict[str, float]:
    """Return the gap `verifier_doubt` in [0, MOST], high = more likely wrong; empty if unread.

    It is half the way of the log-odds from -MOST to MOST: what speaks for a query counts as well.
    """
    found = context.once(verified)
    if found is None:
        return {}
    return {"verifier_doubt": round(min(max((found.log_odds + MOST) / 2, 0.0), MOST), 3)}


def _asked(reading: QuestionReading, expected: ExpectedColumns, context: Context) -> QuestionInputs:
    """Return a question beside the schema; other queries for it get it again."""
    vocabulary = packaged_verifier().vocabulary
    made = (reading, expected.words, vocabulary, expected.column_facts, expected.table_facts)
    if len(reading.question) + len(reading.evidence) > LONG:
        return asked_of(*made)
    known = context.schema.once(_asked_before)
    key = (reading.question, reading.evidence)
    if key not in known:
        if len(known) >= MOST_KEPT:
            known.clear()
        known[key] = asked_of(*made)
    return known[key]


def _asked_before(_schema: Schema) -> dict[tuple[str, str], QuestionInputs]:
    return {}
