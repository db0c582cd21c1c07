"""The things asked for against the selected columns: how wide each is, which matches which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import JaroWinkler

from clausewise.databases.model import Schema, kept_by_schema
from clausewise.naming.abbreviations import abbreviation_strength
from clausewise.naming.expansion import STRONG, expanded, read_name
from clausewise.question.asked import Asked, AskedKind
from clausewise.question.number_words import is_cardinal
from clausewise.question.reading import QuestionReading
from clausewise.question.tokens import word_set, word_table
from clausewise.question.words import SAME_WORD, question_words
from clausewise.signals.context import Context
from clausewise.sql.model import Projection, Select

MANY = 99
"""Stands for `as many columns as there are`."""
NAME_PARTS = (
    frozenset({"first", "forename", "fname", "firstname", "given"}),
    frozenset({"last", "surname", "lname", "lastname", "family"}),
)
NAME_WORDS = frozenset({"name", "title", "fullname", "caption", "headline"})
GENERIC_WORDS = NAME_WORDS | {"type", "kind", "description", "detail"}
"""Words that say little without what they are of: a column `maker` may be the maker's name."""
WIDE_WORDS = frozenset(
    {"address", "location", "coordinate", "position", "place", "contact", "dimension", "residence",
     "measurement", "geolocation"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Width:
    """How many columns a thing asked for may take, smallest and largest."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A selected expression in words.

    `function` is the outermost aggregate's name, `count_column` where a plain column holds a
    number of things.
    """

    projection: Projection
    function: str
    words: frozenset[str]
    """Of the columns' names, labels and aliases."""
    table_words: frozenset[str]

    @property
    def is_key(self) -> bool:
        """Whether it is a bare column whose name says that it is a key."""
        return self.function == "" and bool(self.words & {"id", "code", "key"})


def shown_of(context: Context, select: Select) -> tuple[Shown, ...]:
    """Return the selected expressions of a SELECT in words, in order."""
    return tuple(_shown(context.schema, select, item) for item in select.projections)


def _shown(schema: Schema, select: Select, projection: Projection) -> Shown:
    inside = [
        aggregate
        for aggregate in select.aggregates
        if projection.piece.start <= aggregate.piece.start
        and aggregate.piece.end <= projection.piece.end
    ]
    words: set[str] = set(read_name(projection.alias or "").said)
    tables: set[str] = set()
    for use in projection.columns:
        words.update(column_words(schema, use.table, use.column or use.name))
        tables.update(table_words(schema, use.table or ""))
    function = inside[0].function if inside else ""
    return Shown(projection, function, frozenset(words), frozenset(tables))


def column_words(schema: Schema, table: str | None, column: str) -> frozenset[str]:
    """Return every word by which a column may be meant: of its name, read in any way, and label."""
    return expanded(schema).column(table, column).said


def table_words(schema: Schema, table: str) -> frozenset[str]:
    """Return every word by which a table may be meant."""
    return expanded(schema).table(table).said


@kept_by_schema
def splits_names(schema: Schema) -> frozenset[str]:
    """Return the tables, casefolded, that hold a person's name in a first and a last part."""
    found = set()
    names = expanded(schema)
    for table in schema.tables:
        words = [names.column(table.name, column.name).words for column in table.columns]
        if all(any(parts & item for item in words) for parts in NAME_PARTS):
            found.add(table.name.casefold())
    return frozenset(found)


def width(item: Asked, reading: QuestionReading, context: Context) -> Width:
    """Return how many columns a thing asked for may take."""
    least = 1 if item.required and item.sure and item.kind is not AskedKind.GROUP else 0
    if least and _described_later(item, reading, context.schema):
        least = 0
    defined = _defined_columns(item, reading, context)
    words = set(item.words)
    if defined > 1 or (defined and item.kind is AskedKind.EVERYTHING):
        return Width(least, defined)
    most = 1
    if item.kind is AskedKind.EVERYTHING or (not words and item.kind is AskedKind.PLAIN):
        most = MANY
    elif item.kind is not AskedKind.COUNT and words & WIDE_WORDS:
        most = 3
    elif item.kind is AskedKind.PERSON or _may_be_split(words, item, context):
        most = 2 if _splits(context) else 1
    return Width(least, most)


def _described_later(item: Asked, reading: QuestionReading, schema: Schema) -> bool:
    """Whether an entity is asked for and, after it, something of it: `and list their names`."""
    if item.kind not in (AskedKind.PLAIN, AskedKind.WHICH):
        return False
    later = any(other.refers_back and other.start > item.start for other in reading.asked)
    return later and not any(
        _named_in(schema, table.name, frozenset(linked_words(item, schema)))
        for table in schema.tables
    )


def _splits(context: Context) -> bool:
    used = {table.casefold() for table in used_tables(context)}
    return bool(used & splits_names(context.schema))


def _may_be_split(words: set[str], item: Asked, context: Context) -> bool:
    """Whether the words ask for a person's name or for the person: `full name`, `drivers`."""
    if "name" in words:
        return not words & (NAME_PARTS[0] | NAME_PARTS[1])
    schema = context.schema
    people = {word for table in splits_names(schema) for word in table_words(schema, table)}
    return bool(words & people) or item.kind is AskedKind.WHICH


def _defined_columns(item: Asked, reading: QuestionReading, context: Context) -> int:
    """Return how many columns the evidence names for a thing asked for, 0 for none."""
    best = 0
    for names in defined_names(item, reading):
        best = max(best, sum(is_column(context.schema, name) for name in names))
    return best


def defined_names(item: Asked, reading: QuestionReading) -> list[tuple[str, ...]]:
    """Return what the evidence names for a thing asked for: one tuple for each statement."""
    if not item.words:
        return []
    wanted = set(item.words)
    found = []
    for statement in reading.statements:
        phrase = set(question_words(statement.phrase))
        if phrase and len(phrase & wanted) >= max(1, len(wanted) / 2):
            found.append(statement.identifiers)
    return found


@kept_by_schema
def is_column(schema: Schema, name: str) -> bool:
    """Whether a name, with or without its table, is a column's, in any case."""
    table, _, column = name.rpartition(".")
    folded = column.casefold()
    return any(
        found.name.casefold() == folded
        for candidate in schema.tables
        if not table or candidate.name.casefold() == table.casefold()
        for found in candidate.columns
    )


def fit(item: Asked, shown: Shown, reading: QuestionReading, schema: Schema) -> float:
    """Return in [0, 1] how well a selected expression answers a thing asked for, high = well.

    0.5 stands for `unknown`: the words asked for are no words of the schema.
    """
    if shown.projection.star or _defined(item, shown, reading):
        return 1.0
    if item.kind is AskedKind.COUNT:
        return _fit_of_count(item, shown)
    function = asked_function(item)
    if function and shown.function:
        return 1.0 if function == shown.function else 0.5
    wanted = linked_words(item, schema)
    if not wanted or set(item.words) & word_set("cues", "ratio"):
        return 0.5
    joined = "".join(item.words)
    if _names_in_parts(item, shown) or joined in {_plain(name) for name in _names(shown)}:
        return 1.0
    return _fit_of_words(item, wanted, shown)


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _fit_of_words(item: Asked, wanted: tuple[str, ...], shown: Shown) -> float:
    if set(wanted) <= GENERIC_WORDS and any(match_score(word, shown.words) for word in item.tail):
        return 0.6
    both = shown.words | shown.table_words
    met = sum(match_score(word, shown.words) for word in wanted)
    of_table = sum(match_score(word, both) for word in wanted)
    return (0.4 * met + 0.6 * of_table if met else 0.5 * of_table) / len(wanted)


def _names_in_parts(item: Asked, shown: Shown) -> bool:
    """Whether a first or last name is shown where the whole name is asked for."""
    words = set(item.words)
    parts = NAME_PARTS[0] | NAME_PARTS[1]
    return "name" in words and not words & parts and bool(shown.words & parts)


def _names(shown: Shown) -> list[str]:
    return [use.column or use.name for use in shown.projection.columns]


def _defined(item: Asked, shown: Shown, reading: QuestionReading) -> bool:
    """Whether the evidence names one of the shown columns for the thing asked for."""
    names = {name.casefold() for name in _names(shown)}
    return any(
        name.rpartition(".")[2].casefold() in names
        for statement in defined_names(item, reading)
        for name in statement
    )


def asked_function(item: Asked) -> str:
    """Return the aggregate that a thing asked for names (`avg`, `sum`, ...), else empty."""
    if _is_averaged(item):
        return "avg"
    for key, function in (
        ("average", "avg"),
        ("maximum", "max"),
        ("minimum", "min"),
        ("sum", "sum"),
    ):
        if set(item.words) & word_set("cues", key):
            return function
    return ""


def is_quantity(item: Asked) -> bool:
    """Whether what is counted are units, stored as they are: `how many kilograms`."""
    return bool(set(item.words) & word_set("units", "units"))


def _is_averaged(item: Asked) -> bool:
    """Whether `on average` follows: `how long do trips take on average`."""
    if item.kind not in (AskedKind.MEASURE, AskedKind.COUNT, AskedKind.PLAIN):
        return False
    before, said, _ = " ".join(item.tail).partition("on average")
    return bool(said) and word_set("asking", "relatives").isdisjoint(before.split())


def linked_words(item: Asked, schema: Schema) -> tuple[str, ...]:
    """Return the words of a thing asked for that some table's or column's name says."""
    known = schema_words(schema)
    return tuple(
        word
        for word in item.words
        if not word.isdigit()
        and word not in _unlinked()
        and not is_cardinal(word)
        and (word in known or match_score(word, known) > 0)
    )


@lru_cache(maxsize=4)
def _unlinked() -> frozenset[str]:
    """Return words that say which of the things is meant, and are no column's."""
    return (
        word_set("asking", "unlinked")
        | word_set("asking", "not_nouns")
        | word_set("superlatives", "highest")
        | word_set("superlatives", "lowest")
        | frozenset(word_table("superlatives")["by_meaning"])
    )


@kept_by_schema
def schema_words(schema: Schema) -> frozenset[str]:
    """Return every word of every table's and column's name, read the likeliest way, and label."""
    names = expanded(schema)
    words: set[str] = set()
    for table in schema.tables:
        words |= names.table(table.name).words
        for column in table.columns:
            words |= names.column(table.name, column.name).words
    return frozenset(words)


def _fit_of_count(item: Asked, shown: Shown) -> float:
    if shown.function in ("count", "sum"):
        return 1.0
    if is_quantity(item):
        return 0.5
    if shown.projection.column is None:
        return 0.5
    counting = word_set("asking", "count_heads") | frozenset(item.words)
    return 0.7 if any(match_score(word, shown.words) for word in counting) else 0.0


@lru_cache(maxsize=20_000)
def synonyms(word: str) -> frozenset[str]:
    """Return the other words of both tables of synonyms that mean the same."""
    groups = [*word_table("synonyms")["groups"], *word_table("mined_synonyms")["groups"]]
    return frozenset(other for group in groups if word in group for other in group) - {word}


@lru_cache(maxsize=100_000)
def match_score(word: str, others: frozenset[str]) -> float:
    """Return in [0, 1] how surely a word is among others, in another form too."""
    if word in others:
        return 1.0
    if synonyms(word) & others:
        return 0.9
    if len(word) < 3:
        return 0.0
    for other in others:
        if len(other) >= 3 and (other.startswith(word) or word.startswith(other)):
            return 0.9
    best = max((JaroWinkler.similarity(word, other) for other in others), default=0.0)
    return best if best >= SAME_WORD else _abbreviated(word, others)


def _abbreviated(word: str, others: frozenset[str]) -> float:
    """Return in [0, 1] how surely a word abbreviates one of the others, or one of them the word."""
    pairs = ((word, other) for other in others)
    best = max(
        (max(abbreviation_strength(a, b), abbreviation_strength(b, a)) for a, b in pairs),
        default=0.0,
    )
    return best if best >= STRONG else 0.0


def named_columns(item: Asked, context: Context) -> tuple[str, ...]:
    """Return the columns of the query's tables that are named exactly as the thing asked for.

    Empty where nothing is named so, and for things that are asked for without a name.
    """
    if item.kind not in (AskedKind.PLAIN, AskedKind.WHICH):
        return ()
    wanted = frozenset(linked_words(item, context.schema))
    if not wanted or len(wanted) < len(item.words) - 1:
        return ()
    tables = sorted(used_tables(context))
    return tuple(name for table in tables for name in _named_in(context.schema, table, wanted))


def used_tables(context: Context) -> frozenset[str]:
    """Return the base tables that the query reads, in the schema's spelling."""
    return frozenset(
        source.table
        for select in context.query.selects
        for source in select.sources
        if source.table
    )


@kept_by_schema
def _named_in(schema: Schema, table: str, wanted: frozenset[str]) -> tuple[str, ...]:
    found = schema.table(table)
    if found is None:
        return ()
    names = expanded(schema)
    of_table = names.table(table).words
    return tuple(
        f"{table}.{column.name}"
        for column in found.columns
        if any(
            _says_exactly(frozenset(phrase), wanted, of_table)
            for phrase in names.column(table, column.name).phrases
        )
    )


def _says_exactly(words: frozenset[str], wanted: frozenset[str], table: frozenset[str]) -> bool:
    return wanted <= words | table and words <= wanted | table and bool(words & wanted - table)


def total_width(items: Sequence[Asked], reading: QuestionReading, context: Context) -> Width:
    """Return how many columns all things asked for take together."""
    widths = [width(item, reading, context) for item in items]
    return Width(sum(item.least for item in widths), sum(item.most for item in widths))
