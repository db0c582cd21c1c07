"""What is wrong with the question itself: its language, its spelling, its subject."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import OSA

from clausewise.auditing.ranking import lift
from clausewise.auditing.suspects import Suspect
from clausewise.auditing.typology import CATEGORIES
from clausewise.databases.model import Schema
from clausewise.inflection import singular
from clausewise.naming.expansion import SchemaNames, expanded
from clausewise.question.english import is_word, word_ranks
from clausewise.question.language import unreadable_language
from clausewise.question.tokens import Token, tokens_of, word_set
from clausewise.question.words import name_words, question_words
from clausewise.sql.model import Query

_SHORTEST = 6
"""Letters from which a word is looked at: shorter ones are too often names or abbreviations."""
_COMMON = 8_000
"""Rank up to which an English word counts as one that somebody wanted to write."""
_MISSPELT = 0.15
_OTHER_LANGUAGE = 0.3
_OTHER_SUBJECT = 0.6
_FEWEST_SAID = 2
"""Words of the schema that a question must say before its query's silence on them means a thing."""


def suspects_of_question(
    question: str, evidence: str, query: Query | None, schema: Schema
) -> Iterator[Suspect]:
    """Yield what speaks against the question; nothing more of one that is not in English."""
    unread = unreadable_language(question)
    if unread is not None:
        yield Suspect(
            category=CATEGORIES["language"],
            lift=lift(_OTHER_LANGUAGE),
            message=unread,
            source="question.language",
        )
        return
    names = schema.once(_said_by_schema)
    for written, meant in misspelt_words(question, names):
        yield Suspect(
            category=CATEGORIES["misspelled"],
            lift=lift(_MISSPELT),
            message=f"'{written}' may be a misspelt '{meant}'",
            evidence={"written": written, "probable": meant},
            source="question.spelling",
            suggestion=f"write '{meant}'",
        )
    if query is not None:
        yield from _other_subject(f"{question} {evidence}", query, schema)


def misspelt_words(question: str, known: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """Return the words that are none, each with the only common one within one letter of it.

    Words in quotation marks, with capital letters, and those of the schema (`known`) are left out.

    >>> misspelt_words("What is the avarage age of all singers in Lisbonn?")
    [('avarage', 'average')]
    """
    found = []
    for token in tokens_of(question):
        written = token.text
        if _may_be_misspelt(token) and singular(written) not in known:
            near = _near(written, known)
            if near is not None:
                found.append((written, near))
    return list(dict.fromkeys(found))


def _may_be_misspelt(token: Token) -> bool:
    text = token.text
    plain = text.isascii() and text.isalpha() and text.islower() and not token.quoted
    return plain and len(text) >= _SHORTEST and not is_word(text)


def _near(written: str, known: frozenset[str]) -> str | None:
    """Return the only word that differs by one letter, of the schema's or of common ones."""
    ranks = word_ranks()
    for words in (known, (word for word, rank in ranks.items() if rank < _COMMON)):
        near = {
            word
            for word in words
            if word[0] == written[0]
            and abs(len(word) - len(written)) <= 1
            and OSA.distance(written, word, score_cutoff=1) == 1
        }
        near = {word for word in near if singular(written) != singular(word)}
        if near:
            return near.pop() if len(near) == 1 else None
    return None


def _said_by_schema(schema: Schema) -> frozenset[str]:
    names = expanded(schema)
    words: set[str] = set()
    for table in schema.tables:
        words |= _words_of(names, table.name, None)
        for column in table.columns:
            words |= _words_of(names, table.name, column.name)
    return frozenset(word for word in words if word)


def _words_of(names: SchemaNames, table: str, column: str | None) -> frozenset[str]:
    named = names.table(table) if column is None else names.column(table, column)
    return named.said | frozenset(name_words(table if column is None else column))


def _other_subject(text: str, query: Query, schema: Schema) -> Iterator[Suspect]:
    """Yield that the question says words of the schema, and none of those in the query."""
    names = expanded(schema)
    used: set[str] = set()
    for select in query.selects:
        for source in select.sources:
            if source.table is not None:
                used |= _words_of(names, source.table, None)
        for use in select.columns:
            if use.column is not None:
                used |= _words_of(names, use.table or "", use.column)
        for literal in select.literals:
            used |= set(question_words(str(literal.value)))
        if any(projection.star for projection in select.projections):
            return
    spoken = set(question_words(text)) - word_set("function", "words")
    said = spoken & schema.once(_said_by_schema)
    if len(said) >= _FEWEST_SAID and not said & used:
        yield Suspect(
            category=CATEGORIES["different_subject"],
            lift=lift(_OTHER_SUBJECT),
            message="the question speaks of "
            + ", ".join(f"'{word}'" for word in sorted(said)[:5])
            + "; the query uses nothing of that name",
            clause=query.span,
            evidence={"said": sorted(said), "used": sorted(used)[:20]},
            source="question.subject",
        )
