"""QST17: a column that the question names is used nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.model import Schema, kept_by_schema
from clausewise.errors import NotApplicable
from clausewise.naming.expansion import expanded
from clausewise.question.asked import AskedKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import column_words, match_score, table_words, used_tables
from clausewise.signals.linking.constants import QueryFacts, facts_of
from clausewise.signals.linking.values import is_grammar
from clausewise.types import Case, Clause, Cost, Finding, Group, Need


@signal(
    code="QST17",
    name="uncovered_mention",
    group=Group.QUESTION,
    family="question_column",
    clauses={Clause.SELECT, Clause.WHERE, Clause.FROM, Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=3,
    reasons={
        "asked_for": ("The name is that of a thing asked for.", "strong"),
        "other_table": ("Only tables that the query does not read have the column.", "slight"),
        "long_name": "A name of two words or more is said.",
        "one_word": "A name of one word is said.",
    },
)
def uncovered_mention(case: Case, context: Context) -> Iterator[Finding]:
    """The question says the name of a column, and the query uses no column of that name.

    What it measures
    ----------------
    Columns whose whole name the question says, word after word, in one place. Such a column, or
    another of the same words, must be used in the query. Names of a single common word (name,
    date), of grammar, or explained by the evidence are not looked at.

    Why it points to an error
    -------------------------
    The part of the question that names the column was left out.

    Fires on
    --------
    What is the release year of each song? SELECT title FROM song

    Stays silent on
    ---------------
    What is the release year of each song? SELECT release_year FROM song

    Does not apply when
    -------------------
    The question names no column in full.

    How to repair
    -------------
    Use the column where the question's words put it.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLens (schema linking).
    """
    reading = read_question(case)
    facts = facts_of(context)
    mentions = _mentions(reading, context.schema)
    if not mentions:
        raise NotApplicable("the question names no column in full")
    if any(item.star for select in context.query.selects for item in select.projections):
        return
    used = _words_used(facts, context.schema)
    root = context.query.root
    for words, columns in mentions:
        if all(match_score(word, used) for word in words):
            continue
        yield Finding(
            clause=root.clause(Clause.SELECT) or context.query.span,
            reason=_reason(words, columns, reading, context),
            message=f"the question mentions '{' '.join(words)}', the query does not",
            evidence={"columns": columns},
            suggestion=f"use {' or '.join(columns[:3])}",
        )


def _reason(
    words: tuple[str, ...], columns: list[str], reading: QuestionReading, context: Context
) -> str:
    """Return what the name is in the question: asked for, of another table, or just said."""
    tables = used_tables(context)
    if not any(column.rpartition(".")[0] in tables for column in columns):
        return "other_table"
    kinds = (AskedKind.PLAIN, AskedKind.WHICH, AskedKind.MEASURE)
    for item in reading.asked:
        if item.required and item.sure and item.kind in kinds and set(words) <= set(item.words):
            return "asked_for"
    return "long_name" if len(words) > 1 else "one_word"


def _mentions(reading: QuestionReading, schema: Schema) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return (words, columns) of names that the question says in full, longest first."""
    explained = {word for item in reading.statements for word in question_words(item.phrase)}
    spoken = tuple(
        "" if token.quoted or token.word in explained or is_grammar(token) else token.word
        for token in reading.tokens
    )
    present = frozenset(spoken)
    taken: set[int] = set()
    found = []
    for words, columns in _names(schema):
        if not present.issuperset(words):
            continue
        size = len(words)
        for at in range(len(spoken) - size + 1):
            place = set(range(at, at + size))
            if spoken[at : at + size] == words and not place & taken:
                taken |= place
                found.append((words, list(columns)))
                break
    common = _common_words(schema)
    return [
        (words, columns)
        for words, columns in found
        if columns and (len(words) > 1 or words[0] not in common)
    ]


@kept_by_schema
def _names(schema: Schema) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Return the names of all columns in words, with the columns; tables have none, to block."""
    names = expanded(schema)
    found: dict[tuple[str, ...], list[str]] = {}
    for table in schema.tables:
        found.setdefault(names.table(table.name).phrase, [])
        for column in table.columns:
            for phrase in names.column(table.name, column.name).phrases:
                found.setdefault(phrase, []).append(f"{table.name}.{column.name}")
    ordered = sorted(found.items(), key=lambda item: (-len(item[0]), item[0]))
    return tuple((words, tuple(columns)) for words, columns in ordered if words)


@kept_by_schema
def _common_words(schema: Schema) -> frozenset[str]:
    """Return the words that stand in several columns' names, or in a table's."""
    names = expanded(schema)
    counts: dict[str, int] = {}
    tables = {word for table in schema.tables for word in names.table(table.name).words}
    for table in schema.tables:
        for column in table.columns:
            for word in set(names.column(table.name, column.name).phrase):
                counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, count in counts.items() if count > 1) | tables | {"name", "id"}


def _words_used(facts: QueryFacts, schema: Schema) -> frozenset[str]:
    words: set[str] = set()
    for use in facts.columns:
        words |= column_words(schema, use.table, use.column or use.name)
        words |= table_words(schema, use.table or "")
    for select in facts.query.selects:
        for source in select.sources:
            words |= table_words(schema, source.table or source.name)
    return frozenset(words)
