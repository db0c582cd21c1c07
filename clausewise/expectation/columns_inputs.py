"""A question beside a schema, as the arrays that the model of columns reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.columns_schema import SchemaWords
from clausewise.expectation.columns_statics import Floats
from clausewise.expectation.columns_words import stem
from clausewise.question.evidence import EvidenceStatement
from clausewise.question.reading import QuestionReading
from clausewise.question.tokens import Token
from clausewise.question.words import name_words, question_words

MOST_TOKENS = 80
"""Tokens of a question that are read."""
TOKEN_FACTS, CHANNELS, COLUMN_FACTS, TABLE_FACTS, QUESTION_FACTS = 8, 7, 30, 7, 10
"""Widths of the arrays below."""
PADDING, UNKNOWN, UNKNOWN_CAPITALIZED, NUMBER, QUOTED = range(5)
"""Numbers of what is no known word."""
FIRST_WORD = 5
_COMPARED = re.compile(r"([^\W\d][\w.]*)\s*(?:[=<>]|!=|\bin\b|\bbetween\b|\blike\b)", re.IGNORECASE)
_SURE = 0.75
_FULL = 0.79


@dataclass(slots=True)
class ColumnInputs:
    """What the model reads of `t` tokens, `n` columns and `m` tables."""

    ids: NDArray[np.int64]
    """Number of each token's word, `[t]`."""
    token_facts: Floats
    """`[t, TOKEN_FACTS]`."""
    channels: Floats
    """How well each token fits each column, in `CHANNELS` ways, `[CHANNELS, t, n]`."""
    column_facts: Floats
    """`[n, COLUMN_FACTS]`."""
    table_facts: Floats
    """`[m, TABLE_FACTS]`."""
    question_facts: Floats
    """`[QUESTION_FACTS]`."""


def column_inputs(
    reading: QuestionReading, words: SchemaWords, vocabulary: Mapping[str, int]
) -> ColumnInputs:
    """Return the arrays of a question with its evidence, beside a schema of at least one column.

    `vocabulary` gives the numbers of known stems, from `FIRST_WORD`.
    """
    tokens = reading.tokens[:MOST_TOKENS]
    t, n, m = len(tokens), len(words.columns), len(words.tables)
    active, matched = matched_words(tokens, words)
    shares = words.shares[active]
    by_token, best = matched @ shares, matched.max(axis=0, initial=0.0)
    overall = best @ shares
    touched = np.minimum(by_token[:, 4 * n : 5 * n], 1.0)
    of_table = np.minimum(by_token[:, 5 * n + m :], 1.0)
    covered, table_covered = overall[:n], overall[5 * n : 5 * n + m]
    evidence, linked, n_named = _evidence(reading, tokens, words)
    channels = np.empty((CHANNELS, t, n), dtype=np.float32)
    channels[0] = touched
    np.multiply(touched, covered, out=channels[1])
    channels[2] = by_token[:, 2 * n : 3 * n]
    channels[3] = by_token[:, 3 * n : 4 * n]
    channels[4] = by_token[:, n : 2 * n]
    channels[5] = linked
    channels[6] = of_table[:, words.table_of]
    facts = np.zeros((n, COLUMN_FACTS), dtype=np.float32)
    facts[:, 0] = covered
    facts[:, 1] = covered >= _FULL
    facts[:, 2] = overall[2 * n : 3 * n]
    # What is rarest of the words that are said.
    weights = (best * words.rarity[active])[:, None]
    facts[:, 3] = (weights * shares[:, 4 * n : 5 * n]).max(axis=0, initial=0.0)
    facts[:, 4] = overall[3 * n : 4 * n]
    facts[:, 5] = table_covered[words.table_of]
    facts[:, 6] = facts[:, 5] >= _FULL
    facts[:, 7] = overall[n : 2 * n]
    facts[:, 8] = facts[:, 7] >= _FULL
    _places(facts, touched, of_table, words)
    _ranks(facts, words)
    facts[:, 24:30] = evidence
    table_facts = _table_facts(of_table, table_covered, words, facts)
    token_facts = _token_facts(tokens, touched, of_table, channels[1])
    question_facts = _question_facts(reading, token_facts, facts, words, n_named)
    ids = np.array([_number(token, vocabulary) for token in tokens], dtype=np.int64)
    return ColumnInputs(ids, token_facts, channels, facts, table_facts, question_facts)


def _number(token: Token, vocabulary: Mapping[str, int]) -> int:
    if token.quoted:
        return QUOTED
    known = vocabulary.get(stem(token.lower))
    if known is not None:
        return known
    if _is_number(token):
        return NUMBER
    return UNKNOWN_CAPITALIZED if token.capitalized else UNKNOWN


def _is_number(token: Token) -> bool:
    return token.text[0].isdigit()


def matched_words(tokens: tuple[Token, ...], words: SchemaWords) -> tuple[list[int], Floats]:
    """Return the places of the schema's words that are said, `[a]`, and how well, `[t, a]`."""
    found: list[tuple[int, int, float]] = []
    for at, token in enumerate(tokens):
        if token.quoted or not token.is_word:
            continue
        found.extend((at, place, value) for place, value in words.matches(token.word))
        for part in token.word.split("-") if "-" in token.word else ():
            found.extend((at, place, value) for place, value in words.matches(part))
        if at + 1 < len(tokens) and tokens[at + 1].is_word:
            place_of_both = words.vocabulary.get(token.lower + tokens[at + 1].word)
            if place_of_both is not None:
                found.append((at, place_of_both, 1.0))
                found.append((at + 1, place_of_both, 1.0))
    active = sorted({place for _, place, _ in found})
    column = {place: index for index, place in enumerate(active)}
    matched = np.zeros((len(tokens), len(active)), dtype=np.float32)
    for at, place, value in found:
        matched[at, column[place]] = max(matched[at, column[place]], value)
    return active, matched


def _places(facts: Floats, touched: Floats, of_table: Floats, words: SchemaWords) -> None:
    """Fill in where the tokens of each column stand, and what else they could mean."""
    said = touched > _SURE
    length = facts[:, 0] * words.name_sizes
    if not len(said):
        return
    t = len(said)
    facts[:, 9] = (said[1:] & said[:-1]).any(axis=0)
    facts[:, 10] = (said[2:] & said[1:-1] & said[:-2]).any(axis=0)
    some = said.any(axis=0)
    first = said.argmax(axis=0)
    last = t - 1 - said[::-1].argmax(axis=0)
    facts[:, 11] = np.where(some, first / t, -1.0)
    facts[:, 12] = np.where(some, last / t, -1.0)
    longest = (said * length).max(axis=1)
    missed = np.where(said, longest[:, None] - length, 4.0)
    facts[:, 13] = np.minimum(missed.min(axis=0), 4.0)
    facts[:, 14] = length / 4
    tables = (of_table > _SURE)[:, words.table_of]
    seen = tables.any(axis=0)
    apart = np.abs(first - tables.argmax(axis=0))
    facts[:, 15] = np.where(seen & some, 1.0 / (1.0 + apart), 0.0)
    facts[:, 16] = said.sum(axis=0) / 4
    # What says the column alone, and not its table too.
    facts[:, 17] = (said & ~tables).any(axis=0)


def _ranks(facts: Floats, words: SchemaWords) -> None:
    """Fill in how far each column is behind the best of the schema and of its table."""
    score = 0.6 * facts[:, 0] + 0.4 * facts[:, 2] + 0.2 * facts[:, 5]
    both = np.maximum(score, 0.8 * facts[:, 4])
    facts[:, 18] = both - both.max()
    within = np.maximum.reduceat(both, words.starts)[words.table_of]
    facts[:, 19] = both - within
    facts[:, 20] = (both >= within - 1e-6) & (both > 0)
    facts[:, 21] = np.log1p((both >= both.max() - 1e-6).sum()) / 4 if both.max() > 0 else 1.0
    facts[:, 22] = np.maximum.reduceat(facts[:, 0], words.starts)[words.table_of]
    # Another column of the same name stands in a table that the question names.
    facts[:, 23] = facts[:, 5] - facts[:, 5].max()


def _evidence(
    reading: QuestionReading, tokens: tuple[Token, ...], words: SchemaWords
) -> tuple[Floats, Floats, int]:
    """Return what the evidence says of each column `[n, 6]`, links `[t, n]`, columns named."""
    n = len(words.columns)
    facts = np.zeros((n, 6), dtype=np.float32)
    linked = np.zeros((len(tokens), n), dtype=np.float32)
    if not reading.evidence:
        return facts, linked, 0
    facts[:, 5] = 1.0
    spoken = [stem(token.word) if token.is_word else "" for token in tokens]
    for statement in reading.statements:
        named = _named(statement, words)
        # `status = 2 means shipped` defines the other way round: the column stands first.
        reversed_ = {} if named else _named_first(statement, words)
        said = statement.meaning if reversed_ else statement.phrase
        phrase = {stem(word) for word in question_words(said[:300])}
        share = sum(word in spoken for word in phrase) / len(phrase) if phrase else 0.0
        in_phrase = np.array([word in phrase for word in spoken], dtype=np.float32)
        for row, compared in (named or reversed_).items():
            facts[row, 0] = 1.0
            facts[row, 1] = max(facts[row, 1], compared)
            facts[row, 2] = max(facts[row, 2], bool(statement.calls))
            facts[row, 3] = max(facts[row, 3], share)
            facts[row, 4] = max(facts[row, 4], statement.listed)
            np.maximum(linked[:, row], in_phrase, out=linked[:, row])
    return facts, linked, int(facts[:, 0].sum())


def _named_first(statement: EvidenceStatement, words: SchemaWords) -> dict[int, bool]:
    """Return the places of the columns that a statement compares before it says what that means."""
    found: dict[int, bool] = {}
    for match in _COMPARED.finditer(statement.phrase[:300]):
        table, _, column = match.group(1).casefold().rpartition(".")
        rows = words.by_name.get(column, ())
        if table:
            rows = tuple(row for row in (words.at.get((table, column)),) if row is not None)
        found |= dict.fromkeys(rows, True)
    return found


def _named(statement: EvidenceStatement, words: SchemaWords) -> dict[int, bool]:
    """Return the places of the columns that a statement names, and whether it compares them."""
    compared = {item.column.casefold().rpartition(".")[2] for item in statement.comparisons}
    meant = {name.casefold() for name in statement.identifiers}
    meant.update(item.column.casefold() for item in statement.comparisons)
    found: dict[int, bool] = {}
    for name in meant:
        table, _, column = name.rpartition(".")
        rows = words.by_name.get(column, ())
        if table:
            row = words.at.get((table, column))
            rows = () if row is None else (row,)
        for row in rows:
            found[row] = column in compared
    if words.spaced:
        text = " " + " ".join(name_words(statement.meaning[:300])) + " "
        for row, spelled, joined in words.spaced:
            if spelled in text:
                found[row] = found.get(row, False) or joined in compared
    return found


def _table_facts(of_table: Floats, covered: Floats, words: SchemaWords, facts: Floats) -> Floats:
    made = np.zeros((len(words.tables), TABLE_FACTS), dtype=np.float32)
    said = of_table > _SURE
    made[:, 0] = covered
    made[:, 1] = covered >= _FULL
    made[:, 2] = covered - covered.max(initial=0.0)
    if len(said):
        made[:, 3] = np.where(said.any(axis=0), said.argmax(axis=0) / len(said), -1.0)
    made[:, 4] = np.maximum.reduceat(facts[:, 0], words.starts)
    made[:, 5] = np.maximum.reduceat(facts[:, 24], words.starts)
    made[:, 6] = np.maximum.reduceat(facts[:, 4], words.starts)
    return made


def _token_facts(
    tokens: tuple[Token, ...],
    touched: Floats,
    of_table: Floats,
    weighted: Floats,
) -> Floats:
    t = len(tokens)
    facts = np.zeros((t, TOKEN_FACTS), dtype=np.float32)
    facts[:, 0] = [token.quoted for token in tokens]
    facts[:, 1] = [_is_number(token) for token in tokens]
    facts[:, 2] = [token.capitalized and at > 0 for at, token in enumerate(tokens)]
    facts[:, 3] = touched.max(axis=1, initial=0.0) > _SURE
    facts[:, 4] = of_table.max(axis=1, initial=0.0) > _SURE
    facts[:, 5] = np.arange(t) / max(t, 1)
    facts[:, 6] = weighted.max(axis=1, initial=0.0)
    facts[:, 7] = [token.lower.endswith("s") for token in tokens]
    return facts


def _question_facts(
    reading: QuestionReading,
    token_facts: Floats,
    facts: Floats,
    words: SchemaWords,
    n_named: int,
) -> Floats:
    return np.array(
        [
            np.log1p(len(token_facts)) / 4,
            min(token_facts[:, 1].sum(), 4) / 4,
            min(token_facts[:, 0].sum(), 8) / 8,
            min(token_facts[:, 2].sum(), 8) / 8,
            bool(reading.evidence),
            min(n_named, 8) / 8,
            facts[:, 1].any(),
            np.log1p(len(words.columns)) / 6,
            np.log1p(len(words.tables)) / 4,
            facts[:, 6].any(),
        ],
        dtype=np.float32,
    )
