"""The reading of a question: computed once for a case, shared by all question signals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from clausewise.question.asked import Asked
from clausewise.question.asked_items import asked_of
from clausewise.question.bounds import LONG
from clausewise.question.dates import DateMention, dates_of
from clausewise.question.evidence import EvidenceStatement, evidence_statements
from clausewise.question.numbers import Number, numbers_of
from clausewise.question.tokens import (
    Token,
    find_phrase,
    quoted_spans,
    tokens_of,
    word_set,
    word_table,
)
from clausewise.types import Case

_OF_AGE = (("senior",), ("junior",), ("experienced",))
"""What `most` before it means depends on the column: an age, or a date of birth or of hiring."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A word or phrase of the question that asks for something in the query.

    `name` says for what (an operator for comparatives, `highest` or `lowest` for superlatives);
    `token` is the position of its first token.
    """

    name: str
    text: str
    token: int
    length: int = 1


class QuestionReading:
    """What a question's words say, each part computed when it is first used."""

    def __init__(self, question: str, evidence: str) -> None:
        self.question = question
        self.evidence = evidence
        self.tokens: tuple[Token, ...] = tokens_of(question)

    @cached_property
    def lowers(self) -> tuple[str, ...]:
        """The tokens in lower case; those inside quotation marks are empty."""
        return tuple("" if token.quoted else token.lower for token in self.tokens)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words outside quotation marks, in lower case and in the singular."""
        return frozenset(token.word for token in self.tokens if not token.quoted)

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the question in order."""
        return numbers_of(self.tokens, self.dates)

    @cached_property
    def dates(self) -> tuple[DateMention, ...]:
        """The dates of the question in order; a bare year is only a number."""
        return dates_of(self.tokens)

    def between(self, one: Number, other: Number) -> tuple[str, ...]:
        """Return the tokens between two numbers in lower case."""
        first, second = sorted((one, other), key=lambda number: number.token)
        return self.lowers[first.after : second.token]

    @cached_property
    def quoted(self) -> tuple[tuple[str, int, int], ...]:
        """(text, start, end) of everything in quotation marks."""
        return quoted_spans(self.question)

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """The things asked for, in order."""
        return asked_of(self.tokens)

    @cached_property
    def statements(self) -> tuple[EvidenceStatement, ...]:
        """The statements of the evidence."""
        return evidence_statements(self.evidence)

    @cached_property
    def comparatives(self) -> tuple[Cue, ...]:
        """`at least`, `more than`, ... with their operators, longest phrases first taken."""
        return self._comparatives()

    @cached_property
    def negations(self) -> tuple[Cue, ...]:
        """`not`, `never`, `other than`, ...; those inside a comparative do not count."""
        skipped = self._covered("cues", "negation_not")
        words = [
            Cue("negation", lower, at)
            for at, lower in enumerate(self.lowers)
            if at not in skipped
            and (lower in word_set("cues", "negation") or lower.endswith(("n't", "n\u2019t")))
        ]
        phrases = [
            Cue("negation", phrase, at, len(phrase.split()))
            for phrase in self._said("cues", "negation_phrases")
            for at in find_phrase(self.lowers, phrase)
            if at not in skipped
        ]
        covered = {cue.token + step for cue in phrases for step in range(cue.length)}
        kept = [cue for cue in words if cue.token not in covered]
        return tuple(sorted((*kept, *phrases), key=lambda cue: cue.token))

    @cached_property
    def disjunctions(self) -> tuple[Cue, ...]:
        """`or`, `either`; those of `two or more` do not count, those of `or more than` do."""
        skipped = self._covered("cues", "not_disjunction", unless_before="than")
        return tuple(
            Cue("disjunction", lower, at)
            for at, lower in enumerate(self.lowers)
            if at not in skipped and lower in word_set("cues", "disjunction")
        )

    @cached_property
    def superlatives(self) -> tuple[Cue, ...]:
        """`largest`, `fewest`, `oldest`, ... in order; `at most` and `at least` do not count."""
        found = []
        by_meaning = word_table("superlatives")["by_meaning"]
        for at, lower in enumerate(self.lowers):
            if lower in ("most", "least") and at and self.lowers[at - 1] == "at":
                continue
            if lower in ("most", "least") and self.lowers[at + 1 : at + 2] in _OF_AGE:
                continue
            for name in ("highest", "lowest"):
                if lower in word_set("superlatives", name):
                    found.append(Cue(name, lower, at))
            if lower in by_meaning:
                found.append(Cue(lower, lower, at))
        return tuple(found)

    def cues(self, key: str) -> tuple[Cue, ...]:
        """Return where the words and phrases of one list of the table `cues` stand, in order."""
        listed = word_set("cues", key)
        words = [Cue(key, lower, at) for at, lower in enumerate(self.lowers) if lower in listed]
        phrases = [
            Cue(key, phrase, at, len(phrase.split()))
            for phrase in self._said("cues", key)
            if " " in phrase
            for at in find_phrase(self.lowers, phrase)
        ]
        return tuple(sorted((*words, *phrases), key=lambda cue: cue.token))

    @cached_property
    def implied(self) -> frozenset[str]:
        """Words of columns that the question speaks of without their names: `cheapest` of a price.

        Also what `when`, `where` and `who` ask for.
        """
        return frozenset(
            column
            for words, columns in word_table("superlatives")["implied"].values()
            if not self.words.isdisjoint(words) or not frozenset(self.lowers).isdisjoint(words)
            for column in columns
        )

    def says(self, *phrases: str) -> bool:
        """Whether the question says one of the phrases, outside quotation marks."""
        return any(find_phrase(self.lowers, phrase) for phrase in phrases)

    @cached_property
    def _present(self) -> frozenset[str]:
        return frozenset(self.lowers)

    def _said(self, table: str, key: str) -> list[str]:
        """Return the phrases of a list, in its order, all of whose words the question says."""
        return [phrase for phrase, words in _listed(table, key) if words <= self._present]

    def _covered(self, table: str, key: str, unless_before: str = "") -> set[int]:
        """Return the positions of a table's phrases, but of those before a certain word."""
        covered: set[int] = set()
        for phrase in self._said(table, key):
            for at in find_phrase(self.lowers, phrase):
                after = at + len(phrase.split())
                if not unless_before or self.lowers[after : after + 1] != (unless_before,):
                    covered.update(range(at, after))
        return covered

    def _comparatives(self) -> tuple[Cue, ...]:
        known = _comparative_phrases()
        said = [item for first in self._present if first in known for item in known[first]]
        taken: set[int] = set()
        found = []
        for size, phrase, name in sorted(said):
            for at in find_phrase(self.lowers, phrase):
                place = set(range(at, at - size))
                if not place & taken and not self._goes_on(self.lowers[at], at - size):
                    taken |= place
                    found.append(Cue(name, phrase, at, -size))
        return tuple(sorted(found, key=lambda cue: cue.token))

    def _goes_on(self, first: str, after: int) -> bool:
        """Whether `or older`, `and under` only begins another bound: `or older than`, `under 5`."""
        if first not in ("or", "and") or after >= len(self.tokens):
            return False
        return self.lowers[after] in ("than", "then") or self.tokens[after].text[0].isdigit()


@lru_cache(maxsize=1)
def _comparative_phrases() -> dict[str, list[tuple[int, str, str]]]:
    """Return the comparatives by their first words: their length, negative, phrase and operator."""
    found: dict[str, list[tuple[int, str, str]]] = {}
    for operator, listed in word_table("comparatives").items():
        for phrase in listed:
            words = phrase.split()
            found.setdefault(words[0], []).append((-len(words), phrase, operator))
    return found


@lru_cache(maxsize=32)
def _listed(table: str, key: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the phrases of a list with their words."""
    return tuple((phrase, frozenset(phrase.split())) for phrase in word_table(table)[key])


_read = lru_cache(maxsize=1_024)(QuestionReading)
_read_long = lru_cache(maxsize=16)(QuestionReading)


def read_question(case: Case) -> QuestionReading:
    """Return the reading of a case's question and evidence; the same object for equal texts."""
    evidence = case.evidence or ""
    read = _read if len(case.question) + len(evidence) <= LONG else _read_long
    return read(case.question, evidence)
