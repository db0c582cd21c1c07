"""A question beside a query, as the arrays that the verifier reads.

Two sequences: the tokens of the question and its evidence, and the units of the query: keywords,
functions, columns, tables, names of results and constants, in text order, with the columns behind
them that the question could mean as well. How well each token fits each unit is told beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.columns_inputs import (
    COLUMN_FACTS,
    NUMBER,
    PADDING,
    QUOTED,
    TABLE_FACTS,
    UNKNOWN,
    UNKNOWN_CAPITALIZED,
    matched_words,
)
from clausewise.expectation.columns_schema import SchemaWords
from clausewise.expectation.columns_statics import COLUMN_STATICS, Floats
from clausewise.expectation.columns_words import stem
from clausewise.question.reading import QuestionReading
from clausewise.question.tokens import Token, tokens_of
from clausewise.question.words import name_words
from clausewise.sql.model import Literal, Query
from clausewise.types import Clause

MOST_ASKED, MOST_EVIDENCE, MOST_UNITS, MOST_OTHERS = 56, 40, 96, 10
"""Tokens, units and unused columns that are read."""
MOST_TOLD = 2_000
"""Characters of the evidence that are read."""
MOST_ORDERED = 120
"""Columns among which the unused ones are looked for."""
UNIT_WORDS = 5
"""Words of a name or a constant that are read."""
KEYWORD, COLUMN, TABLE, RESULT, CONSTANT, OTHER = range(6)
"""Kinds of units; `OTHER` is a column that the query does not use."""
FITS = 6
"""Ways in which a token may fit a unit."""
_CLAUSES = tuple(Clause)
_NUMBER_OF = {clause: number for number, clause in enumerate(_CLAUSES)}
TOKEN_FACTS = 9
UNIT_FACTS = 6 + len(_CLAUSES) + 8 + COLUMN_FACTS + TABLE_FACTS + COLUMN_STATICS
_DIGITS = re.compile(r"\d+")
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")
_NO_UNIT = frozenset({",", "(", ")", ".", ";", "AS"})


@dataclass(slots=True)
class VerifierInputs:
    """What the verifier reads of `t` tokens and `u` units."""

    tokens: NDArray[np.int64]
    """Number of each token's word, `[t]`."""
    token_facts: Floats
    """`[t, TOKEN_FACTS]`."""
    keywords: NDArray[np.int64]
    """Number of each unit's keyword or function, 0 for none, `[u]`."""
    words: NDArray[np.int64]
    """Numbers of the words of each unit, `[u, UNIT_WORDS]`."""
    unit_facts: Floats
    """`[u, UNIT_FACTS]`."""
    fits: Floats
    """How well each token fits each unit, in [0, 1], `[FITS, t, u]`."""


@dataclass(slots=True)
class QuestionInputs:
    """A question with its evidence beside a schema of `n` columns and `m` tables, `t` tokens."""

    numbers: NDArray[np.int64]
    """Of each token's word, `[t]`."""
    stems: tuple[str, ...]
    lowers: tuple[str, ...]
    values: tuple[float | None, ...]
    """What each token is as a number."""
    facts: Floats
    """`[t, TOKEN_FACTS]`, the last four still empty: they depend on the query."""
    by_token: Floats
    """How well each token fits columns and tables, `[t, 5 n + 2 m]`; see `SchemaWords.shares`."""
    overall: Floats
    """The best of each, `[5 n + 2 m]`."""
    column_facts: Floats
    """`[n, COLUMN_FACTS]`."""
    table_facts: Floats
    """`[m, TABLE_FACTS]`."""
    order: tuple[int, ...]
    """Places of columns, those that the question fits best first."""


@dataclass(slots=True)
class _Unit:
    start: int
    kind: int
    clause: Clause
    keyword: str = ""
    words: tuple[str, ...] = ()
    row: int = -1
    """Place of the column or the table in the schema's words."""
    joins: bool = False
    aggregated: bool = False
    depth: int = 0
    literal: Literal | None = None


def asked_of(
    reading: QuestionReading,
    words: SchemaWords,
    vocabulary: Mapping[str, int],
    column_facts: Floats,
    table_facts: Floats,
) -> QuestionInputs:
    """Return what the verifier reads of a question of at least one token, for all its queries.

    Parameters
    ----------
    reading
        The question and its evidence.
    words
        The schema, of at least one column.
    vocabulary
        Numbers of known stems, from `FIRST_WORD`.
    column_facts, table_facts
        What the question says of columns and tables, see `ColumnInputs`.
    """
    asked = reading.tokens[:MOST_ASKED]
    told = tokens_of(reading.evidence[:MOST_TOLD])[:MOST_EVIDENCE] if reading.evidence else ()
    tokens = (*asked, *told)
    n = len(words.columns)
    active, matched = matched_words(tokens, words)
    by_token = matched @ words.shares[active]
    facts = np.zeros((len(tokens), TOKEN_FACTS), dtype=np.float32)
    facts[:, 0] = [token.quoted for token in tokens]
    facts[:, 1] = [token.text[0].isdigit() for token in tokens]
    facts[:, 2] = [token.capitalized and at > 0 for at, token in enumerate(tokens)]
    facts[len(asked) :, 3] = 1.0
    facts[:, 4] = np.minimum(by_token[:, 4 * n : 5 * n].max(axis=1, initial=0.0), 1.0)
    said = np.maximum(column_facts[:, 18], column_facts[:, 19] - 0.3) + 0.5 * column_facts[:, 24]
    return QuestionInputs(
        numbers=np.array([_number(token, vocabulary) for token in tokens], dtype=np.int64),
        stems=tuple(stem(token.word) if token.is_word else "" for token in tokens),
        lowers=tuple(token.lower for token in tokens),
        values=tuple(_value(token.lower) for token in tokens),
        facts=facts,
        by_token=by_token,
        overall=by_token.max(axis=0, initial=0.0),
        column_facts=column_facts,
        table_facts=table_facts,
        order=tuple(np.argsort(-said, kind="stable")[:MOST_ORDERED].tolist()),
    )


def verifier_inputs(
    asked: QuestionInputs,
    query: Query,
    words: SchemaWords,
    vocabulary: Mapping[str, int],
    keywords: Mapping[str, int],
) -> VerifierInputs:
    """Return the arrays of a question beside a query of at least one SELECT.

    Parameters
    ----------
    asked
        The question beside the schema.
    query
        The query, read with the names of the schema.
    words, vocabulary
        As in `asked_of`.
    keywords
        Numbers of known keywords and functions, from 1.
    """
    units = sorted(_units(query, words), key=_start)[:MOST_UNITS]
    used = {unit.row for unit in units if unit.kind == COLUMN}
    others = [row for row in asked.order if row not in used][:MOST_OTHERS]
    n_used = len(units)
    units += [_Unit(-1, OTHER, Clause.QUERY, row=row) for row in others]
    for unit in units:
        if unit.kind in (COLUMN, OTHER) and unit.row >= 0:
            unit.words = words.words[unit.row]
    fits = _fits(asked, units, len(words.columns), len(words.tables))
    token_facts = asked.facts.copy()
    token_facts[:, 5] = fits[0, :, :n_used].max(axis=1, initial=0.0)
    token_facts[:, 6] = fits[1, :, :n_used].max(axis=1, initial=0.0)
    token_facts[:, 7] = fits[1, :, n_used:].max(axis=1, initial=0.0)
    token_facts[:, 8] = fits[4:].max(axis=(0, 2), initial=0.0)
    return VerifierInputs(
        asked.numbers,
        token_facts,
        np.array([keywords.get(unit.keyword, 0) for unit in units], dtype=np.int64),
        _word_numbers(units, vocabulary),
        _unit_facts(units, asked, words, fits),
        fits,
    )


def _units(query: Query, words: SchemaWords) -> Iterator[_Unit]:
    marks = [(call.piece.start, call.function) for call in query.calls]
    called = {start for start, _ in marks}
    marks += [
        (keyword.start, keyword.word)
        for keyword in query.keywords
        if keyword.word not in _NO_UNIT and keyword.start not in called
    ]
    pieces = [(span.start, span.end, span.kind) for span in query.clauses]
    for start, word in marks:
        around = [kind for first, last, kind in pieces if first <= start < last]
        yield _Unit(start, KEYWORD, around[-1] if around else Clause.QUERY, word)
    for select in query.selects:
        depth, outer = 0, select.parent
        while outer is not None:
            depth, outer = depth + 1, outer.parent
        for use in select.columns:
            row = words.at.get(((use.table or "").casefold(), (use.column or "").casefold()), -1)
            yield _Unit(
                use.piece.start,
                COLUMN,
                use.clause,
                words=() if row >= 0 else name_words(use.name),
                row=row,
                joins=use.in_join_condition,
                aggregated=use.in_aggregate,
                depth=depth,
            )
        for source in select.sources:
            row = words.table_at.get((source.table or "").casefold(), -1)
            said = words.table_words[row] if row >= 0 else name_words(source.name)
            yield _Unit(source.piece.start, TABLE, Clause.FROM, words=said, row=row, depth=depth)
        for literal in select.literals:
            said = name_words(str(literal.value)[:60]) if literal.is_text else ()
            start = literal.piece.start
            unit = _Unit(start, CONSTANT, literal.clause, literal.operator, said, depth=depth)
            unit.literal = literal
            yield unit
        for shown in select.projections:
            if shown.alias:
                at = shown.piece.end - 1
                yield _Unit(at, RESULT, Clause.SELECT, words=name_words(shown.alias), depth=depth)


def _start(unit: _Unit) -> int:
    return unit.start


def _fits(asked: QuestionInputs, units: list[_Unit], n: int, m: int) -> Floats:
    fits = np.zeros((FITS, len(asked.stems), len(units)), dtype=np.float32)
    by_token, overall = asked.by_token, asked.overall
    at = [place for place, unit in enumerate(units) if _is_known_column(unit)]
    rows = np.array([units[place].row for place in at], dtype=np.int64)
    touched = np.minimum(by_token[:, 4 * n + rows], 1.0)
    fits[0, :, at] = touched.T
    fits[1, :, at] = (touched * overall[rows]).T
    fits[2, :, at] = by_token[:, 2 * n + rows].T
    fits[3, :, at] = by_token[:, 3 * n + rows].T
    for place, unit in enumerate(units):
        if unit.kind == TABLE and unit.row >= 0:
            fits[0, :, place] = np.minimum(by_token[:, 5 * n + m + unit.row], 1.0)
            fits[1, :, place] = by_token[:, 5 * n + unit.row]
        elif unit.words and not _is_known_column(unit):
            mine = {stem(word) for word in unit.words}
            found = np.array([each in mine for each in asked.stems], dtype=np.float32)
            fits[0, :, place] = found
            fits[1, :, place] = found * min(found.sum() / len(mine), 1.0)
        if unit.literal is not None:
            value = unit.literal.value
            if isinstance(value, str):
                text = value.casefold().strip("%")
                fits[4, :, place] = [bool(text) and word == text for word in asked.lowers]
                numbers = frozenset(_DIGITS.findall(text))
                if numbers:
                    fits[5, :, place] = [word in numbers for word in asked.lowers]
            elif value is not None:
                fits[4, :, place] = [said == value for said in asked.values]
    return fits


def _is_known_column(unit: _Unit) -> bool:
    return unit.kind in (COLUMN, OTHER) and unit.row >= 0


_SPELLED = {
    word: float(value)
    for value, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six"),
            *("seven", "eight", "nine", "ten", "eleven", "twelve"),
        )
    )
}


def _value(word: str) -> float | None:
    if word in _SPELLED:
        return _SPELLED[word]
    if not word[0].isdigit():
        return None
    try:
        return float(word.replace(",", "").rstrip("%"))
    except ValueError:
        return None


def _unit_facts(
    units: list[_Unit], asked: QuestionInputs, words: SchemaWords, fits: Floats
) -> Floats:
    facts = np.zeros((len(units), UNIT_FACTS), dtype=np.float32)
    place = 6 + len(_CLAUSES)
    at_column, at_table = place + 8, place + 8 + COLUMN_FACTS
    at_static = at_table + TABLE_FACTS
    facts[:, place + 3] = fits[0].max(axis=0, initial=0.0)
    shown = fits[4:].max(axis=(0, 1), initial=0.0)
    for at, unit in enumerate(units):
        row = facts[at]
        row[unit.kind] = 1.0
        row[6 + _NUMBER_OF[unit.clause]] = 1.0
        row[place] = unit.joins
        row[place + 1] = unit.aggregated
        row[place + 2] = min(unit.depth, 3) / 3
        if unit.literal is not None:
            value = unit.literal.value
            row[place + 4] = unit.literal.is_text
            row[place + 5] = isinstance(value, str) and _DATE.match(value) is not None
            row[place + 6] = shown[at]
            row[place + 7] = min(len(unit.words), 4) / 4
        elif _is_known_column(unit):
            row[at_column:at_table] = asked.column_facts[unit.row]
            row[at_static:] = words.statics[unit.row]
            row[at_table:at_static] = asked.table_facts[words.table_of[unit.row]]
        elif unit.kind == TABLE and unit.row >= 0:
            row[at_table:at_static] = asked.table_facts[unit.row]
    return facts


def _number(token: Token, vocabulary: Mapping[str, int]) -> int:
    if token.quoted:
        return QUOTED
    known = vocabulary.get(stem(token.lower))
    if known is not None:
        return known
    if token.text[0].isdigit():
        return NUMBER
    return UNKNOWN_CAPITALIZED if token.capitalized else UNKNOWN


def _word_numbers(units: list[_Unit], vocabulary: Mapping[str, int]) -> NDArray[np.int64]:
    ids = np.full((len(units), UNIT_WORDS), PADDING, dtype=np.int64)
    for at, unit in enumerate(units):
        for place, word in enumerate(unit.words[:UNIT_WORDS]):
            ids[at, place] = vocabulary.get(stem(word), NUMBER if word.isdigit() else UNKNOWN)
    return ids
