"""Ways in which static word embeddings may take the place of string similarity in the signals.

No threshold is fitted: 0.3 and 0.9 are the defaults of the wheel's own `filter` and `deduplicate`,
0.25 is the margin that value_ambiguity already asks between two columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from clausewise.question.reading import QuestionReading
from clausewise.question.words import closeness, name_words, question_words
from clausewise.signals.context import Context
from clausewise.signals.linking import columns as linked_columns
from clausewise.signals.linking.constants import QueryFacts
from clausewise.signals.linking.values import is_grammar
from clausewise.signals.predicate import pred06_value_ambiguity as ambiguity
from clausewise.signals.question import qst17_uncovered_mention as uncovered
from clausewise.signals.question import qst18_distant_column as distant
from clausewise.signals.schema import schm01_table_similarity as similarity_of_tables
from clausewise.sql.model import ColumnUse
from clausewise.types import Finding, Level

RELATED = 0.3
"""Cosine from which `WordLlamaInference.filter` keeps a text."""
SAME = 0.9
"""Cosine from which `WordLlamaInference.deduplicate` takes two texts as one."""
MARGIN = ambiguity.MARGIN
AS_SYNONYM = 0.9
"""What `meets` gives a synonym of its table."""

Similarity = Callable[[str, str], float]
"""Returns the cosine in [-1, 1] of two words or short texts, high = alike."""


def wordllama_similarity() -> Similarity:
    """Return the cosine of the embeddings in the installed wheel `wordllama`, without a network.

    Raises ImportError where it is not installed.
    """
    import wordllama

    # the wheel's own lookup misses the tokenizer beside it and asks the network for it
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    @lru_cache(maxsize=50_000)
    def vector(text: str) -> NDArray[np.float32]:
        found: NDArray[np.float32] = model.embed([text], norm=True)[0]
        return found

    @lru_cache(maxsize=1_000_000)
    def similarity(first: str, second: str) -> float:
        return float(vector(first) @ vector(second))

    return similarity


def nearest(word: str, others: Iterable[str], similarity: Similarity) -> float:
    """Return the cosine of the nearest of the others, 0 for words too short to have a meaning."""
    if not _has_meaning(word):
        return 0.0
    return max((similarity(word, other) for other in others if _has_meaning(other)), default=0.0)


def _has_meaning(word: str) -> bool:
    return len(word) >= 3 and word.isalpha()


Meets = Callable[[str, frozenset[str]], float]


def meets_with(similarity: Similarity, threshold: float) -> Meets:
    """Return `meets` that also takes near words for synonyms."""
    strings = linked_columns.meets

    @lru_cache(maxsize=100_000)
    def meets(word: str, others: frozenset[str]) -> float:
        found = strings(word, others)
        if found or nearest(word, others, similarity) < threshold:
            return found
        return AS_SYNONYM

    return meets


def closeness_with(similarity: Similarity, threshold: float) -> Callable[[str, str], float]:
    """Return `closeness` in which a near word counts by its cosine."""

    @lru_cache(maxsize=100_000)
    def close(name: str, question: str) -> float:
        parts = name_words(name)
        spoken = question_words(question)
        total = 0.0
        for part in parts:
            by_string = closeness(part, question)
            cosine = nearest(part, spoken, similarity)
            total += max(by_string, cosine if cosine >= threshold else 0.0)
        return total / len(parts) if parts else 0.0

    return close


Closer = Callable[[ColumnUse, QuestionReading, QueryFacts, Context], Finding | None]


def own_by_meaning(similarity: Similarity, threshold: float) -> Closer:
    """Return distant_column that is silent where the question says a word near to the used one."""
    strings = distant._closer

    def closer(
        use: ColumnUse, reading: QuestionReading, facts: QueryFacts, context: Context
    ) -> Finding | None:
        found = strings(use, reading, facts, context)
        if found is None:
            return None
        said = spoken_words(reading)
        near = (nearest(word, said, similarity) for word in _own(use, context))
        return None if max(near, default=0.0) >= threshold else found

    return closer


def other_by_meaning(similarity: Similarity, threshold: float) -> Closer:
    """Return distant_column that also takes near words for the name of the other column.

    As by letters, the evidence speaks for the column used, not for others. Words of the question
    that some used column says are taken, and the other column must be nearer by `MARGIN`.
    """
    strings = distant._closer

    def closer(
        use: ColumnUse, reading: QuestionReading, facts: QueryFacts, context: Context
    ) -> Finding | None:
        found = strings(use, reading, facts, context)
        if found is not None or not _may_be_distant(use, reading, context):
            return found
        used = frozenset(w for other in facts.columns for w in name_words(other.column or ""))
        asked = spoken_words(reading, evidence=False)
        free = frozenset(w for w in asked if not distant.meets(w, used))
        said = spoken_words(reading)

        def near(words: frozenset[str], others: frozenset[str]) -> list[float]:
            return [1.0 if w in others else nearest(w, others, similarity) for w in sorted(words)]

        own = float(np.mean(near(_own(use, context), said)))
        rivals = []
        for name, words in _rivals(use, facts, context):
            cosines = near(words, free)
            if not words & used and min(cosines) >= threshold:
                rivals.append((float(np.mean(cosines)), name, len(words) > 1))
        best = max(rivals, default=None)
        if best is None or best[0] < own + MARGIN:
            return None
        return _finding(use, best[1], best[2], context)

    return closer


def whole_names(similarity: Similarity) -> Closer:
    """Return distant_column that compares whole names with the whole question, by `MARGIN`."""
    strings = distant._closer

    def closer(
        use: ColumnUse, reading: QuestionReading, facts: QueryFacts, context: Context
    ) -> Finding | None:
        found = strings(use, reading, facts, context)
        if found is not None or not _may_be_distant(use, reading, context):
            return found

        def near(words: Iterable[str]) -> float:
            return similarity(" ".join(sorted(words)), reading.question)

        own = near(_own(use, context))
        rivals = ((near(words), name, words) for name, words in _rivals(use, facts, context))
        best = max(rivals, key=lambda rival: (rival[0], rival[1]), default=None)
        if best is None or best[0] < own + MARGIN:
            return None
        return _finding(use, best[1], len(best[2]) > 1, context)

    return closer


def spoken_words(reading: QuestionReading, evidence: bool = True) -> frozenset[str]:
    """Return the words of the question, and of the evidence, that name something."""
    words = {t.word for t in reading.tokens if not t.quoted and not is_grammar(t)}
    return frozenset(words | set(question_words(reading.evidence) if evidence else ()))


def _own(use: ColumnUse, context: Context) -> frozenset[str]:
    table = context.schema.table(str(use.table))
    return distant._own_words(table, str(use.column), context) if table else frozenset()


def _may_be_distant(use: ColumnUse, reading: QuestionReading, context: Context) -> bool:
    """Whether distant_column would look for another column: the one used is not spoken of."""
    words, column = _own(use, context), str(use.column)
    said = reading.words | frozenset(reading.evidence.lower().split())
    return not (
        not words
        or distant._is_key(column)
        or any(distant.meets(word, said) for word in words)
        or column.casefold() in reading.evidence.casefold()
        or distant._holds_said(use, reading, context)
    )


def _rivals(
    use: ColumnUse, facts: QueryFacts, context: Context
) -> Iterator[tuple[str, frozenset[str]]]:
    table = context.schema.table(str(use.table))
    for other in table.columns if table else ():
        if other.name.casefold() in facts.column_names or distant._is_key(other.name):
            continue
        words = distant._own_words(table, other.name, context) if table else frozenset()
        if words:
            yield f"{use.table}.{other.name}", words


def _finding(use: ColumnUse, other: str, full: bool, context: Context) -> Finding:
    return Finding(
        clause=context.span(use.clause, use.piece.start, use.piece.end),
        score=distant.NAMED_IN_FULL if full else distant.NAMED,
        message=f"the question is nearer to {other} than to {use.column}",
        evidence={"reason": "meaning", "other": other},
        suggestion=f"use {other}",
        level=Level.WARNING if full else Level.INFO,
    )


@contextmanager
def replaced(*places: tuple[object, str, object]) -> Iterator[None]:
    """Put other functions in the place of a module's own for a while."""
    with ExitStack() as stack:
        for module, name, function in places:
            stack.enter_context(patch.object(module, name, function))
        yield


def variants(similarity: Similarity) -> dict[str, list[tuple[object, str, object]]]:
    """Return for each way what it replaces: (module, name, function)."""
    found: dict[str, list[tuple[object, str, object]]] = {}
    for threshold in (RELATED, SAME):
        near = meets_with(similarity, threshold)
        close = closeness_with(similarity, threshold)
        own = own_by_meaning(similarity, threshold)
        other = other_by_meaning(similarity, threshold)
        found |= {
            f"distant_column, used column by meaning, {threshold}": [(distant, "_closer", own)],
            f"distant_column, other column by meaning, {threshold}": [(distant, "_closer", other)],
            f"words of `meets`, {threshold}": [
                (linked_columns, "meets", near), (uncovered, "meets", near),
            ],
            f"words of `closeness`, {threshold}": [
                (ambiguity, "closeness", close), (similarity_of_tables, "closeness", close),
            ],
        }  # fmt: skip
    found["distant_column, whole names, margin"] = [(distant, "_closer", whole_names(similarity))]
    return found
