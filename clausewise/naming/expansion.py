"""The names of a whole schema in words: each abbreviation resolved by what stands around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from clausewise.databases.model import Column, Schema, Table
from clausewise.inflection import singular
from clausewise.naming.abbreviations import Expansion, abbreviation_strength, expansions
from clausewise.naming.names import ColumnNames, Phrase, distinct, unit_at_end, without_last
from clausewise.naming.splitting import tokens_of_name
from clausewise.question.english import is_word
from clausewise.question.words import name_words, question_words

STRONG = 0.75
"""Strength in [0, 1] from which an unlisted token takes a word of the schema as its meaning."""
IN_DESCRIPTION = 0.6
"""The same for a word of the column's own label or description."""
_SHARED = 0.6
"""Share in [0, 1] of a table's columns that begin alike, from which that is a prefix."""
_FEWEST_SHARING = 3
_TABLE_MARKS = frozenset({"tbl", "t", "tb", "tab", "dim", "fact", "fct", "vw", "v", "mst", "stg"})
"""First tokens that only say that a name is a table's."""
_NUMBERS = ("int", "real", "num", "dec", "doub", "float", "money")
_TEXTS = ("char", "text", "clob", "string")
_EMPTY_WORDS = frozenset(
    {"the", "a", "an", "of", "for", "to", "in", "on", "at", "by", "is", "are", "was", "this",
     "that", "which", "or", "and", "if"}
)  # fmt: skip
_SUPERFLUOUS = frozenset({"amount", "value", "figure"})
"""Last words of a longer name that people leave out: `acct_bal_amt` is the account balance."""
_MOST_DESCRIBED = 30
"""Words of a description that are read."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one token of a name says: its likeliest words and those of other readings."""

    token: str
    words: Phrase
    source: str
    others: frozenset[str] = frozenset()


class SchemaNames:
    """What all names of a schema say. Look-ups ignore case, as SQL does."""

    def __init__(
        self, tables: Mapping[str, ColumnNames], columns: Mapping[tuple[str, str], ColumnNames]
    ) -> None:
        self._tables = tables
        self._columns = columns

    def table(self, name: str) -> ColumnNames:
        """Return what a table's name says, for a name of no table what it says by itself."""
        return self._tables.get(name.casefold()) or read_name(name)

    def column(self, table: str | None, column: str) -> ColumnNames:
        """Return what a column's name says; of an unknown column, what it says by itself."""
        return self._columns.get(((table or "").casefold(), column.casefold())) or read_name(column)


def expanded(schema: Schema) -> SchemaNames:
    """Return the names of a schema in words, made once and kept with the schema."""
    return schema.once(_expanded)


@lru_cache(maxsize=20_000)
def read_name(name: str) -> ColumnNames:
    """Return what a name says by itself: an alias, or a name of no known table."""
    return _Expander(Schema(())).alone(name)


def _expanded(schema: Schema) -> SchemaNames:
    expander = _Expander(schema)
    tables = {table.name.casefold(): expander.table(table) for table in schema.tables}
    columns = {
        (table.name.casefold(), column.name.casefold()): names
        for table in schema.tables
        for column, names in expander.columns(table, tables[table.name.casefold()])
    }
    return SchemaNames(tables, columns)


class _Expander:
    """Reads names with the words of one schema at hand."""

    def __init__(self, schema: Schema) -> None:
        self._table_words = _spelled(table.name for table in schema.tables)
        column_words = _spelled(
            text
            for table in schema.tables
            for column in table.columns
            for text in (column.name, column.label or "")
        )
        self._known = self._table_words | column_words
        self._by_letter: dict[str, list[str]] = {}
        for word in sorted(self._known):
            self._by_letter.setdefault(word[0], []).append(word)

    def alone(self, name: str) -> ColumnNames:
        """Read a name without its table."""
        return self._names(self._read_all(self._tokens(name), "", frozenset()), name)

    def table(self, table: Table) -> ColumnNames:
        """Read a table's name; `tbl_` before it says nothing."""
        tokens = self._tokens(table.name)
        if len(tokens) > 1 and tokens[0] in _TABLE_MARKS:
            tokens = tokens[1:]
        return self._names(self._read_all(tokens, "", frozenset()), table.name)

    def columns(self, table: Table, named: ColumnNames) -> Iterator[tuple[Column, ColumnNames]]:
        """Read the names of a table's columns."""
        cut = [(column, self._tokens(column.name)) for column in table.columns]
        prefixes = _prefixes(table, named, [tokens for _, tokens in cut])
        for column, tokens in cut:
            yield column, self._column(column, tokens, prefixes, frozenset(named.phrase))

    def _tokens(self, name: str) -> Phrase:
        return tokens_of_name(name, self._known)

    def _column(
        self, column: Column, tokens: Phrase, prefixes: Mapping[str, Phrase], of: frozenset[str]
    ) -> ColumnNames:
        """Read a column's name; `of` are the words of its table."""
        described = _content_words(column)
        kind = _kind_of_type(column.declared_type)
        readings = self._read_all(tokens, kind, described)
        prefix = 0
        if len(tokens) > 1 and tokens[0] in prefixes:
            prefix = 1
            if words := prefixes[tokens[0]]:
                readings[0] = _Reading(tokens[0], words, "table", readings[0].others)
            while prefix < len(tokens) - 1 and of.issuperset(readings[prefix].words):
                prefix += 1
        unit = ""
        if kind != "text":
            before = tuple(word for reading in readings[:-1] for word in reading.words)
            unit = unit_at_end(tokens, before)
        names = self._names(readings, column.name, prefix, unit, described)
        return _with_label(names, column.label) if column.label else names

    def _read_all(self, tokens: Phrase, kind: str, described: frozenset[str]) -> list[_Reading]:
        return [self._read(token, kind, described) for token in tokens]

    def _read(self, token: str, kind: str, described: frozenset[str]) -> _Reading:
        """Resolve one token: itself, a listed meaning, or a word nearby that it abbreviates."""
        listed = expansions(token)
        spelled = is_word(token) or not token.isalpha()
        if spelled and not any(item.sure for item in listed):
            others = frozenset(word for item in listed for word in item.words)
            return _Reading(token, (singular(token),), "name", others)
        nearby = self._described_by(token, described)
        ordered = sorted(
            enumerate(listed), key=lambda item: (self._rank(item[1], kind, described), item[0])
        )
        if ordered and (not nearby or set(ordered[0][1].words) & described):
            words = ordered[0][1].words
            others = frozenset(word for _, item in ordered for word in item.words)
            return _Reading(token, words, "abbreviation", others - set(words) | {*nearby})
        if nearby:
            others = frozenset(word for item in listed for word in item.words)
            return _Reading(token, nearby[:1], "description", others | {*nearby[1:]})
        found = self._best(token, self._by_letter.get(token[:1], ()), STRONG)
        if found:
            return _Reading(token, found[:1], "schema", frozenset(found[1:]))
        return _Reading(token, (singular(token),), "name")

    def _described_by(self, token: str, described: frozenset[str]) -> Phrase:
        return self._best(token, sorted(described), IN_DESCRIPTION)

    @staticmethod
    def _best(token: str, words: Iterable[str], least: float) -> Phrase:
        """Return the words that a token abbreviates at least so surely, the surest first."""
        strengths = [(-abbreviation_strength(token, word), word) for word in words]
        return tuple(word for strength, word in sorted(strengths) if -strength >= least)

    def _rank(self, item: Expansion, kind: str, described: frozenset[str]) -> tuple[int, int, int]:
        """Order the listed meanings of a token: described, of the column's type, in the schema."""
        words = set(item.words)
        fits = not item.kind or not kind or item.kind == kind
        nearby = 0 if words & self._table_words else 1 if words <= self._known else 2
        # A meaning that asks for just this type comes before one that takes any.
        typed = 0 if item.kind and item.kind == kind else 1
        return (0 if words & described else 1, 0 if fits else 1, min(nearby, 2 * typed))

    @staticmethod
    def _names(
        readings: list[_Reading],
        name: str,
        prefix: int = 0,
        unit: str = "",
        described: frozenset[str] = frozenset(),
    ) -> ColumnNames:
        """Put the readings of a name's tokens together; the first `prefix` repeat the table's."""
        spelled_unit = bool(unit) and singular(readings[-1].token) in unit.split()
        measured = readings[:-1] if unit and not spelled_unit else readings
        full = _joined(measured)
        own = _joined(measured[prefix:]) or full
        if prefix and not any(is_word(word) for word in measured[0].words):
            full = own
        short = without_last(_joined(readings[prefix:-1])) if spelled_unit else ()
        if len(own) > 2 and own[-1] in _SUPERFLUOUS:
            short = own[:-1]
        sources: dict[str, str] = {}
        for reading in readings:
            for word in reading.words:
                sources.setdefault(word, reading.source)
        for word in name_words(name):
            sources.setdefault(word, "name")
        return ColumnNames(
            phrases=distinct(iter((without_last(full), without_last(own), short))),
            words=frozenset(word for item in measured for word in item.words) | {*name_words(name)},
            alternatives=frozenset(word for item in readings for word in item.others),
            units=(unit,) if unit else (),
            described=described,
            sources=sources,
        )


def _joined(readings: list[_Reading]) -> Phrase:
    return tuple(word for reading in readings for word in reading.words)


def _with_label(names: ColumnNames, label: str) -> ColumnNames:
    """Add a label, which is one more way to say the name."""
    said = tuple(word for word in name_words(label) if word not in _EMPTY_WORDS)
    sources = dict.fromkeys(name_words(label), "label") | dict(names.sources)
    return ColumnNames(
        phrases=distinct(iter((*names.phrases, said))),
        words=names.words | {*name_words(label)},
        alternatives=names.alternatives,
        units=names.units,
        described=names.described,
        sources=sources,
    )


def _prefixes(table: Table, named: ColumnNames, cut: list[Phrase]) -> Mapping[str, Phrase]:
    """Return first tokens of columns that only repeat the table's name, with its words.

    Tokens that its columns share and that say nothing of it have no words.
    """
    counts = Counter(tokens[0] for tokens in cut if len(tokens) > 1)
    plain = name_words(table.name)
    initials = "".join(word[0] for word in named.phrase)
    found: dict[str, Phrase] = {}
    for token, count in counts.items():
        shared = count >= max(_FEWEST_SHARING, _SHARED * len(cut))
        meant = [word for word in named.phrase if abbreviation_strength(token, word) >= STRONG]
        if token in named.phrase:
            found[token] = (token,)
        elif meant:
            found[token] = (meant[0],)
        elif token in plain or (len(initials) > 1 and token == initials):
            found[token] = named.phrase
        elif shared and not is_word(token) and not expansions(token):
            found[token] = ()
    return found


def _spelled(names: Iterable[str]) -> frozenset[str]:
    """Return the English words of three letters or more that names spell out."""
    return frozenset(
        singular(token)
        for name in names
        for token in tokens_of_name(name)
        if len(token) > 2 and is_word(token)
    )


def _content_words(column: Column) -> frozenset[str]:
    """Return the words of a column's label and description, without those that say nothing."""
    text = f"{column.label or ''} {column.description or ''}"
    words = question_words(text)[:_MOST_DESCRIBED]
    return frozenset(word for word in words if word not in _EMPTY_WORDS)


def _kind_of_type(declared: str) -> str:
    """Return what a declared type holds: `number`, `text`, `date`, `flag`; empty for anything."""
    folded = declared.casefold()
    if "bool" in folded or folded == "bit":
        return "flag"
    if "date" in folded or "time" in folded:
        return "date"
    if any(part in folded for part in _NUMBERS):
        return "number"
    return "text" if any(part in folded for part in _TEXTS) else ""
