"""Measures of a query's shape beside its question: features for a classifier, never findings.

The measures are those that SQLDriller's figure 12 relates to errors, and their ratios to the
length of the question and to the values that it names.
"""

from __future__ import annotations

import re

from clausewise.sql.model import Query, Role, Select

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"(?<!\w)(['\"]).{1,1000}?\1(?!\w)|[\u2018\u201c].{1,1000}?[\u2019\u201d]")
_LONGEST_QUESTION = 20_000
"""Characters of a question that are measured; those that people ask have a few hundred."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")


def shape(query: Query, question: str | None) -> dict[str, float]:
    """Return the measures in a fixed order: counts, then ratios, all finite and not negative.

    Without a question, or with one that names no value, the ratio is taken to one word or value,
    so that it still grows with the query.
    """
    selects = query.selects
    text = (question or "")[:_LONGEST_QUESTION]
    words = len(_WORD.findall(text))
    values = len(_QUOTED.findall(text)) + len(_NUMBER.findall(text))
    literals = sum(len(select.literals) for select in selects)
    measures = {
        "characters": query.span.end - query.span.start,
        "tokens": query.token_count,
        "depth": query.depth,
        "selects": len(selects),
        "subqueries": sum(select.role in (Role.SUBQUERY, Role.DERIVED) for select in selects),
        "joins": sum(max(len(select.sources) - 1, 0) for select in selects),
        "tables": len({table for select in selects for table in _tables(select)}),
        "conditions": sum(len(select.conjuncts) for select in selects),
        "functions": len(query.functions),
        "projections": len(query.root.projections) if selects else 0,
        "group_by": sum(len(select.group_by) for select in selects),
        "order_by": sum(len(select.order_by) for select in selects),
        "limit": sum(select.limit is not None for select in selects),
        "set_operations": len(query.set_operations),
        "distinct": sum(select.distinct for select in selects),
        "literals": literals,
        "question_words": words,
        "tokens_per_question_word": query.token_count / max(words, 1),
        "literals_per_question_value": literals / max(values, 1),
    }
    return {name: float(value) for name, value in measures.items()}


def _tables(select: Select) -> list[str]:
    """Return the base tables of a SELECT, by the schema's spelling or as written."""
    return [
        (source.table or source.name).casefold()
        for source in select.sources
        if source.select is None
    ]
