"""Ways in which static word embeddings may take part in the signal `distant_column`.

Each way is a signal of its own around the packaged one. No threshold is fitted: 0.3 and 0.9 are
the defaults of the wheel's own `filter` and `deduplicate`, 0.25 is the margin that value_ambiguity
asks between two columns.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.words import name_words, question_words
from clausewise.signals import SignalSpec, select_signals
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import column_words, match_score
from clausewise.signals.linking.constants import QueryFacts, facts_of, fold
from clausewise.signals.linking.values import is_grammar
from clausewise.signals.predicate.pred06_value_ambiguity import MARGIN
from clausewise.signals.question.qst18_distant_column import KINDS, distant_column
from clausewise.sql.model import ColumnUse
from clausewise.types import Case, Finding

SIGNAL = "distant_column"
RELATED = 0.3
"""Cosine from which `WordLlamaInference.filter` keeps a text."""
SAME = 0.9
"""Cosine from which `WordLlamaInference.deduplicate` takes two texts as one."""

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


@dataclasses.dataclass(frozen=True)
class Use:
    """A column that the query uses, with all that is known of question and query."""

    column: ColumnUse
    reading: QuestionReading
    facts: QueryFacts
    context: Context

    @property
    def words(self) -> frozenset[str]:
        """The words of the column's name that its table's name does not say."""
        return self.words_of(str(self.column.column))

    def words_of(self, column: str) -> frozenset[str]:
        """Return the words of a column of the same table that its table's name does not say."""
        table = self.context.schema.table(str(self.column.table))
        if table is None:
            return frozenset()
        words = column_words(self.context.schema, table.name, column)
        return words - frozenset(name_words(table.name))

    def may_be_distant(self) -> bool:
        """Whether the packaged signal would look for another column: this one is not said."""
        name = str(self.column.column)
        said = self.reading.words | frozenset(self.reading.evidence.lower().split())
        return not (
            not self.words
            or _is_key(name)
            or any(match_score(word, said) for word in self.words)
            or name.casefold() in self.reading.evidence.casefold()
            or self._is_compared_with_what_is_said()
        )

    def rivals(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the other columns of the table that the query does not use, with their words."""
        table = self.context.schema.table(str(self.column.table))
        for other in table.columns if table else ():
            if other.name.casefold() in self.facts.column_names or _is_key(other.name):
                continue
            words = self.words_of(other.name)
            if words:
                yield f"{self.column.table}.{other.name}", words

    def spoken(self, evidence: bool = True) -> frozenset[str]:
        """Return the words of the question, and of the evidence, that name something."""
        words = {t.word for t in self.reading.tokens if not t.quoted and not is_grammar(t)}
        more = question_words(self.reading.evidence) if evidence else ()
        return frozenset(words | set(more))

    def finding(self, other: str, full: bool) -> Finding:
        """Return the finding that another column is nearer to the question."""
        use = self.column
        return Finding(
            clause=self.context.span(use.clause, use.piece.start, use.piece.end),
            reason="named_in_full" if full else "named",
            message=f"the question is nearer to {other} than to {use.column}",
            evidence={"other": other},
            suggestion=f"use {other}",
        )

    def _is_compared_with_what_is_said(self) -> bool:
        said = f"{self.reading.question} {self.reading.evidence}".casefold()
        return any(
            comparison.column.name == self.column.name
            and all(fold(str(literal.value)) in said for literal in comparison.literals)
            for _, comparison in self.context.comparisons()
        )


def _is_key(column: str) -> bool:
    return column.casefold().endswith("id")


Rule = Callable[[Use, Finding | None], Finding | None]
"""Returns the finding on a use of a column, given that of the packaged signal."""


def own_by_meaning(similarity: Similarity, threshold: float) -> Rule:
    """Be silent where the question says a word near to the used column's name."""

    def rule(use: Use, by_letters: Finding | None) -> Finding | None:
        if by_letters is None:
            return None
        near = (nearest(word, use.spoken(), similarity) for word in use.words)
        return None if max(near, default=0.0) >= threshold else by_letters

    return rule


def other_by_meaning(similarity: Similarity, threshold: float) -> Rule:
    """Also take near words for the name of the other column.

    As by letters, the evidence supports the column used, not for others. Words of the question
    that some used column says are taken, and the other column must be nearer by `MARGIN`.
    """

    def near(words: frozenset[str], others: frozenset[str]) -> list[float]:
        return [1.0 if w in others else nearest(w, others, similarity) for w in sorted(words)]

    def rule(use: Use, by_letters: Finding | None) -> Finding | None:
        if by_letters is not None or not use.may_be_distant():
            return by_letters
        used = frozenset(w for other in use.facts.columns for w in name_words(other.column or ""))
        free = frozenset(w for w in use.spoken(evidence=False) if not match_score(w, used))
        own = float(np.mean(near(use.words, use.spoken())))
        rivals = []
        for name, words in use.rivals():
            cosines = near(words, free)
            if not words & used and min(cosines) >= threshold:
                rivals.append((float(np.mean(cosines)), name, len(words) > 1))
        best = max(rivals, default=None)
        if best is None or best[0] < own + MARGIN:
            return None
        return use.finding(best[1], best[2])

    return rule


def whole_names(similarity: Similarity) -> Rule:
    """Compare whole names with the whole question, by `MARGIN`."""

    def rule(use: Use, by_letters: Finding | None) -> Finding | None:
        if by_letters is not None or not use.may_be_distant():
            return by_letters

        def near(words: Iterable[str]) -> float:
            return similarity(" ".join(sorted(words)), use.reading.question)

        rivals = ((near(words), name, words) for name, words in use.rivals())
        best = max(rivals, key=lambda rival: (rival[0], rival[1]), default=None)
        if best is None or best[0] < near(use.words) + MARGIN:
            return None
        return use.finding(best[1], len(best[2]) > 1)

    return rule


def packaged() -> SignalSpec:
    """Return the packaged signal."""
    (spec,) = select_signals(SIGNAL)
    return spec


def with_rule(rule: Rule) -> SignalSpec:
    """Return the packaged signal with what the rule makes of its findings."""

    def function(case: Case, context: Context) -> Iterator[Finding]:
        found = {(f.clause.start, f.clause.end): f for f in distant_column(case, context)}
        reading, facts = read_question(case), facts_of(context)
        seen = set()
        for use in facts.columns:
            name = (use.table, use.column)
            if None in name or use.in_join_condition or use.clause not in KINDS or name in seen:
                continue
            seen.add(name)
            by_letters = found.get((use.piece.start, use.piece.end))
            finding = rule(Use(use, reading, facts, context), by_letters)
            if finding is not None:
                yield finding

    return dataclasses.replace(packaged(), function=function)


def variants(similarity: Similarity) -> dict[str, SignalSpec]:
    """Return the signal of each way."""
    found: dict[str, SignalSpec] = {}
    for threshold in (RELATED, SAME):
        own, other = own_by_meaning(similarity, threshold), other_by_meaning(similarity, threshold)
        found[f"{SIGNAL}, used column by meaning, {threshold}"] = with_rule(own)
        found[f"{SIGNAL}, other column by meaning, {threshold}"] = with_rule(other)
    found[f"{SIGNAL}, whole names, margin"] = with_rule(whole_names(similarity))
    return found
