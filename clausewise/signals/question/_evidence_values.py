"""Values that evidence gives against the constants of a query."""

from __future__ import annotations

import re

from rapidfuzz.distance import JaroWinkler

from clausewise.question.evidence import EvidenceComparison
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import QueryFacts, fold

LIKE_ENOUGH = 0.88
"""Similarity in [0, 1] from which a constant of the query counts as the evidence's value."""
NUMBER_TEXT = re.compile(r"-?\d+(?:\.\d+)?")
LONGEST_CODE = 3
"""Characters up to which a value is taken for a code."""


def why_missing(comparison: EvidenceComparison, context: Context, facts: QueryFacts) -> str:
    """Return how a value is missing: the column has another one, is only shown, or is not used."""
    name = comparison.column.rpartition(".")[2].casefold()
    made = [one for _, one in context.comparisons() if one.column.name.casefold() == name]
    if any(one.operator in ("=", "IN", "LIKE") for one in made):
        return "other_value"
    return "value_shown" if name in facts.column_names else "value"


def is_patterned(comparison: EvidenceComparison, context: Context) -> bool:
    """Whether the query, too, compares the column with a pattern; the letters may differ."""
    name = comparison.column.rpartition(".")[2].casefold()
    return any(
        made.operator == "LIKE" and made.column.name.casefold() == name
        for _, made in context.comparisons()
    )


def looks_at(comparison: EvidenceComparison, context: Context) -> bool:
    """Whether the query compares or counts the column that must, or must not, be NULL."""
    name = comparison.column.rpartition(".")[2].casefold()
    if any(made.column.name.casefold() == name for _, made in context.comparisons()):
        return True
    return any(
        aggregate.function == "count"
        and any((use.column or use.name).casefold() == name for use in aggregate.columns)
        for select in context.query.selects
        for aggregate in select.aggregates
    ) or any(
        item.column is not None and item.negated and item.column.name.casefold() == name
        for select in context.query.selects
        for item in select.subquery_filters
    )


def has_value(value: str, comparison: EvidenceComparison, facts: QueryFacts) -> bool:
    number = value.replace(",", "").rstrip("%")
    if NUMBER_TEXT.fullmatch(number):
        wanted = abs(float(number))
        near = {wanted} if comparison.operator == "=" else {wanted - 1, wanted, wanted + 1}
        return bool(near & facts.numbers)
    folded = fold(value)
    parts = folded.split()
    for constant in facts.texts:
        if _holds(folded, constant.folded) or _holds(constant.folded, folded):
            return True
        if JaroWinkler.similarity(folded, constant.folded) >= LIKE_ENOUGH:
            return True
    texts = {constant.folded for constant in facts.texts}
    return len(parts) > 1 and all(part in texts for part in parts)


def _holds(text: str, part: str) -> bool:
    """Whether a text holds a part: a code such as M only as a word of its own, not in Male."""
    if len(part) > LONGEST_CODE:
        return part in text
    return bool(part) and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None
