"""Values that a question names: quoted, capitalized, or found in the database's value index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from rapidfuzz.distance import JaroWinkler

from clausewise.databases.model import ValuePlace
from clausewise.errors import NotAllChecked, QueryFailed
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import Token, word_set
from clausewise.signals.linking.columns import schema_words
from clausewise.signals.linking.constants import Constant, fold
from clausewise.sql.model import Comparison

if TYPE_CHECKING:
    from clausewise.signals.context import Context

T = TypeVar("T")

LONGEST = 6
"""Most tokens of a value that is looked up."""
MOST_PAIRED = 50
"""Comparisons of a query that are tried for one value named, and values for one comparison."""
SAME_VALUE = 0.9
"""Jaro-Winkler similarity in [0, 1] from which a constant counts as the value named."""
SAME_INFLECTED = 0.75
"""The same for two words that begin alike: `French` and `France`."""
SAME_STEM = 4
"""Shared first letters from which `Italian` and `Italy` count as one value."""


_CODE = re.compile(r"(?=[^\s]*[^\W\d_])(?=[^\s]*\d)[\w./#-]+")
"""One word of letters and digits."""


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A value that the question names.

    `kind`: `quoted`, `capitalized`, or `word` (written small, but a value of the database).
    `places` is where the database holds it, empty where it does not.
    """

    text: str
    start: int
    end: int
    kind: str
    places: tuple[ValuePlace, ...]


def value_mentions(context: Context) -> tuple[ValueMention, ...]:
    """Return the values that the question names, in order, found once for a context."""
    return context.once(_value_mentions)


def quoted_texts(context: Context) -> tuple[ValueMention, ...]:
    """Return the texts in quotation marks, in order, without a look at what the data holds."""
    reading = read_question(context.case)
    return tuple(ValueMention(text, at, end, "quoted", ()) for text, at, end in reading.quoted)


def _value_mentions(context: Context) -> tuple[ValueMention, ...]:
    reading = read_question(context.case)
    mentions = [*_quoted(reading, context), *_named(reading, context)]
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def _quoted(reading: QuestionReading, context: Context) -> Iterator[ValueMention]:
    for text, start, end in reading.quoted:
        yield ValueMention(text, start, end, "quoted", context.database.find_value(text))


def _named(reading: QuestionReading, context: Context) -> Iterator[ValueMention]:
    """Yield the longest stretches of tokens that are values of the database."""
    tokens = reading.tokens
    at = 0
    while at < len(tokens):
        mention = _longest_at(reading, tokens, at, context) if _may_start(tokens[at]) else None
        if mention is None:
            at += 1
            continue
        yield mention
        while at < len(tokens) and tokens[at].start < mention.end:
            at += 1


def _may_start(token: Token) -> bool:
    return token.is_word and not token.quoted


def _longest_at(
    reading: QuestionReading, tokens: tuple[Token, ...], at: int, context: Context
) -> ValueMention | None:
    first = tokens[at]
    if not first.capitalized or not _is_name(tokens, at):
        return _small_word(first, context)
    last = min(len(tokens), at + LONGEST)
    for end in range(last, at, -1):
        if tokens[end - 1].quoted or not tokens[end - 1].is_word:
            continue
        text = reading.question[first.start : tokens[end - 1].end]
        places = context.database.find_value(text) or context.database.find_value(_owner(text))
        if places:
            return ValueMention(
                _owner(text), first.start, tokens[end - 1].end, "capitalized", places
            )
    return None


def _owner(text: str) -> str:
    """Return a text without a possessive ending."""
    for ending in ("'s", "\u2019s"):
        text = text.removesuffix(ending)
    return text


def _is_name(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a capital letter marks a name here: not at a sentence's start, no question word."""
    token = tokens[at]
    if token.lower in word_set("asking", "openers") | word_set("asking", "imperatives"):
        return False
    opens = at == 0 or tokens[at - 1].sentence != token.sentence
    return not opens or not (
        token.lower in word_set("asking", "prepositions")
        or token.lower in word_set("asking", "auxiliaries")
        or token.lower in word_set("asking", "determiners")
    )


def _small_word(token: Token, context: Context) -> ValueMention | None:
    """Return a word written small that is a value, and no word of the schema or of grammar."""
    if len(token.text) < 3 or not token.text.isalpha() or is_grammar(token):
        return None
    if token.word in schema_words(context.schema):
        return None
    places = context.database.find_value(token.text)
    if not places and token.word != token.lower:
        places = context.database.find_value(token.word)
    if not places:
        return None
    return ValueMention(token.text, token.start, token.end, "word", places)


def is_grammar(token: Token) -> bool:
    """Whether a word says how to ask or to order and names nothing."""
    return token.lower in _grammar() or token.word in _grammar()


@lru_cache(maxsize=4)
def _grammar() -> frozenset[str]:
    tables = {
        "asking": ("imperatives", "openers", "auxiliaries", "determiners", "prepositions",
                   "relatives", "ordering", "pronouns", "not_nouns", "verbs_after_noun",
                   "everything", "count_heads"),
        "superlatives": ("highest", "lowest", "ascending", "descending"),
        "cues": ("average", "sum", "negation", "distinct", "ratio", "difference"),
    }  # fmt: skip
    return frozenset().union(*(word_set(table, key) for table in tables for key in tables[table]))


def abbreviates(first: str, second: str) -> bool:
    """Whether one folded text is the initials of the other: `us` and `united states`."""
    short, long = sorted((first, second), key=len)
    initials = "".join(word[0] for word in long.split())
    return len(short) > 1 and len(initials) > 1 and short.startswith(initials)


def matches(value: str, constant: Constant) -> bool:
    """Whether a constant of the query may stand for a value of the question."""
    return alike(value, constant.folded)


def alike(value: str, other: str) -> bool:
    """Whether a folded text holds a value, its initials, its stem or nearly its spelling."""
    folded = fold(value)
    if not folded or not other:
        return False
    if _is_code(folded) or _is_code(other):
        return _holds_code(folded, other) or _holds_code(other, folded)
    if folded in other or (len(other) > 1 and other in folded) or abbreviates(folded, other):
        return True
    if len(folded) > SAME_STEM and folded[:SAME_STEM] == other[:SAME_STEM]:
        return True
    similarity = JaroWinkler.similarity(folded, other)
    inflected = folded[:2] == other[:2] and len(folded) > SAME_STEM and " " not in folded
    return similarity >= (SAME_INFLECTED if inflected else SAME_VALUE)


def _is_code(text: str) -> bool:
    """Whether a text is an identifier of letters and digits, `TR005`: only itself will do."""
    return _CODE.fullmatch(text) is not None


def _holds_code(text: str, part: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(part)}(?![^\W_])", text) is not None


def picks_what_is_named(comparison: Comparison, context: Context) -> bool:
    """Whether a comparison keeps only rows that hold a value that the question names.

    Raises NotAllChecked where the question names too many, and as `implies`.
    """
    return any(implies(comparison, item, context) for item in _paired(value_mentions(context)))


def is_implied(mention: ValueMention, context: Context) -> bool:
    """Whether a comparison of the query keeps only rows that hold the value named.

    Raises NotAllChecked where the query has too many comparisons, and as `implies`.
    """
    made = (comparison for _, comparison in context.comparisons())
    return any(implies(comparison, mention, context) for comparison in _paired(made))


def _paired(items: Iterable[T]) -> Iterator[T]:
    """Yield the first `MOST_PAIRED` items; each pair may cost a statement.

    Raises NotAllChecked where there are more.
    """
    remaining = iter(items)
    yield from islice(remaining, MOST_PAIRED)
    if next(remaining, None) is not None:
        raise NotAllChecked(f"only {MOST_PAIRED} conditions or values named are looked at together")


def _implications(_context: Context) -> dict[tuple[int, ValueMention], bool]:
    return {}


def implies(comparison: Comparison, mention: ValueMention, context: Context) -> bool:
    """Whether a comparison keeps only rows that hold the value named: `airline_id = 1`.

    Found once for a context. Raises as `Context.run`, but for statements that cannot be run.
    """
    known = context.once(_implications)
    # The query holds its comparisons as long as the context lives.
    pair = id(comparison), mention
    if pair not in known:
        known[pair] = _implies(comparison, mention, context)
    return known[pair]


def _implies(comparison: Comparison, mention: ValueMention, context: Context) -> bool:
    if comparison.operator not in ("=", "IN", "LIKE") or comparison.negated:
        return False
    for place in mention.places:
        column = _fixed_column(comparison, place, context)
        if column is not None and _keeps_only(comparison, column, place, context):
            return True
    return False


def _fixed_column(comparison: Comparison, place: ValuePlace, context: Context) -> str | None:
    """Return the column of the value's table that the comparison fixes, by itself or by a key."""
    used = comparison.column
    if used.table == place.table:
        return used.column if used.column != place.column else None
    for key in context.schema.foreign_keys:
        tables = (key.table, key.referred_table)
        if tables == (used.table, place.table) and key.columns == (used.column,):
            return key.referred_columns[0]
    return None


def key_is_named(comparison: Comparison, context: Context) -> bool:
    """Whether the question says a text of the rows whose keys are compared with: `continent = 2`.

    Raises as `Context.run`, but for statements that cannot be run.
    """
    place = _key_place(comparison, context)
    if place is None or comparison.operator not in ("=", "IN"):
        return False
    constants = ", ".join(literal.piece.text for literal in comparison.literals)
    table, key = map(context.words.quote_name, place)
    try:
        rows = context.run(f"SELECT * FROM {table} WHERE {key} IN ({constants})", rows=5).rows
    except QueryFailed:
        return False
    tokens = read_question(context.case).tokens
    words = [token.lower for token in tokens if token.is_word and not is_grammar(token)]
    held = [fold(cell).split() for row in rows for cell in row if isinstance(cell, str)]
    return any(cell and all(is_said(part, words) for part in cell) for cell in held)


def is_said(part: str, words: Iterable[str]) -> bool:
    """Whether one of the words is that part of a value, or begins as it does."""
    stem = part[:SAME_STEM]
    return any(
        word == part or (len(part) > SAME_STEM < len(word) and word[:SAME_STEM] == stem)
        for word in words
    )


def _key_place(comparison: Comparison, context: Context) -> tuple[str, str] | None:
    """Return the table and column of the key that a compared column holds."""
    used = comparison.column
    for key in context.schema.foreign_keys:
        if key.table == used.table and key.columns == (used.column,):
            return key.referred_table, key.referred_columns[0]
    table = context.schema.table(used.table or "")
    if table is not None and used.column is not None and table.primary_key == (used.column,):
        return table.name, used.column
    return None


def _keeps_only(comparison: Comparison, column: str, place: ValuePlace, context: Context) -> bool:
    """Whether every row of the table with these constants holds the value, and one does."""
    constants = ", ".join(literal.piece.text for literal in comparison.literals)
    words = context.words
    holds = f"{words.quote_name(place.column)} = {words.quote_text(place.value)}"
    sql = (
        f"SELECT COUNT(*), {words.count_of(holds)} "
        f"FROM {words.quote_name(place.table)} WHERE {words.quote_name(column)} IN ({constants})"
    )
    try:
        kept, holding = context.run(sql, rows=1).rows[0]
    except QueryFailed:
        return False
    return kept == holding and bool(kept)
