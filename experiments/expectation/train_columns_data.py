"""Gold pairs as the arrays that the model of columns is trained on."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clausewise.databases import Column, ForeignKey, Schema, Table
from clausewise.errors import ClausewiseError
from clausewise.expectation.columns_inputs import (
    FIRST_WORD,
    ColumnInputs,
    column_inputs,
)
from clausewise.expectation.columns_schema import SchemaWords, schema_words
from clausewise.expectation.columns_used import ROLES, columns_used, stars, tables_used
from clausewise.expectation.columns_words import stem
from clausewise.question.reading import QuestionReading
from clausewise.question.words import name_words
from clausewise.sql import parse
from experiments.expectation.pairs import Pair

MOST_OF_GROUP = 300
"""Pairs of one database that are learned from."""
MOST_OF_SOURCE = {"wikisql_dev_sample": 2_500}
MOST_WORDS = 3_000
FEWEST_GROUPS = 4
"""Databases in whose questions or names a word must stand to be known."""
MOST_COLUMNS = 80
"""Columns of one schema that a training question shows; all are shown when it is evaluated."""
MOST_SELECTED = 12
"""Columns that a gold query selects; of longer lists nothing is learned."""

_SHORT = {
    "name": "nm", "number": "no", "date": "dt", "quantity": "qty", "amount": "amt", "code": "cd",
    "level": "lvl", "average": "avg", "total": "tot", "description": "descr", "address": "addr",
    "department": "dept", "identifier": "id", "count": "cnt", "percentage": "pct", "year": "yr",
    "month": "mth", "category": "cat", "position": "pos", "distance": "dist", "price": "prc",
    "country": "ctry", "population": "pop", "student": "stu", "employee": "emp", "customer": "cust",
}  # fmt: skip


@dataclass(slots=True)
class Example:
    """One question beside its schema, and what its gold query uses.

    `labels` is `[n, len(ROLES)]` of 0, 1 and -1 (not known); `tables` is `[m]` of 0 and 1.
    """

    inputs: ColumnInputs
    words: SchemaWords
    labels: NDArray[np.int8]
    tables: NDArray[np.int8]
    weight: float
    source: str
    group: str
    rows: NDArray[np.int64]
    """The schema's columns that are shown, by their places."""


def chosen(pairs: Iterable[Pair], seed: int = 0) -> list[Pair]:
    """Return at most so many pairs of one source's database, the same ones each time."""
    by_place: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_place[pair.source, pair.db_id].append(pair)
    found: dict[str, list[Pair]] = defaultdict(list)
    for (source, _), listed in sorted(by_place.items()):
        random.Random(seed).shuffle(listed)
        found[source].extend(listed[:MOST_OF_GROUP])
    kept = []
    for source, listed in sorted(found.items()):
        random.Random(seed).shuffle(listed)
        kept.extend(listed[: MOST_OF_SOURCE.get(source, len(listed))])
    return kept


def known_words(pairs: Sequence[Pair]) -> list[str]:
    """Return the stems that questions and names of several databases share, most common first."""
    groups: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for token in QuestionReading(pair.question, "").tokens:
            if not token.quoted and not token.text[0].isdigit():
                groups[stem(token.lower)].add(pair.group)
    for schema, group in {id(pair.schema): (pair.schema, pair.group) for pair in pairs}.values():
        for part in schema_words(schema).words:
            for word in part:
                groups[stem(word)].add(group)
    counts = Counter({word: len(of) for word, of in groups.items() if len(of) >= FEWEST_GROUPS})
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))][
        :MOST_WORDS
    ]


def vocabulary_of(words: Sequence[str]) -> dict[str, int]:
    """Return the number of each known stem."""
    return {word: FIRST_WORD + place for place, word in enumerate(words)}


def labels_of(pair: Pair, words: SchemaWords) -> tuple[NDArray[np.int8], NDArray[np.int8]] | None:
    """Return what a gold query uses, None where it cannot be read beside its schema."""
    try:
        query = parse(pair.sql, pair.dialect, pair.schema.names())
    except ClausewiseError:
        return None
    if not query.selects or query.unknown_names:
        return None
    labels = np.zeros((len(words.columns), len(ROLES)), dtype=np.int8)
    for item in columns_used(query):
        if item.key in words.at:
            labels[words.at[item.key], ROLES.index(item.role)] = 1
    for role in range(len(ROLES)):
        # Of columns that a foreign key ties together any would do.
        tied = np.isin(words.same, words.same[labels[:, role] == 1])
        labels[tied & (labels[:, role] == 0), role] = -1
    shown = stars(query)
    for row, (table, _) in enumerate(words.columns):
        if table.casefold() in shown and labels[row, 0] == 0:
            labels[row, 0] = -1
    tables = np.zeros(len(words.tables), dtype=np.int8)
    for name in tables_used(query):
        if name in words.table_at:
            tables[words.table_at[name]] = 1
    return labels, tables


def examples(
    pairs: Sequence[Pair], vocabulary: Mapping[str, int], perturbed: bool, seed: int = 0
) -> list[Example]:
    """Return the examples of pairs; where `perturbed`, names, descriptions and evidence vary."""
    made: list[Example] = []
    variants: dict[tuple[int, int], Schema] = {}
    sizes = Counter((pair.source, pair.db_id) for pair in pairs)
    for number, pair in enumerate(pairs):
        words = schema_words(pair.schema)
        labels = labels_of(pair, words)
        if labels is None or not words.columns:
            continue
        if perturbed and (labels[0][:, 0] == 1).sum() > MOST_SELECTED:
            continue
        shuffled = random.Random(seed * 1_000_003 + number)
        shown, evidence = words, pair.evidence
        if perturbed:
            variant = shuffled.randrange(6)
            if variant >= 2:
                key = (id(pair.schema), variant)
                if key not in variants:
                    variants[key] = altered(pair.schema, variant)
                shown = schema_words(variants[key])
            if shuffled.random() < 0.25:
                evidence = ""
        inputs = column_inputs(QuestionReading(pair.question, evidence), shown, vocabulary)
        size = sizes[pair.source, pair.db_id]
        weight = (30.0 / max(size, 30)) ** 0.5
        inputs.channels = inputs.channels.astype(np.float16)
        rows = np.arange(len(shown.columns))
        example = Example(inputs, shown, *labels, weight, pair.source, pair.group, rows)
        made.append(cut(example, number) if perturbed else example)
    return made


def altered(schema: Schema, variant: int) -> Schema:
    """Return a schema with other names: 2 without descriptions, 3 to 5 abbreviated."""
    shuffled = random.Random(variant)
    names: dict[str, str] = {}
    tables = []
    for table in schema.tables:
        columns: list[Column] = []
        for column in table.columns:
            name = column.name
            if variant >= 3 and shuffled.random() < (0.0, 0.0, 0.0, 0.3, 0.6, 0.6)[variant]:
                name = _abbreviated(column.name, shuffled)
            taken = {item.name.casefold() for item in columns}
            while name.casefold() in taken:
                name += "_x"
            names[f"{table.name}\0{column.name}"] = name
            bare = variant in (2, 5)
            columns.append(
                replace(
                    column,
                    name=name,
                    label=None if bare else column.label,
                    description=None if bare else column.description,
                    value_description=None if bare else column.value_description,
                )
            )
        tables.append(Table(table.name, tuple(columns), ()))
    keys = tuple(
        ForeignKey(
            key.table,
            tuple(names[f"{key.table}\0{name}"] for name in key.columns),
            key.referred_table,
            tuple(names[f"{key.referred_table}\0{name}"] for name in key.referred_columns),
        )
        for key in schema.foreign_keys
    )
    return Schema(tuple(tables), keys)


def _abbreviated(name: str, shuffled: random.Random) -> str:
    parts = []
    for word in name_words(name):
        way = shuffled.random()
        if word in _SHORT and way < 0.7:
            parts.append(_SHORT[word])
        elif len(word) > 4 and way < 0.4:
            parts.append(word[: shuffled.randint(3, 4)])
        elif len(word) > 4 and way < 0.7:
            parts.append((word[0] + "".join(one for one in word[1:] if one not in "aeiou"))[:4])
        else:
            parts.append(word)
    return "_".join(parts) or name


def cut(example: Example, seed: int) -> Example:
    """Return an example with fewer columns: all used ones, one of each table, and some others."""
    n = len(example.labels)
    if n <= MOST_COLUMNS:
        return example
    used = (example.labels == 1).any(axis=1)
    score = used * 4.0 + np.random.default_rng(seed).random(n) + example.inputs.column_facts[:, 0]
    score[example.words.starts] += 4.0
    wanted = max(MOST_COLUMNS, int((score >= 4.0).sum()))
    rows = np.sort(np.argsort(-score, kind="stable")[:wanted])
    inputs = replace(
        example.inputs,
        channels=example.inputs.channels[:, :, rows],
        column_facts=example.inputs.column_facts[rows],
    )
    return replace(example, inputs=inputs, labels=example.labels[rows], rows=rows)
