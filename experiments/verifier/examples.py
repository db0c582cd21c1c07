"""Right and wrong queries beside their questions, as the arrays that the verifier is trained on."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clausewise.databases import Schema
from clausewise.errors import ClausewiseError
from clausewise.expectation.columns_inputs import FIRST_WORD, column_inputs
from clausewise.expectation.columns_schema import schema_words
from clausewise.expectation.columns_words import stem
from clausewise.expectation.verifier_inputs import VerifierInputs, asked_of, verifier_inputs
from clausewise.question.reading import QuestionReading
from clausewise.sql import parse
from experiments.common.data import WORLD
from experiments.expectation.pairs import Pair
from experiments.verifier.mutations import Mutator

CLAUSES = ("select", "from", "join", "where", "group", "having", "order", "limit")
"""Clauses of an error, as domain files name them, in the order of the network's outputs."""
MOST_OF_GROUP = 40
"""Pairs of one database that are learned from; all of them, where people at work ask."""
MOST_OF_SOURCE = {
    "spider_syn_train": 700,
    "wikisql_dev_sample": 800,
    "ehrsql": 400,
    "footballdb": 150,
}
"""Pairs of sources that say little new."""
MUTANTS, MUTANTS_OF_WORLD = 3, 4
"""Errors made in one gold query of the benchmarks' makers, and of those of the world."""
WORLD_PAIRS = ("world_pairs", "corpus_pairs")
FEWEST_GROUPS, FEWEST_KEYWORDS = 4, 30
"""Databases that share a known word, and queries that have a known keyword."""
MOST_WORDS = 6_000
MOST_COLUMNS = 400
"""Columns of a schema beyond which nothing is learned from it."""


@dataclass(slots=True)
class Labeled:
    """One query beside its question. `clause` is where it is wrong, empty where it is right."""

    question: str
    evidence: str
    sql: str
    dialect: str
    schema: Schema
    correct: bool
    clause: str
    source: str
    group: str
    """The database."""
    mutated: bool = False
    """Whether the error was made by a rule."""

    @property
    def key(self) -> tuple[str, str]:
        """What its question is one and the same by."""
        return self.group, self.question

    @property
    def is_world(self) -> bool:
        """Whether it was written after the manner of people at work."""
        return self.source == WORLD or self.source in WORLD_PAIRS


def few_of_each(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Return the pairs that are learned from, shuffled."""
    shuffled = list(pairs)
    random.Random(seed).shuffle(shuffled)
    of_source: Counter[str] = Counter()
    of_group: Counter[tuple[str, str]] = Counter()
    kept = []
    for pair in shuffled:
        group = (pair.source, pair.db_id)
        if of_source[pair.source] < MOST_OF_SOURCE.get(pair.source, len(pairs)):
            if pair.source in WORLD_PAIRS or of_group[group] < MOST_OF_GROUP:
                kept.append(pair)
            of_group[group] += 1
            of_source[pair.source] += 1
    return kept


def of_pairs(pairs: Sequence[Pair], seed: int) -> list[Labeled]:
    """Return gold pairs with mutants of them, and half with the gold of another question."""
    rng = random.Random(seed)
    by_group: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_group[pair.source, pair.db_id].append(pair)
    made: list[Labeled] = []
    for _, listed in sorted(by_group.items()):
        mutator = Mutator(listed[0].schema, rng)
        for place, pair in enumerate(listed):
            made.append(_of_pair(pair, pair.sql, True))
            most = MUTANTS_OF_WORLD if pair.source in WORLD_PAIRS else MUTANTS
            for mutant in mutator.mutants(pair.sql, most, pair.dialect):
                made.append(_of_pair(pair, mutant.sql, False, mutant.clause))
            other = listed[(place + 1) % len(listed)]
            if other.sql.casefold() != pair.sql.casefold() and rng.random() < 0.5:
                made.append(_of_pair(pair, other.sql, False))
    return made


def _of_pair(pair: Pair, sql: str, correct: bool, clause: str = "") -> Labeled:
    return Labeled(
        question=pair.question,
        evidence=pair.evidence,
        sql=sql,
        dialect=pair.dialect,
        schema=pair.schema,
        correct=correct,
        clause=clause,
        source=pair.source,
        group=f"{pair.source}/{pair.db_id}",
        mutated=not correct,
    )


def of_cases(
    cases: Sequence[Mapping[str, Any]], schema: Schema, group: str, mutants: int, seed: int = 0
) -> list[Labeled]:
    """Return labeled queries of a domain, with mutants of the first right one of a question."""
    rng = random.Random(f"{seed} {group}")
    mutator = Mutator(schema, rng)
    made: list[Labeled] = []
    asked: set[str] = set()
    for case in cases:
        given = Labeled(
            question=case["question"],
            evidence=case.get("evidence") or "",
            sql=case["predicted_sql"],
            dialect="sqlite",
            schema=schema,
            correct=case["correct"],
            clause="" if case["correct"] else case.get("clause") or "",
            source=WORLD,
            group=group,
        )
        made.append(given)
        if given.correct and given.question not in asked:
            asked.add(given.question)
            made += [
                replace(given, sql=mutant.sql, correct=False, clause=mutant.clause, mutated=True)
                for mutant in mutator.mutants(given.sql, mutants)
            ]
    return made


def vocabularies(
    items: Iterable[Labeled], most: int = MOST_WORDS
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of stems that several databases share, and of keywords."""
    groups: dict[str, set[str]] = defaultdict(set)
    words: Counter[str] = Counter()
    seen: set[int] = set()
    for item in items:
        if not item.correct:
            continue
        for token in QuestionReading(item.question + " " + item.evidence, "").tokens:
            if not token.quoted and not token.text[0].isdigit():
                groups[stem(token.lower)].add(item.group)
        if id(item.schema) not in seen:
            seen.add(id(item.schema))
            for part in schema_words(item.schema).words:
                for word in part:
                    groups[stem(word)].add(item.group)
        try:
            query = parse(item.sql, item.dialect)
        except ClausewiseError:
            continue
        words.update(keyword.word for keyword in query.keywords)
        words.update(query.functions)
        words.update(literal.operator for select in query.selects for literal in select.literals)
    shared = Counter({word: len(of) for word, of in groups.items() if len(of) >= FEWEST_GROUPS})
    ranked = [word for word, _ in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))][
        :most
    ]
    known = sorted(word for word, count in words.items() if word and count >= FEWEST_KEYWORDS)
    return (
        {word: FIRST_WORD + at for at, word in enumerate(ranked)},
        {word: 1 + at for at, word in enumerate(known)},
    )


def inputs_of(
    item: Labeled, vocabulary: Mapping[str, int], keywords: Mapping[str, int]
) -> VerifierInputs | None:
    """Return the arrays of a query, None where it cannot be read."""
    words = schema_words(item.schema)
    reading = QuestionReading(item.question, item.evidence)
    if not words.columns or not reading.tokens or len(words.columns) > MOST_COLUMNS:
        return None
    try:
        query = parse(item.sql, item.dialect, item.schema.names())
    except ClausewiseError:
        return None
    if not query.selects:
        return None
    facts = column_inputs(reading, words, {})
    asked = asked_of(reading, words, vocabulary, facts.column_facts, facts.table_facts)
    made = verifier_inputs(asked, query, words, vocabulary, keywords)
    made.fits = made.fits.astype(np.float16)
    made.unit_facts = made.unit_facts.astype(np.float16)
    made.token_facts = made.token_facts.astype(np.float16)
    return made
